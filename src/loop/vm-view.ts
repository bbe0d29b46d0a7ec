// One VM as its page shows it: what was seen of it in each period, what was done with it, and what it printed.
import type { Millis } from '../model.ts';
import { defined } from './defined.ts';
import type { BoundRecord } from './history.ts';
import type { TimedStep } from './recall.ts';
import type { ShownVm } from './view.ts';

export interface VmPage {
  readonly id: string;
  /** Absent once it is gone. */
  readonly vm?: ShownVm;
  /** One a period, oldest first. */
  readonly samples: readonly VmSample[];
  readonly life: readonly TimedStep[];
  /** The last lines of its log; absent where the provider does not know it. */
  readonly log?: readonly string[];
}

export interface VmSample {
  readonly at: Millis;
  readonly state: string;
  /** Per cent, and bytes a second. */
  readonly cpu?: number;
  readonly memory?: number;
  readonly networkIn?: number;
  readonly networkOut?: number;
  readonly lp?: number;
  /** ms */
  readonly responseTime?: number;
}

/** Lines of the log that are shown. */
const LINES = 100;
const LONGEST_LINE = 1_000;

export interface VmParts {
  readonly id: string;
  readonly vm: ShownVm | undefined;
  /** Newest first. */
  readonly records: readonly BoundRecord[];
  readonly life: readonly TimedStep[];
  readonly log: string | undefined;
}

export function vmPage({ id, vm, records, life, log }: VmParts): VmPage {
  const samples = records.toReversed().flatMap((record) => sampleOf(id, record));
  return { id, ...defined({ vm, log: log === undefined ? undefined : lastLines(log) }), samples, life };
}

function sampleOf(id: string, { at, observation, forecast }: BoundRecord): readonly VmSample[] {
  const seen = observation.vms.find(({ vm }) => vm.id === id);
  if (seen === undefined) return [];
  const { vm, cpu, responseTime, latest } = seen;
  const { memory, networkIn, networkOut } = latest ?? {};
  const isReady = vm.state === 'ready';
  const lp = isReady ? forecast.vms.find((one) => one.id === id)?.lp : undefined;
  const [newest] = isReady ? cpu : [];
  const shown = { cpu: newest, memory, networkIn, networkOut, lp, responseTime: responseTime[0] };
  return [{ at, state: vm.state, ...defined(shown) }];
}

const lastLines = (log: string): readonly string[] =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .slice(-LINES)
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
