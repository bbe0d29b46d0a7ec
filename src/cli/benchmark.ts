// mmeliot benchmark: every policy with its settings on frozen scenes, in real time.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { markdownOf } from '../../loadgen/report/table.ts';
import { pngOf } from '../../loadgen/write-report.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { EDITION, playing } from '../compare/benchmark/scenes.ts';
import { sceneResult, summary, type SceneResult } from '../compare/benchmark/summary.ts';
import { benchmarkTables, sources } from '../compare/benchmark/text.ts';
import { policyTotals } from '../compare/benchmark/totals.ts';
import { comparisonChart } from '../compare/chart.ts';
import type { Comparison } from '../compare/compare.ts';
import { comparisonCsv } from '../compare/report.ts';
import { policies } from '../decide/policies/index.ts';
import { createChance } from '../simulate/chance.ts';
import { timeLeft } from '../time-left.ts';
import { benchmarkPage } from './benchmark-page.ts';
import { plansOf, type Plan } from './benchmark-plan.ts';
import { fileNameOf, readRun } from './benchmark-runs.ts';
import { inThreads, type Job, type Told } from './benchmark-threads.ts';
import { durationOf } from './shared/load-options.ts';
import { makeFolder } from './shared/output-file.ts';
import { untilInterrupted } from './shared/signals.ts';
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
  const interrupted = untilInterrupted();
  const plans = await plansOf(traces, quick, options.scenes ?? '');
  await makeFolder('--out', out);
  await mkdir(join(out, 'runs'), { recursive: true });
  const runs = plans.flatMap((plan) => Array.from({ length: seeds }, (_, i) => ({ plan, seed: i + 1 })));
  const missing = new Set<PlannedRun>();
  for (const run of runs) if (await isMissing(out, run, again)) missing.add(run);
  await make(missing, { out, again, until, interrupted });
  const results: SceneResult[] = [];
  const firsts: Comparison[] = [];
  for (const plan of plans) {
    const comparisons: Comparison[] = [];
    for (const run of runs.filter((one) => one.plan === plan && !missing.has(one))) {
      const { scene, rates, ...about } = plan.jobOf(run.seed);
      const points = (await readRun(out, about)) ?? [];
      comparisons.push({ scene: { ...scene, at: playing(rates) }, points });
    }
    if (comparisons.length === 0) continue;
    results.push(sceneResult(plan, comparisons));
    firsts.push(...comparisons.slice(0, 1));
  }
  process.stdout.write(await write(out, { results, firsts }, price));
  if (missing.size > 0)
    process.stderr.write(`Not finished: ${missing.size} of ${runs.length} runs are left; the same command goes on.\n`);
}

interface PlannedRun {
  readonly plan: Plan;
  readonly seed: number;
}

async function isMissing(out: string, { plan, seed }: PlannedRun, again: ReadonlySet<string>): Promise<boolean> {
  const points = await readRun(out, { ...plan, seed });
  return points === undefined || points.some(({ policy }) => again.has(policy));
}

interface Making {
  readonly out: string;
  readonly again: ReadonlySet<string>;
  readonly until: number;
  readonly interrupted: ReturnType<typeof untilInterrupted>;
}

/** Takes those that are made from `missing`. */
async function make(missing: Set<PlannedRun>, { out, again, until, interrupted }: Making): Promise<void> {
  const progress = new Progress([...missing].reduce((sum, { plan }) => sum + plan.hours, 0));
  const todo = [...missing];
  const madeBy = new Map<Job, PlannedRun>();
  const next = (): Job | undefined => {
    const run = Date.now() < until ? todo.shift() : undefined;
    const job = run?.plan.jobOf(run.seed);
    if (run !== undefined && job !== undefined) madeBy.set(job, run);
    return job;
  };
  const tell = (job: Job, told: Told): void => {
    const run = madeBy.get(job);
    if (run === undefined) return;
    progress.tell(run, told);
    if (told.isWritten) missing.delete(run);
  };
  const stopping = new AbortController();
  void interrupted.then(() => stopping.abort());
  // while traces were read
  if (interrupted.happened) stopping.abort();
  await inThreads({ folder: out, again: [...again], next, tell, signal: stopping.signal });
  if (!interrupted.happened) return;
  process.stderr.write('Stopped; the same command goes on, and with --for 0s it reports what is there.\n');
  process.exit(130);
}

function policiesOf(names: string | undefined): ReadonlySet<string> {
  const found = new Set(names?.split(',').map((name) => name.trim()));
  const unknown = [...found].find((name) => !(name in policies));
  if (unknown === undefined) return found;
  const known = Object.keys(policies).join(', ');
  throw new OptionError(`--again: there is no policy "${unknown}"; there are: ${known}.`);
}

/** Hours of load that are done, and how long the others will take. */
class Progress {
  readonly #startedAt = performance.now();
  readonly #hours: number;
  readonly #doneOf = new Map<PlannedRun, number>();
  #told = performance.now();

  constructor(hours: number) {
    this.#hours = hours;
  }

  tell(run: PlannedRun, { share, isWritten }: Told): void {
    const { plan, seed } = run;
    this.#doneOf.set(run, share * plan.hours);
    const now = performance.now();
    if (!isWritten && now - this.#told < TELL_EVERY_MS) return;
    this.#told = now;
    const done = [...this.#doneOf.values()].reduce((sum, hours) => sum + hours, 0);
    const left = timeLeft(now - this.#startedAt, done, this.#hours);
    const all = `${Math.round((100 * done) / this.#hours)} % of ${Math.round(this.#hours)} hours of load${left}`;
    process.stderr.write(isWritten ? `${plan.name}, seed ${seed}: done; ${all}\n` : `${all}\n`);
  }
}

const TELL_EVERY_MS = 5_000;

const TITLE = `mmeliot benchmark, edition ${EDITION}`;

interface Found {
  readonly results: readonly SceneResult[];
  readonly firsts: readonly Comparison[];
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
