// Whom a cheaper pool relieves: a VM stays in the pool that it was bought in, which may have become dear since. For how long it
// will be, and how long the VM will be needed, nobody knows: what has held for a while is taken to hold for as long again.
// A machine that carries several VMs costs the same with one of them as with all: they go together, or none does.
import type { Millis, Purchase } from '../model.ts';
import {
  cheapestInterruptible,
  countIn,
  countOf,
  limitOf,
  mostInOne,
  onDemandPrice,
  poolsOf,
  type Held,
  type Market,
} from './offers.ts';
import { showPrice } from './money.ts';
import type { FleetParameters } from './settings.ts';

/** A pool is dear that costs so many times what the one costs in which the mix would buy its VMs now: less is no reason to stir. */
const DEAR = 1.2;

/** Where the mix would buy a VM of a dear pool now. */
export interface Relief extends Purchase {
  /** What is saved by that, an hour. */
  readonly saves: number;
  /** What a boot costs, an hour of it: on demand, since who is moved may be taken there, and then a stand-in boots. */
  readonly boots: number;
}

/** Of the pools that `held` has VMs in, those that are dear, by name. A VM that left one would keep the spread as it is bought. */
export function dearPools(
  held: readonly Held[],
  market: Market,
  settings: FleetParameters,
): ReadonlyMap<string, Relief> {
  const dear = new Map<string, Relief>();
  const most = mostInOne(countOf(held), settings);
  const interruptible = market.offers.filter((offer) => offer.market === 'interruptible');
  const isSpreadOver = (own: string): boolean =>
    poolsOf({ ...market, resting: [] }, settings).some(({ pool }) => pool === own);
  const cheapest = interruptible.reduce((least, { price }) => Math.min(least, price), Infinity);
  for (const own of interruptible) {
    if (own.price < DEAR * cheapest || dear.has(own.pool)) continue;
    const leaver = held.findIndex(({ offer }) => offer?.id === own.id);
    if (leaver < 0) continue;
    const others = held.toSpliced(leaver, 1);
    const offer = cheapestInterruptible(market, others, settings);
    if (offer === undefined || offer.pool === own.pool || own.price < DEAR * offer.price) continue;
    // where all pools have their share, the mix buys without looking at the price
    if (countIn(offer.pool, others) >= most && isSpreadOver(own.pool)) continue;
    dear.set(own.pool, {
      ...{ offer, maxPrice: limitOf(offer, market.offers, settings) },
      saves: own.price - offer.price,
      boots: onDemandPrice(offer, market.offers),
      why: `${own.id} costs ${showPrice(own.price)} an hour by now, ${offer.id} ${showPrice(offer.price)}.`,
    });
  }
  return dear;
}

/** Of VMs that go together, each as if those before it had gone; undefined: one of them would have to stay, so all do. */
export function reliefsOf(
  leavers: readonly Held[],
  held: readonly Held[],
  market: Market,
  settings: FleetParameters,
): readonly Relief[] | undefined {
  const found: Relief[] = [];
  let now = held;
  for (const { offer } of leavers) {
    const relief = dearPools(now, market, settings).get(offer?.pool ?? '');
    if (relief === undefined) return undefined;
    const leaver = now.findIndex((vm) => vm.offer?.id === offer?.id);
    now = [...now.toSpliced(leaver, 1), relief];
    found.push(relief);
  }
  return found;
}

/**
 * Whether a VM that has been in a dear pool for so long is worth being relieved: until it probably isn't needed there any more,
 * which is for as long again, that must save what a boot costs.
 * Worked: 0.02 saved an hour, boots at 0.1 for 90 s: after 7.5 minutes.
 */
export const isWorthIt = ({ saves, boots }: Relief, dearMs: Millis, bootMs: Millis): boolean =>
  saves * dearMs >= boots * bootMs;
