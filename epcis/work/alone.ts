// A repository with one writer (SQLite): a long document that is captured whole keeps all others waiting from its first event to its last.
// So there is one at a time, none while what is more important waits, and between two of them others get in.

interface Time {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Longer than another process takes to see that it can write. */
const LOOK_AGAIN_MS = 30;
/** Then it goes on in any case: who is before it may never come to its end. */
const PATIENCE_MS = 60_000;

export class Alone {
  readonly #time: Time;
  #isTaken = false;

  constructor(time: Time) {
    this.#time = time;
  }

  /** Works when nobody else does, and `isNext` was true twice in a row: what waited for the last one has come in meanwhile. */
  async run<T>(isNext: () => Promise<boolean>, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { now, sleep } = this.#time;
    const latest = now() + PATIENCE_MS;
    for (let seen = 0; ;) {
      signal.throwIfAborted();
      seen = !this.#isTaken && (await isNext()) ? seen + 1 : 0;
      if ((seen >= 2 || now() >= latest) && !this.#isTaken) break;
      await sleep(LOOK_AGAIN_MS);
    }
    this.#isTaken = true;
    try {
      return await work();
    } finally {
      this.#isTaken = false;
    }
  }
}
