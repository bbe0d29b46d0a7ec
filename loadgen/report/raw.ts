// What a run leaves in its folder, as types: everything in a report is made of this.
import type { DecisionRecord, Millis } from '../../src/model.ts';
import type { CurvePoint, MeasuredVm } from '../../src/simulate/simulate.ts';
import type { Drive } from '../profiles/pacer.ts';

/** run.json: everything needed to repeat the run, and how it ended. Written last: a folder without it is no run. */
export interface RunInfo {
  readonly name: string;
  readonly policy: string;
  readonly profile: string;
  readonly repetition: number;
  /** In which place it was made. */
  readonly order: number;
  /** Of the data set. */
  readonly seed: number;
  /** When the load began. */
  readonly startedAt: Millis;
  readonly load: LoadInfo;
  readonly objective: { readonly ms: Millis; readonly share: number };
  /** ms. */
  readonly period: number;
  /** Per cent of LP. */
  readonly high: number;
  /** What `mmeliot up` was started with. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The configuration in force, without secrets. */
  readonly config: unknown;
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: Readonly<Record<string, string | number>>;
  /** Boot times of the VMs that served, ms. */
  readonly bootTimes: readonly number[];
  readonly result: LoadResult;
}

export interface LoadInfo {
  readonly profile: string;
  readonly max: number;
  readonly duration: number;
  readonly drive: Drive['kind'];
  readonly step: number;
  readonly thinkTime: number;
  readonly mix: string;
  readonly seed: number;
  readonly timeout: number;
}

/** Of the load generator's summary, what reports use. */
export interface LoadResult {
  readonly sent: number;
  readonly ok: number;
  readonly lost: number;
  readonly lossByCause: Readonly<Record<string, number>>;
  readonly latency: { readonly mean: number; readonly p50: number; readonly p95: number; readonly p99: number };
  /** How long after its intended start a request was really sent. */
  readonly late?: { readonly p99: number };
  readonly bottleneck?: string;
  /** ms within which 1 %, 2 % … 100 % of the successful requests were answered; runs of 0.1.0 have none. */
  readonly distribution?: readonly number[];
}

/** A line of client.jsonl: a second as the client saw it. */
export interface ClientInterval {
  /** ms since the load began, at the end of the interval. */
  readonly elapsed: number;
  readonly load: number;
  readonly sent: number;
  readonly ok: number;
  readonly lost: number;
  /** Successful answers within the objective, and within four times of it. */
  readonly within: readonly number[];
  readonly latency: { readonly mean: number; readonly p95: number };
}

/** A line of fleet.jsonl: the fleet as it was at one time. */
export interface FleetSample {
  /** ms since the load began. */
  readonly elapsed: number;
  readonly allocated: number;
  readonly ready: number;
  /** On their way out: draining, or released and not gone yet. */
  readonly leaving?: number;
  /** What all of them cost an hour, in the provider's currency, where it says so. */
  readonly price?: number;
}

export interface Run {
  readonly info: RunInfo;
  readonly client: readonly ClientInterval[];
  readonly fleet: readonly FleetSample[];
  /** The periods of the journal, from before the load on. */
  readonly decisions: readonly DecisionRecord[];
}

/** calibration.json, as `mmeliot simulate --vm` reads it. */
export interface Calibration extends MeasuredVm {
  /** One VM with so many clients that never think. */
  readonly curve: readonly (CurvePoint & { readonly bottleneck?: string })[];
  /** How long a VM took to boot while others worked; measured where a load's duration goes by it. */
  readonly bootMs?: Millis;
  readonly machine?: RunInfo['machine'];
}

/** More work waited than the machine has cores, before there was any of an experiment. */
export const isBusy = (machine: RunInfo['machine'] = {}): boolean =>
  Number(machine['loadBefore']) > Number(machine['cores']);
