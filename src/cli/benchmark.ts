// mmeliot benchmark: every policy with its settings on frozen scenes, in real time.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setImmediate as quiet } from 'node:timers/promises';
import { Command } from 'commander';
import { pngOf } from '../../loadgen/write-report.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { filled } from '../compare/benchmark/fill.ts';
import {
  BENCHMARK_VM,
  BOOTS,
  OBJECTIVE,
  played,
  SKIP,
  windowsOf,
  type TraceWindow,
} from '../compare/benchmark/scenes.ts';
import { sceneResult, summary, type SceneResult } from '../compare/benchmark/summary.ts';
import { benchmarkMarkdown, sources } from '../compare/benchmark/text.ts';
import { comparisonChart } from '../compare/chart.ts';
import { compareOn, type Comparison, type Scene } from '../compare/compare.ts';
import { contenders } from '../compare/contenders.ts';
import { comparisonCsv } from '../compare/report.ts';
import { ratePerVm } from '../queueing/queueing.ts';
import { createChance } from '../simulate/chance.ts';
import { timeLeft } from '../time-left.ts';
import { optionErrors } from './shared/load-options.ts';
import { positive, readTrace } from './shared/simulated-load.ts';

interface Options {
  readonly seeds: string;
  readonly scenes?: string;
  readonly price?: string;
  readonly sources?: boolean;
  readonly out: string;
}

export const benchmarkCommand = (): Command =>
  new Command('benchmark')
    .description('every policy with all its settings on frozen scenes of recorded loads, in real time')
    .argument('[traces...]', 'trace files; known ones have frozen scenes, others three days each')
    .option('--seeds <number>', 'each scene so many times, each with other chances', '3')
    .option('--scenes <text>', 'only scenes whose name has that in it, for instance "boot 60 s"')
    .option('--price <number>', 'what a VM costs an hour: the report has money, too')
    .option('--sources', 'say where the traces of the frozen scenes are to be had, and end')
    .option('--out <folder>', 'where benchmark.md, .csv, .json, .svg and .png are written', 'mmeliot-benchmark')
    .action((traces, options) => optionErrors(() => benchmark(traces as string[], options as Options)));

async function benchmark(traces: readonly string[], options: Options): Promise<void> {
  if (options.sources === true) return void process.stdout.write(`${sources()}\n`);
  if (traces.length === 0)
    throw new OptionError('No trace was named; `mmeliot benchmark --sources` says where they are.');
  const seeds = Math.round(positive('--seeds', options.seeds));
  const price = options.price === undefined ? undefined : positive('--price', options.price);
  const wanted = (await Promise.all(traces.map((path) => planned(path))))
    .flat()
    .filter(({ name }) => name.includes(options.scenes ?? ''));
  if (wanted.length === 0) throw new OptionError(`--scenes: no scene has "${options.scenes}" in its name.`);
  await mkdir(options.out, { recursive: true });
  const results: SceneResult[] = [];
  const firsts: Comparison[] = [];
  const begun = performance.now();
  for (const { name, sceneOf } of wanted) {
    const runs: Comparison[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const scene = sceneOf(seed);
      if (scene === undefined) continue;
      const field = { objectiveMs: OBJECTIVE.ms, vm: scene.vm, max: scene.max };
      runs.push(await compareOn(scene, contenders(field), quiet));
      const left = timeLeft(performance.now() - begun, results.length * seeds + seed, wanted.length * seeds);
      process.stderr.write(`${results.length + 1} of ${wanted.length}: ${name}, seed ${seed}${left}\n`);
    }
    results.push(sceneResult(name, runs));
    firsts.push(...runs.slice(0, 1));
    await write(options.out, results, firsts, price);
  }
  process.stdout.write(benchmarkMarkdown(results, summary(results, createChance(1)), firsts, price));
}

async function write(
  out: string,
  results: readonly SceneResult[],
  firsts: readonly Comparison[],
  price?: number,
): Promise<void> {
  const whole = summary(results, createChance(1));
  await writeFile(join(out, 'benchmark.md'), benchmarkMarkdown(results, whole, firsts, price));
  await writeFile(join(out, 'benchmark.csv'), comparisonCsv(firsts));
  await writeFile(join(out, 'benchmark.json'), `${JSON.stringify({ summary: whole, results, comparisons: firsts })}\n`);
  const chart = comparisonChart(firsts, Math.min(3, firsts.length));
  await writeFile(join(out, 'benchmark.svg'), chart);
  await writeFile(join(out, 'benchmark.png'), pngOf(chart));
}

interface Planned {
  readonly name: string;
  /** Undefined where that part of the trace has no request. */
  readonly sceneOf: (seed: number) => Scene | undefined;
}

async function planned(path: string): Promise<readonly Planned[]> {
  const trace = await readTrace(path);
  const sha256 = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  const title = basename(path).replace(/\.\w+$/, '');
  return windowsOf(sha256).flatMap((window: TraceWindow) =>
    BOOTS.map((bootMs) => ({
      name: `${title}, ${window.hours} h from ${window.from}, ${window.max} VMs, boot ${bootMs / 1000} s`,
      sceneOf: (seed: number): Scene | undefined => {
        const part = played(filled(trace, createChance(seed)), window, ratePerVm(BENCHMARK_VM));
        if (part === undefined) return undefined;
        const name = `${title} from ${window.from}`;
        const skip = Math.min(SKIP, part.duration / 4);
        return { name, bootMs, objective: OBJECTIVE, vm: BENCHMARK_VM, max: window.max, ...part, skip, seed };
      },
    })),
  );
}
