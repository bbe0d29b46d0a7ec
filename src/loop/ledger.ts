// What the manager must not forget when it is killed: its ledger of VMs, and the settings that were changed.
import type { Entry } from '../act/plan.ts';
import { enter, fail, isPutOff } from '../act/plan.ts';
import type { ProvidedVm } from '../act/provider.ts';
import type { Fleet, Millis, Vm } from '../model.ts';
import type { ParameterPatch } from './journal.ts';

export interface SavedState {
  readonly entries: readonly Entry[];
  /** Settings that were changed while it ran, over the configured ones. */
  readonly changes: ParameterPatch;
}

/** Port: keeps the state over restarts. `save` resolves when the state is safe. */
export interface StateStore {
  load(): Promise<SavedState | undefined>;
  save(state: SavedState): Promise<void>;
}

/**
 * The ledger after a restart. VMs that were ready must show themselves ready again before they are told to the
 * gateway, which may be new, too; VMs that are gone are taken out of the gateway, which may be as old as they are; orders
 * that had been put off are taken anew by the next decision.
 */
export function restored(
  entries: readonly Entry[],
  provided: readonly ProvidedVm[],
  now: Millis,
  bootDeadline: Millis,
): readonly Entry[] {
  const listed = new Set(provided.map((vm) => vm.id));
  return entries
    .filter((entry) => !isPutOff(entry))
    .map((entry) => {
      if (isGone(entry, listed)) return fail(entry, 'It went while the manager was away.', now);
      if (entry.phase !== 'ready') return { ...entry, retryAt: now };
      return enter(entry, 'booting', now, { deadline: now + bootDeadline, seen: true });
    });
}

/** It had been there, and isn't any more. */
const isGone = (entry: Entry, listed: ReadonlySet<string>): boolean =>
  (entry.phase === 'ready' || (entry.phase === 'booting' && entry.seen === true)) &&
  (entry.id === undefined || !listed.has(entry.id));

/** The ledger as the fleet that policies, page and gateway know. An order that had to be put off is no VM. */
export function toFleet(ledger: Iterable<Entry>): Fleet {
  const fleet: Vm[] = [];
  for (const entry of ledger) if (!isPutOff(entry)) fleet.push(toVm(entry));
  return fleet;
}

function toVm(entry: Entry): Vm {
  const { id, mark, address, since, bootTime, phase, problem, why } = entry;
  const state = entry.failed ? 'failed' : phase === 'wanted' || phase === 'booting' ? 'pending' : phase;
  const note = problem ?? (state === 'ready' ? undefined : why);
  return {
    id: id ?? mark,
    state,
    since,
    ...(address ? { address } : {}),
    ...(bootTime === undefined ? {} : { bootTime }),
    ...(note === undefined ? {} : { note }),
  };
}
