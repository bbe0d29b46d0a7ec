// Long documents give way: while others ask, they have a part of this process's time, and rest for the remainder.

interface Time {
  /** ms of some clock. */
  readonly now: () => number;
  /** ms for which this process has not been idle. */
  readonly active: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Others count as there for so long after one has asked. */
const REMEMBERED_MS = 10_000;
/** However busy the process: a piece is stored each time this has passed. */
const LONGEST_REST_MS = 1_000;
/** What a document may be without being long. */
const SHORT_BYTES = 1_000_000;

export class GiveWay {
  readonly #share: number;
  readonly #time: Time;
  #askedAt = -Infinity;
  #activeBefore = 0;
  /** When all that was done so far has been rested for. */
  #restedAt = -Infinity;

  /** `share`: the part of the time (above 0, to 1) that all long documents together may have. */
  constructor(share: number, time: Time) {
    this.#share = share;
    this.#time = time;
  }

  /** To be called for each request that is no document. */
  asked(): void {
    this.#askedAt = this.#time.now();
  }

  async *pieces(document: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const piece of document) {
      yield piece;
      bytes += piece.length;
      if (bytes > SHORT_BYTES) await this.#rest();
    }
  }

  /** Example: a share of 0.25, and 5 ms of work since the last rest: 15 ms, after those of the other documents. */
  async #rest(): Promise<void> {
    const now = this.#time.now();
    const active = this.#time.active();
    const took = active - this.#activeBefore;
    this.#activeBefore = active;
    if (this.#share >= 1 || now - this.#askedAt > REMEMBERED_MS) return;
    this.#restedAt = Math.min(Math.max(now - took, this.#restedAt) + took / this.#share, now + LONGEST_REST_MS);
    await this.#time.sleep(this.#restedAt - now);
  }
}
