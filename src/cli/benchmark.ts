// mmeliot benchmark: every policy with its settings on frozen scenes, in real time.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';
import { Command } from 'commander';
import { markdownOf } from '../../loadgen/report/table.ts';
import { pngOf } from '../../loadgen/write-report.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { filled } from '../compare/benchmark/fill.ts';
import {
  BENCHMARK_VM,
  BOOTS,
  EDITION,
  LEAST_HOURS,
  OBJECTIVE,
  played,
  QUICK_BOOTS,
  SKIP,
  windowsOf,
  type TraceWindow,
} from '../compare/benchmark/scenes.ts';
import { sceneResult, summary, type SceneResult } from '../compare/benchmark/summary.ts';
import { benchmarkTables, sources } from '../compare/benchmark/text.ts';
import { policyTotals } from '../compare/benchmark/totals.ts';
import { comparisonChart } from '../compare/chart.ts';
import type { Comparison, Scene } from '../compare/compare.ts';
import { comparisonCsv } from '../compare/report.ts';
import { policies } from '../decide/policies/index.ts';
import { ratePerVm } from '../queueing/queueing.ts';
import { createChance } from '../simulate/chance.ts';
import { timeLeft } from '../time-left.ts';
import { benchmarkPage } from './benchmark-page.ts';
import { fileNameOf, makeRun, readRun } from './benchmark-runs.ts';
import { durationOf } from './shared/load-options.ts';
import { makeFolder } from './shared/output-file.ts';
import { toldTrace } from './shared/told-trace.ts';
import { positive } from './shared/simulated-load.ts';

interface Options {
  readonly seeds?: string;
  readonly scenes?: string;
  readonly quick?: boolean;
  readonly for?: string;
  readonly again?: string;
  readonly price?: string;
  readonly sources?: boolean;
  readonly out: string;
}

export const benchmarkCommand = (): Command =>
  new Command('benchmark')
    .description('every policy with all its settings on frozen scenes of recorded loads, in real time')
    .argument('[traces...]', 'trace files; known ones have frozen scenes, others three days each')
    .option('--quick', 'one part of each trace, boots of 60 and 180 s, one seed', false)
    .option('--seeds <number>', 'each scene so many times, each with other chances (default: 3; quick: 1)')
    .option('--scenes <text>', 'only scenes whose name has that in it, for instance "boot 60 s"')
    .option('--for <duration>', 'stop after so long, for instance 5m; the same command goes on from there')
    .option('--again <policies>', 'run these once more, for instance adaptive: what is in the folder of others stays')
    .option('--price <number>', 'what a VM costs an hour: the report has money, too')
    .option('--sources', 'say where the traces of the frozen scenes are to be had, and end')
    .option(
      '--out <folder>',
      'where benchmark.md, .html, .csv, .json, .svg, .png and a figure of each scene are written',
      'mmeliot-benchmark',
    )
    .action((traces, options) => benchmark(traces as string[], options as Options));

