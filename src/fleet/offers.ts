// Of what a cloud offers: what fits, what may be paid for it, and where to ask next.
import type { Offer } from '../model.ts';
import type { FleetParameters } from './settings.ts';

/** What is offered at today's prices, and the offers (by id) that are not to be asked for a while. */
export interface Market {
  readonly offers: readonly Offer[];
  readonly resting: readonly string[];
}

/** There is nothing to choose where there is one offer. */
export const hasChoice = ({ offers }: Market): boolean => offers.length > 1;

export function fits({ size }: Offer, { vcpu, memory, architecture }: FleetParameters): boolean {
  if (size.vcpu < vcpu || (size.memoryBytes ?? Infinity) < memory) return false;
  return architecture === '' || size.architecture === undefined || size.architecture === architecture;
}

/** The same on demand: in the same pool, else of the same size, else the cheapest there is. */
export function onDemandPrice({ pool, size, price }: Offer, offers: readonly Offer[]): number {
  const { byPool, bySize, least } = onDemandPrices(offers);
  return byPool.get(pool) ?? bySize.get(size.name) ?? least ?? price;
}

interface OnDemandPrices {
  readonly byPool: ReadonlyMap<string, number>;
  readonly bySize: ReadonlyMap<string, number>;
  readonly least: number | undefined;
}

/** The least of each, of what was offered last: it is asked for each of thousands of pools, again and again. */
const known = new WeakMap<readonly Offer[], OnDemandPrices>();

function onDemandPrices(offers: readonly Offer[]): OnDemandPrices {
  const found = known.get(offers);
  if (found !== undefined) return found;
  const dearestFirst = offers.filter(({ market }) => market === 'on-demand').sort((a, b) => b.price - a.price);
  const prices = {
    byPool: new Map(dearestFirst.map(({ pool, price }) => [pool, price])),
    bySize: new Map(dearestFirst.map(({ size, price }) => [size.name, price])),
    least: dearestFirst.at(-1)?.price,
  };
  known.set(offers, prices);
  return prices;
}

/** Worked: on demand 0.067, maxPrice 0.1 → 0.067; maxPrice 0.02 → 0.02; maxPrice 0 → 0.067. */
export function limitOf(offer: Offer, offers: readonly Offer[], { maxPrice }: FleetParameters): number {
  return Math.min(onDemandPrice(offer, offers), maxPrice === 0 ? Infinity : maxPrice);
}

/** The cheapest that fits; one that rests only where there is no other. */
export function cheapestOnDemand({ offers, resting }: Market, settings: FleetParameters): Offer | undefined {
  const fitting = offers.filter((offer) => offer.market === 'on-demand' && fits(offer, settings)).sort(cheapestFirst);
  return fitting.find(({ id }) => !resting.includes(id)) ?? fitting[0];
}

/** The interruptible offers of pools that VMs are spread over, cheapest first: where one may be asked for, and pays for itself. */
export function poolsOf({ offers, resting }: Market, settings: FleetParameters): readonly Offer[] {
  const fitting = offers
    .filter((offer) => offer.market === 'interruptible' && !resting.includes(offer.id) && fits(offer, settings))
    .filter((offer) => offer.price <= limitOf(offer, offers, settings))
    .sort(cheapestFirst);
  const pools = [...new Map(fitting.toReversed().map((offer) => [offer.pool, offer])).values()].sort(cheapestFirst);
  const [cheapest] = pools;
  if (cheapest === undefined) return [];
  const most = cheapest.price + premiumOf(cheapest, offers, settings);
  return pools.slice(0, settings.pools).filter(({ price }) => price <= most + ROUNDING);
}

/**
 * What may be paid more for a VM, so that not all of them are in one pool: spreading is an insurance, and a VM that costs much more
 * than the others is the same as one on demand. Worked: 10 % of 0.067 on demand: with the cheapest pool at 0.03 those up to 0.0367.
 */
function premiumOf(cheapest: Offer, offers: readonly Offer[], settings: FleetParameters): number {
  return (limitOf(cheapest, offers, settings) * settings.spreadPremium) / 100;
}

/**
 * The interruptible offer for the next VM, undefined: there is none. Among the pools to spread over that have not their share yet
 * (`poolShare`), the one in which another VM weighs least; among equals the one with the fewest of ours, then the cheapest.
 * Worked: pools at 0.01, 0.02 and 0.02, and none is held: of 6 VMs 4, 1 and 1.
 */
export function cheapestInterruptible(
  market: Market,
  held: readonly Held[],
  settings: FleetParameters,
): Offer | undefined {
  const pools = poolsOf(market, settings);
  const most = mostInOne(countOf(held) + 1, settings);
  const open = pools.filter(({ pool }) => countIn(pool, held) < most);
  const weight = (offer: Offer): number => weightOf(offer, countIn(offer.pool, held) + 1);
  const isFewer = (a: Offer, b: Offer): number => countIn(a.pool, held) - countIn(b.pool, held);
  const order = (a: Offer, b: Offer): number => weight(a) - weight(b) || isFewer(a, b) || cheapestFirst(a, b);
  // where all have their share, there is no better place than where the fewest are
  return open.toSorted(order)[0] ?? pools.toSorted((a, b) => isFewer(a, b) || cheapestFirst(a, b))[0];
}

/**
 * What so many VMs in a pool weigh: a pool at twice the price gets a quarter of the VMs. By the price alone half would go there, and
 * spreading is an insurance that is worth less than that; where pools cost the same it costs nothing, and as many go to each.
 */
export const weightOf = ({ price }: Offer, count: number): number => count * price ** 2;

/** Of so many interruptible VMs, since a pool may be taken as a whole. Worked: 80 %: 1 of 2, 2 of 3, 4 of 5, 8 of 10. */
export const mostInOne = (n: number, { poolShare }: FleetParameters): number =>
  Math.max(1, Math.floor((n * poolShare) / 100 + ROUNDING));

/** 0.29 × 100 is 28.999999999999996 */
export const ROUNDING = 1e-9;

/** A VM that counts as capacity; without an offer it is on demand. */
export interface Held {
  readonly offer?: Offer | undefined;
}

export const isInterruptible = ({ offer }: Held): boolean => offer?.market === 'interruptible';

export const countOf = (held: readonly Held[]): number => held.filter(isInterruptible).length;

export const countIn = (pool: string | undefined, vms: readonly Held[]): number =>
  vms.filter(({ offer }) => offer?.market === 'interruptible' && offer.pool === pool).length;

const cheapestFirst = (a: Offer, b: Offer): number => a.price - b.price || (a.id < b.id ? -1 : 1);
