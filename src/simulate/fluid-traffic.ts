// Traffic as a fluid: for rates at which single requests would take too long to follow. Each second the number of
// requests in the system, L, changes by what arrives less what the fleet completes:
//   dL/dt = λ − n × μ × ρ(L)
// where ρ(L) is the utilization at which a fleet in balance has L requests in it (the pointwise stationary fluid flow
// approximation, with L(ρ) of src/queueing/queueing.ts). In balance it gives the queueing formula, in overload a backlog that
// grows by λ − nμ, and everything between. The step is an implicit one, so that a second is not too long for it.
// VMs are alike and the gateway's balancing is taken as perfect; arrivals are noisy as counts, not in their effect.
import { LIMIT_START } from '../balance/core/concurrency-limit.ts';
import { crowding, inSystem, ratePerVm, stationOf, tail, varianceOf, type Station } from '../queueing/queueing.ts';
import type { Millis } from '../model.ts';
import type { TrafficReport } from '../monitor/monitor.ts';
import type { Chance } from './chance.ts';
import { Outcomes, type TrafficModel, type TrafficSettings } from './traffic-model.ts';

const STEP_MS = 1_000;
const MOST_LOAD = 1 - 1e-9;

export class FluidTraffic implements TrafficModel {
  readonly #settings: TrafficSettings;
  readonly #chance: Chance;
  readonly #start: Millis;
  #now: Millis;
  /** Requests in the system. */
  #present = 0;
  #stationVms = 0;
  #station: Station = stationOf(1, 1);
  /** Utilization of the last step: the next one is near. */
  #last = 0;
  /** ∫ utilization dt; a VM's work is the difference since it was added. */
  #work = 0;
  readonly #vms = new Map<string, number>();
  readonly #leaving = new Map<string, { readonly until: Millis; readonly work: number }>();
  #outcomes = new Outcomes();
  #period = emptyPeriod(0);
  #responseMs: number;

  constructor(settings: TrafficSettings, chance: Chance, start: Millis) {
    this.#settings = settings;
    this.#chance = chance;
    this.#start = start;
    this.#now = start;
    this.#period = emptyPeriod(start);
    this.#responseMs = settings.vm.serviceMs;
  }

  advance(to: Millis): void {
    while (this.#now < to) {
      const ms = Math.min(this.#settings.stepMs ?? STEP_MS, to - this.#now);
      this.#step(ms / 1000);
      this.#now += ms;
    }
  }

  #step(seconds: number): void {
    const { vm, load } = this.#settings;
    const vms = this.#vms.size;
    const capacity = vms * ratePerVm(vm);
    const wanted = load.at(this.#now - this.#start);
    // What comes in is `offered`, less (closed) a share of those who are inside and therefore don't ask.
    const pull = load.kind === 'closed' ? (seconds * 1000) / Math.max(1, load.thinkMs) : 0;
    const perSecond = load.kind === 'bursts' || load.kind === 'batch' ? (wanted * 1000) / load.stepMs : wanted;
    const offered = load.kind === 'closed' ? pull * wanted : seconds * perSecond;
    const before = this.#present;
    const utilization = this.#utilization(before + offered, 1 + pull, seconds * capacity);
    const served = Math.min(before + offered, seconds * capacity * utilization);
    const after = (before + offered - served) / (1 + pull);
    this.#present = after;
    this.#work += utilization * seconds * 1000;
    const arrived = after + served - before;
    // where more comes than can be served, or a backlog is left, requests do not meet few others by chance
    const balance = Math.max(0, Math.min(1, (1 - utilization) / (1 - arrived / Math.max(1e-9, seconds * capacity))));
    this.#count(before, after, arrived, served, seconds, balance);
  }

  #utilization(total: number, factor: number, served: number): number {
    const vms = this.#vms.size;
    if (vms === 0) return 0;
    if (vms !== this.#stationVms) this.#station = stationOf((this.#stationVms = vms), this.#settings.vm.parallel);
    return (this.#last = solve(total, factor, this.#station, served, this.#last));
  }

  /** A fluid has no single answers to find the limit from. */
  #perVm(): number {
    const { perVm } = this.#settings;
    return perVm === 'auto' ? LIMIT_START : perVm;
  }

  /** Outcomes of one step: the mean response by Little's law, its spread by the spread of the work. */
  #count(before: number, after: number, arrived: number, served: number, seconds: number, balance: number): void {
    const { vm, queueCapacity, queueDeadlineMs, objectiveMs, apdexMs } = this.#settings;
    const slots = this.#vms.size * this.#perVm();
    const rate = served / seconds;
    const room = Math.min(queueCapacity, ((rate > 0 ? rate : arrived / seconds) * queueDeadlineMs) / 1000);
    const lost = Math.max(0, after - slots - room);
    this.#present = after - lost;
    const present = (before + this.#present) / 2;
    const inAll = rate > 0 ? Math.max(vm.serviceMs, (1000 * present) / rate) : 0;
    const queued = rate > 0 ? Math.min(inAll - vm.serviceMs, (1000 * Math.max(0, present - slots)) / rate) : 0;
    const atVm = inAll - queued;
    const variance = varianceOf(vm.variation) + balance * crowding(atVm / vm.serviceMs);
    const beyond = (ms: number): number => served * tail((ms - queued) / Math.max(1e-9, atVm), variance);
    const outcomes = this.#outcomes;
    outcomes.arrived += arrived;
    outcomes.answered += served;
    outcomes.lost += lost;
    outcomes.responseSum += served * inAll;
    outcomes.slow += beyond(objectiveMs);
    outcomes.satisfied += served - beyond(apdexMs);
    outcomes.tolerated += served - beyond(4 * apdexMs);
    const period = this.#period;
    period.arrived += this.#settings.load.kind === 'open' ? this.#scattered(arrived) : arrived;
    period.served += served;
    period.lost += lost;
    period.queueSum += served * queued;
    period.responseSum += served * atVm;
    if (served > 0) this.#responseMs = atVm;
  }

  /** Arrivals are counted as those of a Poisson process scatter. */
  #scattered(arrived: number): number {
    const counted = this.#chance.poisson(arrived);
    this.#period.arrivals.push(counted);
    return counted;
  }

