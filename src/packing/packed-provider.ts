// A provider over a provider: to the manager a worker is a VM; inside, nodes come from any provider, and each carries workers.
import { messageOf, MmeliotError } from '../errors.ts';
import type { Millis, Offer, Role } from '../model.ts';
import type { AllocationRequest, ProvidedVm, Provider } from '../act/provider.ts';
import type { ConsolidationCosts } from './consolidation.ts';
import { workerOffers } from './offers.ts';
import type { NodeDoor, NodeReport, Order } from './orders.ts';
import type { WorkerSize } from './placement.ts';
import { plan, type Planned, type Seen } from './plan.ts';
import { shown } from './shown.ts';
import { EMPTY, isNodeMark, workersOn, type Node, type PackingState, type Worker } from './state.ts';
import { take } from './take.ts';
import { isUnable, troubleOf, unheard } from './trouble.ts';
import { keysOf, rekeyed } from './worker-keys.ts';

export interface PackingStore {
  load(): Promise<PackingState | undefined>;
  save(state: PackingState): Promise<void>;
}

export interface PackedOptions {
  /** Where nodes come from. */
  readonly inner: Provider;
  readonly door: NodeDoor;
  readonly store: PackingStore;
  /** As people and providers say it: it may be set. */
  readonly now: () => Millis;
  /** A clock that nobody sets: whatever is waited for, or has an age, goes by it. */
  readonly steady: () => Millis;
  readonly sizeOf: (role: Role | undefined) => WorkerSize;
  /** Read at each look: they may change while it runs. */
  readonly costs: () => ConsolidationCosts;
  /** A node that has not answered by then never will. */
  readonly nodeDeadlineMs: Millis;
  readonly newMark: () => string;
  readonly newKey: () => string;
  /** What a worker is told: who it is, and what it serves. */
  readonly tellWorker: (worker: Worker) => Readonly<Record<string, string>>;
  /** What a node is told: who it is, and whom it obeys. */
  readonly tellNode: (mark: string) => Readonly<Record<string, string>>;
  readonly endsIn?: (worker: string) => Millis | undefined;
  /** Whether nothing is decided at the moment, as in a dry run. */
  readonly isHeld?: () => boolean;
  /** There is no packing any more: VMs have machines of their own, and nodes are emptied one by one. */
  readonly isEnding?: boolean;
  /** The worker's node is to be given back: another one in its place. Said again with each look until it is gone. */
  readonly move: (worker: Worker, why: string) => void;
}

interface Asked {
  readonly request: AllocationRequest;
  readonly answer: PromiseWithResolvers<string>;
}

