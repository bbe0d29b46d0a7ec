// What the nodes and their provider say, held against what is known: who is gone, what is ordered at which node, which node is
// given back.
import type { Millis, Offer } from '../model.ts';
import { roleOf } from '../act/of-role.ts';
import type { ProvidedVm } from '../act/provider.ts';
import { consolidation, type ConsolidationCosts } from './consolidation.ts';
import type { NodeReport, Order, ReportedWorker } from './orders.ts';
import { offerFor, placeOf, workersOn, type Node, type PackingState, type Reports, type Worker } from './state.ts';

export interface Seen {
  /** By the clock that nobody sets. */
  readonly now: Millis;
  /** Nodes as their provider lists them, by mark; `listedAt`: when it was asked. */
  readonly provided: ReadonlyMap<string, ProvidedVm>;
  readonly listedAt: Millis;
  /** Of this look: who isn't in it didn't answer; `troubles`: or why it refused to. */
  readonly reports: Reports;
  readonly troubles: ReadonlyMap<string, string>;
}

export interface PackingRules extends ConsolidationCosts {
  /** A node that isn't up by then never will be. */
  readonly nodeDeadlineMs: Millis;
  /** Nothing is decided at the moment: no node is drained, and none goes that is not lost. */
  readonly isHeld: boolean;
  /** What workers are sold as. */
  readonly offers: readonly Offer[];
  readonly newKey: () => string;
  /** Of a worker (by id) that has a job: it is expected to end in so long. */
  readonly endsIn: (worker: string) => Millis | undefined;
  /** What a node is told to start. */
  readonly order: (worker: Worker) => Order;
}

export interface Planned {
  readonly state: PackingState;
  /** By the node's mark. */
  readonly orders: readonly { readonly node: string; readonly order: Order }[];
  /** Nodes (by their provider's id) that go back to it. */
  readonly giveBack: readonly string[];
  /** Why the nodes are as they are: one sentence. */
  readonly why: string;
  /** There is something that has to be kept. */
  readonly isNew: boolean;
}

export function plan(before: PackingState, seen: Seen, rules: PackingRules): Planned {
  const draft = new Draft(before);
  for (const node of before.nodes.values()) lookAt(node, seen, rules, draft);
  const orders: { node: string; order: Order }[] = [];
  for (const [mark, report] of seen.reports) {
    const node = draft.nodes.get(mark);
    if (node !== undefined)
      orders.push(...hear(node, report, seen, rules, draft).map((order) => ({ node: mark, order })));
  }
  for (const worker of draft.workers.values()) if (!draft.nodes.has(worker.node)) orphaned(worker, draft);
  const why = rules.isHeld ? 'The nodes stay as they are while nothing is decided.' : consolidate(seen, rules, draft);
  const giveBack = [...draft.nodes.values()].filter((node) => isToGo(node, rules.isHeld, seen, draft));
  for (const node of giveBack) {
    if (node.id === undefined) draft.nodes.delete(node.mark);
    else draft.nodes.set(node.mark, { ...node, releasing: true, releasedAt: seen.now });
  }
  return { state: draft, orders, giveBack: giveBack.flatMap(({ id }) => id ?? []), why, isNew: draft.isNew };
}

/** A node that is still listed so long after its release was asked for is released again. */
const RELEASE_AGAIN_MS = 60_000;

function isToGo({ mark, draining, releasing, releasedAt }: Node, isHeld: boolean, seen: Seen, draft: Draft): boolean {
  if (releasing) return seen.now - (releasedAt ?? -Infinity) >= RELEASE_AGAIN_MS;
  return draining !== undefined && !isHeld && isEmpty(mark, draft, seen);
}

class Draft implements PackingState {
  readonly workers: Map<string, Worker>;
  readonly nodes: Map<string, Node>;
  readonly #before: PackingState;

  constructor(before: PackingState) {
    this.#before = before;
    this.workers = new Map(before.workers);
    this.nodes = new Map(before.nodes);
  }

