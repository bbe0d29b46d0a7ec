// What the provider offers, asked anew now and then, and which offers are left in peace for a while.
import type { Provider } from '../act/provider.ts';
import { messageOf } from '../errors.ts';
import type { Market } from '../fleet/offers.ts';
import type { Millis, Offer } from '../model.ts';
import type { Clock } from './clock.ts';
import { within } from './deadline.ts';

/** An offer that is not to be asked for until then. */
export interface Rest {
  readonly offer: string;
  readonly until: Millis;
}

/** Prices move by the minute at most, and a cloud counts its calls. */
const ASK_EVERY_MS = 30_000;
const DEADLINE_MS = 10_000;

export class MarketWatch {
  readonly #provider: Pick<Provider, 'offers'>;
  readonly #clock: Clock;
  readonly #ending: AbortSignal;
  #offers: readonly Offer[] = [];
  #rests = new Map<string, Millis>();
  #askedAt: Millis = -Infinity;
  /** Why the provider doesn't tell. */
  problem: string | undefined;

  /** `ending`: no answer is waited for any more. */
  constructor(provider: Pick<Provider, 'offers'>, clock: Clock, ending: AbortSignal) {
    this.#provider = provider;
    this.#clock = clock;
    this.#ending = ending;
  }

  get market(): Market {
    const now = this.#clock.now();
    for (const [offer, until] of this.#rests) if (until <= now) this.#rests.delete(offer);
    return { offers: this.#offers, resting: [...this.#rests.keys()] };
  }

  get rests(): readonly Rest[] {
    return Array.from(this.#rests, ([offer, until]) => ({ offer, until }));
  }

  /** Takes up what was learnt before a restart. */
  restore(rests: readonly Rest[]): void {
    this.#rests = new Map(rests.map(({ offer, until }) => [offer, until]));
  }

  rest(offers: readonly string[], ms: Millis): void {
    for (const offer of offers) this.#rests.set(offer, this.#clock.now() + ms);
  }

  clockSet(by: Millis): void {
    this.#askedAt += by;
    for (const [offer, until] of this.#rests) this.#rests.set(offer, until + by);
  }

  /** Waits for the answer only before there has been one: nothing is to be bought blindly. */
  async look(): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#askedAt < ASK_EVERY_MS) return;
    this.#askedAt = now;
    const asked = this.#ask();
    if (this.#offers.length === 0) await asked;
  }

  async #ask(): Promise<void> {
    try {
      this.#offers = await within(this.#clock, DEADLINE_MS, this.#provider.offers(), this.#ending);
      this.problem = undefined;
    } catch (error) {
      this.problem = messageOf(error);
    }
  }
}
