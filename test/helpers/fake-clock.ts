// Virtual time for tests: nothing happens until a test moves the clock.
import type { Clock } from '../../src/loop/clock.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export class FakeClock implements Clock {
  #now: number;
  /** By so much somebody has set it. */
  #set = 0;
  #sleepers: Sleeper[] = [];

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now + this.#set;
  }

  readonly steady = (): number => this.#now;

  /** As an operator does, or who synchronises clocks. */
  set(by: number): void {
    this.#set += by;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      });
    });
  }

  /** Moves on, waking sleepers in order, each with time to do all it can before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await quiet();
    for (;;) {
      const next = this.#sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#sleepers = this.#sleepers.filter((other) => other !== next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await quiet();
    }
    this.#now = end;
  }
}

/** Every promise that can go on has gone on. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}
