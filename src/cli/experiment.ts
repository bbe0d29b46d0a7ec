import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { runExperiment } from '../../loadgen/experiment.ts';
import { parsePlan, type ExperimentPlan } from '../../loadgen/plan.ts';
import { PLANE } from '../../loadgen/map/points.ts';
import { growthPlan, paperPlan, REGIMES } from '../../loadgen/plan-paper.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { experimentMap } from './shared/experiment-map.ts';
import { numberOf, wholeNumber } from './shared/load-options.ts';
import { MmeliotError } from '../errors.ts';
import { makeReport } from './report.ts';
import { makeFolder } from './shared/output-file.ts';
import { configOf } from './shared/options.ts';
import { untilInterrupted } from './shared/signals.ts';
import { PROGRAM, VERSION } from '../manager/program.ts';

interface Options {
  readonly regime?: string;
  readonly out?: string;
  readonly k?: string;
  readonly duration?: string;
  readonly repetitions?: string;
  readonly cpu?: string;
  readonly seed?: string;
  readonly again?: true;
  readonly short?: true;
  readonly live?: true;
}

export const experimentCommand = (): Command =>
  new Command('experiment')
    .description('policies under loads on the live system, repeated; raw data into a folder, and a report of it')
    .argument(
      '<plan>',
      "a plan (YAML); `paper`: the paper's experiment, scaled to this machine; `map`: where MMEliot differs from Eliot, simulated",
    )
    .option('--out <folder>', 'where raw data and report go; runs that are there are not made again')
    .option('--k <number>', 'paper: requests of the largest burst (default: 70 % of what the largest fleet answers)')
    .option(
      '--regime <name>',
      'paper: table (as Table 2 must have been measured; default) or bursts (a long ramp of bursts)',
    )
    .option(
      '--duration <duration>',
      'paper: of each run (default: the load grows by half a VM while one boots; in bursts 75s)',
    )
    .option(
      '--repetitions <number>',
      'paper: runs of each policy under each load (default: 10; in bursts 3); map: of each point (default: 5)',
    )
    .option('--cpu <cores>', 'paper: cores of a VM (default: 0.2)')
    .option('--short', 'paper: Eliot and MMEliot under the ascending load only: some 12 minutes')
    .option('--live', 'map: not simulated, but three of its points on the live system, 3 times each: some 12 minutes')
    .option('--again', 'make those runs again in which the load generator was a bottleneck')
    .option('--seed <number>', 'paper: another seed, other requests in another order (default: 1)')
    .action((plan: string, options: Options) => experiment(plan, options));

async function experiment(name: string, options: Options): Promise<void> {
  if (name === 'map' && options.live !== true) return map(options);
  const plan = await planOf(name, options);
  checkPolicies(plan);
  const folder =
    options.out ??
    `mmeliot-data/${name === 'paper' ? paperFolder(options) : name === 'map' ? 'map-live' : plan.name.replace(/[^\w.-]+/g, '-')}`;
  await makeFolder('--out', folder);
  const interrupted = untilInterrupted();
  const stopping = new AbortController();
  void interrupted.then(() => stopping.abort());
  try {
    const again = options.again === true;
    await runExperiment({ plan, folder, program: PROGRAM, version: VERSION, again, tell, signal: stopping.signal });
  } catch (error) {
    if (!interrupted.happened) throw error;
    process.stderr.write(`Stopped; the same command goes on with what is missing in ${folder}.\n`);
    process.exit(130);
  }
  process.stdout.write(await makeReport(folder));
  process.exit(0);
}

const paperFolder = ({ regime = 'table', short }: Options): string =>
  `paper${regime === 'table' ? '' : `-${regime}`}${short === true ? '-short' : ''}`;

/** Hours later would be late. */
function checkPolicies({ policies, settings, config }: ExperimentPlan): void {
  for (const [name, own] of Object.entries(policies)) {
    const set = Object.entries({ ...settings, ...own }).map(([key, value]) => `${key}=${value}`);
    try {
      configOf({ set, ...(config !== undefined && { config }) });
    } catch (error) {
      if (!(error instanceof MmeliotError)) throw error;
      throw new OptionError(`The policy ${name} of the plan can't be started: ${error.message}`);
    }
  }
}

async function map({ out = 'mmeliot-data/map', repetitions, ...others }: Options): Promise<void> {
  const [wrong] = Object.keys(others);
  if (wrong !== undefined)
    throw new OptionError(`--${wrong} is not for \`experiment map\`, which takes --out, --repetitions and --live.`);
  const seeds = repetitions === undefined ? PLANE.seeds : wholeNumber('--repetitions', repetitions);
  if (seeds < 2) throw new OptionError('--repetitions 1: a map takes two or more, since one says nothing of chance.');
  await makeFolder('--out', out);
  process.stdout.write(await experimentMap(out, seeds, tell));
}

const tell = (line: string) => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

async function planOf(name: string, given: Options): Promise<ExperimentPlan> {
  const { regime, k, duration, repetitions, cpu, seed, short, live } = given;
  const numbers = {
    ...(k !== undefined && { k: numberOf('--k', k) }),
    ...(repetitions !== undefined && { repetitions: wholeNumber('--repetitions', repetitions) }),
    ...(cpu !== undefined && { cpu: numberOf('--cpu', cpu) }),
    ...(seed !== undefined && { seed: wholeNumber('--seed', seed) }),
  };
  if (name === 'map') {
    if ([regime, duration, short].some((option) => option !== undefined))
      throw new OptionError(
        '`experiment map --live` takes --k, --repetitions, --cpu and --seed; its points say the rest.',
      );
    return parsePlan(growthPlan(numbers), 'the plan of the map');
  }
  if (live === true) throw new OptionError('--live is for `experiment map`; every other experiment is live.');
  if (name === 'paper') {
    const known = REGIMES.find((one) => one === (regime ?? 'table'));
    if (known === undefined) throw new OptionError(`--regime ${regime}: one of ${REGIMES.join(', ')} is expected.`);
    const options = {
      ...numbers,
      regime: known,
      ...(duration !== undefined && { duration }),
      ...(short && { short }),
    };
    return parsePlan(paperPlan(options), 'the plan of the paper');
  }
  if ([regime, k, duration, repetitions, cpu, seed, short].some((option) => option !== undefined))
    throw new OptionError(
      '--regime, --k, --duration, --repetitions, --cpu, --seed and --short are for `experiment paper`; a plan says them itself.',
    );
  const text = await readFile(name, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OptionError(`The plan ${name} can't be read (${error.code}).`);
  });
  return parsePlan(text, name);
}
