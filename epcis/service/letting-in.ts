// Documents that are being captured let others in: to read one takes 60 ms on end where its events hold many values.

interface Time {
  /** ms of some clock. */
  readonly now: () => number;
  /** Until all that waits has had its turn. */
  readonly nextTurn: () => Promise<unknown>;
}

/** What is read on end, and after how many ms of all documents together others have their turn: a request needs several. */
const PIECE_BYTES = 8 * 1024;
const OTHERS_AFTER_MS = 2;

export class LettingIn {
  readonly #time: Time;
  #since = -Infinity;

  constructor(time: Time) {
    this.#time = time;
  }

  async *pieces(document: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of document)
      for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
        if (this.#time.now() - this.#since > OTHERS_AFTER_MS) {
          await this.#time.nextTurn();
          this.#since = this.#time.now();
        }
        yield bytes.subarray(from, from + PIECE_BYTES);
      }
  }
}
