// Which node is given back: one that carries nothing, at once, as a VM with a machine of its own takes that with it when it leaves (the
// policy has waited before it let VMs go); else the emptiest one, if what it carries fits elsewhere and moving that costs less than the node
// does until it would be needed again. Nobody knows when that is: renting skis, or buying them. Who waits until a node too many has cost as
// much as the move pays at most twice what it would cost to know; who draws the part of that to wait for by the right chances pays
// e ÷ (e − 1) = 1.58 times as much on average, whenever the node is needed (Karlin and others, 1990), and waits for 0.58 of it.
import type { Millis, Offer } from '../model.ts';
import { mix } from '../random.ts';
import { placement, type Place, type Placeable } from './placement.ts';

export interface WorkerOnNode extends Placeable {
  /** Its job is expected to end in so long; absent: it has none, or nobody can say. */
  readonly endsIn?: Millis;
}

export interface NodeState extends Place {
  /** As people know it. */
  readonly name: string;
  readonly workers: readonly WorkerOnNode[];
  /** Its workers are all there are to be: none is starting or leaving. */
  readonly isSettled: boolean;
  /** It has answered. One that carries nothing and has not may be for an order that will be given again. */
  readonly isUp: boolean;
  /** Since when its workers would have fitted elsewhere. */
  readonly spareSince?: Millis;
}

export interface ConsolidationCosts {
  /** From asking for a node until a worker serves on it. */
  readonly nodeBootMs: Millis;
  /** From starting a worker until it serves. */
  readonly workerBootMs: Millis;
  /** How long a worker's requests may take to end. */
  readonly drainMs: Millis;
  /** Interruptible workers are spread over so many pools. */
  readonly pools: number;
  /** False: only nodes that carry nothing are given back. */
  readonly moves: boolean;
}

export interface Consolidation {
  /** The node (by id) that is to be drained, and since when it isn't needed; undefined: none. */
  readonly drain?: string;
  /** Nodes that aren't needed, and since when. */
  readonly spare: ReadonlyMap<string, Millis>;
  readonly why: string;
}

/** At most one node, and none while another one is being drained. */
export function consolidation(
  nodes: readonly NodeState[],
  draining: readonly string[],
  costs: ConsolidationCosts,
  now: Millis,
): Consolidation {
  const spare = new Map<string, Millis>();
  const others = nodes.filter(({ id }) => !draining.includes(id));
  for (const node of others) {
    if (node.workers.length > 0 && !costs.moves) continue;
    if (fitsElsewhere(node, others) && keepsSpread(node, others, costs.pools))
      spare.set(node.id, Math.min(node.spareSince ?? now, now));
  }
  if (draining.length > 0)
    return { spare, why: `Node ${nodes.find(({ id }) => id === draining[0])?.name ?? draining[0]} is being drained.` };
  if (spare.size === 0) return { spare, why: 'Every node is needed.' };
  const reasons = others
    .filter(({ id }) => spare.has(id))
    .toSorted(emptiestFirst)
    .map((node) => ({ node, but: reasonAgainst(node, now - (spare.get(node.id) ?? now), costs) }));
  const { node, but } = reasons.find(({ but }) => but === undefined) ?? reasons[0] ?? {};
  if (but !== undefined) return { spare, why: `Node ${node?.name} is not needed, but ${but}.` };
  return {
    spare,
    ...(node && { drain: node.id }),
    why: `Node ${node?.name} is not needed: what it carries fits on the others.`,
  };
}

/** Why a node that has not been needed for so long is not drained yet. */
function reasonAgainst(node: NodeState, spareMs: Millis, costs: ConsolidationCosts): string | undefined {
  if (!node.isSettled) return 'workers of it are starting or leaving';
  const mustPay = node.workers.length > 0 || !node.isUp;
  if (mustPay && spareMs * node.offer.price < movingCost(node, costs) * patience(node.id))
    return 'has not been for long enough to pay for a move';
  const near = node.workers.find(({ endsIn }) => endsIn !== undefined && endsIn <= aheadMs(costs));
  return near && `a job of ${near.id} is about to end`;
}

/**
 * The part of the move's cost that a node's being there for nothing must have cost: drawn once for a node, by its name, with the
 * density e^z ÷ (e − 1). A chance of 0.5: 0.62.
 */
export const patience = (id: string): number => Math.log(1 + chanceOf(id) * (Math.E - 1));

/** Uniform in [0, 1) over many names. */
const chanceOf = (id: string): number =>
  mix([...id].reduce((hash, character) => (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0, 7));

/** A job that ends before another worker would be as far with it is waited for. */
const aheadMs = ({ workerBootMs, drainMs }: ConsolidationCosts): Millis => workerBootMs + drainMs;

/** An hour's price, times ms: a node's boot that will have to be paid again, and each worker twice while it moves. */
export function movingCost({ offer, workers }: NodeState, costs: ConsolidationCosts): number {
  const share = workers.reduce((sum, { size }) => sum + size.cpu / offer.size.vcpu, 0);
  return offer.price * (costs.nodeBootMs + share * (costs.workerBootMs + costs.drainMs));
}

function fitsElsewhere(node: NodeState, nodes: readonly NodeState[]): boolean {
  const rest = nodes.filter(({ id }) => id !== node.id);
  return placement(node.workers, rest, []).homeless.length === 0;
}

/** Never below the spread over pools, or what there is of it. */
function keepsSpread(node: NodeState, nodes: readonly NodeState[], pools: number): boolean {
  const carrying = nodes.filter(({ offer, workers }) => offer.market === 'interruptible' && workers.length > 0);
  const now = poolsOf(carrying);
  const after = poolsOf(carrying.filter(({ id }) => id !== node.id));
  return after >= Math.min(now, pools);
}

const poolsOf = (nodes: readonly { readonly offer: Offer }[]): number =>
  new Set(nodes.map(({ offer }) => offer.pool)).size;

const usedOf = ({ workers, offer }: NodeState): number =>
  workers.reduce((sum, { size }) => sum + size.cpu, 0) / offer.size.vcpu;

/** Among equals the dearest, then the youngest: nodes are filled oldest first. */
const emptiestFirst = (a: NodeState, b: NodeState): number =>
  usedOf(a) - usedOf(b) || b.offer.price - a.offer.price || (a.id < b.id ? 1 : -1);
