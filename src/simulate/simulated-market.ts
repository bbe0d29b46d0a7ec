// A market of interruptible VMs that replays recorded prices: who pays less than his pool costs now gets a notice, and is taken
// when that is over.
import type { ToyMarket, ToyOffer, ToyVm } from '../act/toy-market.ts';
import type { Market, Millis } from '../model.ts';
import { priceReader, type PriceTrace } from './price-trace.ts';

export interface MarketSettings {
  readonly prices: readonly PriceTrace[];
  /** USD an hour, by type. */
  readonly onDemand: ReadonlyMap<string, number>;
  /** Pools that have interruptible VMs; default: all. */
  readonly pools?: readonly string[];
  /** How long before it is taken a VM is told so. Default 120 s. */
  readonly noticeMs?: Millis;
}

/** What the market did to the fleet, and what that cost. */
export interface MarketOutcome {
  /** USD. */
  readonly cost: number;
  /** USD for as many VMs, had all of them always been in the pool that was cheapest at that moment: nobody pays less. */
  readonly bound: number;
  /** VMs that got a notice. */
  readonly interruptions: number;
  /** Of these, those whose stand-in was still on its way when they left. */
  readonly late: number;
  /** How long such places were empty, together. */
  readonly gapMs: Millis;
}

/** The time that all traces have something to say of. */
export const commonTime = (traces: readonly PriceTrace[]): { readonly from: Millis; readonly to: Millis } => ({
  from: Math.max(...traces.map(({ points }) => points[0]?.at ?? 0)),
  to: Math.min(...traces.map(({ points }) => points.at(-1)?.at ?? 0)),
});

export class SimulatedMarket {
  readonly #noticeMs: Millis;
  readonly #interruptible: ReadonlySet<string>;
  readonly #pools: readonly {
    readonly pool: string;
    readonly type: string;
    readonly onDemand: number;
    readonly priceAt: (at: Millis) => number;
  }[];
  /** What is added to virtual time to be the traces' own. */
  readonly #offset: Millis;
  #prices: readonly number[] = [];
  #offers: readonly ToyOffer[] = [];
  #notices: Readonly<Record<string, Millis>> = {};

  /** The run begins, at `start` of virtual time, when all traces have begun. */
  constructor({ prices, onDemand, pools, noticeMs = 120_000 }: MarketSettings, start: Millis) {
    this.#noticeMs = noticeMs;
    this.#interruptible = new Set(pools ?? prices.map(({ pool }) => pool));
    this.#offset = commonTime(prices).from - start;
    this.#pools = prices.map((trace) => {
      const { pool } = trace;
      const type = pool.slice(pool.indexOf('/') + 1);
      return { pool, type, onDemand: onDemand.get(type) ?? Infinity, priceAt: priceReader(trace) };
    });
  }

  /** VMs that got a notice now; undefined: nothing has changed. */
  advance(now: Millis, vms: readonly ToyVm[]): readonly string[] | undefined {
    const moved = this.#move(now);
    const gone = Object.keys(this.#notices).filter((id) => !vms.some((vm) => vm.id === id));
    const noticed = vms.filter((vm) => !Object.hasOwn(this.#notices, vm.id) && this.#isOutbid(vm)).map(({ id }) => id);
    if (!moved && gone.length + noticed.length === 0) return undefined;
    const old = Object.entries(this.#notices).filter(([id]) => !gone.includes(id));
    this.#notices = Object.fromEntries([...old, ...noticed.map((id) => [id, now + this.#noticeMs] as const)]);
    return noticed;
  }

  /** The least that a VM costs an hour now, of whatever kind. */
  get cheapest(): number {
    return Math.min(...this.#offers.map(({ price }) => price));
  }

  get toy(): ToyMarket {
    return { offers: this.#offers, notices: this.#notices };
  }

  #isOutbid({ offer, maxPrice = Infinity }: ToyVm): boolean {
    const price = this.#offers.find(({ id }) => id === offer.id)?.price ?? 0;
    return offer.market === 'interruptible' && price > maxPrice;
  }

  /** Whether any price is another one. */
  #move(now: Millis): boolean {
    const prices = this.#pools.map(({ priceAt }) => priceAt(now + this.#offset));
    if (this.#prices.length > 0 && prices.every((price, i) => price === this.#prices[i])) return false;
    this.#prices = prices;
    const of = (pool: string, type: string, market: Market, price: number): ToyOffer => ({
      id: `${pool}/${market}`,
      size: { name: type, vcpu: 1 },
      market,
      pool,
      price,
    });
    this.#offers = this.#pools.flatMap(({ pool, type, onDemand }, i) => [
      of(pool, type, 'on-demand', onDemand),
      ...(this.#interruptible.has(pool) ? [of(pool, type, 'interruptible', prices[i] ?? 0)] : []),
    ]);
    return true;
  }
}
