import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setImmediate as quiet } from 'node:timers/promises';
import { Command } from 'commander';
import type { Trace } from '../../loadgen/profiles/trace.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { ratePerVm } from '../queueing/queueing.ts';
import { compareMarkets, policyOf } from './compare-markets.ts';
import { comparePacking, packingMarkdown, type PackedScene } from '../compare/packing.ts';
import { comparisonChart } from '../compare/chart.ts';
import { comparisonCsv, comparisonMarkdown } from '../compare/report.ts';
import { compareOn, type Comparison, type Scene } from '../compare/compare.ts';
import { contenders, staticFleets, type Contender } from '../compare/contenders.ts';
import type { VmModel } from '../simulate/vm-model.ts';
import { objectiveOf, positive, readVm, share } from './shared/simulated-load.ts';
import { timeLeft } from '../time-left.ts';
import { durationOf, wholeNumber } from './shared/load-options.ts';
import { makeFolder } from './shared/output-file.ts';
import { toldTrace } from './shared/told-trace.ts';

interface Options {
  readonly boot: string;
  readonly objective: string;
  readonly span: string;
  readonly point: string;
  readonly from: string;
  readonly max: string;
  readonly skip: string;
  readonly policies?: string;
  readonly vm?: string;
  readonly seed: string;
  readonly out: string;
  readonly markets?: string;
  readonly onDemand?: string;
  readonly notice: string;
  readonly spread: string;
  readonly subsets: string;
  readonly period: string;
  readonly policy: string;
  readonly perNode?: string;
}

/** A VM that answers 20 requests a second: an idle one meets the usual objective almost always. */
const COMPARED_VM: VmModel = { serviceMs: 50, parallel: 1, variation: 1 };
/** Utilization of the largest fleet at the trace's peak. */
const AT_PEAK = 0.95;

export const compareCommand = (): Command =>
  new Command('compare')
    .description('run all policies, with all their settings, over recorded loads, and draw who is on the frontier')
    .argument('<traces...>', 'trace files; each is scaled so that its highest point takes the largest fleet')
    .option('--boot <durations>', 'boot times', '10s,60s,180s')
    .option('--objective <objectives>', 'what counts as a violation', '95%:500ms')
    .option('--span <duration>', 'as much of each trace is played', '6h')
    .option(
      '--point <duration>',
      "a recorded interval is played in so long at most: a trace by the hour isn't idle",
      '60s',
    )
    .option('--from <share>', 'where the span lies in the trace, 0 to 1, or peak: around the highest point', 'peak')
    .option('--skip <duration>', 'the beginning, in which sizes are still found, is not counted', '20m')
    .option('--max <number>', 'largest fleet', '40')
    .option('--policies <names>', 'only these, for instance react,kpa,adaptive')
    .option('--vm <file>', 'what a VM can do: a file that mmeliot calibrate wrote (default: 20 requests a second)')
    .option('--seed <number>', 'another seed, other chances', '1')
    .option('--out <folder>', 'where compare.md, .csv, .json and .svg are written', 'mmeliot-compare')
    .option(
      '--markets <folder>',
      'compare money instead: fleets on demand and of interruptible VMs, at these recorded prices (files time,price, or as AWS CLI prints them)',
    )
    .option('--on-demand <file>', 'table type,price of on-demand prices (with --markets; default: list prices of EC2)')
    .option('--spread <number>', 'pools that a fleet of several is spread over (with --markets)', '3')
    .option('--subsets <number>', 'all sets of so many of the pools are compared, too (with --markets)', '0')
    .option('--notice <duration>', 'how long before it is taken a VM is told so (with --markets)', '120s')
    .option(
      '--per-node <number>',
      'compare machines instead: so many VMs fit on one; none is moved, or nodes are emptied and given back',
    )
    .option('--policy <name>', 'how many VMs there are (with --markets and --per-node)', 'adaptive')
    .option('--period <duration>', 'how often that is decided (with --markets)', '2m')
    .action((traces, options, command: Command) => {
      const asked = (name: string): boolean => command.getOptionValueSource(name) !== 'default';
      const { markets, perNode } = options as Options;
      if (perNode !== undefined) return machines(traces as string[], options as Options, perNode);
      return markets === undefined
        ? compare(traces as string[], options as Options)
        : money(traces as string[], options as Options, asked);
    });

/** Over all prices there are, and with the boot of most clouds, unless it is said otherwise. */
async function money(traces: readonly string[], options: Options, asked: (name: string) => boolean): Promise<void> {
  const { markets = '', span, max, boot, vm, ...rest } = options;
  await compareMarkets(traces, {
    ...rest,
    markets,
    max: asked('max') ? max : '10',
    boot: asked('boot') ? boot : '60s',
    ...(asked('span') && { span }),
    vm: vm === undefined ? COMPARED_VM : await readVm(vm),
  });
}

