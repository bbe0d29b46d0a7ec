// The control loop at its barest, for sweeps of hundreds of runs: production's evaluation (forecast, policy, guards) once a
// period, on traffic as a fluid, with VMs that boot and leave as they are told. No monitor, reconciliation, ledger or
// journal: where no VM fails, these only carry out what was decided. Some ten times as fast as `simulate`; a test holds
// the two against each other.
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../decide/parameters.ts';
import { evaluate, remember } from '../loop/evaluate.ts';
import type { Decision, Millis, PeriodSummary, Vm, VmObservation } from '../model.ts';
import { vmsNeeded, type Objective } from '../queueing/queueing.ts';
import { createChance, type Chance } from './chance.ts';
import { FluidTraffic } from './fluid-traffic.ts';
import type { Interval } from './measures.ts';
import { EPOCH, SIMULATION_DEFAULTS } from './simulate.ts';
import type { VmModel } from './vm-model.ts';

export interface BareOptions {
  /** Arrivals a second. */
  readonly at: (t: Millis) => number;
  readonly duration: Millis;
  readonly bootMs: Millis;
  readonly objective: Objective;
  readonly vm: VmModel;
  readonly seed: number;
  readonly parameters: Partial<ElasticityParameters>;
}

interface BareRun {
  readonly parameters: ElasticityParameters;
  readonly intervals: readonly Interval[];
}

/** Boots end on whole seconds. */
const TICK = 1_000;

export function simulateBare(options: BareOptions): BareRun {
  const { at, duration, bootMs, objective, vm, seed } = options;
  const parameters: ElasticityParameters = { ...DEFAULT_PARAMETERS, ...options.parameters };
  const { period } = parameters;
  const settings = { ...SIMULATION_DEFAULTS, vm, load: { kind: 'open', at } as const };
  const chances = [1, 2].map((each) => createChance(seed * 1_000_003 + each));
  const [forTraffic = createChance(seed), forBoots = createChance(seed)] = chances;
  const traffic = new FluidTraffic(
    { ...settings, objectiveMs: objective.ms, apdexMs: objective.ms },
    forTraffic,
    EPOCH,
  );
  const fleet = new BareFleet(traffic, bootMs, forBoots);
  const samples = new Samples(parameters.window);
  const intervals: Interval[] = [];
  let history: readonly PeriodSummary[] = [];
  fleet.begin(parameters.min);
  for (let now = EPOCH + period; now <= EPOCH + duration; now += period) {
    const stretch = fleet.advance(now - period, now);
    const seen = traffic.takeTraffic();
    samples.take(fleet.utilization(period), seen.responseTimes.size > 0 ? seen.traffic.responseTime : undefined);
    const vms = fleet.vms.map((each) => samples.of(each, now, period));
    const { forecast, summary, decision } = evaluate({ at: now, vms, traffic: seen.traffic }, history, parameters);
    history = remember(history, summary, parameters);
    fleet.carryOut(decision, now);
    const outcomes = traffic.takeOutcomes();
    intervals.push({
      at: now - EPOCH - period,
      span: period,
      allocated: stretch.allocatedMs / period,
      ready: stretch.readyMs / period,
      needed: vmsNeeded((outcomes.arrived * 1000) / period, vm, objective),
      ...(forecast.lp === undefined ? {} : { lp: forecast.lp }),
      ...outcomes,
      actions: decision.action === 'hold' ? 0 : 1,
    });
  }
  return { parameters, intervals };
}

/** VMs of a fluid are alike: what one says of its CPU and its answers, all say that were there as long. */
class Samples {
  readonly #window: number;
  #cpu: readonly number[] = [];
  #responseTime: readonly number[] = [];

  constructor(window: number) {
    this.#window = window;
  }

