// A document that is being captured lets others in: to read it takes 60 ms on end where its events hold many values.

interface Time {
  /** ms of some clock. */
  readonly now: () => number;
  /** Until all that waits has had its turn. */
  readonly nextTurn: () => Promise<unknown>;
}

/** What is read on end, and after how many ms of it others have their turn. */
const PIECE_BYTES = 16 * 1024;
const OTHERS_AFTER_MS = 5;

export async function* lettingOthersIn(document: AsyncIterable<Uint8Array>, time: Time): AsyncGenerator<Uint8Array> {
  for await (const bytes of document) {
    let since = time.now();
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      if (time.now() - since > OTHERS_AFTER_MS) {
        await time.nextTurn();
        since = time.now();
      }
      yield bytes.subarray(from, from + PIECE_BYTES);
    }
  }
}
