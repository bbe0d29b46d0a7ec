// A market to try things out with: what is on offer, how much of it there is, and what will be taken when. The simulated
// cloud has one in memory, the local provider reads one from a file.
import { MmeliotError } from '../errors.ts';
import type { Millis, Offer } from '../model.ts';
import type { AllocationRequest } from './provider.ts';

export interface ToyMarket {
  readonly offers: readonly ToyOffer[];
  /** When a VM, or all interruptible ones of a pool, will be taken: by the VM's id, or the pool's name. */
  readonly notices?: Readonly<Record<string, Millis>>;
}

export interface ToyOffer extends Offer {
  /** VMs of it that there may be at once; absent: as many as are asked for. */
  readonly room?: number;
}

/** What is kept of a VM on this market. */
export interface ToyVm {
  readonly id: string;
  readonly offer: Offer;
  readonly maxPrice?: number;
}

/** Without the room, which a cloud doesn't tell either. */
export const offersOf = ({ offers }: ToyMarket): readonly Offer[] =>
  offers.map(({ id, size, market, pool, price }) => ({ id, size, market, pool, price }));

/** The offer that a VM is allocated by; `vms`: those that there are. Throws NO_CAPACITY where there is none to be had. */
export function sell(
  market: ToyMarket,
  { offer: wanted, maxPrice }: AllocationRequest,
  vms: Iterable<Pick<ToyVm, 'offer'>>,
): Offer {
  const found = wanted === undefined ? market.offers[0] : market.offers.find(({ id }) => id === wanted.id);
  if (found === undefined) throw new MmeliotError('NO_CAPACITY', `${wanted?.id ?? 'Anything'} is not on offer.`);
  const { room, ...offer } = found;
  if (room !== undefined && [...vms].filter((vm) => vm.offer.id === offer.id).length >= room)
    throw new MmeliotError('NO_CAPACITY', `The pool ${offer.pool} has no room for another ${offer.market} VM.`);
  if (maxPrice !== undefined && offer.price > maxPrice)
    throw new MmeliotError('NO_CAPACITY', `${offer.id} costs ${offer.price} an hour, and at most ${maxPrice} is paid.`);
  return offer;
}

/** What a VM is now: its price moves with its pool's. */
export function lookedAt(market: ToyMarket, { id, offer }: ToyVm): { offer: Offer; interruptAt?: Millis } {
  const price = market.offers.find((other) => other.id === offer.id)?.price ?? offer.price;
  const { notices = {} } = market;
  const interruptAt = notices[id] ?? (offer.market === 'interruptible' ? notices[offer.pool] : undefined);
  return { offer: { ...offer, price }, ...(interruptAt !== undefined && { interruptAt }) };
}