  take(cpu: number | undefined, responseTime: number | undefined): void {
    const taken = (samples: readonly number[], value: number | undefined): readonly number[] =>
      value === undefined ? samples : [Math.round(value * 100) / 100, ...samples.slice(0, this.#window - 1)];
    this.#cpu = taken(this.#cpu, cpu);
    this.#responseTime = taken(this.#responseTime, responseTime ?? this.#responseTime[0]);
  }

  of(vm: Vm, now: Millis, period: Millis): VmObservation {
    const age = vm.state === 'ready' ? Math.ceil((now - vm.since) / period) : 0;
    const own = (samples: readonly number[]): readonly number[] =>
      age >= samples.length ? samples : samples.slice(0, age);
    return { vm, cpu: own(this.#cpu), responseTime: own(this.#responseTime), source: 'agent' };
  }
}

class BareFleet {
  readonly #traffic: FluidTraffic;
  readonly #bootMs: Millis;
  readonly #chance: Chance;
  #vms: readonly Vm[] = [];
  readonly #boots = new Map<string, Millis>();
  #count = 0;
  /** The VM whose work tells how busy all are, and how much of it was there before. */
  #probe: { readonly id: string; readonly busyMs: Millis } | undefined;

  constructor(traffic: FluidTraffic, bootMs: Millis, chance: Chance) {
    this.#traffic = traffic;
    this.#bootMs = bootMs;
    this.#chance = chance;
  }

  get vms(): readonly Vm[] {
    return this.#vms;
  }

  /** VMs that serve from the beginning on. */
  begin(count: number): void {
    for (let i = 0; i < count; i++) this.#boots.set(this.#add(EPOCH), 0);
    this.#serve(EPOCH, [...this.#boots.keys()]);
  }

  /** Lets the time pass. */
  advance(from: Millis, to: Millis): { readonly allocatedMs: Millis; readonly readyMs: Millis } {
    let readyMs = 0;
    for (let now = from; now < to;) {
      const next = this.#boots.size === 0 ? to : Math.min(to, now + TICK);
      readyMs += (this.#vms.length - this.#boots.size) * (next - now);
      this.#traffic.advance(next);
      now = next;
      if (this.#boots.size > 0)
        this.#serve(
          now,
          [...this.#boots].filter(([, at]) => at <= now).map(([id]) => id),
        );
    }
    return { allocatedMs: this.#vms.length * (to - from), readyMs };
  }

  /** Per cent, over the last period; undefined: the VM that it is told by has left. */
  utilization(period: Millis): number | undefined {
    const before = this.#probe;
    const busyMs = before && this.#traffic.busyMs(before.id);
    const oldest = this.#vms.find(({ state }) => state === 'ready');
    this.#probe = oldest && { id: oldest.id, busyMs: this.#traffic.busyMs(oldest.id) ?? 0 };
    return before && busyMs !== undefined ? Math.min(100, (100 * (busyMs - before.busyMs)) / period) : undefined;
  }

  carryOut({ action, count, vms = [] }: Decision, now: Millis): void {
    for (let i = 0; i < (action === 'allocate' ? count : 0); i++) this.#add(now);
    if (action !== 'release') return;
    const gone = new Set(vms);
    for (const id of gone) {
      this.#traffic.drain(id);
      this.#traffic.remove(id);
    }
    this.#vms = this.#vms.filter(({ id }) => !gone.has(id));
  }

  #add(now: Millis): string {
    const id = `vm-${++this.#count}`;
    const { bootSpread } = SIMULATION_DEFAULTS;
    this.#boots.set(id, now + this.#bootMs * (1 + bootSpread * (2 * this.#chance.uniform() - 1)));
    this.#chance.uniform(); // there it says whether the boot fails: the same boots for the same seed
    this.#vms = [...this.#vms, { id, state: 'pending', since: now }];
    return id;
  }

  #serve(now: Millis, ids: readonly string[]): void {
    if (ids.length === 0) return;
    for (const id of ids) {
      this.#boots.delete(id);
      this.#traffic.add(id);
    }
    const booted = new Set(ids);
    this.#vms = this.#vms.map((vm) =>
      booted.has(vm.id)
        ? { ...vm, state: 'ready', since: now, bootTime: now === EPOCH ? this.#bootMs : now - vm.since }
        : vm,
    );
  }
}
