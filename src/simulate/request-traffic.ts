// Traffic request by request, through the gateway's own parts: its pool and predicate, its queue, the limit it finds for
// each VM, its budget for repeating and, where one is given, its selector.
// VMs share themselves equally among their requests (processor sharing), or serve them in turn, at the speed that their
// service curve says.
import { Admission, type Guest } from '../balance/core/admission.ts';
import { GATEWAY_DEFAULTS } from '../balance/core/options.ts';
import { RetryBudget } from '../balance/core/retry-budget.ts';
import type { Candidate, Selector } from '../balance/core/selectors/selector.ts';
import { isEmpty, type PoolVm } from '../balance/core/vm-pool.ts';
import type { Millis, ResponseSample } from '../model.ts';
import type { TrafficReport } from '../monitor/monitor.ts';
import type { Chance } from './chance.ts';
import { EventQueue } from './event-queue.ts';
import { ProcessorSharing } from './processor-sharing.ts';
import { Outcomes, type TrafficModel, type TrafficSettings } from './traffic-model.ts';

/** A request on its way through the gateway and a VM. */
interface Visit extends Guest<ProcessorSharing<Visit>> {
  /** In units of the mean request. */
  readonly work: number;
  readonly client: number | undefined;
  /** When a VM took it. */
  seatedAt: Millis;
}

type SimulatedVm = PoolVm<ProcessorSharing<Visit>>;

type Event =
  | { readonly kind: 'request'; readonly client?: number }
  | { readonly kind: 'batch' }
  /** Something ends at the VM, unless it changed since. */
  | { readonly kind: 'ends'; readonly vm: SimulatedVm; readonly version: number };

/** The load is taken as constant for so long. */
const SLICE_MS = 100;
const PAUSE_AFTER_LOSS_MS = 100;

export class RequestTraffic implements TrafficModel {
  readonly #settings: TrafficSettings;
  readonly #chance: Chance;
  readonly #start: Millis;
  readonly #admission: Admission<ProcessorSharing<Visit>>;
  readonly #retries: RetryBudget;
  readonly #events = new EventQueue<Event>();
  readonly #clients = new Set<number>();
  /** Requests of the last batch that have not ended; undefined before the first. */
  #openInBatch: number | undefined;
  #batchBegan: Millis = 0;
  #now: Millis;
  #sliceEnd: Millis;
  /** Open load: how much of the load must pass until the next arrival. */
  #due: number;
  #outcomes = new Outcomes();
  #period = emptyPeriod(0);

  constructor(settings: TrafficSettings, chance: Chance, start: Millis) {
    this.#settings = settings;
    this.#chance = chance;
    this.#start = start;
    this.#now = start;
    this.#sliceEnd = start;
    this.#due = chance.exponential(1);
    this.#period = emptyPeriod(start);
    const { perVm, queueCapacity, queueDeadlineMs, selector = fewestRequests } = settings;
    const { queue, retry } = GATEWAY_DEFAULTS;
    this.#retries = new RetryBudget(retry.budget, retry.perRequest);
    this.#admission = new Admission(
      {
        ...GATEWAY_DEFAULTS,
        perVm,
        // requests of one importance only
        queue: { ...queue, capacity: queueCapacity, deadlineMs: queueDeadlineMs, classes: [{ name: 'all' }] },
      },
      { now: () => this.#now, random: chance.uniform, selector },
    );
  }

