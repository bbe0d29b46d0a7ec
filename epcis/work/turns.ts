// Who of the tasks of this process may go on: as many as there are places, those whose turn is first. The others pause.

/** Waits while others go first, `longestMs` in all calls together, or until the signal. */
export type Pass = (longestMs: number, signal?: AbortSignal) => Promise<void>;

interface Place {
  readonly pass: Pass;
  leave(): void;
}

export class Turns {
  readonly #places: number;
  /** Sorted: the first is first. */
  readonly #taken: { readonly turn: number }[] = [];
  #changed = Promise.withResolvers<void>();

  constructor(places: number) {
    this.#places = places;
  }

  /**
   * The turn that another task must be before to get a place beside those at work; undefined where none may. So there are never
   * more than twice as many tasks as places.
   */
  get overtaking(): number | undefined {
    const last = this.#taken.length < 2 * this.#places ? this.#taken[this.#places - 1]?.turn : undefined;
    return last === -Infinity ? undefined : last;
  }

  take(turn: number): Place {
    const own = { turn };
    const after = this.#taken.findIndex((other) => other.turn > turn);
    this.#taken.splice(after < 0 ? this.#taken.length : after, 0, own);
    let paused = 0;
    return {
      pass: async (longestMs, signal) => {
        while (!this.#goesOn(own) && paused < longestMs && signal?.aborted !== true) {
          const from = performance.now();
          await this.#change(longestMs - paused, signal);
          paused += performance.now() - from;
        }
      },
      leave: () => {
        this.#taken.splice(this.#taken.indexOf(own), 1);
        this.#changed.resolve();
        this.#changed = Promise.withResolvers<void>();
      },
    };
  }

  #goesOn(own: { readonly turn: number }): boolean {
    return this.#taken.indexOf(own) < this.#places;
  }

  async #change(longestMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = longestMs === Infinity ? undefined : setTimeout(resolve, longestMs);
    signal?.addEventListener('abort', () => resolve(), { once: true });
    await Promise.race([this.#changed.promise, promise]);
    clearTimeout(timer);
  }
}
