// Where workers go: on a node that has room, by first fit and decreasing size, and on a new node only where none has.
import type { Market, Offer } from '../model.ts';

export interface WorkerSize {
  readonly cpu: number;
  readonly memoryBytes: number;
}

/** A worker, as far as its place is concerned. */
export interface Placeable {
  readonly id: string;
  readonly size: WorkerSize;
  readonly market: Market;
  /** Of an interruptible one: the pool that it is to be in. */
  readonly pool?: string;
}

/** A node, as far as its room is concerned. */
export interface Place {
  readonly id: string;
  readonly offer: Offer;
  /** What it carries, and what is to come on it. */
  readonly workers: readonly Pick<Placeable, 'size'>[];
}

export interface NewNode {
  readonly offer: Offer;
  readonly workers: readonly string[];
}

export interface Placement {
  /** Workers (by id) and their nodes (by id). */
  readonly placed: ReadonlyMap<string, string>;
  readonly bought: readonly NewNode[];
  /** Nothing on offer carries these. */
  readonly homeless: readonly string[];
}

/** What is left: 0.1 taken ten times of 1 core is 0, not a little less. */
const ROUNDING = 1e-9;

export function roomOf({ offer, workers }: Pick<Place, 'offer' | 'workers'>): WorkerSize {
  const left = { cpu: offer.size.vcpu, memoryBytes: offer.size.memoryBytes ?? Infinity };
  return workers.reduce((room, { size }) => less(room, size), left);
}

const less = (room: WorkerSize, { cpu, memoryBytes }: WorkerSize): WorkerSize => ({
  cpu: room.cpu - cpu,
  memoryBytes: room.memoryBytes - memoryBytes,
});

export const fitsIn = (size: WorkerSize, room: WorkerSize): boolean =>
  size.cpu <= room.cpu + ROUNDING && size.memoryBytes <= room.memoryBytes;

/** Whether a worker may be on a node of this kind: market and, of interruptible ones, pool are what the fleet's mix has chosen. */
export const isKind = ({ market, pool }: Pick<Placeable, 'market' | 'pool'>, offer: Offer): boolean =>
  offer.market === market && (market === 'on-demand' || pool === undefined || offer.pool === pool);

/** What of the largest offer it takes, of cores or of memory, whichever is more. */
const shareOf = ({ cpu, memoryBytes }: WorkerSize, offers: readonly Offer[]): number =>
  Math.max(
    cpu / Math.max(...offers.map(({ size }) => size.vcpu)),
    memoryBytes / Math.max(...offers.map(({ size }) => size.memoryBytes ?? Infinity)),
  );

/**
 * `nodes` in the order in which they are to be filled. Worked: nodes of 4 cores with 1 and 3 left; workers of 1, 2 and 1
 * cores: the one of 2 goes first, on the second node; then the others, one on each.
 */
export function placement(wanted: readonly Placeable[], nodes: readonly Place[], offers: readonly Offer[]): Placement {
  const rooms = nodes.map((node) => ({ id: node.id, offer: node.offer, room: roomOf(node) }));
  const placed = new Map<string, string>();
  let rest: Placeable[] = [];
  for (const worker of largestFirst(wanted, [...offers, ...nodes.map(({ offer }) => offer)])) {
    const node = rooms.find(({ offer, room }) => isKind(worker, offer) && fitsIn(worker.size, room));
    if (node === undefined) rest.push(worker);
    else {
      node.room = less(node.room, worker.size);
      placed.set(worker.id, node.id);
    }
  }
  const bought: NewNode[] = [];
  const homeless: string[] = [];
  for (let [first] = rest; first !== undefined; [first] = rest) {
    const best = cheapestFor(first, rest, offers);
    if (best === undefined) homeless.push(first.id);
    else bought.push(best);
    const done = new Set([first.id, ...(best?.workers ?? [])]);
    rest = rest.filter(({ id }) => !done.has(id));
  }
  return { placed, bought, homeless };
}

const largestFirst = (workers: readonly Placeable[], offers: readonly Offer[]): readonly Placeable[] =>
  workers
    .map((worker) => ({ worker, share: offers.length === 0 ? 0 : shareOf(worker.size, offers) }))
    .toSorted((a, b) => b.share - a.share || (a.worker.id < b.worker.id ? -1 : 1))
    .map(({ worker }) => worker);

/**
 * The node that carries `first`, and of the others what fits, at the lowest price for what it carries. Worked, workers of 1 core:
 * 1 core at 0.10, 4 cores at 0.35: one or three workers get small nodes (0.10 a worker against 0.35 and 0.117), four a large one.
 */
function cheapestFor(first: Placeable, rest: readonly Placeable[], offers: readonly Offer[]): NewNode | undefined {
  const candidates = offers
    .filter((offer) => isKind(first, offer))
    .map((offer) => filled(offer, first, rest))
    .filter(({ workers }) => workers.length > 0)
    .map((node) => ({ ...node, each: node.offer.price / carried(node.workers, rest, offers) }));
  const [best] = candidates.toSorted(
    (a, b) =>
      a.each - b.each ||
      b.workers.length - a.workers.length ||
      a.offer.price - b.offer.price ||
      (a.offer.id < b.offer.id ? -1 : 1),
  );
  return best && { offer: best.offer, workers: best.workers };
}

function filled(offer: Offer, first: Placeable, rest: readonly Placeable[]): NewNode {
  let room = roomOf({ offer, workers: [] });
  if (!fitsIn(first.size, room)) return { offer, workers: [] };
  const workers: string[] = [];
  for (const worker of rest) {
    if (!isKind(worker, offer) || !fitsIn(worker.size, room)) continue;
    room = less(room, worker.size);
    workers.push(worker.id);
  }
  return { offer, workers };
}

function carried(ids: readonly string[], workers: readonly Placeable[], offers: readonly Offer[]): number {
  const sizes = workers.filter(({ id }) => ids.includes(id)).map(({ size }) => size);
  return sizes.reduce((sum, size) => sum + shareOf(size, offers), 0);
}

/** How many workers of a size a node of this kind carries. */
export function carries({ size }: Offer, { cpu, memoryBytes }: WorkerSize): number {
  const byCpu = Math.floor(size.vcpu / cpu + ROUNDING);
  const byMemory = memoryBytes === 0 ? Infinity : Math.floor((size.memoryBytes ?? Infinity) / memoryBytes);
  return Math.min(byCpu, byMemory);
}
