import { writeFile } from 'node:fs/promises';
import { setImmediate as quiet } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { Command } from 'commander';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { SELECTORS } from '../balance/core/selectors/index.ts';
import { decodeChanges, parseAssignments } from '../config/changes.ts';
import { DEFAULT_PARAMETERS } from '../decide/parameters.ts';
import { validateParameters } from '../decide/validate.ts';
import { MmeliotError } from '../errors.ts';
import { ratePerVm } from '../queueing/queueing.ts';
import { resultJson, summaryText, timelineCsv } from '../simulate/print.ts';
import { simulate, type SimulationOptions } from '../simulate/simulate.ts';
import { commonTime, type MarketSettings } from '../simulate/simulated-market.ts';
import { lasting } from '../time-left.ts';
import { marketOf } from './compare-markets.ts';
import { tell } from './shared/output.ts';
import { checkOutput } from './shared/output-file.ts';
import { loadOf, objectiveOf, positive, readVm, share } from './shared/simulated-load.ts';
import { durationOf, wholeNumber } from './shared/load-options.ts';

interface Options {
  readonly profile: string;
  readonly drive: string;
  readonly max?: string;
  readonly duration?: string;
  readonly step: string;
  readonly thinkTime: string;
  readonly set: readonly string[];
  readonly vm?: string;
  readonly objective: string;
  readonly boot: string;
  readonly bootSpread: string;
  readonly bootFailures: string;
  readonly life?: string;
  readonly metricDelay: string;
  readonly traffic: string;
  readonly seed: string;
  readonly json?: true;
  readonly csv?: string;
  readonly prices?: string;
  readonly onDemand?: string;
  readonly notice: string;
  readonly perNode?: string;
  readonly moves: boolean;
}

const collect = (value: string, earlier: readonly string[]) => [...earlier, value];

export const simulateCommand = (): Command =>
  new Command('simulate')
    .description('run the control loop on virtual time, over simulated VMs and a simulated load')
    .option('--profile <name>', 'as for mmeliot load; trace:<file> plays a recording', 'wave')
    .option(
      '--drive <kind>',
      'open (arrivals a second), closed (clients), bursts or batch (bursts that wait for the last one)',
      'open',
    )
    .option(
      '--max <number>',
      "load at the profile's highest point, or its share of what the largest fleet answers (default: 70%; a trace: as recorded)",
    )
    .option('--duration <duration>', 'simulated time (default: 24h; a trace: its own)')
    .option('--step <duration>', 'time between bursts or batches', '1s')
    .option('--think-time <duration>', 'mean time between an answer and the next request (closed)', '1s')
    .option('--set <name=value>', 'an elasticity setting, for instance policy=react or max=8; repeatable', collect, [])
    .option('--vm <file>', 'what a VM can do: a file that mmeliot calibrate wrote (default: 10 requests a second)')
    .option('--objective <share:time>', 'what counts as a violation', '95%:500ms')
    .option('--boot <duration>', 'boot time of a VM', '60s')
    .option('--boot-spread <share>', 'boot times scatter by this share', '0.1')
    .option('--boot-failures <share>', 'share of VMs that fail while they boot', '0')
    .option('--life <duration>', 'mean time until a VM crashes (default: none does)')
    .option('--metric-delay <duration>', 'how late CPU readings arrive', '0s')
    .option('--traffic <kind>', 'requests, fluid, or auto: requests while there are few enough', 'auto')
    .option(
      '--prices <path>',
      'recorded prices of interruptible VMs, a file or a folder (fleet settings by --set: spotShare=80)',
    )
    .option('--on-demand <file>', 'table type,price of on-demand prices (default: list prices of EC2)')
    .option('--notice <duration>', 'how long before it is taken a VM is told so', '120s')
    .option('--per-node <number>', 'so many VMs fit on a machine (packing); without it each has one of its own')
    .option('--no-moves', 'with --per-node: no worker is moved, so that only empty machines are given back')
    .option('--seed <number>', 'another seed, other chances', '1')
    .option('--json', 'write measures and timeline as JSON')
    .option('--csv <file>', 'write the timeline as CSV')
    .action((options) => run(options as Options));

