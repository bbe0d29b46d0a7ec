// What workers are sold as, where nodes are on offer: one kind on demand, whose node's size is found when it is placed, and one for
// each pool of interruptible nodes, since the fleet's mix spreads workers over pools. Where nodes have no price (each counts as 1),
// workers have none.
import type { Offer } from '../model.ts';
import { carries, type WorkerSize } from './placement.ts';

export function workerOffers(nodes: readonly Offer[], size: WorkerSize): readonly Offer[] {
  const fitting = nodes.filter((offer) => carries(offer, size) > 0);
  const worker = {
    name: 'worker',
    vcpu: size.cpu,
    ...(size.memoryBytes > 0 && { memoryBytes: size.memoryBytes }),
  };
  const isPriced = nodes.some(({ price }) => price !== 1);
  const cheapest = (offers: readonly Offer[]): number =>
    isPriced ? Math.min(...offers.map((offer) => priceOf(offer, size))) : 1;
  const onDemand = fitting.filter(({ market }) => market === 'on-demand');
  const pools = Map.groupBy(
    fitting.filter(({ market }) => market === 'interruptible'),
    ({ pool }) => pool,
  );
  return [
    ...(onDemand.length === 0
      ? []
      : [{ id: 'worker', size: worker, market: 'on-demand' as const, pool: 'worker', price: cheapest(onDemand) }]),
    ...Array.from(pools, ([pool, offers]) => ({
      id: `worker/${pool}`,
      ...{ size: worker, market: 'interruptible' as const, pool, price: cheapest(offers) },
    })),
  ];
}

/** A worker's part of its node, as if that were full: what stands empty is the nodes' affair. */
export const priceOf = (node: Offer, size: WorkerSize): number => node.price / Math.max(1, carries(node, size));