  advance(to: Millis): void {
    while (this.#now < to) {
      if (this.#now >= this.#sliceEnd) this.#beginSlice();
      const end = Math.min(to, this.#sliceEnd);
      while (this.#events.nextAt <= end) {
        this.#now = Math.max(this.#now, this.#events.nextAt);
        const event = this.#events.take();
        if (event?.kind === 'request') this.#arrive(event.client);
        else if (event?.kind === 'batch') this.#beginBatch();
        else if (event?.kind === 'ends') this.#end(event.vm, event.version);
      }
      this.#now = end;
    }
  }

  #beginSlice(): void {
    const { load } = this.#settings;
    const from = this.#now;
    const t = from - this.#start;
    this.#sliceEnd = from + SLICE_MS;
    this.#admission.expire(from);
    if (load.kind === 'open') {
      const perMs = load.at(t) / 1000;
      let used = 0;
      while (perMs > 0 && this.#due <= perMs * (SLICE_MS - used)) {
        used += this.#due / perMs;
        this.#events.add(from + used, { kind: 'request' });
        this.#due = this.#chance.exponential(1);
      }
      this.#due -= perMs * (SLICE_MS - used);
    } else if (load.kind === 'bursts') {
      const { at, stepMs } = load;
      for (let step = Math.ceil(t / stepMs) * stepMs; step < t + SLICE_MS; step += stepMs)
        for (let i = Math.round(at(step)); i > 0; i--) this.#events.add(this.#start + step, { kind: 'request' });
    } else if (load.kind === 'batch') {
      if (this.#openInBatch === undefined) this.#events.add(this.#start, { kind: 'batch' });
      this.#openInBatch ??= 0;
    } else {
      for (let client = 0; client < Math.round(load.at(t)); client++)
        if (!this.#clients.has(client)) this.#think(client);
    }
  }

  #beginBatch(): void {
    const { load } = this.#settings;
    this.#batchBegan = this.#now;
    // one more than there are, so that it can't end while it begins
    const size = Math.round(load.at(this.#now - this.#start));
    this.#openInBatch = size + 1;
    for (let i = 0; i < size; i++) this.#arrive(undefined);
    this.#oneOfBatchEnded();
  }

  #oneOfBatchEnded(): void {
    const { load } = this.#settings;
    if (load.kind !== 'batch' || this.#openInBatch === undefined) return;
    this.#openInBatch -= 1;
    if (this.#openInBatch === 0)
      this.#events.add(Math.max(this.#now, this.#batchBegan + load.stepMs), { kind: 'batch' });
  }

  #think(client: number, atLeast = 0): void {
    const { load } = this.#settings;
    if (load.kind !== 'closed') return;
    this.#clients.add(client);
    const pause = Math.max(atLeast, this.#chance.exponential(load.thinkMs));
    this.#events.add(this.#now + pause, { kind: 'request', client });
  }

  #arrive(client: number | undefined): void {
    const { load, vm, queueDeadlineMs } = this.#settings;
    if (client !== undefined && client >= Math.round(load.at(this.#now - this.#start))) {
      this.#clients.delete(client);
      return;
    }
    this.#outcomes.arrived++;
    this.#period.arrived++;
    const second = Math.max(0, Math.ceil((this.#now - this.#period.since) / 1000) - 1);
    this.#period.arrivals[second] = (this.#period.arrivals[second] ?? 0) + 1;
    this.#retries.earn();
    const visit: Visit = {
      level: 0,
      sender: '',
      tenant: '',
      arrivedAt: this.#now,
      deadline: this.#now + queueDeadlineMs,
      avoid: undefined,
      ticket: undefined,
      work: this.#chance.work(vm.variation),
      client,
      seatedAt: this.#now,
      place: (vm) => this.#seat(visit, vm),
      turnAway: () => this.#lose(visit),
    };
    this.#admission.enter(visit, this.#now);
  }

  /** Called by the admission, which has counted it in. */
  #seat(visit: Visit, vm: SimulatedVm): void {
    visit.seatedAt = this.#now;
    vm.handle.add(visit, this.#now);
    this.#expectEnd(vm);
  }

  #expectEnd(vm: SimulatedVm): void {
    const at = vm.handle.nextEnd(this.#now);
    if (at < Infinity) this.#events.add(at, { kind: 'ends', vm, version: vm.handle.version });
  }

  #end(vm: SimulatedVm, version: number): void {
    if (vm.handle.version !== version || this.#admission.pool.get(vm.id) !== vm) return;
    const visit = vm.handle.end(this.#now);
    if (visit === undefined) return;
    this.#answered(visit, vm.id);
    this.#expectEnd(vm);
    this.#admission.leave(visit, vm, { responseMs: this.#now - visit.seatedAt, error: false }, this.#now);
  }

  #answered({ arrivedAt, seatedAt, client }: Visit, vm: string): void {
    const { objectiveMs, apdexMs } = this.#settings;
    const response = this.#now - arrivedAt;
    const outcomes = this.#outcomes;
    outcomes.answered++;
    outcomes.responseSum += response;
    if (response > objectiveMs) outcomes.slow++;
    if (response <= apdexMs) outcomes.satisfied++;
    if (response <= 4 * apdexMs) outcomes.tolerated++;
    const period = this.#period;
    period.queueSum += seatedAt - arrivedAt;
    period.answered++;
    const times = period.vms.get(vm) ?? { sum: 0, count: 0, last: 0 };
    times.last = this.#now - seatedAt;
    times.sum += times.last;
    times.count++;
    period.vms.set(vm, times);
    if (client !== undefined) this.#think(client);
    this.#oneOfBatchEnded();
  }

  #lose({ client }: Visit): void {
    this.#outcomes.lost++;
    this.#period.lost++;
    if (client !== undefined) this.#think(client, PAUSE_AFTER_LOSS_MS);
    this.#oneOfBatchEnded();
  }

  add(id: string): void {
    if (this.#admission.pool.get(id) !== undefined) return;
    const handle = new ProcessorSharing<Visit>(this.#settings.vm, this.#chance, this.#now);
    this.#admission.add(id, { host: id, port: 80 }, handle);
  }

  drain(id: string): void {
    const vm = this.#admission.pool.get(id);
    if (vm !== undefined) vm.draining = true;
  }

  isEmpty(id: string): boolean {
    const vm = this.#admission.pool.get(id);
    return vm === undefined || isEmpty(vm);
  }

  remove(id: string): void {
    for (const visit of this.#takeOut(id)) this.#lose(visit);
  }

  crash(id: string): void {
    for (const visit of this.#takeOut(id)) {
      if (this.#retries.spend()) this.#admission.enterAgain(visit);
      else this.#lose(visit);
    }
  }

  #takeOut(id: string): readonly Visit[] {
    const vm = this.#admission.pool.get(id);
    this.#admission.pool.delete(id);
    return vm?.handle.all() ?? [];
  }

  busyMs(id: string): number | undefined {
    return this.#admission.pool.get(id)?.handle.busyMs(this.#now);
  }

  takeTraffic(sample: ResponseSample): TrafficReport {
    const { since, arrived, arrivals, answered, lost, queueSum, vms } = this.#period;
    const seconds = Math.max(1e-3, (this.#now - since) / 1000);
    this.#period = emptyPeriod(this.#now);
    let sum = 0;
    for (const times of vms.values()) sum += times.sum;
    const inFlight = this.#admission.pool.all().reduce((total, vm) => total + vm.inFlight, 0);
    return {
      traffic: {
        arrivalRate: arrived / seconds,
        arrivals: Array.from({ length: Math.round(seconds) }, (_, second) => arrivals[second] ?? 0),
        throughput: answered / seconds,
        inFlight,
        queued: this.#admission.queue.size,
        queueTime: answered > 0 ? queueSum / answered : 0,
        responseTime: answered > 0 ? sum / answered : 0,
        lost,
      },
      responseTimes: new Map(
        [...vms].map(([id, { sum, count, last }]) => [id, sample === 'last' ? last : sum / count]),
      ),
    };
  }

  takeOutcomes(): Outcomes {
    const outcomes = this.#outcomes;
    this.#outcomes = new Outcomes();
    return outcomes;
  }
}

/** In proportion to its share of the traffic; among equals the one whose turn it is. */
const fewestRequests: Selector = (vms, { turn, shareOf }) => {
  let best = vms[turn % vms.length] as Candidate;
  for (const vm of vms) if ((vm.inFlight + 1) / shareOf(vm) < (best.inFlight + 1) / shareOf(best)) best = vm;
  return best;
};

const emptyPeriod = (since: Millis) => ({
  since,
  arrived: 0,
  arrivals: [] as number[],
  answered: 0,
  lost: 0,
  queueSum: 0,
  vms: new Map<string, { sum: number; count: number; last: number }>(),
});
