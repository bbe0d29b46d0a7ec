// What the fleet costs, and what it is in the middle of replacing, in words.
import { showPrice } from '../fleet/money.ts';
import type { Action, Fleet, Millis, Purchase, Vm } from '../model.ts';

/** Money, in the provider's currency. */
export interface Bill {
  /** An hour, now. */
  readonly rate: number;
  /** Since the manager started. */
  readonly cost: number;
  /** The same VMs on demand alone would have cost so much more. */
  readonly saved: number;
  /** Of each VM, an hour, now, by its id. */
  readonly prices: Readonly<Record<string, number>>;
  /** The provider says what VMs cost; without it each counts as 1. */
  readonly isPriced: boolean;
}

/** `Holding costs 0.41 an hour, of which 0.12 is the stand-in for vm-7. It has cost 3.2 so far, and saved 11.` */
export function costSentence(action: Action, fleet: Fleet, { rate, cost, saved, prices, isPriced }: Bill): string {
  const parts = fleet
    .filter(({ inPlaceOf, state }) => inPlaceOf !== undefined && state !== 'releasing')
    .map(({ id, inPlaceOf }) => `${showPrice(prices[id] ?? 0)} is the stand-in for ${inPlaceOf}`);
  const which = parts.length === 0 ? '' : `, of which ${parts.join(' and ')}`;
  const what = action === 'hold' ? 'Holding' : 'The fleet';
  const savings = saved > 0 ? `, and saved ${showPrice(saved)}` : '';
  return isPriced
    ? `${what} costs ${showPrice(rate)} an hour${which}. It has cost ${showPrice(cost)} so far${savings}.`
    : '';
}

/** One sentence for each VM that will be taken. */
export function noticeSentences(fleet: Fleet, at: Millis): readonly string[] {
  return fleet.filter(isTaken).map(({ id, interruptAt = at }) => {
    const left = Math.max(0, Math.round((interruptAt - at) / 1000));
    const standIn = fleet.find(({ inPlaceOf }) => inPlaceOf === id);
    const successor = fleet.find(({ relieves }) => relieves !== undefined && relieves === standIn?.id);
    const who = standIn === undefined ? '' : `; ${standIn.id} stands in for it (${standIn.state})`;
    const next = successor === undefined ? '' : `, until ${successor.id} serves (${successor.state})`;
    return `${id} will be taken in ${left} s${who}${next}.`;
  });
}

/** One sentence for each VM that takes another one's place which could stay: `vm-9 (b at 0.1 an hour) takes the place of vm-1 (a at 0.3) ...` */
export function reliefSentences(fleet: Fleet, { prices }: Bill): readonly string[] {
  const name = ({ id, offer }: Vm): string =>
    offer === undefined ? id : `${id} (${offer.id} at ${showPrice(prices[id] ?? offer.price)} an hour)`;
  return fleet.flatMap((vm) => {
    const other = fleet.find(({ id }) => id === vm.relieves);
    if (other === undefined || other.inPlaceOf !== undefined || vm.state !== 'pending') return [];
    return [`${name(vm)} takes the place of ${name(other)} when it serves.`];
  });
}

const isTaken = ({ interruptAt, state }: Vm): boolean =>
  interruptAt !== undefined && (state === 'ready' || state === 'pending');

/** `It buys 2 × a/interruptible at 0.1 an hour, 1 × a/on-demand at 1. No pool has ...` */
export function purchaseSentence(purchases: readonly Purchase[]): string {
  const counts = new Map<string, number>();
  for (const { offer } of purchases) {
    const what = `${offer.id} at ${showPrice(offer.price)} an hour`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const bought = [...counts].map(([what, count]) => `${count} × ${what}`);
  return `It buys ${bought.join(', ')}. ${purchases.at(-1)?.why ?? ''}`.trimEnd();
}
