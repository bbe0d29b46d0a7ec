// Workers that were asked for at once are placed together, so that a node of the right size is bought for all of them.
import type { Millis, Offer, Role } from '../model.ts';
import type { AllocationRequest } from '../act/provider.ts';
import { workerOffers } from './offers.ts';
import { carries, placement, type WorkerSize } from './placement.ts';
import { idOf, NODE_MARK, openNodes, placeOf, type Node, type PackingState, type Worker } from './state.ts';

export interface TakeRules {
  /** By the clock that nobody sets, and by the one that people see. */
  readonly now: Millis;
  readonly createdAt: Millis;
  /** What the nodes' provider offers. */
  readonly offers: readonly Offer[];
  readonly sizeOf: (role: Role | undefined) => WorkerSize;
  readonly newMark: () => string;
  readonly newKey: () => string;
}

export interface Taken {
  readonly state: PackingState;
  /** Requests (by mark) that can't be fulfilled: one sentence. */
  readonly refused: ReadonlyMap<string, { readonly code: 'NO_CAPACITY' | 'PROVIDER_REFUSED'; readonly why: string }>;
}

/** Each mark once; those that are known already keep what they have. */
export function take(before: PackingState, requests: readonly AllocationRequest[], rules: TakeRules): Taken {
  const refused = new Map<string, { code: 'NO_CAPACITY' | 'PROVIDER_REFUSED'; why: string }>();
  const workers = new Map(before.workers);
  const nodes = new Map(before.nodes);
  const fresh = new Map<string, Omit<Worker, 'node'> & { readonly most: number }>();
  for (const request of requests) {
    if (workers.has(request.mark)) continue;
    const worker = asWorker(request, before, rules);
    if (worker === undefined)
      refused.set(request.mark, {
        code: 'NO_CAPACITY',
        why: `${request.offer?.id ?? 'A node'} is not on offer at that price.`,
      });
    else fresh.set(request.mark, worker);
  }
  const wanted = Array.from(fresh.values(), (worker) => ({ ...worker, id: worker.mark }));
  const places = openNodes(before, rules.now).map((node) => placeOf(before, node));
  const { placed, bought, homeless } = placement(wanted, places, rules.offers);
  for (const mark of homeless) refused.set(mark, { code: 'PROVIDER_REFUSED', why: tooLarge(fresh.get(mark)?.size) });
  const put = (mark: string, node: Node): void => {
    const { most = Infinity, ...worker } = fresh.get(mark) ?? {};
    const dearest = Math.min(node.maxPrice ?? Infinity, most * carries(node.offer, (worker as Worker).size));
    // who gets a worker is needed: it isn't given back
    const limit = node.id === undefined && dearest < Infinity && { maxPrice: dearest };
    nodes.set(node.mark, { ...node, draining: undefined, spareSince: undefined, ...limit });
    workers.set(mark, { ...(worker as Worker), node: node.mark });
  };
  for (const [mark, id] of placed) {
    const node = nodes.get(id);
    if (node !== undefined) put(mark, node);
  }
  for (const { offer, workers: marks } of bought) {
    const node: Node = { mark: `${NODE_MARK}${rules.newMark()}`, offer, orderedAt: rules.now };
    nodes.set(node.mark, node);
    for (const mark of marks) put(mark, nodes.get(node.mark) ?? node);
  }
  return { state: { workers, nodes }, refused };
}

function asWorker({ mark, role, offer: asked, maxPrice }: AllocationRequest, state: PackingState, rules: TakeRules) {
  const size = rules.sizeOf(role);
  const sold = workerOffers(rules.offers, size);
  const offer = asked === undefined ? sold[0] : sold.find(({ id }) => id === asked.id);
  // what is sold on demand is there at any size; that nothing carries it is found when it is placed
  const one =
    offer ?? (asked === undefined ? { ...NOTHING_FITS, size: { name: 'worker', vcpu: size.cpu } } : undefined);
  if (one === undefined || (maxPrice !== undefined && one.price > maxPrice)) return undefined;
  const kind = { market: one.market, ...(one.market === 'interruptible' && { pool: one.pool }) };
  const identity = { id: idOf(mark, state), key: rules.newKey(), keySince: rules.now };
  return {
    mark,
    createdAt: rules.createdAt,
    size,
    offer: one,
    most: maxPrice ?? Infinity,
    ...(role && { role }),
    ...kind,
    ...identity,
  };
}

const NOTHING_FITS = { id: 'worker', market: 'on-demand', pool: 'worker', price: 0 } as const;

const tooLarge = ({ cpu, memoryBytes }: WorkerSize = { cpu: 0, memoryBytes: 0 }): string =>
  `No node on offer carries a worker of ${cpu} cores and ${Math.round(memoryBytes / 2 ** 20)} MiB: make packing.worker smaller, or the nodes larger.`;