async function run(options: Options): Promise<void> {
  if (options.csv !== undefined) await checkOutput('--csv', options.csv);
  const result = await simulate(await simulationOf(options));
  if (options.csv !== undefined) await writeFile(options.csv, timelineCsv(result.timeline));
  await tell(options.json ? resultJson(result) : [summaryText(result)]);
}

async function simulationOf(options: Options): Promise<SimulationOptions> {
  const { traffic, objective, boot, life, metricDelay } = options;
  const seed = positive('--seed', options.seed);
  const parameters = { ...DEFAULT_PARAMETERS, ...decodeChanges(parseAssignments(options.set), DEFAULT_PARAMETERS) };
  const [error] = validateParameters(parameters as typeof DEFAULT_PARAMETERS).errors;
  if (error !== undefined) throw new MmeliotError('BAD_REQUEST', error);
  if (traffic !== 'auto' && traffic !== 'requests' && traffic !== 'fluid')
    throw new MmeliotError('BAD_REQUEST', `--traffic ${traffic}: one of auto, requests, fluid is expected.`);
  const { max, duration, ...choice } = options;
  const { bootDeadline, ...set } = parameters as typeof DEFAULT_PARAMETERS;
  const asked = options.set.some((assignment) => assignment.startsWith('bootDeadline='));
  const vm = await readVm(options.vm);
  const capacity = set.max * ratePerVm(vm);
  const load = await loadOf({ ...choice, max, duration, seed, capacity });
  const market =
    options.prices === undefined ? undefined : await marketOf(options.prices, options.onDemand, options.notice);
  if (market !== undefined) tellEnd(market, load.duration);
  const withoutReasons = options.json !== true && options.csv === undefined;
  checkRoom(load.duration / set.period, withoutReasons);
  return {
    ...load,
    parameters: asked ? { ...set, bootDeadline } : set,
    vm,
    objective: objectiveOf(objective),
    bootMs: durationOf('--boot', boot),
    bootSpread: share('--boot-spread', options.bootSpread),
    bootFailures: share('--boot-failures', options.bootFailures),
    meanLifeMs: life === undefined ? Infinity : durationOf('--life', life),
    metricDelayMs: durationOf('--metric-delay', metricDelay),
    traffic,
    withoutReasons,
    perVm: 'auto',
    ...(market && { market }),
    ...(options.perNode !== undefined && {
      packing: { perNode: wholeNumber('--per-node', options.perNode), moves: options.moves },
    }),
    selector: SELECTORS['peak-ewma'],
    seed,
    quiet,
  };
}

/** Bytes that a period of the timeline takes, measured; what else there is, is little. */
const PERIOD = { whole: 2200, withoutReasons: 650 };

/** Said before, for it is after minutes that a run finds no room. */
function checkRoom(periods: number, withoutReasons: boolean): void {
  const room = 0.9 * getHeapStatistics().heap_size_limit;
  const needed = periods * (withoutReasons ? PERIOD.withoutReasons : PERIOD.whole);
  if (needed <= room) return;
  const gb = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
  throw new OptionError(
    `${Math.ceil(periods)} periods take ${gb(needed)} of memory, and there are ${gb(room)}: play a part (--duration), ${withoutReasons ? '' : 'leave out --json and --csv, '}take longer periods (--set period=1m), or allow more (NODE_OPTIONS=--max-old-space-size=16000).`,
  );
}

/** Prices end before the load does. */
function tellEnd({ prices }: MarketSettings, duration: number): void {
  const { from, to } = commonTime(prices);
  if (duration > to - from)
    process.stderr.write(
      `The prices in common are of ${lasting(to - from)}, and ${lasting(duration)} are simulated: after that the last ones hold.\n`,
    );
}
