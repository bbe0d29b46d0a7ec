// Who waits for the database, and what that says of it: that it is gone, or back. It does nothing and is told the time.
import { UnavailableError } from '../../domain/unavailable.ts';

export interface Patience {
  /** A statement that has been under way for so long has the database asked whether it answers at all. */
  readonly suspectMs: number;
  /** Nobody waits longer for a database that doesn't. */
  readonly patienceMs: number;
}

/** Somebody who waits. */
export interface Wait {
  /** When its statement began; undefined: it has none at present, as in a transaction between two of them. */
  since: number | undefined;
  readonly giveUp: (why: UnavailableError) => void;
}

export class Waits {
  readonly #patience: Patience;
  readonly #all = new Set<Wait>();
  /** When a statement last came to its end. */
  #answeredAt = 0;
  #gone: UnavailableError | undefined;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** Why nobody waits any more; undefined: it answers, as far as is known. */
  get gone(): UnavailableError | undefined {
    return this.#gone;
  }

  /** Whether somebody waits, or will again when it is back. */
  get matter(): boolean {
    return this.#all.size > 0 || this.#gone !== undefined;
  }

  add(giveUp: Wait['giveUp']): Wait {
    const wait = { since: undefined, giveUp };
    this.#all.add(wait);
    return wait;
  }

  /** False: it was given up. */
  has(wait: Wait): boolean {
    return this.#all.has(wait);
  }

  delete(wait: Wait): void {
    this.#all.delete(wait);
  }

  answered(now: number, wait?: Wait): void {
    this.#answeredAt = now;
    if (wait !== undefined) wait.since = undefined;
  }

  /** Whether the database is to be asked if it answers at all. */
  doubts(now: number): boolean {
    return this.#gone !== undefined || this.#longest(now) >= this.#patience.suspectMs;
  }

  /** It was asked, and answered (`why` is undefined) or not. Whether that changes what is known of it. */
  learn(why: unknown, now: number): boolean {
    const wasGone = this.#gone !== undefined;
    if (why === undefined) this.#gone = undefined;
    else if (!wasGone && this.#longest(now) >= this.#patience.patienceMs)
      this.#gone = new UnavailableError(GONE, { cause: why });
    return wasGone !== (this.#gone !== undefined);
  }

  /** Nobody waits for a database that is gone. */
  giveUp(): void {
    const gone = this.#gone ?? new UnavailableError(GONE);
    const all = [...this.#all];
    this.#all.clear();
    for (const { giveUp } of all) giveUp(gone);
  }

  /** How long somebody has waited for one statement while none came to its end. */
  #longest(now: number): number {
    let longest = 0;
    for (const { since } of this.#all)
      if (since !== undefined) longest = Math.max(longest, now - Math.max(since, this.#answeredAt));
    return longest;
  }
}

export const GONE = 'The repository does not answer at present: send the request again later.';
