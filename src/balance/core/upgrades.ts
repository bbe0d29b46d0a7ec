// How many WebSockets one client opens. Each costs a VM a subscription and the repository a row, also one that ends at once.
import type { Refusal } from './headers.ts';
import type { Millis } from '../../model.ts';

/** What a client did not open in so long it may open at once: a page that comes back after a restart has several. */
export const UPGRADES_SAVED_MS: Millis = 10_000;

/** One that is too many is answered so much later: who tries again at once would else cost as much as before. */
export const REFUSED_UPGRADE_MS: Millis = 1_000;

export const tooManyUpgrades = (perSecond: number): Refusal => ({
  status: 429,
  reason: `A client may open ${perSecond} WebSockets a second; keep those that are open.`,
});