async function machines(traces: readonly string[], options: Options, perNode: string): Promise<void> {
  const count = wholeNumber('--per-node', perNode);
  const policy = policyOf(options.policy);
  const done: PackedScene[] = [];
  await makeFolder('--out', options.out);
  for (const scene of await scenesOf(traces, options)) {
    done.push({ scene, runs: await comparePacking(scene, count, { policy }, quiet) });
    process.stderr.write(`${scene.name}, boot ${scene.bootMs / 1000} s\n`);
  }
  const text = packingMarkdown(count, done);
  await writeFile(join(options.out, 'packing.md'), text);
  process.stdout.write(text);
}

async function compare(traces: readonly string[], options: Options): Promise<void> {
  const scenes = await scenesOf(traces, options);
  await makeFolder('--out', options.out);
  const comparisons: Comparison[] = [];
  const begun = performance.now();
  for (const scene of scenes) {
    comparisons.push(compareOn(scene, chosen(scene, options.policies)));
    const left = timeLeft(performance.now() - begun, comparisons.length, scenes.length);
    const which = `${scene.name}, boot ${scene.bootMs / 1000} s`;
    process.stderr.write(`${comparisons.length} of ${scenes.length}: ${which}${left}\n`);
    await write(options, comparisons);
  }
  process.stdout.write(comparisonMarkdown(comparisons));
}

async function write({ out, boot, objective }: Options, comparisons: readonly Comparison[]): Promise<void> {
  const columns = boot.split(',').length * objective.split(',').length;
  await writeFile(join(out, 'compare.md'), comparisonMarkdown(comparisons));
  await writeFile(join(out, 'compare.csv'), comparisonCsv(comparisons));
  await writeFile(join(out, 'compare.json'), `${JSON.stringify(comparisons)}\n`);
  await writeFile(join(out, 'compare.svg'), comparisonChart(comparisons, columns));
}

/** Fleets that stay as they are are always among them. */
function chosen({ objective, vm, max }: Scene, policies: string | undefined): readonly Contender[] {
  const all = contenders({ objectiveMs: objective.ms, vm, max });
  if (policies === undefined) return all;
  const names = new Set(policies.split(',').map((name) => name.trim()));
  const known = new Set<string>(all.map(({ policy }) => policy));
  const unknown = [...names].find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new OptionError(`--policies: there is no policy "${unknown}"; there are: ${[...known].join(', ')}.`);
  const rest = all.filter(({ policy }) => names.has(policy) && policy !== 'static');
  return [...rest, ...staticFleets(max)];
}

async function scenesOf(traces: readonly string[], options: Options): Promise<readonly Scene[]> {
  const vm = options.vm === undefined ? COMPARED_VM : await readVm(options.vm);
  const max = Math.round(positive('--max', options.max));
  const common = { vm, max, skip: durationOf('--skip', options.skip), seed: positive('--seed', options.seed) };
  const scenes: Scene[] = [];
  for (const path of traces) {
    const played = window(await toldTrace(path), options);
    const factor = (max * ratePerVm(vm) * AT_PEAK) / played.peak;
    const at = (t: number): number => (played.counts[Math.floor(t / played.point)] ?? 0) * factor;
    const duration = played.counts.length * played.point;
    if (duration <= common.skip)
      throw new OptionError(
        `The trace ${path} plays ${Math.round(duration / 1000)} s, and --skip leaves out its first ${options.skip}: nothing is left to compare.`,
      );
    for (const boot of options.boot.split(','))
      for (const objective of options.objective.split(','))
        scenes.push({
          ...common,
          name: basename(path).replace(/\.\w+$/, ''),
          bootMs: durationOf('--boot', boot),
          objective: objectiveOf(objective),
          at,
          duration,
        });
  }
  return scenes;
}

/** The part of a trace that is played. */
function window(trace: Trace, { span, point: longest, from }: Options) {
  const point = Math.min(trace.interval, durationOf('--point', longest));
  const { length } = trace.counts;
  const count = Math.min(length, Math.floor(durationOf('--span', span) / point));
  const highest = (counts: readonly number[]): number => counts.reduce((most, each) => Math.max(most, each), 0);
  const start =
    from === 'peak'
      ? trace.counts.indexOf(highest(trace.counts)) - count / 2
      : share('--from', from) * (length - count);
  const first = Math.max(0, Math.min(length - count, Math.round(start)));
  const counts = trace.counts.slice(first, first + count);
  const peak = highest(counts);
  if (peak === 0) throw new OptionError('There is no request in that part of the trace: choose another one by --from.');
  return { point, counts, peak };
}
