// The ledger as the fleet that policies, page and gateway know.
import { isPutOff, type Entry } from '../act/ledger.ts';
import type { Fleet, Vm } from '../model.ts';

/** An order that had to be put off is no VM. */
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