export class PackedProvider implements Provider {
  readonly name: string;
  readonly #options: PackedOptions;
  #state = EMPTY;
  #loaded: Promise<void> | undefined;
  #reports = new Map<string, NodeReport>();
  /** Why nodes did not report when they were last asked, by mark. */
  #troubles: ReadonlyMap<string, string> = new Map();
  #provided = new Map<string, ProvidedVm>();
  /** VMs from before there was packing: they are left as they are. */
  #plain: readonly ProvidedVm[] = [];
  #why = '';
  #looking: Promise<void> | undefined;
  #asked: Asked[] = [];
  #placing: Promise<void> = Promise.resolve();
  /** What a manager of before had asked for is known. */
  #hasLooked = false;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: PackedOptions) {
    this.#options = options;
    this.name = options.inner.name;
  }

  get state(): PackingState {
    return this.#state;
  }

  /** What each node said last, by its mark. */
  get reports(): ReadonlyMap<string, NodeReport> {
    return this.#reports;
  }

  /** Why a node is of no use at present, where that is known. */
  trouble(node: Node): string | undefined {
    return troubleOf(node, this.#troubles.get(node.mark), this.#options.steady());
  }

  /** Why the nodes are as many as they are. */
  get why(): string {
    return this.#why;
  }

  async list(): Promise<readonly ProvidedVm[]> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    await this.#looking;
    return [...this.#plain, ...shown(this.#state, this.#provided, this.#reports, this.#troubles)];
  }

  async offers(role?: Role): Promise<readonly Offer[]> {
    const { inner, isEnding, sizeOf } = this.#options;
    return isEnding ? inner.offers(role) : workerOffers(await inner.offers(), sizeOf(role));
  }

  async allocate(request: AllocationRequest): Promise<string> {
    if (this.#options.isEnding) return this.#anew(request);
    const answer = Promise.withResolvers<string>();
    this.#asked.push({ request, answer });
    this.#placing = this.#placing.then(() => this.#place());
    return answer.promise;
  }

  /** A VM with a machine of its own. */
  async #anew(request: AllocationRequest): Promise<string> {
    await this.#load();
    return this.#state.workers.get(request.mark)?.id ?? this.#options.inner.allocate(request);
  }

  async release(id: string): Promise<void> {
    await this.#load();
    const worker = this.#worker(id);
    if (worker === undefined) return this.#options.inner.release(id);
    const { mark } = worker;
    const node = this.#state.nodes.get(worker.node);
    const isThere = worker.ordered && node !== undefined && !node.releasing;
    const workers = new Map(this.#state.workers);
    if (isThere) workers.set(mark, { ...worker, leaving: true });
    else workers.delete(mark);
    this.#state = { ...this.#state, workers };
    await this.#save();
    // a node that doesn't answer is told with the next look
    if (isThere) await this.#order(worker.node, { what: 'stop', mark }).catch(() => undefined);
  }

  mayCome(): boolean {
    return this.#options.inner.mayCome?.() ?? false;
  }

  async log(id: string): Promise<string | undefined> {
    const worker = this.#worker(id);
    if (worker === undefined) return this.#options.inner.log?.(id);
    const report = await this.#order(worker.node, { what: 'log', mark: worker.mark }).catch(() => undefined);
    return report?.log;
  }

  /** What the worker may sign with; undefined: it is none of ours. */
  keysOf(id: string): readonly string[] | undefined {
    const worker = this.#worker(id);
    return worker && keysOf(worker, this.#options.steady());
  }

  /** Workers whose key is older than that get another one: their nodes are told with the next look. */
  async rekey(olderThan: Millis): Promise<void> {
    await this.#load();
    const { steady, newKey } = this.#options;
    const state = rekeyed(this.#state, olderThan, steady(), newKey);
    if (state === undefined) return;
    this.#state = state;
    await this.#save();
  }

  /** The end of a fleet: nodes that carry nothing go back at once. Resolves with those (by id) that are still there. */
  async giveBackNodes(): Promise<readonly string[]> {
    await this.#load();
    const nodes = (await this.#options.inner.list()).filter(({ mark }) => isNodeMark(mark));
    const empty = nodes.filter(({ mark = '' }) => workersOn(this.#state, mark).length === 0);
    await Promise.all(empty.map(({ id }) => this.#options.inner.release(id)));
    return nodes.map(({ id }) => id);
  }

  #worker(id: string): Worker | undefined {
    return [...this.#state.workers.values()].find((worker) => worker.id === id);
  }

  #load(): Promise<void> {
    return (this.#loaded ??= this.#options.store.load().then(
      (state) => void (this.#state = state ?? EMPTY),
      (error: unknown) => {
        this.#loaded = undefined;
        throw error;
      },
    ));
  }

  /** One after the other, each what is true then. */
  #save(): Promise<void> {
    this.#saving = this.#saving.catch(() => undefined).then(() => this.#options.store.save(this.#state));
    return this.#saving;
  }

  /** All that was asked for until now, together. */
  async #place(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    if (asked.length === 0) return;
    try {
      await this.#load();
      const { inner, now, steady, sizeOf, newMark, newKey } = this.#options;
      const offers = await inner.offers();
      const requests = asked.map(({ request }) => request);
      const { state, refused } = take(this.#state, requests, {
        ...{ now: steady(), createdAt: now(), offers, sizeOf, newMark, newKey },
      });
      this.#state = state;
      await this.#save(); // before a node is ordered: a manager that is killed now knows what it ordered
      const bought = this.#bought(requests);
      const idOf = async (mark: string): Promise<string> => {
        const no = refused.get(mark);
        if (no !== undefined) throw new MmeliotError(no.code, no.why);
        await bought.get(this.#state.workers.get(mark)?.node ?? '');
        return this.#state.workers.get(mark)?.id ?? '';
      };
      await Promise.all(asked.map(({ request, answer }) => idOf(request.mark).then(answer.resolve, answer.reject)));
    } catch (error) {
      for (const { answer } of asked) answer.reject(error);
    }
  }

  /** The nodes of these workers that their provider has not accepted yet are asked for. */
  #bought(requests: readonly AllocationRequest[]): ReadonlyMap<string, Promise<void>> {
    const marks = requests.flatMap(({ mark }) => this.#state.workers.get(mark)?.node ?? []);
    return new Map(Array.from(new Set(marks), (mark) => [mark, this.#buy(this.#state.nodes.get(mark))]));
  }

  async #buy(node: Node | undefined): Promise<void> {
    if (node === undefined || node.id !== undefined) return;
    const { inner, tellNode } = this.#options;
    const { mark, offer, maxPrice } = node;
    const most = maxPrice === undefined ? {} : { maxPrice };
    try {
      const id = await inner.allocate({ mark, offer, ...most, environment: tellNode(mark) });
      this.#setNode({ ...(this.#state.nodes.get(mark) ?? node), id, orderedAt: this.#options.steady() });
      await this.#save();
    } catch (error) {
      // its workers don't come; whether there is a node now, the list will tell, unless there is none for sure
      const workers = new Map([...this.#state.workers].filter(([, worker]) => worker.node !== mark));
      const nodes = new Map(this.#state.nodes);
      if ((error as Partial<MmeliotError>).code === 'NO_CAPACITY') nodes.delete(mark);
      this.#state = { workers, nodes };
      await this.#save();
      throw error;
    }
  }

  /** Nodes with workers that the manager of before was killed over before it had asked for them. */
  #buyLeft(): void {
    if (this.#hasLooked) return;
    this.#hasLooked = true;
    for (const node of this.#state.nodes.values()) {
      const isThere = node.id !== undefined || this.#provided.has(node.mark);
      if (!isThere && workersOn(this.#state, node.mark).some(({ leaving, failed }) => !leaving && failed === undefined))
        void this.#buy(node).catch(() => undefined); // its workers are gone then, and ordered anew
    }
  }

  #setNode(node: Node): void {
    this.#state = { ...this.#state, nodes: new Map(this.#state.nodes).set(node.mark, node) };
  }

  /** What the provider lists and the nodes report, and what follows from that. */
  async #look(): Promise<void> {
    await this.#load();
    const { inner, steady, isEnding } = this.#options;
    const isHeld = this.#options.isHeld?.() ?? false;
    const listedAt = steady();
    const [vms, offers] = await Promise.all([inner.list(), inner.offers()]);
    this.#plain = vms.filter(({ mark }) => !isNodeMark(mark));
    const provided = new Map(vms.flatMap((vm) => (isNodeMark(vm.mark) ? [[vm.mark ?? '', vm]] : [])));
    for (const mark of this.#provided.keys()) if (!provided.has(mark)) this.#options.door.forget(mark);
    this.#provided = provided;
    this.#adopt(offers);
    this.#buyLeft();
    const heard = await this.#hear();
    this.#troubles = heard.troubles;
    const planned = this.#plan({ now: steady(), provided: this.#provided, listedAt, ...heard }, offers, isHeld);
    this.#state = planned.state;
    this.#why = planned.why;
    if (isEnding && !isHeld) this.#drainNext();
    for (const mark of this.#reports.keys()) if (!this.#state.nodes.has(mark)) this.#reports.delete(mark);
    if (planned.isNew) await this.#save();
    await this.#give(planned.orders);
    await Promise.all(planned.giveBack.map((id) => inner.release(id).catch(() => undefined)));
    this.#moveOff();
  }

  /** Asks every node what it carries. */
  async #hear(): Promise<Pick<Seen, 'reports' | 'troubles'>> {
    const reports = new Map<string, NodeReport>();
    const troubles = new Map<string, string>();
    await Promise.all(
      Array.from(this.#provided.keys(), async (mark) => {
        try {
          reports.set(mark, await this.#order(mark, { what: 'report' }));
        } catch (error) {
          const why = unheard(error, this.#state.nodes.get(mark), this.#provided.get(mark));
          if (why !== undefined) troubles.set(mark, why);
        }
      }),
    );
    return { reports, troubles };
  }

  #plan(seen: Seen, offers: readonly Offer[], isHeld: boolean): Planned {
    const { costs, nodeDeadlineMs, newKey, sizeOf, isEnding, endsIn = () => undefined } = this.#options;
    return plan(this.#state, seen, {
      ...{ ...costs(), nodeDeadlineMs, newKey, endsIn, isHeld },
      offers: isEnding ? offers : workerOffers(offers, sizeOf(undefined)),
      order: (worker) => this.#start(worker),
    });
  }

  async #give(orders: Planned['orders']): Promise<void> {
    await Promise.all(
      orders.map(({ node, order }) =>
        this.#order(node, order).catch((error: unknown) => {
          if (order.what === 'start' && isUnable(error)) this.#unstarted(order.worker.mark, messageOf(error));
        }),
      ),
    );
  }

  /** Workers of nodes that are to be given back: others in their places. */
  #moveOff(): void {
    for (const worker of this.#state.workers.values()) {
      const node = this.#state.nodes.get(worker.node);
      if (node?.draining !== undefined && !worker.leaving && worker.failed === undefined)
        this.#options.move(worker, `node ${node.id ?? ''} is to be given back`);
    }
  }

  /** The node can't start it: whoever is allocated in its place goes elsewhere. */
  #unstarted(mark: string, why: string): void {
    const worker = this.#state.workers.get(mark);
    const node = worker && this.#state.nodes.get(worker.node);
    if (worker === undefined || node === undefined) return;
    const failed = `its node ${node.id ?? ''} could not start it: ${why}`;
    this.#state = { ...this.#state, workers: new Map(this.#state.workers).set(mark, { ...worker, failed }) };
    this.#setNode({ ...node, refusedAt: this.#options.steady(), refusal: why });
  }

  /** One that is being drained comes first. */
  #drainNext(): void {
    const nodes = [...this.#state.nodes.values()].filter(({ releasing }) => !releasing);
    if (nodes.some(({ draining }) => draining !== undefined)) return;
    const [next] = nodes;
    if (next !== undefined) this.#setNode({ ...next, draining: this.#options.steady() });
  }

  /** Nodes that nobody knows of any more: the data folder was lost. */
  #adopt(offers: readonly Offer[]): void {
    const { now, steady, costs } = this.#options;
    for (const [mark, { id, offer = offers[0], createdAt, state }] of this.#provided) {
      if (this.#state.nodes.has(mark) || offer === undefined || state === 'releasing') continue;
      // as if it were up: what it carries is not known before it has said so
      const orderedAt = steady() - Math.max(0, now() - createdAt);
      this.#setNode({ mark, id, offer, orderedAt, bootMs: costs().nodeBootMs, up: true });
    }
  }

  #start(worker: Worker): Order {
    const { mark, id, size, key } = worker;
    return { what: 'start', worker: { mark, id, size, key, environment: this.#options.tellWorker(worker) } };
  }

  /** What it answers is the newest that is known of it. */
  async #order(mark: string, order: Order): Promise<NodeReport> {
    const { address, state } = this.#provided.get(mark) ?? {};
    if (address === undefined || state !== 'running') throw new Error('There is no such node.');
    const report = await this.#options.door.ask({ mark, address }, order);
    this.#reports.set(mark, report);
    const told = order.what === 'start' ? order.worker : order.what === 'rekey' ? order : undefined;
    const worker = told && this.#state.workers.get(told.mark);
    if (worker?.key === told?.key && worker !== undefined && !worker.keyed) {
      const workers = new Map(this.#state.workers).set(worker.mark, { ...worker, keyed: true });
      this.#state = { ...this.#state, workers };
    }
    return report;
  }
}
