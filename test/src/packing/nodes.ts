import fc from 'fast-check';
import type { Offer } from '../../../src/model.ts';
import type { NodeState, WorkerOnNode } from '../../../src/packing/consolidation.ts';
import type { Placeable } from '../../../src/packing/placement.ts';

export const GIB = 2 ** 30;

export const offerOf = (vcpu: number, price: number, pool = '', memoryBytes = vcpu * 2 * GIB): Offer => ({
  id: `${pool || 'any'}/${vcpu}`,
  size: { name: `${vcpu} cores`, vcpu, memoryBytes },
  market: pool === '' ? 'on-demand' : 'interruptible',
  pool: pool || 'here',
  price,
});

export const worker = (id: string, cpu = 1, memoryBytes = GIB, pool = ''): Placeable => ({
  id,
  size: { cpu, memoryBytes },
  market: pool === '' ? 'on-demand' : 'interruptible',
  ...(pool !== '' && { pool }),
});

export const nodeOf = (id: string, offer: Offer, workers: readonly WorkerOnNode[], spareSince?: number): NodeState => ({
  ...{ id, name: id, offer, workers, isSettled: true, isUp: true },
  ...(spareSince !== undefined && { spareSince }),
});

const POOLS = ['', 'a', 'b', 'c'];

/** Workers of sizes and kinds by chance; each id is its own. */
export const someWorkers = (maxLength: number, prefix = 'w'): fc.Arbitrary<readonly Placeable[]> =>
  fc
    .array(fc.tuple(fc.constantFrom(0.25, 0.5, 1, 2), fc.constantFrom(0.5, 1, 2), fc.constantFrom(...POOLS)), {
      maxLength,
    })
    .map((all) => all.map(([cpu, gib, pool], i) => worker(`${prefix}${i}`, cpu, gib * GIB, pool)));

export const OFFERS: readonly Offer[] = POOLS.flatMap((pool) => [
  offerOf(1, 0.1, pool),
  offerOf(4, 0.35, pool),
  offerOf(8, 0.75, pool),
]);
