// What planning sees, and what it says.
import type { FleetParameters } from '../fleet/settings.ts';
import type { Market } from '../fleet/offers.ts';
import type { Millis } from '../model.ts';
import type { Changes, Ledger } from './entry.ts';
import type { ProviderList } from './provider.ts';

export interface PlanSettings extends FleetParameters {
  readonly min: number;
  readonly max: number;
  readonly bootDeadline: Millis;
  readonly drainDeadline: Millis;
  readonly dryRun: boolean;
}

export interface View {
  readonly now: Millis;
  readonly ledger: Ledger;
  readonly provided: ProviderList;
  readonly settings: PlanSettings;
  readonly market: Market;
  /** When VMs (by id) will be taken, as they say themselves; undefined: they say that they won't. No map: they say nothing. */
  readonly notices: ReadonlyMap<string, Millis | undefined> | undefined;
  /** Marks whose step is under way. */
  readonly busy: ReadonlySet<string>;
  /** VMs (by id) of whose load nothing has been heard: worth a probe. */
  readonly dark: ReadonlySet<string>;
  readonly newMark: () => string;
}

export interface Planned extends Changes {
  /** Offers (by id) that are not to be asked for a while: no room, or interrupted. */
  readonly resting: readonly string[];
}

export const NOTHING: Planned = { entries: [], gone: [], resting: [] };
