// The benchmark's scenes, frozen: which parts of which traces, on which fleets. Traces come by path; a known one is told by
// its checksum, and an unknown one gets scenes of its own by the same rule.
import type { Millis } from '../../model.ts';
import type { Objective } from '../../queueing/queueing.ts';
import type { VmModel } from '../../simulate/vm-model.ts';

/** Results of two editions can't be compared. */
export const EDITION = 4;

export interface KnownTrace {
  readonly name: string;
  readonly sha256: string;
  /** Where it is to be had. */
  readonly source: string;
  readonly windows: readonly TraceWindow[];
}

export interface TraceWindow {
  /** Where it begins, as a share of what the trace has before and after it. */
  readonly from: number;
  readonly hours: number;
  /** Largest fleet. */
  readonly max: number;
  /** Among the few scenes of a quick benchmark. */
  readonly quick?: boolean;
}

export const BOOTS: readonly Millis[] = [10_000, 60_000, 180_000];
/** Of a quick benchmark: the usual boot, and one at which foresight counts. */
export const QUICK_BOOTS: readonly Millis[] = [60_000, 180_000];
export const OBJECTIVE: Objective = { ms: 500, share: 0.95 };
/** A VM that answers 20 requests a second: an idle one meets the objective almost always. */
export const BENCHMARK_VM: VmModel = { serviceMs: 50, parallel: 1, variation: 1 };
/** Utilization of the largest fleet at the highest load of the window. */
export const AT_PEAK = 0.95;
/** Every policy still has to find its size: not counted. */
export const SKIP: Millis = 60 * 60_000;

const day = (from: number, max: number, hours = 24): TraceWindow => ({ from, hours, max });
const quick = (window: TraceWindow): TraceWindow => ({ ...window, quick: true });
/** A trace that isn't known says nothing if it is shorter. */
export const LEAST_HOURS = 0.5;
/** A day near the beginning, the middle and the end. */
const GENERIC: readonly TraceWindow[] = [day(0.1, 40), quick(day(0.5, 20)), day(0.9, 40)];

export const KNOWN: readonly KnownTrace[] = [
  {
    name: 'worldcup98-per-minute',
    sha256: 'd05038f98af96f6fab054f90445e02a68f37fd00a79c23f45b9b48e5ec91fb8e',
    source: 'Internet Traffic Archive, WorldCup98 (ita.ee.lbl.gov), counted by the minute: period,count',
    windows: [day(0.3, 20), quick(day(0.5, 40)), day(0.6, 40, 48), day(0.8, 40)],
  },
  {
    name: 'aws-elb-requests-5min',
    sha256: '74c26574a01ca9fb89dddb5021e2e13c3a93eb25dc640438a9acb1ceb00f1021',
    source: 'Numenta Anomaly Benchmark (github.com/numenta/NAB), realAWSCloudwatch/elb_request_count_8c0756.csv',
    windows: [quick(day(0.3, 40)), day(0.5, 40)],
  },
  {
    name: 'wikipedia-hourly',
    sha256: '26b929722883cd6e250ea546db0377aeb0ba62a38be46b33a7199a585b79e646',
    source: 'LIMBO (github.com/joakimkistowski/LIMBO), the load of Wikipedia by the hour',
    windows: [quick(day(0.2, 20, 72)), day(0.6, 40, 72)],
  },
  {
    name: 'ibm-transactions-15min',
    sha256: '01e88bf66a2e40b7d61ebbc085d861cfcec5d56c2102bcb6d41c0b1ab03b3c93',
    source: 'LIMBO (github.com/joakimkistowski/LIMBO), transactions of an IBM mainframe in 15 minutes each',
    windows: [quick(day(0.1, 20, 48)), day(0.7, 40, 48)],
  },
  {
    name: 'azure-functions-1440min',
    sha256: '67b03d37d366eeffa83430a6ca2b26695c7e29ab64138a0d00f0df72a18f6ec8',
    source: 'vHive invitro (github.com/vhive-serverless/invitro), an excerpt of the Azure Functions trace of 2019',
    windows: [quick(day(0, 20))],
  },
  {
    name: 'azure-arrivals-conv',
    sha256: '2f1e5b666d4e3055fdbba98598ce2ec307767b9064e03e2fa46676dbcc7d0bf8',
    source: 'AzurePublicDataset (github.com/Azure/AzurePublicDataset), AzureLLMInferenceTrace_conv.csv',
    windows: [quick(day(0.5, 40, 3))],
  },
];

/** A trace that isn't known gets the generic windows; of one of no more than a day, whose days would be the same, two. */
export function windowsOf(sha256: string, hoursInAll: number): readonly TraceWindow[] {
  const known = KNOWN.find((trace) => trace.sha256 === sha256)?.windows;
  if (known !== undefined) return known;
  if (hoursInAll > 24) return GENERIC;
  return GENERIC.slice(0, 2).map((window) => ({ ...window, hours: Math.round(10 * hoursInAll) / 10 }));
}

/** The part of a filled trace (rates in steps of ten seconds) that a window plays, likewise, scaled to its fleet; no rates: it has no request. */
export function played(rates: readonly number[], { from, hours, max }: TraceWindow, ratePerVm: number) {
  const count = Math.min(rates.length, Math.round(hours * 360));
  const first = Math.round(from * (rates.length - count));
  const part = rates.slice(first, first + count);
  const peak = part.reduce((most, rate) => Math.max(most, rate), 0);
  const factor = (max * ratePerVm * AT_PEAK) / peak;
  if (peak === 0) return { rates: [], duration: 0 };
  return { rates: part.map((rate) => rate * factor), duration: count * 10_000 };
}

export const playing =
  (rates: readonly number[]) =>
  (t: Millis): number =>
    rates[Math.floor(t / 10_000)] ?? 0;
