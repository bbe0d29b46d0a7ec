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
export function onDemandPrice(offer: Offer, offers: readonly Offer[]): number {
  const others = offers.filter(({ market }) => market === 'on-demand').sort(cheapestFirst);
  const same =
    others.find(({ pool }) => pool === offer.pool) ??
    others.find(({ size }) => size.name === offer.size.name) ??
    others[0];
  return same?.price ?? offer.price;
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

/**
 * The interruptible offer for the next VM, undefined: there is none. Among the cheapest pools, as many as `pools` says,
 * the one with which the least would be spent; among equals the one with the fewest of ours, then the cheapest.
 * Worked: pools at 0.01, 0.02 and 0.02, and none is held: of 4 VMs 2, 1 and 1.
 */
export function cheapestInterruptible(
  { offers, resting }: Market,
  held: readonly { readonly offer?: Offer | undefined }[],
  settings: FleetParameters,
): Offer | undefined {
  const fitting = offers
    .filter((offer) => offer.market === 'interruptible' && !resting.includes(offer.id) && fits(offer, settings))
    .filter((offer) => offer.price <= limitOf(offer, offers, settings))
    .sort(cheapestFirst);
  const pools = [...new Map(fitting.toReversed().map((offer) => [offer.pool, offer])).values()]
    .sort(cheapestFirst)
    .slice(0, settings.pools);
  const weightOf = weights(pools);
  const spent = (offer: Offer): number => (countIn(offer.pool, held) + 1) * weightOf(offer);
  const isFewer = (a: Offer, b: Offer): number => countIn(a.pool, held) - countIn(b.pool, held);
  return pools.toSorted((a, b) => spent(a) - spent(b) || isFewer(a, b) || cheapestFirst(a, b))[0];
}

/** The cheapest of the pools gets that many VMs for one of the dearest, however cheap it is: it may be taken as a whole. */
const MOST_FOR_ONE = 3;

/** What a VM counts, when as much is to be spent with each pool. */
export function weights(pools: readonly Offer[]): (offer: Offer) => number {
  const least = Math.max(...pools.map(({ price }) => price)) / MOST_FOR_ONE;
  return ({ price }) => Math.max(price, least) || 1;
}

export const countIn = (pool: string | undefined, vms: readonly { readonly offer?: Offer | undefined }[]): number =>
  vms.filter(({ offer }) => offer?.market === 'interruptible' && offer.pool === pool).length;

const cheapestFirst = (a: Offer, b: Offer): number => a.price - b.price || (a.id < b.id ? -1 : 1);
