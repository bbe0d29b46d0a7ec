// The last samples of one VM, one a period, newest first.
import type { Millis } from '../model.ts';

export class Window {
  #samples: readonly number[];
  #newestAt: Millis | undefined;
  readonly size: number;

  constructor(size: number, before?: Window) {
    this.size = size;
    this.#samples = before === undefined ? [] : before.#samples.slice(0, size);
    this.#newestAt = before === undefined ? undefined : before.#newestAt;
  }

  get samples(): readonly number[] {
    return this.#samples;
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
