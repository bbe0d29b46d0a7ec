// Which kind of VM: the policy has said how many. Pure; it sees the VMs that count, and the market.
import type { Purchase, Vm } from '../model.ts';
import {
  cheapestInterruptible,
  cheapestOnDemand,
  countIn,
  countOf,
  isInterruptible,
  limitOf,
  mostInOne,
  poolsOf,
  ROUNDING,
  weightOf,
  type Held,
  type Market,
} from './offers.ts';
import type { FleetParameters } from './settings.ts';

/** Capacity to count on: not what the cloud takes away, and of a VM and the one that it will relieve only the latter. */
export const counts = ({ interruptAt, relieves }: Pick<Vm, 'interruptAt' | 'relieves'>): boolean =>
  interruptAt === undefined && relieves === undefined;

/** Interruptible VMs of a fleet of n. Worked: n 6, base 2, spotShare 80: 80 % of 4 is 3.2: 3 of them. */
export const interruptibleOf = (n: number, { base, spotShare }: FleetParameters): number =>
  Math.floor((Math.max(0, n - base) * spotShare) / 100 + ROUNDING);

/** One VM more for these; undefined: nothing on offer fits. */
export function nextPurchase(held: readonly Held[], market: Market, settings: FleetParameters): Purchase | undefined {
  const wanted = interruptibleOf(held.length + 1, settings);
  if (countOf(held) < wanted) {
    const cheap = interruptible(held, market, settings, `${wanted} of ${held.length + 1} VMs are to be interruptible.`);
    return cheap ?? onDemand(market, settings, 'No pool has an interruptible VM to be had.');
  }
  return onDemand(market, settings, `${held.length + 1 - wanted} of ${held.length + 1} VMs are to be on demand.`);
}

/** Several VMs more, each as if those before it were there. */
export function purchases(
  count: number,
  held: readonly Held[],
  market: Market,
  settings: FleetParameters,
): readonly Purchase[] {
  const bought: Purchase[] = [];
  for (let i = 0; i < count; i++) {
    const next = nextPurchase([...held, ...bought], market, settings);
    if (next !== undefined) bought.push(next);
  }
  return bought;
}

/** On demand, whatever the mix: what stands in for a VM that will be taken must come. */
export function onDemand(market: Market, settings: FleetParameters, why: string): Purchase | undefined {
  const offer = cheapestOnDemand(market, settings);
  return offer && { offer, why };
}

/** Only from a pool that may be asked: undefined where there is none. */
export function interruptible(
  held: readonly Held[],
  market: Market,
  settings: FleetParameters,
  why: string,
): Purchase | undefined {
  const offer = cheapestInterruptible(market, held, settings);
  return offer && { offer, maxPrice: limitOf(offer, market.offers, settings), why };
}

/** On-demand VMs that interruptible ones should relieve; below 0: there are more interruptible ones than wanted. */
export const surplusOnDemand = (held: readonly Held[], settings: FleetParameters): number =>
  interruptibleOf(held.length, settings) - countOf(held);

/** A VM that may leave. */
export interface Leaver extends Held {
  readonly id: string;
  /** Only there until another one serves: the first to leave. */
  readonly isStandIn: boolean;
}

/** Who leaves: `leavers` has the policy's first choice first, `held` is what counts now. What is left is what the mix wants. */
export function leaving(
  count: number,
  leavers: readonly Leaver[],
  held: readonly Held[],
  { offers }: Market,
  settings: FleetParameters,
): readonly string[] {
  const pools = new Set(poolsOf({ offers, resting: [] }, settings).map(({ pool }) => pool));
  const chosen: Leaver[] = [];
  let others = held.length;
  let cheap = countOf(held);
  while (chosen.length < count) {
    others -= 1;
    const rest = leavers.filter((leaver) => !chosen.includes(leaver));
    const most = mostInOne(cheap - 1, settings);
    const next = oneOf(rest, cheap > interruptibleOf(others, settings), heaviest(held, chosen, pools, most));
    if (next === undefined) break;
    chosen.push(next);
    if (isInterruptible(next)) cheap -= 1;
  }
  return chosen.map(({ id }) => id);
}

function oneOf(rest: readonly Leaver[], wantsCheap: boolean, choose: (of: readonly Leaver[]) => Leaver | undefined) {
  const standIn = rest.find(({ isStandIn }) => isStandIn);
  if (standIn !== undefined) return standIn;
  const ofKind = rest.filter((leaver) => isInterruptible(leaver) === wantsCheap);
  if (ofKind.length === 0) return rest[0];
  return wantsCheap ? choose(ofKind) : ofKind[0];
}

/** Of a pool that VMs aren't spread over, the dearest; else of one that has more than `most`; else of the one that weighs most: so the rest is spread as it is bought. */
function heaviest(held: readonly Held[], gone: readonly Held[], pools: ReadonlySet<string>, most: number) {
  const left = ({ offer }: Held): number => countIn(offer?.pool, held) - countIn(offer?.pool, gone);
  const weight = (vm: Held): number => (vm.offer === undefined ? 0 : weightOf(vm.offer, left(vm)));
  const price = ({ offer }: Held): number => offer?.price ?? 0;
  return (of: readonly Leaver[]): Leaver | undefined => {
    const outside = of.filter(({ offer }) => offer !== undefined && !pools.has(offer.pool));
    if (outside.length > 0) return outside.toSorted((a, b) => price(b) - price(a))[0];
    const over = of.filter((vm) => left(vm) > most);
    // sorted as the policy had them among equals
    return (over.length > 0 ? over : of).toSorted((a, b) => weight(b) - weight(a) || left(b) - left(a))[0];
  };
}
