// The last samples of one VM, one a period, newest first.
import type { Millis } from '../model.ts';

export class Window {
  readonly size: number;
  #samples: readonly number[] = [];
  #newestAt: Millis | undefined;

  constructor(size: number) {
    this.size = size;
  }

  /** With these samples, the newest of them read at that time. */
  static of(samples: readonly number[], size: number, newestAt?: Millis): Window {
    const window = new Window(size);
    window.#samples = samples.slice(0, size);
    window.#newestAt = newestAt;
    return window;
  }

  get samples(): readonly number[] {
    return this.#samples;
  }

  resized(size: number): Window {
    return Window.of(this.#samples, size, this.#newestAt);
  }

  /** A reading with the time of the last one is that reading again: no new sample. Two decimals are kept. */
  push(value: number, readAt?: Millis): void {
    if (readAt !== undefined && readAt === this.#newestAt) return;
    this.#newestAt = readAt;
    this.#samples = [Math.round(value * 100) / 100, ...this.#samples.slice(0, this.size - 1)];
  }

  /** A period without a value repeats the last one; without any there is nothing to repeat. */
  hold(): void {
    const [newest] = this.#samples;
    if (newest !== undefined) this.push(newest);
  }
}
