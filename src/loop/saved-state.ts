// What the manager must not forget when it is killed: its ledger of VMs, and the settings that were changed.
import type { Entry } from '../act/entry.ts';
import type { ParameterPatch } from './journal.ts';
import type { Rest } from './market-watch.ts';

export interface SavedState {
  readonly entries: readonly Entry[];
  /** Settings that were changed while it ran, over the configured ones. */
  readonly changes: ParameterPatch;
  /** Offers that are left in peace for a while; absent in what an older version saved. */
  readonly rests?: readonly Rest[];
}

/** Port: keeps the state over restarts. `save` resolves when the state is safe. */
export interface StateStore {
  load(): Promise<SavedState | undefined>;
  save(state: SavedState): Promise<void>;
}
