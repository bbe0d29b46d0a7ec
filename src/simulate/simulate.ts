// The production control loop on virtual time: its policies, guards, monitor and reconciliation, in front of simulated
// VMs and simulated traffic. Nothing here decides; this file only lets the time pass.
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../decide/parameters.ts';
import { ratePerVm, vmsNeeded, type Objective } from '../queueing/queueing.ts';
import { createControlLoop, type ControlLoop } from '../loop/control-loop.ts';
import type { Decision, DecisionRecord, Millis } from '../model.ts';
import { Monitor } from '../monitor/monitor.ts';
import { createChance } from './chance.ts';
import { FluidTraffic } from './fluid-traffic.ts';
import { measure, type Interval, type Measures } from './measures.ts';
import { RequestTraffic } from './request-traffic.ts';
import { SimulatedAgents } from './simulated-agents.ts';
import { SimulatedCloud, type CloudSettings } from './simulated-cloud.ts';
import { SimulatedGateway } from './simulated-gateway.ts';
import { Interruptions } from './interruptions.ts';
import { SimulatedPacking, type PackingOutcome, type PackingSettings } from './simulated-packing.ts';
import { SimulatedMarket, type MarketOutcome, type MarketSettings } from './simulated-market.ts';
import type { Load, TrafficModel, TrafficSettings } from './traffic-model.ts';
import { VirtualClock } from './virtual-clock.ts';
import { DEFAULT_VM, type VmModel } from './vm-model.ts';

export { vmsNeeded } from '../queueing/queueing.ts';
export { measure, type Interval, type Measures } from './measures.ts';
export type { Load } from './traffic-model.ts';
export { fromMeasured, speedAfter, type CurvePoint, type MeasuredVm, type VmModel, type Warming } from './vm-model.ts';

export interface SimulationOptions extends Partial<CloudSettings>, Pick<TrafficSettings, 'selector'> {
  readonly load: Load;
  readonly duration: Millis;
  readonly parameters?: Partial<ElasticityParameters>;
  readonly vm?: VmModel;
  /** Default: 95 % within 500 ms. */
  readonly objective?: Objective;
  /** T of Apdex; default: the objective's. */
  readonly apdexMs?: Millis;
  readonly perVm?: number | 'auto';
  readonly queueCapacity?: number;
  readonly queueDeadlineMs?: Millis;
  /** How late the agents' readings arrive. */
  readonly metricDelayMs?: Millis;
  readonly seed?: number;
  /** Single requests, or a fluid; `auto`: requests while there are at most a million of them, and always for bursts. */
  readonly traffic?: 'auto' | 'requests' | 'fluid';
  /** Interruptible VMs at recorded prices; without it all VMs are of one kind, and cost nothing. */
  readonly market?: MarketSettings;
  /** Several workers on a machine; without it every VM has one of its own. */
  readonly packing?: PackingSettings;
  /** The timeline tells what was decided, not why: of a year that doesn't fit into memory. */
  readonly withoutReasons?: boolean;
  /** The grain of the run: of boots, drains, notices and of a fluid. Default 1 s; half a year bears more. */
  readonly tickMs?: Millis;

  /** Resolves when every promise that can go on has gone on (in a process: after setImmediate). */
  readonly quiet: () => Promise<unknown>;
  /** Passes of the reconciliation that can find nothing are skipped; true: they are made. For tests of just that. */
  readonly everyPass?: boolean;
}

/** One period: what happened in it, and what was decided at its end. */
export interface SimulatedPeriod extends Interval {
  readonly arrivalRate: number;
  readonly cpu?: number;
  readonly deltaTp?: number;
  readonly decision: Decision;
}

export interface SimulationResult {
  readonly traffic: 'requests' | 'fluid';
  readonly seed: number;
  readonly parameters: ElasticityParameters;
  readonly measures: Measures;
  readonly timeline: readonly SimulatedPeriod[];
  readonly market?: MarketOutcome;
  readonly packing?: PackingOutcome;
}

export const SIMULATION_DEFAULTS = {
  objective: { ms: 500, share: 0.95 },
  perVm: 32,
  queueCapacity: 1000,
  queueDeadlineMs: 30_000,
  metricDelayMs: 0,
  bootMs: 60_000,
  bootSpread: 0.1,
  bootFailures: 0,
  meanLifeMs: Infinity,
  releaseMs: 0,
  seed: 1,
} as const;

