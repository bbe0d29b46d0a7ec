// What captures documents lets others in every 2 ms, and goes on when their questions are answered: each needs several turns of this process's
// loop, and had to wait for a piece of a document in each of them.

interface Time {
  /** ms of some clock. */
  readonly now: () => number;
  /** Until what has come meanwhile has had its turn. */
  readonly nextTurn: () => Promise<unknown>;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** What is read on end, and after how many ms of all documents together others have their turn. */
const PIECE_BYTES = 8 * 1024;
const OTHERS_AFTER_MS = 2;
/** A piece waits no longer than this, however many ask. */
const PATIENCE_MS = 5;
/** Who takes as long to be answered waits for something else. */
const FRESH_MS = 200;

/** Before a piece of work: a promise where others have their turn first. */
export type LetIn = () => Promise<void> | undefined;

export class LettingIn {
  readonly #time: Time;
  #since = -Infinity;
  /** When those began that are not answered. */
  readonly #questions = new Set<{ readonly since: number }>();
  #answered = Promise.withResolvers<void>();
  /** One piece between two turns of others, whosever it is. */
  #queue: Promise<void> = Promise.resolve();

  constructor(time: Time) {
    this.#time = time;
  }

  /** A question, until it is told to be answered. */
  asked(): () => void {
    const question = { since: this.#time.now() };
    this.#questions.add(question);
    return () => {
      if (!this.#questions.delete(question)) return;
      this.#answered.resolve();
      this.#answered = Promise.withResolvers();
    };
  }

  readonly letIn: LetIn = () => {
    if (this.#time.now() - this.#since <= OTHERS_AFTER_MS) return undefined;
    return (this.#queue = this.#queue.then(() => this.#others()));
  };

  async *pieces(document: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of document)
      for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
        await this.letIn();
        yield bytes.subarray(from, from + PIECE_BYTES);
      }
  }

  async #others(): Promise<void> {
    const { now, nextTurn, sleep } = this.#time;
    await nextTurn();
    const until = now() + PATIENCE_MS;
    for (let left = PATIENCE_MS; left > 0 && this.#isAsked(); left = until - now())
      await Promise.race([this.#answered.promise, sleep(left)]);
    this.#since = now();
  }

  #isAsked(): boolean {
    const fresh = this.#time.now() - FRESH_MS;
    for (const question of this.#questions) {
      if (question.since >= fresh) return true;
      this.#questions.delete(question);
    }
    return false;
  }
}
