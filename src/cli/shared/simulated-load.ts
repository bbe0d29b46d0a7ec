// What `simulate` and `compare` take: a load from a profile or a trace file, a VM from a file, settings.
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { createProfile, createTraceProfile, isProfileName, PROFILE_NAMES } from '../../../loadgen/profiles/index.ts';
import { traceDuration, tracePeakRate, type Trace } from '../../../loadgen/profiles/trace.ts';
import { maxOf } from '../../../loadgen/plan.ts';
import { OptionError } from '../../../loadgen/workload/option-error.ts';
import type { Load } from '../../simulate/simulate.ts';
import { DEFAULT_VM, fromMeasured, type VmModel } from '../../simulate/vm-model.ts';
import { durationOf, loadMax } from './load-options.ts';
import { toldTrace } from './told-trace.ts';

export interface LoadChoice {
  readonly profile: string;
  readonly drive: string;
  /** A number, or a share of the capacity. */
  readonly max: string | undefined;
  /** Requests a second that the largest fleet answers. */
  readonly capacity: number;
  readonly duration: string | undefined;
  readonly step: string;
  readonly thinkTime: string;
  readonly seed: number;
}

export async function loadOf(choice: LoadChoice): Promise<{ readonly load: Load; readonly duration: number }> {
  const { profile: name, drive, seed } = choice;
  const trace = name.startsWith('trace:') ? await toldTrace(name.slice('trace:'.length)) : undefined;
  if (trace === undefined && !isProfileName(name))
    throw new OptionError(`There is no profile "${name}"; there are: ${PROFILE_NAMES.join(', ')} and trace:<file>.`);
  const duration = choice.duration === undefined ? standardDuration(trace) : durationOf('--duration', choice.duration);
  const asRecorded = trace !== undefined && drive === 'open' && choice.max === undefined;
  const max = asRecorded ? tracePeakRate(trace) : highest(choice);
  const shape = { max, duration, seed };
  const at = trace === undefined ? createProfile(profileName(name), shape) : createTraceProfile(trace, shape);
  return { load: loadFrom(drive, at, choice), duration };
}

function highest({ max = '70%', drive, step, capacity }: LoadChoice): number {
  const atOnce = drive === 'bursts' || drive === 'batch' ? (capacity * durationOf('--step', step)) / 1000 : capacity;
  return maxOf(loadMax(max), atOnce);
}

const standardDuration = (trace: Trace | undefined): number => (trace ? traceDuration(trace) : 24 * 3_600_000);

function profileName(name: string): (typeof PROFILE_NAMES)[number] {
  if (isProfileName(name)) return name;
  throw new OptionError(`There is no profile "${name}".`);
}

function loadFrom(drive: string, at: (t: number) => number, { step, thinkTime }: LoadChoice): Load {
  if (drive === 'open') return { kind: 'open', at };
  if (drive === 'closed') return { kind: 'closed', at, thinkMs: durationOf('--think-time', thinkTime) };
  if (drive === 'bursts' || drive === 'batch') return { kind: drive, at, stepMs: durationOf('--step', step) };
  throw new OptionError(`--drive ${drive}: one of open, closed, bursts, batch is expected.`);
}

const nature = {
  inTurn: z.boolean().optional(),
  unsteadiness: z.number().min(0).optional(),
  warming: z.object({ speed: z.number().gt(0).max(1), requests: z.number().min(0) }).optional(),
};

/** What `mmeliot calibrate` writes, or the same numbers by hand. */
const vmFile = z.union([
  z.object({
    curve: z
      .array(
        z.object({ concurrency: z.number().positive(), throughput: z.number().min(0), responseMs: z.number().min(0) }),
      )
      .min(1),
    variation: z.number().min(0).optional(),
    ...nature,
  }),
  z.object({
    serviceMs: z.number().positive(),
    parallel: z.number().positive().default(1),
    variation: z.number().min(0).default(1),
    ...nature,
  }),
]);

export async function readVm(path: string | undefined): Promise<VmModel> {
  if (path === undefined) return DEFAULT_VM;
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OptionError(`The VM file ${path} can't be read (${error.code}).`);
  });
  const parsed = vmFile.safeParse(jsonOf(text));
  if (!parsed.success)
    throw new OptionError(
      `The VM file ${path} must hold {"serviceMs", "parallel", "variation"}, or the curve that mmeliot calibrate writes.`,
    );
  const { data } = parsed;
  if (!('curve' in data)) return data;
  if (!data.curve.some(({ throughput }) => throughput > 0))
    throw new OptionError(`The VM file ${path} has no point with throughput: calibrate again.`);
  return fromMeasured(data);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function positive(option: string, text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value))
    throw new OptionError(`${option} ${text}: a number above 0 is expected.`);
  return value;
}

export function share(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new OptionError(`${option} ${text}: a number from 0 to 1 is expected.`);
  return value;
}

/** "95% < 500ms", or "0.95:500ms". */
export function objectiveOf(text: string): { readonly share: number; readonly ms: number } {
  const [, number = '', percent = '', time = ''] = /^\s*([\d.]+)\s*(?:(%)\s*)?[:<]\s*(\S+)\s*$/.exec(text) ?? [];
  const value = Number(number) / (percent === '%' ? 100 : 1);
  if (!(value > 0 && value < 1)) throw new OptionError(`The objective "${text}" is not like 95%:500ms.`);
  return { share: value, ms: durationOf('--objective', time) };
}