async function benchmark(traces: readonly string[], options: Options): Promise<void> {
  if (options.sources === true) return void process.stdout.write(`${sources()}\n`);
  if (traces.length === 0)
    throw new OptionError('No trace was named; `mmeliot benchmark --sources` says where they are.');
  const { quick = false, out } = options;
  const seeds = Math.round(positive('--seeds', options.seeds ?? (quick ? '1' : '3')));
  const price = options.price === undefined ? undefined : positive('--price', options.price);
  const until = Date.now() + (options.for === undefined ? Infinity : durationOf('--for', options.for));
  const again = policiesOf(options.again);
  checkNames(traces);
  const plans = (await Promise.all(traces.map((path) => planned(path, quick)))).flat();
  const wanted = plans.filter(({ name }) => name.includes(options.scenes ?? ''));
  if (wanted.length === 0) throw new OptionError(`--scenes: no scene has "${options.scenes}" in its name.`);
  await makeFolder('--out', out);
  await mkdir(join(out, 'runs'), { recursive: true });
  const results: SceneResult[] = [];
  const firsts: Comparison[] = [];
  const progress = new Progress(wanted.reduce((sum, { hours }) => sum + hours * seeds, 0));
  for (const { name, hours, trace, sceneOf } of wanted) {
    const runs: Comparison[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const scene = sceneOf(seed);
      const points = scene && (await readRun(out, { name, seed, trace }));
      const known = points?.filter(({ policy }) => !again.has(policy));
      if (scene === undefined) {
        progress.left -= hours;
        if (seed === 1) process.stderr.write(`${name}: left out, that part of the trace has no request\n`);
      } else if (points !== undefined && known?.length === points.length) {
        runs.push({ scene, points });
        progress.left -= hours;
      } else if (Date.now() < until) {
        runs.push(await makeRun(out, { name, seed, trace, scene }, known ?? []));
        process.stderr.write(`${name}, seed ${seed}: done, ${progress.after(hours)}\n`);
        await breath();
      }
    }
    if (runs.length === 0) continue;
    results.push(sceneResult(name, runs));
    firsts.push(...runs.slice(0, 1));
  }
  const found = { results, firsts, seeds, left: progress.left };
  process.stdout.write(await write(out, found, price));
  if (progress.left > 0) process.stderr.write(`Not finished: ${progress.text}; the same command goes on.\n`);
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

function policiesOf(names: string | undefined): ReadonlySet<string> {
  const found = new Set(names?.split(',').map((name) => name.trim()));
  const unknown = [...found].find((name) => !(name in policies));
  if (unknown === undefined) return found;
  const known = Object.keys(policies).join(', ');
  throw new OptionError(`--again: there is no policy "${unknown}"; there are: ${known}.`);
}

/** Hours of load that are left, and how long they will take. */
class Progress {
  left: number;
  readonly #startedAt = performance.now();
  #done = 0;

  constructor(hours: number) {
    this.left = hours;
  }

  after(hours: number): string {
    this.left -= hours;
    this.#done += hours;
    return this.text;
  }

  get text(): string {
    if (this.left <= 0) return 'nothing is left';
    const time = timeLeft(performance.now() - this.#startedAt, this.#done, this.#done + this.left);
    return `${Math.round(this.left)} hours of load are left${time}`;
  }
}

const TITLE = `mmeliot benchmark, edition ${EDITION}`;

interface Found {
  readonly results: readonly SceneResult[];
  readonly firsts: readonly Comparison[];
  readonly seeds: number;
  readonly left: number;
}

async function write(out: string, { results, firsts }: Found, price?: number): Promise<string> {
  const whole = summary(results, createChance(1));
  const totals = policyTotals(
    results.map(({ policies }) => policies),
    createChance(2),
  );
  const tables = benchmarkTables({ results, whole, totals, comparisons: firsts, pricePerHour: price });
  const markdown = [`# ${TITLE}\n`, ...tables.map(markdownOf)].join('\n');
  await writeFile(join(out, 'benchmark.md'), markdown);
  await writeFile(join(out, 'benchmark.csv'), comparisonCsv(firsts));
  await writeFile(
    join(out, 'benchmark.json'),
    `${JSON.stringify({ summary: whole, totals, results, comparisons: firsts })}\n`,
  );
  const chart = firsts.length === 0 ? undefined : comparisonChart(firsts, Math.min(3, firsts.length));
  await writeFile(join(out, 'benchmark.html'), benchmarkPage(TITLE, tables, chart));
  if (chart === undefined) return markdown;
  await writeFile(join(out, 'benchmark.svg'), chart);
  await writeFile(join(out, 'benchmark.png'), pngOf(chart));
  await mkdir(join(out, 'figures'), { recursive: true });
  for (const first of firsts) {
    const { name, bootMs } = first.scene;
    const path = join(out, 'figures', fileNameOf(`${name} boot ${bootMs / 1000} s`));
    const alone = comparisonChart([first], 1);
    await writeFile(`${path}.svg`, alone);
    await writeFile(`${path}.png`, pngOf(alone));
  }
  return markdown;
}

interface Planned {
  readonly name: string;
  readonly hours: number;
  /** Checksum of what was read. */
  readonly trace: string;
  /** Undefined where that part of the trace has no request. */
  readonly sceneOf: (seed: number) => Scene | undefined;
}

const checksum = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

async function planned(path: string, quick: boolean): Promise<readonly Planned[]> {
  const trace = await toldTrace(path);
  const { interval, counts } = trace;
  const hours = Math.round((counts.length * interval) / 360_000) / 10;
  const sha256 = checksum(await readFile(path));
  const read = checksum(JSON.stringify(trace));
  const title = titleOf(path);
  const fillings = new Map<number, readonly number[]>();
  const filledBy = (seed: number): readonly number[] => {
    const rates = fillings.get(seed) ?? filled(trace, createChance(seed));
    fillings.set(seed, rates);
    return rates;
  };
  const windows = windowsOf(sha256, hours);
  if (counts.length * interval < LEAST_HOURS * 3_600_000)
    throw new OptionError(
      `The trace ${path} is ${Math.round((counts.length * interval) / 60_000)} min long; half an hour or more is needed.`,
    );
  if (counts.every((count) => count === 0)) throw new OptionError(`The trace ${path} has no request.`);
  return windows
    .filter((window) => !quick || window.quick === true)
    .flatMap((window: TraceWindow) =>
      (quick ? QUICK_BOOTS : BOOTS).map((bootMs) => ({
        name: `${title}, ${window.hours} h from ${window.from}, ${window.max} VMs, boot ${bootMs / 1000} s`,
        hours: window.hours,
        trace: read,
        sceneOf: (seed: number): Scene | undefined => {
          const part = played(filledBy(seed), window, ratePerVm(BENCHMARK_VM));
          if (part === undefined) return undefined;
          const name = `${title} from ${window.from}`;
          const skip = Math.min(SKIP, part.duration / 4);
          return { name, bootMs, objective: OBJECTIVE, vm: BENCHMARK_VM, max: window.max, ...part, skip, seed };
        },
      })),
    );
}
