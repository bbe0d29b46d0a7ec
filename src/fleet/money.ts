// What a fleet costs. Prices are an hour's.
import type { Millis, Offer } from '../model.ts';
import { onDemandPrice } from './offers.ts';

const HOUR = 3_600_000;

/** Cost, and what the same VMs would have cost more on demand: savings = Σ (on-demand − price) × hours. */
export class Money {
  #cost = 0;
  #saved = 0;
  #rate = 0;
  #savingRate = 0;
  #at: Millis | undefined;

  /** From now on these are paid for: booting and draining ones, too. */
  paid(vms: readonly Offer[], offers: readonly Offer[], now: Millis): void {
    ({ cost: this.#cost, saved: this.#saved } = this.upTo(now));
    this.#rate = vms.reduce((sum, { price }) => sum + price, 0);
    this.#savingRate = vms
      .filter(({ market }) => market === 'interruptible')
      .reduce((sum, offer) => sum + onDemandPrice(offer, offers) - offer.price, 0);
    this.#at = now;
  }

  clockSet(by: Millis): void {
    if (this.#at !== undefined) this.#at += by;
  }

  /** Worked: one at 0.009 where on demand is 0.067, for 10 hours: cost 0.09, saved 0.58. */
  upTo(now: Millis): { readonly cost: number; readonly saved: number } {
    const hours = this.#at === undefined ? 0 : (now - this.#at) / HOUR;
    return { cost: this.#cost + this.#rate * hours, saved: this.#saved + this.#savingRate * hours };
  }

  /** An hour, now. */
  get rate(): number {
    return this.#rate;
  }
}

/** `0.41`, `0.0049`, `12.3`: three digits that say something. */
export const showPrice = (price: number): string => String(Number(price.toPrecision(3)));
