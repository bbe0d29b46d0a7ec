// Time that passes when the simulation says so.
import type { Clock } from '../loop/clock.ts';
import type { Millis } from '../model.ts';
import { EventQueue } from './event-queue.ts';

export class VirtualClock implements Clock {
  #now: Millis;
  readonly #sleepers = new EventQueue<{ wake: (() => void) | undefined }>();

  constructor(now: Millis) {
    this.#now = now;
  }

  now(): Millis {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: { wake: (() => void) | undefined } = { wake: resolve };
      this.#sleepers.add(this.#now + ms, sleeper);
      signal?.addEventListener('abort', () => {
        sleeper.wake = undefined;
        resolve();
      });
    });
  }

  /** Wakes in order whoever slept until then. Returns whether anybody did. */
  advanceTo(now: Millis): boolean {
    let woken = false;
    while (this.#sleepers.nextAt <= now) {
      this.#now = Math.max(this.#now, this.#sleepers.nextAt);
      const wake = this.#sleepers.take()?.wake;
      wake?.();
      woken ||= wake !== undefined;
    }
    this.#now = now;
    return woken;
  }
}
