// What kind of VM an order is for: the mix is asked wherever one is made.
import { hasChoice, isInterruptible } from '../fleet/offers.ts';
import { nextPurchase } from '../fleet/mix.ts';
import type { Purchase } from '../model.ts';
import { isActive, type Entry, type Kind } from './entry.ts';
import type { View } from './view.ts';

export const kindOf = (purchase: Purchase | undefined): Kind =>
  purchase === undefined ? {} : { offer: purchase.offer, maxPrice: purchase.maxPrice };

export const activeIn = (entries: Iterable<Entry>): readonly Entry[] => [...entries].filter(isActive);

/** Of one VM more beside these. */
export const nextKind = (entries: Iterable<Entry>, { market, settings }: Pick<View, 'market' | 'settings'>): Kind =>
  hasChoice(market) ? kindOf(nextPurchase(activeIn(entries), market, settings)) : {};

/** The pool of an interruptible VM that was lost is left in peace for a while. */
export const restOf = (entry: Entry): readonly string[] =>
  isInterruptible(entry) && entry.offer !== undefined ? [entry.offer.id] : [];
