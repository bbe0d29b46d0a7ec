// A packed provider on virtual time: over any provider, with simulated nodes.
import type { NodeDoor } from '../../src/packing/orders.ts';
import { PackedProvider, type PackedOptions } from '../../src/packing/packed-provider.ts';
import type { PackingState } from '../../src/packing/state.ts';
import { SimulatedNodes } from '../../src/simulate/simulated-nodes.ts';

export const PACKED_COSTS = { nodeBootMs: 60_000, workerBootMs: 2_000, drainMs: 2_000, pools: 2, moves: true };

/** Kept in memory, as a file would be: what is read is a copy. */
export function memoryStore() {
  let kept: PackingState | undefined;
  return {
    load: () => Promise.resolve(kept && structuredClone(kept)),
    save(state: PackingState) {
      kept = structuredClone(state);
      return Promise.resolve();
    },
  };
}

/** A door of which a test says only what it answers. */
export const answering = (ask: NodeDoor['ask']): NodeDoor => ({ ask, forget: () => {} });

let marks = 0;

export function packedOn(inner: PackedOptions['inner'], now: () => number, more: Partial<PackedOptions> = {}) {
  const nodes = new SimulatedNodes(1, more.steady ?? now, () => true);
  const moved: string[] = [];
  const options: PackedOptions = {
    ...{ inner, now, steady: now, door: nodes, store: memoryStore(), nodeDeadlineMs: 300_000 },
    sizeOf: () => ({ cpu: 1, memoryBytes: 0 }),
    costs: () => PACKED_COSTS,
    newMark: () => String(++marks),
    newKey: () => `key-${++marks}`,
    tellWorker: ({ id }) => ({ MMELIOT_VM_ID: id }),
    tellNode: (mark) => ({ MMELIOT_NODE: mark }),
    move: (worker) => void moved.push(worker.id),
    ...more,
  };
  return { provider: new PackedProvider(options), options, nodes, moved };
}
