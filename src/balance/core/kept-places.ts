// How many places at the VMs are kept free of what is less important: as many as the more important has needed at once lately, as far as
// keeping them costs little. Who finds a VM at work waits for a whole request there, however far ahead in the queue.
import type { Millis } from '../../model.ts';

/** Of all places so many may stand empty, on average, for what may come. */
const EMPTY_AT_MOST = 0.05;
/** And what is kept is no more than this part, so that nobody starves. */
const KEPT_AT_MOST = 0.5;
/** What was longer ago counts half, and half again. */
const REMEMBERED_MS = 2_000;
const COUNTED_MOST = 256;

export class KeptPlaces {
  /** ms for which there were so many at once. */
  readonly #ms: number[] = [];
  #sum = 0;
  #count = 0;
  #since: Millis;

  constructor(now: Millis) {
    this.#since = now;
  }

  /** So many there are from now on. */
  counts(count: number, now: Millis): void {
    if (count === this.#count) return;
    this.#add(now);
    this.#count = Math.min(COUNTED_MOST, count);
  }

  /**
   * As many as would stand empty for a twentieth of all places at the most. Example: of 8 places, one client that asks again at once
   * has one for 0.9 of the time: 1 is kept, which stands empty for 0.1 (of 0.4); 2 would for 1.1.
   */
  of(places: number, now: Millis): number {
    this.#add(now);
    const most = Math.floor(KEPT_AT_MOST * places);
    const bound = EMPTY_AT_MOST * places * this.#sum;
    let [kept, empty, fewer] = [0, 0, 0];
    while (kept < most) {
      fewer += this.#ms[kept] ?? 0;
      empty += fewer;
      if (empty > bound || fewer >= this.#sum) break;
      kept++;
    }
    return kept;
  }

  #add(now: Millis): void {
    const ms = now - this.#since;
    this.#since = now;
    this.#ms[this.#count] = (this.#ms[this.#count] ?? 0) + ms;
    this.#sum += ms;
    if (this.#sum < 2 * REMEMBERED_MS) return;
    this.#sum /= 2;
    for (let i = 0; i < this.#ms.length; i++) this.#ms[i] = (this.#ms[i] ?? 0) / 2;
  }
}
