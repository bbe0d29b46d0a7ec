// Whether each VM that the market takes away is replaced in time: its place is empty while it serves no more and its
// stand-in does not yet.
import type { Fleet, Millis } from '../model.ts';
import type { MarketOutcome } from './simulated-market.ts';

export class Interruptions {
  readonly #fleet: () => Fleet;
  readonly #serves: (id: string) => boolean;
  readonly #open = new Set<string>();
  readonly #late = new Set<string>();
  #count = 0;
  #gapMs: Millis = 0;

  constructor(fleet: () => Fleet, serves: (id: string) => boolean) {
    this.#fleet = fleet;
    this.#serves = serves;
  }

  get counted(): Omit<MarketOutcome, 'cost' | 'bound'> {
    return { interruptions: this.#count, late: this.#late.size, gapMs: this.#gapMs };
  }

  /** VMs that never served leave no place. */
  noticed(id: string): void {
    this.#count++;
    if (this.#serves(id)) this.#open.add(id);
  }

  advance(ms: Millis): void {
    if (this.#open.size === 0) return;
    const fleet = this.#fleet();
    for (const id of this.#open) {
      if (this.#serves(id)) continue;
      if (fleet.some(({ inPlaceOf, state }) => inPlaceOf === id && state === 'pending')) {
        this.#late.add(id);
        this.#gapMs += ms;
      } else this.#open.delete(id);
    }
  }
}
