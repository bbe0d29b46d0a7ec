// Port: what the control loop asks once a period. It joins the agents' reports, the provider's monitoring,
// the gateway's measurements and the backlog into one observation, and keeps the samples of every VM.
import type { Backlog, Millis, Observation, ResponseSample, Sample, Traffic, Vm, VmObservation } from '../model.ts';
import { Window } from './window.ts';

/** Where the agents' reports arrive. `receivedAt` is the collector's own clock: a VM's clock may be off. */
export interface ReportSource {
  latest(vm: string): { readonly sample: Sample; readonly receivedAt: Millis } | undefined;
  /** The VM is gone. */
  forget(vm: string): void;
}

/** What the gateway measured since it was asked last. */
export interface TrafficSource {
  take(now: Millis, sample: ResponseSample): TrafficReport;
}

export interface TrafficReport {
  readonly traffic: Traffic;
  /** VM → mean (or last) ms of the successful requests it answered, from choosing it to the last byte. */
  readonly responseTimes: ReadonlyMap<string, number>;
}

/** A VM with its provider's monitoring, the fallback for a silent agent. */
export interface MonitoredVm {
  readonly vm: Vm;
  readonly monitoring?: { readonly at: Millis; readonly cpu: number };
}

export interface MonitorParameters {
  readonly period: Millis;
  readonly window: number;
  readonly responseSample: ResponseSample;
}

/** Providers look at their VMs seldom (OpenNebula every 30 s to 2 min): older than this, they are silent too. */
const PROVIDER_SILENT_MS = 150_000;

/** An agent that has been silent for more than this many periods is replaced by the provider's monitoring. */
const SILENT_PERIODS = 2;

interface Seen {
  readonly cpu: Window;
  readonly responseTime: Window;
}

export class Monitor {
  readonly #reports: ReportSource;
  readonly #traffic: TrafficSource;
  readonly #backlog: () => Backlog | undefined;
  #seen = new Map<string, Seen>();

  /** `backlog`: what was last seen of it, where somebody looks. */
  constructor(reports: ReportSource, traffic: TrafficSource, backlog: () => Backlog | undefined = () => undefined) {
    this.#reports = reports;
    this.#traffic = traffic;
    this.#backlog = backlog;
  }

  /** Takes up the samples of an observation made before a restart, so that the predictions go on instead of starting anew. */
  restore(observation: Observation, parameters: MonitorParameters): void {
    for (const { vm, cpu, responseTime, latest } of observation.vms)
      this.#seen.set(vm.id, {
        cpu: Window.of(cpu, parameters.window, latest?.at),
        responseTime: Window.of(responseTime, parameters.window),
      });
  }

  /** Once a period: takes one new sample of each VM. */
  observe(now: Millis, vms: readonly MonitoredVm[], parameters: MonitorParameters): Observation {
    const { traffic, responseTimes } = this.#traffic.take(now, parameters.responseSample);
    const before = this.#seen;
    this.#seen = new Map();
    const observed = vms.map(({ vm, monitoring }): VmObservation => {
      const seen = resized(before.get(vm.id), parameters.window);
      this.#seen.set(vm.id, seen);
      before.delete(vm.id);
      if (vm.state === 'ready') takeResponseTime(seen, responseTimes.get(vm.id));
      return this.#look(now, vm, monitoring, seen, parameters.period);
    });
    for (const gone of before.keys()) this.#reports.forget(gone);
    const backlog = this.#backlog();
    return { at: now, vms: observed, traffic, ...(backlog === undefined ? {} : { backlog }) };
  }

  #look(now: Millis, vm: Vm, monitoring: MonitoredVm['monitoring'], seen: Seen, period: Millis): VmObservation {
    const report = this.#reports.latest(vm.id);
    const heardOf = Math.max(report?.receivedAt ?? 0, vm.since);
    const agentSpeaks = now - heardOf <= SILENT_PERIODS * period;
    const providerSpeaks = monitoring !== undefined && now - monitoring.at <= PROVIDER_SILENT_MS;
    const source = agentSpeaks ? 'agent' : providerSpeaks ? 'provider' : 'none';
    if (vm.state === 'ready') {
      if (source === 'agent' && report !== undefined) seen.cpu.push(clamp(report.sample.cpu), report.sample.at);
      if (source === 'provider' && monitoring !== undefined) seen.cpu.push(clamp(monitoring.cpu), monitoring.at);
    }
    return {
      vm,
      cpu: seen.cpu.samples,
      responseTime: seen.responseTime.samples,
      source,
      ...(source === 'agent' && report !== undefined ? { latest: report.sample } : {}),
    };
  }
}

function takeResponseTime(seen: Seen, mean: number | undefined): void {
  if (mean === undefined) seen.responseTime.hold();
  else seen.responseTime.push(mean);
}

/** The window's length may be changed while the loop runs. */
function resized(seen: Seen | undefined, size: number): Seen {
  if (seen === undefined) return { cpu: new Window(size), responseTime: new Window(size) };
  if (seen.cpu.size === size) return seen;
  return { cpu: seen.cpu.resized(size), responseTime: seen.responseTime.resized(size) };
}

const clamp = (percent: number): number => Math.min(100, Math.max(0, percent));
