// What is kept of workers and nodes, so that a manager that was killed goes on where it was.
import type { Address, Millis, Offer, Role } from '../model.ts';
import type { NodeReport } from './orders.ts';
import { isKind, type Place, type Placeable } from './placement.ts';

/** A worker is a VM to the manager. All times but `createdAt` are those of a clock that nobody sets. */
export interface Worker extends Placeable {
  /** Of its allocation; the node keeps it, too. */
  readonly mark: string;
  readonly role?: Role;
  readonly createdAt: Millis;
  /** Of the node that it is on, or is to be on. */
  readonly node: string;
  /** What it signs with: its own, and the one before while that changes. */
  readonly key: string;
  readonly formerKey?: string;
  readonly keySince: Millis;
  /** The node has been told that key. */
  readonly keyed?: true | undefined;
  /** Of the offer it was allocated by. */
  readonly offer: Offer;
  /** When the node was told to start it, and how long that took. */
  readonly ordered?: Millis;
  readonly bootMs?: Millis;
  /** The node has reported it. */
  readonly seen?: true;
  readonly address?: Address;
  /** The manager gives it back. */
  readonly leaving?: true;
  /** It is no more, and why. */
  readonly failed?: string;
}

export interface Node {
  /** Of its allocation at the inner provider; by it the node knows what is meant for it. */
  readonly mark: string;
  /** At the inner provider, once known. */
  readonly id?: string;
  readonly offer: Offer;
  readonly maxPrice?: number;
  /** Its provider has something else to wait for before it boots. */
  readonly waiting?: true | undefined;
  readonly orderedAt: Millis;
  /** It has answered an order; and since when it has answered none. */
  readonly up?: true;
  readonly bootMs?: Millis;
  readonly silentSince?: Millis | undefined;
  /** When it last could not start a worker, and why. */
  readonly refusedAt?: Millis;
  readonly refusal?: string;
  readonly spareSince?: Millis | undefined;
  /** Since when its workers move; then it is given back. */
  readonly draining?: Millis | undefined;
  /** It goes back to its provider, which was asked last then. */
  readonly releasing?: true;
  readonly releasedAt?: Millis;
}

export interface PackingState {
  readonly workers: ReadonlyMap<string, Worker>;
  readonly nodes: ReadonlyMap<string, Node>;
}

export const EMPTY: PackingState = { workers: new Map(), nodes: new Map() };

/**
 * What was kept by a clock that is no more (it begins with the machine): as if what came last had come now. So what was waited for before
 * counts, and the time between does not.
 */
export function carriedOver({ workers, nodes }: PackingState, now: Millis): PackingState {
  const last = Math.max(...[...workers.values(), ...nodes.values()].flatMap((one) => timesOf(one).map(([, at]) => at)));
  const later = <T extends Worker | Node>(one: T): T => ({
    ...one,
    ...Object.fromEntries(timesOf(one).map(([name, at]) => [name, at + now - last])),
  });
  return {
    workers: new Map(Array.from(workers, ([mark, worker]) => [mark, later(worker)])),
    nodes: new Map(Array.from(nodes, ([mark, node]) => [mark, later(node)])),
  };
}

const TIMES = new Set([
  ...['keySince', 'ordered'],
  ...['orderedAt', 'silentSince', 'refusedAt', 'spareSince', 'draining', 'releasedAt'],
]);
const timesOf = (one: Worker | Node): readonly (readonly [string, Millis])[] =>
  Object.entries(one).filter((entry): entry is [string, Millis] => TIMES.has(entry[0]) && typeof entry[1] === 'number');

/** What a node said last. */
export type Reports = ReadonlyMap<string, NodeReport>;

export const workersOn = ({ workers }: PackingState, node: string): readonly Worker[] =>
  [...workers.values()].filter((worker) => worker.node === node);

/** What holds room: all that isn't gone. */
export const placeOf = (state: PackingState, { mark, offer }: Node): Place => ({
  ...{ id: mark, offer },
  workers: workersOn(state, mark).filter(({ failed }) => failed === undefined),
});

/** A node that could not start a worker is tried again after so long: its disk may have room by then. */
const AVOIDED_MS = 60_000;
export const isAvoided = ({ refusedAt = -Infinity }: Node, now: Millis): boolean => now - refusedAt <= AVOIDED_MS;

/** Nodes that take workers, those first that were there first. Who is being drained comes last: where no other has room. */
export const openNodes = ({ nodes }: PackingState, now: Millis): readonly Node[] =>
  [...nodes.values()]
    .filter((node) => !node.releasing && node.silentSince === undefined && !isAvoided(node, now))
    .toSorted(
      (a, b) =>
        Number(a.draining !== undefined) - Number(b.draining !== undefined) ||
        a.orderedAt - b.orderedAt ||
        (a.mark < b.mark ? -1 : 1),
    );

export const NODE_MARK = 'node-';
export const isNodeMark = (mark: string | undefined): boolean => mark?.startsWith(NODE_MARK) ?? false;

/** Its end is enough for people, and the same wherever it is made from the mark. */
export function idOf(mark: string, { workers }: PackingState): string {
  const short = `w-${mark.slice(-12)}`;
  const others = [...workers.values()].filter((worker) => worker.mark !== mark);
  return others.some(({ id }) => id === short) ? `w-${mark}` : short;
}

/** A worker that a node carries and nobody knows of was ordered on the offer of its node. */
export const offerFor = (offers: readonly Offer[], node: Offer): Offer | undefined =>
  offers.find((offer) => isKind({ market: offer.market, pool: offer.pool }, node));