  get isNew(): boolean {
    return differ(this.workers, this.#before.workers) || differ(this.nodes, this.#before.nodes);
  }
}

const differ = <T>(after: ReadonlyMap<string, T>, before: ReadonlyMap<string, T>): boolean =>
  after.size !== before.size || [...after].some(([mark, one]) => before.get(mark) !== one);

/** The node as its provider sees it. */
function lookAt(node: Node, seen: Seen, { nodeDeadlineMs }: PackingRules, draft: Draft): void {
  const vm = seen.provided.get(node.mark);
  const name = vm?.id ?? node.id ?? 'that was ordered';
  if (vm === undefined) {
    // an order that is under way is not listed yet
    const known = node.id !== undefined || seen.listedAt - node.orderedAt > nodeDeadlineMs;
    if (known && node.orderedAt < seen.listedAt) {
      draft.nodes.delete(node.mark);
      lose(node, `its node ${name} is gone`, draft);
    }
    return;
  }
  const up = node.up ?? (seen.reports.has(node.mark) || undefined);
  const silentSince = seen.reports.has(node.mark) ? undefined : (node.silentSince ?? seen.now);
  const silentFor = seen.now - (silentSince ?? seen.now);
  const isEndured = up && workersOn(draft, node.mark).some(({ leaving, failed }) => !leaving && failed === undefined);
  // its boot begins when its provider has it, and is waiting for nothing any more
  const begins = node.id === undefined || (node.waiting && !vm.waiting);
  const orderedAt = begins ? seen.now : node.orderedAt;
  const since = up || vm.waiting ? 0 : seen.now - orderedAt;
  const late = since > nodeDeadlineMs || (up && !isEndured && silentFor > nodeDeadlineMs);
  const why = vm.note === undefined ? '' : `: ${vm.note}`;
  const trouble = seen.troubles.has(node.mark) ? `: ${seen.troubles.get(node.mark)}` : '';
  const lost =
    vm.state === 'failed'
      ? `its node ${name} has failed${why}`
      : vm.state === 'releasing' && !node.releasing
        ? `its node ${name} is being shut down${why}`
        : late
          ? `its node ${name} did not answer within ${Math.round(nodeDeadlineMs / 1000)} s${trouble}`
          : undefined;
  const silent = up && silentSince;
  const waiting = (!up && vm.waiting) || undefined;
  const isSame =
    node.id === vm.id &&
    node.up === up &&
    node.silentSince === silent &&
    node.waiting === waiting &&
    lost === undefined;
  if (!isSame)
    draft.nodes.set(node.mark, {
      ...{ ...node, id: vm.id, orderedAt, silentSince: silent, waiting },
      ...(up && { up, bootMs: node.bootMs ?? seen.now - orderedAt }),
      ...(lost !== undefined && { releasing: true as const }),
    });
  if (lost !== undefined) lose(node, lost, draft);
}

function lose({ mark }: Node, why: string, draft: Draft): void {
  for (const worker of workersOn(draft, mark)) {
    if (worker.leaving) draft.workers.delete(worker.mark);
    else draft.workers.set(worker.mark, { ...worker, failed: worker.failed ?? why });
  }
}

/** Its node is known no more. */
function orphaned(worker: Worker, draft: Draft): void {
  if (worker.leaving) draft.workers.delete(worker.mark);
  else if (worker.failed === undefined) draft.workers.set(worker.mark, { ...worker, failed: 'its node is gone' });
}

/** What the node says that it carries, and what it is told then. */
function hear(node: Node, report: NodeReport, seen: Seen, rules: PackingRules, draft: Draft): readonly Order[] {
  const orders: Order[] = [];
  const reported = new Map(report.workers.map((one) => [one.mark, one]));
  for (const one of report.workers) if (!draft.workers.has(one.mark)) adopt(one, node, seen.now, rules, draft);
  for (const worker of workersOn(draft, node.mark)) {
    const one = reported.get(worker.mark);
    const order =
      one === undefined ? missing(worker, node, seen.now, rules, draft) : present(worker, one, node, seen, draft);
    if (order !== undefined) orders.push(order);
  }
  return orders;
}

/** The data folder was lost, or is older than this worker. Its key is not known: it gets another one. */
function adopt(one: ReportedWorker, node: Node, now: Millis, rules: PackingRules, draft: Draft): void {
  const { offers, newKey, workerBootMs } = rules;
  const { mark, id, size, createdAt } = one;
  const { market, pool } = node.offer;
  const role = roleOf(mark);
  const offer = offerFor(offers, node.offer) ?? node.offer;
  // how long it took to boot nobody knows
  const known = { key: newKey(), keySince: now, ordered: now, bootMs: workerBootMs, seen: true } as const;
  const kind = { market, ...(market === 'interruptible' && { pool }), ...(role && { role }) };
  draft.workers.set(mark, { ...{ mark, id, size, createdAt, node: node.mark, offer }, ...known, ...kind });
}

function missing(worker: Worker, node: Node, now: Millis, { order }: PackingRules, draft: Draft): Order | undefined {
  if (worker.leaving) draft.workers.delete(worker.mark);
  else if (worker.seen)
    draft.workers.set(worker.mark, { ...worker, failed: worker.failed ?? `it is gone from its node ${node.id ?? ''}` });
  else if (worker.failed === undefined) {
    draft.workers.set(worker.mark, { ...worker, ordered: worker.ordered ?? now });
    return order(worker);
  }
  return undefined;
}

function present(worker: Worker, one: ReportedWorker, node: Node, seen: Seen, draft: Draft): Order | undefined {
  const { mark, key, keyed, leaving } = worker;
  const host = seen.provided.get(node.mark)?.address?.host;
  const address = host === undefined || one.port === undefined ? worker.address : { host, port: one.port };
  const isSame = address?.host === worker.address?.host && address?.port === worker.address?.port;
  const { ordered = seen.now } = worker;
  const bootMs = worker.bootMs ?? (one.state === 'running' ? seen.now - ordered : undefined);
  if (!worker.seen || !isSame || bootMs !== worker.bootMs)
    draft.workers.set(mark, {
      ...{ ...worker, ordered, seen: true },
      ...(address && { address }),
      ...(bootMs !== undefined && { bootMs }),
    });
  if (leaving) return one.state === 'releasing' ? undefined : { what: 'stop', mark };
  return keyed || one.state === 'releasing' ? undefined : { what: 'rekey', mark, key };
}

function isEmpty(mark: string, draft: Draft, { reports }: Seen): boolean {
  const carries = reports.get(mark)?.workers.length ?? 0;
  return carries === 0 && workersOn(draft, mark).length === 0;
}

const longest = (of: readonly { readonly bootMs?: Millis }[]): Millis | undefined => {
  const measured = of.flatMap(({ bootMs }) => bootMs ?? []);
  return measured.length === 0 ? undefined : Math.max(...measured);
};

/** Who hasn't left by then (a person keeps a worker there, say) stays, and others may be tried. */
const STUCK_MS = 600_000;

function consolidate(seen: Seen, rules: PackingRules, draft: Draft): string {
  for (const node of draft.nodes.values())
    if (seen.now - (node.draining ?? seen.now) > STUCK_MS)
      draft.nodes.set(node.mark, { ...node, draining: undefined, spareSince: undefined });
  const nodes = [...draft.nodes.values()].filter(
    ({ releasing, silentSince }) => !releasing && silentSince === undefined,
  );
  const states = nodes.map((node) => {
    const place = placeOf(draft, node);
    const reported = new Map(seen.reports.get(node.mark)?.workers.map((one) => [one.mark, one.state]));
    const workers = workersOn(draft, node.mark).filter(({ failed }) => failed === undefined);
    const isSettled = workers.every(({ mark, leaving }) => !leaving && reported.get(mark) === 'running');
    const timed = workers.map((worker) => {
      const endsIn = rules.endsIn(worker.id);
      return endsIn === undefined ? worker : { ...worker, endsIn };
    });
    return {
      ...place,
      name: node.id ?? node.mark,
      workers: timed,
      isSettled,
      isUp: node.up === true,
      ...(node.spareSince !== undefined && { spareSince: node.spareSince }),
    };
  });
  const emptied = [...draft.nodes.values()].filter((node) => node.draining !== undefined && !node.releasing);
  const draining = emptied.map(({ mark }) => mark);
  const costs = {
    ...rules,
    nodeBootMs: longest(nodes) ?? rules.nodeBootMs,
    workerBootMs: longest([...draft.workers.values()]) ?? rules.workerBootMs,
  };
  const { drain, spare, why } = consolidation(states, draining, costs, seen.now);
  for (const { mark } of nodes) {
    const node = draft.nodes.get(mark);
    if (node === undefined) continue;
    const spareSince = spare.get(node.mark);
    const draws = node.mark === drain;
    if (spareSince === node.spareSince && !draws) continue;
    draft.nodes.set(node.mark, { ...node, spareSince, ...(draws && { draining: seen.now }) });
  }
  return why;
}