const MOST_REQUESTS = 1_000_000;
/** The reconciliation's second. */
const TICK_MS = 1_000;
/** Virtual time begins on a Monday, 2024-01-01 00:00 UTC. */
export const EPOCH: Millis = 1_704_067_200_000;

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const simulation = new Simulation(options);
  return simulation.run();
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #parameters: ElasticityParameters;
  readonly #settings: TrafficSettings;
  readonly #objective: Objective;
  readonly #clock: VirtualClock;
  readonly #kind: 'requests' | 'fluid';
  readonly #traffic: TrafficModel;
  readonly #cloud: SimulatedCloud;
  readonly #gateway: SimulatedGateway;
  readonly #agents: SimulatedAgents;
  readonly #loop: ControlLoop;
  readonly #timeline: SimulatedPeriod[] = [];
  readonly #tickMs: Millis;
  readonly #market: SimulatedMarket | undefined;
  readonly #interruptions: Interruptions;
  readonly #packing: SimulatedPacking | undefined;
  #cost = 0;
  #bound = 0;
  #marks = 0;
  #allocatedMs = 0;
  #readyMs = 0;
  /** Something may be under way until then. */
  #busyUntil: Millis = EPOCH;

  constructor(options: SimulationOptions) {
    const all = { ...SIMULATION_DEFAULTS, ...options };
    const { objective, apdexMs = objective.ms, vm = DEFAULT_VM, seed } = all;
    const now = (): Millis => this.#clock.now();
    this.#options = options;
    this.#objective = objective;
    this.#tickMs = options.tickMs ?? TICK_MS;
    this.#settings = {
      ...all,
      stepMs: this.#tickMs,
      vm,
      load: fromZero(options.load),
      objectiveMs: objective.ms,
      apdexMs,
    };
    this.#clock = new VirtualClock(EPOCH - headStart(all.bootMs * (1 + all.bootSpread), this.#tickMs));
    this.#parameters = { ...DEFAULT_PARAMETERS, bootDeadline: 10 * all.bootMs + 120_000, ...options.parameters };
    this.#kind = chooseTraffic(options);
    const chances = [1, 2].map((each) => createChance(seed * 1_000_003 + each));
    const [forTraffic = createChance(seed), forCloud = createChance(seed)] = chances;
    const Traffic = this.#kind === 'fluid' ? FluidTraffic : RequestTraffic;
    this.#traffic = new Traffic(this.#settings, forTraffic, EPOCH);
    this.#cloud = new SimulatedCloud(all, forCloud, now);
    this.#gateway = new SimulatedGateway(this.#traffic, now);
    this.#agents = new SimulatedAgents(this.#traffic, now, all.metricDelayMs);
    this.#market = options.market && new SimulatedMarket(options.market, EPOCH);
    this.#moveMarket();
    this.#packing =
      options.packing &&
      new SimulatedPacking(options.packing, {
        ...{ cloud: this.#cloud, now, nodeBootMs: all.bootMs, drainMs: this.#parameters.drainDeadline },
        // one that can't be moved now is asked for again
        move: (vm) => void this.#loop.byHand({ what: 'replace', vm }, 'packing').catch(() => undefined),
      });
    this.#loop = this.#createLoop();
    this.#interruptions = new Interruptions(
      () => this.#loop.state().fleet,
      (id) => this.#gateway.serves(id),
    );
  }

  #createLoop(): ControlLoop {
    const { add, drain, remove } = bound(this.#gateway);
    const { releaseMs = SIMULATION_DEFAULTS.releaseMs } = this.#options;
    return createControlLoop({
      clock: this.#clock,
      provider: this.#packing?.provider ?? this.#cloud,
      gateway: {
        add: async (id) => {
          await add(id);
          this.#agents.begin(id);
        },
        drain,
        remove,
      },
      isReady: (id) => Promise.resolve((this.#packing ?? this.#cloud).isReady(id)),
      monitor: new Monitor(this.#agents, { take: (_now, sample) => this.#traffic.takeTraffic(sample) }),
      store: { load: () => Promise.resolve(undefined), save: () => Promise.resolve() },
      journal: { append: () => undefined },
      newMark: () => `mark-${++this.#marks}`,
      parameters: this.#parameters,
      onOutcome: ({ ok, step }) => {
        if (!ok) this.#busyFor(AFTERMATH_MS);
        if (step === 'release') this.#busyFor(releaseMs + TICK_MS);
      },
    });
  }

  async run(): Promise<SimulationResult> {
    const { period } = this.#parameters;
    await this.#firstVms();
    const end = EPOCH + this.#options.duration;
    for (let next = EPOCH + period; next <= end; next += period) {
      while (this.#clock.now() < next) await this.#tick(Math.min(this.#tickMs, next - this.#clock.now()));
      await this.#period(period);
    }
    const { seed = SIMULATION_DEFAULTS.seed } = this.#options;
    return {
      traffic: this.#kind,
      seed,
      parameters: this.#parameters,
      measures: measure(this.#timeline, this.#parameters.high),
      timeline: this.#timeline,
      ...(this.#packing && { packing: this.#packing.outcome }),
      ...(this.#market && { market: { cost: this.#cost, bound: this.#bound, ...this.#interruptions.counted } }),
    };
  }

  /** The minimum of VMs comes up before the load begins. */
  async #firstVms(): Promise<void> {
    await this.#pass();
    while (this.#clock.now() < EPOCH) await this.#tick(Math.min(this.#tickMs, EPOCH - this.#clock.now()));
    this.#traffic.takeTraffic('mean');
    this.#traffic.takeOutcomes();
    this.#allocatedMs = 0;
    this.#readyMs = 0;
    this.#cost = 0;
    this.#bound = 0;
    this.#packing?.begin();
  }

  async #tick(ms: Millis): Promise<void> {
    const to = this.#clock.now() + ms;
    this.#allocatedMs += (this.#packing ?? this.#cloud).size * ms;
    this.#packing?.advance(ms);
    this.#readyMs += this.#gateway.ready * ms;
    this.#traffic.advance(to);
    const woken = this.#clock.advanceTo(to);
    if (this.#market) {
      this.#cost += (this.#cloud.rate * ms) / HOUR;
      this.#bound += (this.#cloud.size * this.#market.cheapest * ms) / HOUR;
    }
    for (const vm of this.#moveMarket()) {
      this.#interruptions.noticed(vm);
      this.#busyFor(0); // it is planned for at once
    }
    this.#interruptions.advance(ms);
    const taken = this.#cloud.takeCrashed();
    const crashed = this.#packing?.lost(taken) ?? taken;
    for (const vm of crashed) this.#gateway.crash(vm);
    if (crashed.length > 0) this.#busyFor(AFTERMATH_MS);
    if (this.#gateway.advance() || woken) await this.#options.quiet();
    if (this.#options.everyPass || !this.#isCalm()) await this.#pass();
  }

  /** Returns who got a notice. */
  #moveMarket(): readonly string[] {
    const noticed = this.#market?.advance(this.#clock.now(), this.#cloud.interruptible);
    if (this.#market && noticed) this.#cloud.market = this.#market.toy;
    return noticed ?? [];
  }

  async #pass(): Promise<void> {
    await this.#loop.reconcileOnce();
    await this.#options.quiet();
  }

  /** Every VM there is serves, and no failed one waits to be replaced. */
  #isCalm(): boolean {
    if (this.#packing?.isSettled === false || this.#clock.now() <= this.#busyUntil) return false;
    return (this.#packing ?? this.#cloud).size === this.#gateway.ready;
  }

  #busyFor(ms: Millis): void {
    this.#busyUntil = Math.max(this.#busyUntil, this.#clock.now() + ms);
  }

  async #period(span: Millis): Promise<void> {
    this.#agents.read();
    // what is on offer may call for other VMs, and a node may be one too many
    if (this.#market ?? this.#packing) await this.#pass();
    const record = await this.#loop.runOnce();
    if (record.decision.action !== 'hold') await this.#options.quiet();
    this.#timeline.push(this.#summarize(record, span));
    this.#allocatedMs = 0;
    this.#readyMs = 0;
  }

  #summarize({ at, observation, forecast, decision }: DecisionRecord, span: Millis): SimulatedPeriod {
    const outcomes = this.#traffic.takeOutcomes();
    const { lp, deltaTp } = forecast;
    const cpus = observation.vms.filter(({ vm }) => vm.state === 'ready').flatMap(({ cpu }) => cpu.slice(0, 1));
    const cpu = cpus.length === 0 ? undefined : cpus.reduce((sum, each) => sum + each, 0) / cpus.length;
    return {
      at: at - EPOCH - span,
      span,
      allocated: this.#allocatedMs / span,
      ready: this.#readyMs / span,
      needed: vmsNeeded((outcomes.arrived * 1000) / span, this.#settings.vm, this.#objective),
      ...(lp === undefined ? {} : { lp }),
      ...outcomes,
      actions: decision.action === 'hold' ? 0 : 1,
      arrivalRate: observation.traffic.arrivalRate,
      ...(cpu === undefined ? {} : { cpu }),
      ...(deltaTp === undefined ? {} : { deltaTp }),
      decision: this.#options.withoutReasons ? { ...decision, reason: '', comparisons: [] } : decision,
    };
  }
}

const HOUR = 3_600_000;
/** After a failure a replacement may be put off for up to five minutes. */
const AFTERMATH_MS = 320_000;

/** Nothing asks before the run begins. */
const fromZero = (load: Load): Load => ({ ...load, at: (t) => (t < 0 ? 0 : load.at(t)) });

/** Whole ticks, some to spare. Worked: 60 s of boot, 10 % spread: 66 s and 4 more. */
const headStart = (bootMs: Millis, tickMs: Millis): Millis => (Math.ceil(bootMs / tickMs) + 4) * tickMs;

const bound = (gateway: SimulatedGateway): Pick<SimulatedGateway, 'add' | 'drain' | 'remove'> => ({
  add: (id) => gateway.add(id),
  drain: (id, deadlineMs) => gateway.drain(id, deadlineMs),
  remove: (id) => gateway.remove(id),
});

function chooseTraffic({ traffic = 'auto', load, duration, vm = DEFAULT_VM }: SimulationOptions): 'requests' | 'fluid' {
  if (traffic !== 'auto') return traffic;
  if (load.kind === 'bursts' || load.kind === 'batch') return 'requests';
  let expected = 0;
  for (let i = 0; i < SAMPLES; i++) {
    const level = load.at(((i + 0.5) * duration) / SAMPLES);
    const rate = load.kind === 'open' ? level : Math.min((level * 1000) / load.thinkMs, level * ratePerVm(vm));
    expected += (rate * duration) / 1000 / SAMPLES;
  }
  return expected <= MOST_REQUESTS ? 'requests' : 'fluid';
}
const SAMPLES = 1000;