  add(vm: string): void {
    this.#vms.set(vm, this.#work);
  }

  drain(vm: string): void {
    const since = this.#vms.get(vm);
    if (since === undefined) return;
    this.#vms.delete(vm);
    this.#leaving.set(vm, { until: this.#now + this.#responseMs, work: this.#work - since });
  }

  isEmpty(vm: string): boolean {
    return !this.#vms.has(vm) && (this.#leaving.get(vm)?.until ?? 0) <= this.#now;
  }

  remove(vm: string): void {
    this.#vms.delete(vm);
    this.#leaving.delete(vm);
  }

  crash(vm: string): void {
    this.remove(vm);
  }

  busyMs(vm: string): number | undefined {
    const since = this.#vms.get(vm);
    return since === undefined ? this.#leaving.get(vm)?.work : this.#work - since;
  }

  takeTraffic(): TrafficReport {
    const { arrived, arrivals, served, lost, queueSum, responseSum, since } = this.#period;
    const seconds = Math.max(1e-3, (this.#now - since) / 1000);
    this.#period = emptyPeriod(this.#now);
    const atVms = Math.min(this.#present, this.#vms.size * this.#perVm());
    const responseTime = served > 0 ? responseSum / served : 0;
    const vms = served > 0 ? [...this.#vms.keys()] : [];
    return {
      traffic: {
        arrivalRate: arrived / seconds,
        ...(arrivals.length === 0 ? {} : { arrivals }),
        throughput: served / seconds,
        inFlight: atVms,
        queued: this.#present - atVms,
        queueTime: served > 0 ? queueSum / served : 0,
        responseTime,
        lost,
      },
      responseTimes: new Map(vms.map((vm) => [vm, responseTime])),
    };
  }

  takeOutcomes(): Outcomes {
    const outcomes = this.#outcomes;
    this.#outcomes = new Outcomes();
    return outcomes;
  }
}

const emptyPeriod = (since: Millis) => ({
  since,
  arrived: 0,
  arrivals: [] as number[],
  served: 0,
  lost: 0,
  queueSum: 0,
  responseSum: 0,
});

/**
 * The utilization ρ with factor × L(ρ) + served × ρ = total. The left side grows with ρ, ever faster: Newton's steps from
 * the right come down to it, and one from the left at most passes it.
 */
function solve(total: number, factor: number, station: Station, served: number, near: number): number {
  const excess = (load: number): number => factor * inSystem(load, station) + served * load - total;
  if (total <= 0) return 0;
  if (excess(MOST_LOAD) <= 0) return MOST_LOAD;
  let load = Math.min(near, MOST_LOAD);
  for (let i = 0; i < MOST_STEPS; i++) {
    const here = excess(load);
    const width = GRAIN * (1 - load);
    const next = load - (here * width) / (excess(load + width) - here);
    // beyond the pole: half of the way there
    const better = next >= MOST_LOAD ? (load + MOST_LOAD) / 2 : Math.max(0, next);
    if (Math.abs(better - load) < GRAIN * (1 - better)) return better;
    load = better;
  }
  return load;
}

const MOST_STEPS = 60;
const GRAIN = 1e-6;
