// Work on one large event in pieces, between which others may be let in: a generator that yields between them.

/** A shorter item, in characters, is read within a few ms. */
export const LARGE_ITEM = 64 * 1024;

export type InPieces<T> = Generator<undefined, T, undefined>;

/** All of it on end. */
export function atOnce<T>(work: InPieces<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Waits before each further piece for what `letIn` has it wait for. */
export function inPieces<T>(work: InPieces<T>, letIn: () => Promise<void> | undefined): T | Promise<T> {
  const { done, value } = work.next();
  return done === true ? value : furtherPieces(work, letIn);
}

async function furtherPieces<T>(work: InPieces<T>, letIn: () => Promise<void> | undefined): Promise<T> {
  for (;;) {
    await letIn();
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
