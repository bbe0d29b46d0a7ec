// Wrong tokens, by who sends them: each is answered later than the one before, so that nobody gets far by trying.
import { networkOf } from '../../epcis/domain/address.ts';
import { backOff } from '../../epcis/domain/back-off.ts';

/** So many may be typing errors. */
const FREE = 3;
const FIRST_MS = 100;
const LONGEST_MS = 5_000;
const FORGOTTEN_MS = 15 * 60_000;
/** At once, of one address; no more are looked at. */
const MOST_WAITING = 10;
const MOST_ADDRESSES = 10_000;

interface Attempts {
  count: number;
  last: number;
  waiting: number;
}

export class Failures {
  /** By network. */
  readonly #by = new Map<string, Attempts>();

  /** One more. How long its answer is to wait, ms. Worked: the fourth waits 100 ms, the sixth 400 ms, the tenth 5 s. */
  add(address: string, now: number): number {
    const network = networkOf(address);
    const before = this.#by.get(network);
    const attempts =
      before === undefined || now - before.last > FORGOTTEN_MS ? { count: 0, last: now, waiting: 0 } : before;
    attempts.count++;
    attempts.last = now;
    attempts.waiting++;
    this.#by.delete(network);
    this.#by.set(network, attempts);
    const oldest = this.#by.keys().next();
    if (this.#by.size > MOST_ADDRESSES && oldest.done !== true) this.#by.delete(oldest.value);
    return backOff(attempts.count - FREE, FIRST_MS, LONGEST_MS);
  }

  /** Its answer has gone. */
  answered(address: string): void {
    const attempts = this.#by.get(networkOf(address));
    if (attempts !== undefined) attempts.waiting--;
  }

  /** Whether what comes from there is not even looked at. */
  tooMany(address: string): boolean {
    return (this.#by.get(networkOf(address))?.waiting ?? 0) >= MOST_WAITING;
  }
}
