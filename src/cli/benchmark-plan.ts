// What a benchmark plays of the traces that were named.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { filled } from '../compare/benchmark/fill.ts';
import {
  BENCHMARK_VM,
  BOOTS,
  LEAST_HOURS,
  OBJECTIVE,
  played,
  QUICK_BOOTS,
  SKIP,
  windowsOf,
} from '../compare/benchmark/scenes.ts';
import { ratePerVm } from '../queueing/queueing.ts';
import { createChance } from '../simulate/chance.ts';
import { fileNameOf } from './benchmark-runs.ts';
import type { Job } from './benchmark-threads.ts';
import { toldTrace } from './shared/told-trace.ts';

/** A scene, and what it plays with each seed. */
export interface Plan {
  readonly name: string;
  readonly hours: number;
  /** Checksum of what was read. */
  readonly trace: string;
  readonly jobOf: (seed: number) => Job;
}

/** Of all scenes those whose name has `part` in it, and that have a request. */
export async function plansOf(traces: readonly string[], quick: boolean, part: string): Promise<readonly Plan[]> {
  checkNames(traces);
  const plans = (await Promise.all(traces.map((path) => planned(path, quick)))).flat();
  const named = plans.filter(({ name }) => name.includes(part));
  if (named.length === 0) throw new OptionError(`--scenes: no scene has "${part}" in its name.`);
  return named.filter(({ name, jobOf }) => {
    const isEmpty = jobOf(1).rates.length === 0;
    if (isEmpty) process.stderr.write(`${name}: left out, that part of the trace has no request\n`);
    return !isEmpty;
  });
}

const titleOf = (path: string): string => basename(path).replace(/\.\w+$/, '');

/** Runs and figures are kept by the names of their traces. */
function checkNames(traces: readonly string[]): void {
  const paths = new Map<string, string>();
  for (const path of traces) {
    const name = fileNameOf(titleOf(path));
    const other = paths.get(name);
    if (other !== undefined)
      throw new OptionError(`The traces ${other} and ${path} have the same name: rename one, or leave it out.`);
    paths.set(name, path);
  }
}

const checksum = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

async function planned(path: string, quick: boolean): Promise<readonly Plan[]> {
  const recorded = await toldTrace(path);
  const { interval, counts } = recorded;
  const hoursInAll = Math.round((counts.length * interval) / 360_000) / 10;
  if (counts.length * interval < LEAST_HOURS * 3_600_000)
    throw new OptionError(
      `The trace ${path} is ${Math.round((counts.length * interval) / 60_000)} min long; half an hour or more is needed.`,
    );
  if (counts.every((count) => count === 0)) throw new OptionError(`The trace ${path} has no request.`);
  const trace = checksum(JSON.stringify(recorded));
  const title = titleOf(path);
  const fillings = new Map<number, readonly number[]>();
  const filledBy = (seed: number): readonly number[] => {
    const rates = fillings.get(seed) ?? filled(recorded, createChance(seed));
    fillings.set(seed, rates);
    return rates;
  };
  return windowsOf(checksum(await readFile(path)), hoursInAll)
    .filter((window) => !quick || window.quick === true)
    .flatMap((window) =>
      (quick ? QUICK_BOOTS : BOOTS).map((bootMs): Plan => {
        const { hours, from, max } = window;
        const name = `${title}, ${hours} h from ${from}, ${max} VMs, boot ${bootMs / 1000} s`;
        const jobOf = (seed: number): Job => {
          const { rates, duration } = played(filledBy(seed), window, ratePerVm(BENCHMARK_VM));
          const skip = Math.min(SKIP, duration / 4);
          const fleet = { bootMs, objective: OBJECTIVE, vm: BENCHMARK_VM, max };
          return { name, seed, trace, rates, scene: { name: `${title} from ${from}`, ...fleet, duration, skip, seed } };
        };
        return { name, hours: Math.min(hours, hoursInAll), trace, jobOf };
      }),
    );
}
