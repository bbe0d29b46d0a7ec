// The entry of the load generator: a load from plain options, and its progress and summary as text.
import { parseMix } from './workload/parse-mix.ts';
import { createProfile, createTraceProfile, isProfileName, PROFILE_NAMES, type Profile } from './profiles/index.ts';
import { traceDuration, tracePeakRate, type Trace } from './profiles/trace.ts';
import { readTrace } from './read-trace.ts';
import { run, type Progress, type RunOptions, type RunResult } from './runner.ts';
import type { Drive } from './profiles/pacer.ts';
import { DEFAULT_MIX, type WorkloadOptions } from './workload/mix.ts';
import { DURATION, parseQuantity, refuseQuantity } from '../epcis/domain/quantity.ts';
import { OptionError } from './workload/option-error.ts';
import { SUPPLY_CHAIN_DEFAULTS } from './workload/supply-chain.ts';

export interface LoadOptions {
  readonly url: string;
  /** A profile's name, or `trace:` and the path of a trace file. Default `ascending`. */
  readonly profile?: string;
  /** What is in that file, where it was read already. */
  readonly trace?: Trace;
  /** Load at the profile's highest point. Default 60; a trace in an open loop: the peak that was recorded. */
  readonly max?: number;
  /** ms. Default two minutes; a trace: as long as it was recorded. */
  readonly duration?: number;
  /** Default 1. */
  readonly seed?: number;
  /** Default 0: see ProfileOptions. */
  readonly noise?: number;
  /** Default `bursts`, the paper's. */
  readonly drive?: Drive['kind'];
  /** ms between bursts. Default 1000. */
  readonly step?: number;
  /** Mean ms between an answer and the same client's next request (closed loop). Default 1000. */
  readonly thinkTime?: number;
  /** Default `poisson` (open loop). */
  readonly arrivals?: 'poisson' | 'even';
  /** Classes of requests with their weights, `poll=50,rest=30`. Default: see DEFAULT_MIX. */
  readonly mix?: string;
  readonly workload?: Partial<WorkloadOptions>;
  /** ms until a request without its whole answer is lost. Default 30,000. */
  readonly timeout?: number;
  /** Default 5000. */
  readonly maxOpen?: number;
  /** Default `x-mmeliot-vm`. */
  readonly vmHeader?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Latencies (ms) up to which answers are counted in each interval of the progress. Default none. */
  readonly bounds?: readonly number[];
  readonly onProgress?: (progress: Progress) => void;
  /** A share of the load, where several generators make it together. */
  readonly part?: { readonly index: number; readonly of: number };
  readonly onEvent?: RunOptions['onEvent'];
  readonly signal?: AbortSignal;
}

export interface LoadSummary extends RunResult {
  readonly profile: string;
  readonly drive: Drive;
  readonly max: number;
  readonly duration: number;
  readonly seed: number;
}

/** What our gateway names the VM in. */
export const VM_HEADER = 'x-mmeliot-vm';

export const WORKLOAD_DEFAULTS: WorkloadOptions = { ...SUPPLY_CHAIN_DEFAULTS, eventsPerCapture: 5, queryLimit: 100 };

/**
 * With so many events what is asked of a reader or a place is answered by as many as an answer may have, some readers by chance
 * aside. In an emptier repository a VM answers twice as many requests a second, and fewer and fewer while a load fills it.
 */
export const FILLED = 1.2 * WORKLOAD_DEFAULTS.readers * WORKLOAD_DEFAULTS.queryLimit;

export interface Load {
  readonly profile: Profile;
  readonly trace?: Trace;
  readonly drive: Drive;
  readonly max: number;
  readonly duration: number;
  readonly seed: number;
}

/** What the options ask for. A wrong one rejects with an OptionError. */
export async function loadOf(options: LoadOptions): Promise<Load> {
  const { profile: name = 'ascending', seed = 1, noise = 0 } = options;
  const drive = driveOf(options);
  const trace = options.trace ?? (name.startsWith('trace:') ? await readTrace(name.slice('trace:'.length)) : undefined);
  if (trace?.counts.every((count) => count === 0))
    throw new OptionError(`The trace ${name.replace(/^trace:/, '')} has no request: there is nothing to send.`);
  const duration = options.duration ?? (trace ? traceDuration(trace) : 120_000);
  const max = options.max ?? (trace && drive.kind === 'open' ? tracePeakRate(trace) : 60);
  if (!(duration > 0)) throw new OptionError('The duration of the load has to be more than 0.');
  if (!(max > 0)) throw new OptionError('The highest load (max) has to be more than 0.');
  parseUrl(options.url);
  const shape = { max, duration, seed, noise };
  const profile = trace ? createTraceProfile(trace, shape) : profileOf(name, shape);
  return { profile, ...(trace && { trace }), drive, max, duration, seed };
}

/** Worked: of 5 requests, three generators send 1, 2 and 2; of 6 a second, 2 each. */
const partOf = (profile: Profile, drive: Drive, { index, of }: NonNullable<LoadOptions['part']>): Profile =>
  drive.kind === 'open' ? (t) => profile(t) / of : (t) => Math.floor((Math.round(profile(t)) + index) / of);

/** Runs a load to its end. A wrong option rejects with an OptionError. */
export async function runLoad(options: LoadOptions): Promise<LoadSummary> {
  const { bounds = [], onProgress, onEvent, signal, part = { index: 0, of: 1 } } = options;
  const load = await loadOf(options);
  const { duration, drive, max, seed } = load;
  const result = await run({
    url: parseUrl(options.url),
    profile: part.of === 1 ? load.profile : partOf(load.profile, drive, part),
    duration,
    drive,
    mix: options.mix === undefined ? DEFAULT_MIX : parseMix(options.mix),
    workload: { ...WORKLOAD_DEFAULTS, ...options.workload },
    // each asks for other tags at other times
    seed: seed + part.index * OTHER,
    timeout: options.timeout ?? 30_000,
    maxOpen: Math.ceil((options.maxOpen ?? 5000) / part.of),
    vmHeader: options.vmHeader ?? VM_HEADER,
    bounds,
    ...(options.headers && { headers: options.headers }),
    ...(onProgress && { onProgress }),
    ...(onEvent && { onEvent }),
    ...(signal && { signal }),
  });
  return { profile: options.profile ?? 'ascending', drive, max, duration, seed, ...result };
}
const OTHER = 104_729;

/** "90s", "2m", "1h30m", "500ms" in ms. */
export function parseDuration(text: string): number {
  const ms = parseQuantity(DURATION, text);
  if (ms === undefined) throw new OptionError(`${text}: ${refuseQuantity(DURATION, text)}`);
  return ms;
}

function driveOf({ drive = 'bursts', step = 1000, thinkTime = 1000, arrivals = 'poisson' }: LoadOptions): Drive {
  if ((drive === 'bursts' || drive === 'batch') && !(step > 0))
    throw new OptionError(`The step between ${drive === 'batch' ? 'batches' : 'bursts'} has to be more than 0.`);
  if (drive === 'bursts' || drive === 'batch') return { kind: drive, step };
  if (drive === 'closed') return { kind: drive, thinkTime };
  return { kind: drive, arrivals };
}

function profileOf(name: string, shape: Parameters<typeof createProfile>[1]): Profile {
  if (!isProfileName(name)) {
    throw new OptionError(`There is no profile "${name}"; there are: ${PROFILE_NAMES.join(', ')} and trace:<file>.`);
  }
  return createProfile(name, shape);
}

export function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new OptionError(`"${text}" is no URL of a server: write it as http://host:port.`);
  }
  return url;
}
