// The ledger as the fleet that policies, page and gateway know.
import { isPutOff, type Entry, type Ledger } from '../act/entry.ts';
import type { Fleet, Vm } from '../model.ts';
import { defined } from './defined.ts';

/** An order that had to be put off is no VM. `nodeOf`: the machine that carries one, where the provider tells. */
export function toFleet(ledger: Ledger, nodeOf: (id: string) => string | undefined): Fleet {
  const fleet: Vm[] = [];
  for (const entry of ledger.values())
    if (!isPutOff(entry)) fleet.push({ ...toVm(entry, ledger), ...defined({ node: nodeOf(entry.id ?? '') }) });
  return fleet;
}

function toVm(entry: Entry, ledger: Ledger): Vm {
  const { id, mark, address, since, bootTime, phase, problem, why, relieves } = entry;
  const { offer, interruptAt, inPlaceOf } = entry;
  const state = entry.failed ? 'failed' : phase === 'wanted' || phase === 'booting' ? 'pending' : phase;
  const note = problem ?? (state === 'ready' ? undefined : why);
  return {
    id: id ?? mark,
    state,
    since,
    ...(address ? { address } : {}),
    ...(bootTime === undefined ? {} : { bootTime }),
    ...(note === undefined ? {} : { note }),
    ...defined({ offer, interruptAt, inPlaceOf, relieves: relieves && (ledger.get(relieves)?.id ?? relieves) }),
  };
}
