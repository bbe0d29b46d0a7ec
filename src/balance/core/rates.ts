// How much of something one client may have in a second; who wants more has to rest.
import type { Millis } from '../../model.ts';

export class Rates {
  readonly #perMs: number;
  readonly #savedMs: Millis;
  readonly #longestMs: Millis;
  /** When what each client had will have been paid off. */
  readonly #paidAt = new Map<string, Millis>();

  /** `savedMs`: what a client didn't have in so long it may have at once. `longestMs`: what it would have to rest for longer does not count. */
  constructor(perSecond: number, savedMs: Millis, longestMs: Millis = Infinity) {
    this.#perMs = perSecond / 1000;
    this.#savedMs = savedMs;
    this.#longestMs = longestMs;
  }

  /**
   * A client had so much: for how many ms it should get no more.
   * Example: 16 MB a second, 100 ms saved; 3.2 MB at once are worth 200 ms, so it rests for 100.
   */
  restAfter(client: string, amount: number, now: Millis): Millis {
    const since = Math.max(this.#paidAt.get(client) ?? 0, now - this.#savedMs);
    const paidAt = Math.min(since + amount / this.#perMs, now + this.#longestMs);
    this.#paidAt.set(client, paidAt);
    return Math.max(0, paidAt - now);
  }

  /** To be called now and then. */
  forget(now: Millis): void {
    for (const [client, paidAt] of this.#paidAt) if (paidAt <= now - this.#savedMs) this.#paidAt.delete(client);
  }
}
