// An experiment: every policy under every load, as often as the plan says. Its folder holds the plan, the calibration and
// one folder of raw data for each run; a run that is there is not made again.
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { cpus, hostname, loadavg, release, totalmem, type } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { calibrate } from './calibration.ts';
import { readJson } from './read-folder.ts';
import { makeRun, withSystem, writeJson, type Settings } from './one-run.ts';
import { cellsOf, maxOf, samePlan, type Cell, type ExperimentPlan } from './plan.ts';
import type { Calibration, LoadInfo, RunInfo } from './report/raw.ts';
import { lasting, timeLeft } from '../src/time-left.ts';
import { clock } from './text.ts';
import { OptionError } from './workload/option-error.ts';

export interface ExperimentOptions {
  readonly plan: ExperimentPlan;
  readonly folder: string;
  /** The file that starts the command line. */
  readonly program: string;
  readonly version: string;
  /** Makes the runs again that the generator spoiled. */
  readonly again?: boolean;
  /** What is being done, a line each. */
  readonly tell?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Makes the runs that are missing. Rejects with the signal's reason when it was stopped. */
export async function runExperiment(options: ExperimentOptions): Promise<void> {
  const { plan, tell = () => undefined, signal } = options;
  const folder = resolve(options.folder);
  await mkdir(join(folder, 'runs'), { recursive: true });
  await keepPlan(folder, plan);
  const calibration = await calibrationOf({ ...options, folder });
  const cells = cellsOf(plan);
  const loads = await loadsOf(folder, cells);
  const progress = new Progress(plan, cells);
  for (const [i, cell] of cells.entries()) {
    signal?.throwIfAborted();
    const target = join(folder, 'runs', cell.name);
    const place = `run ${i + 1} of ${cells.length}, ${cell.name}`;
    const made = await readJson<RunInfo>(join(target, 'run.json'));
    const spoiled = options.again === true && made?.result.bottleneck !== undefined;
    if (made !== undefined && !spoiled) {
      tell(`${place}: is there already`);
      progress.leaveOut(cell);
      continue;
    }
    const left = progress.left();
    tell(spoiled ? `${place}: again, for the generator was a bottleneck${left}` : `${place}${left}`);
    const max = loads.get(cell.profile) ?? highestLoad(plan, cell.profile, calibration);
    loads.set(cell.profile, max);
    const during = (elapsed: number, of: number): void =>
      tell(`${place}: ${clock(elapsed)} of ${clock(of)}${progress.left(elapsed)}`);
    const { result } = await oneRun({ ...options, folder: target, during }, cell, i + 1, max);
    progress.made(cell);
    tell(`${place}: ${result.ok} of ${result.sent} answered, ${result.latency.mean.toFixed(0)} ms`);
  }
}

/** What a run takes besides its load: the system's start and end, and its data. */
const AROUND_MS = 20_000;
/** In a run that is longer it is said how far it is. */
const TELL_EVERY_MS = 10_000;

/** By what the plan says that each run takes, and how long those took that were made. */
class Progress {
  readonly #begun = performance.now();
  readonly #takes: (cell: Cell) => number;
  #all: number;
  #done = 0;

  constructor({ profiles, warmup }: ExperimentPlan, cells: readonly Cell[]) {
    this.#takes = ({ profile }) => AROUND_MS + warmup + (profiles[profile]?.duration ?? 0);
    this.#all = cells.reduce((sum, cell) => sum + this.#takes(cell), 0);
  }

  leaveOut(cell: Cell): void {
    this.#all -= this.#takes(cell);
  }

  made(cell: Cell): void {
    this.#done += this.#takes(cell);
  }

  /** `elapsed`: ms of the load of the run that is being made. */
  left(elapsed = 0): string {
    if (this.#done === 0) return `, about ${lasting(this.#all - elapsed)} left`;
    return timeLeft(performance.now() - this.#begun, this.#done + elapsed, this.#all);
  }
}

async function keepPlan(folder: string, plan: ExperimentPlan): Promise<void> {
  const file = join(folder, 'plan.json');
  if (!existsSync(file)) return writeJson(file, plan);
  if (!samePlan(plan, JSON.parse(await readFile(file, 'utf8'))))
    throw new OptionError(`${folder} holds the runs of another plan: name another folder, or go on with that plan.`);
}

async function calibrationOf({ plan, folder, program, tell, signal }: ExperimentOptions): Promise<Calibration> {
  const file = join(folder, 'calibration.json');
  if (!existsSync(file)) {
    tell?.('calibration: one VM, measured alone');
    const { seed, events, load, config } = plan;
    const own = join(folder, 'calibration');
    await mkdir(own, { recursive: true });
    const settings = { ...plan.settings, 'elasticity.min': 1, 'elasticity.max': 1 };
    const stoppable = signal === undefined ? {} : { signal };
    const tellOfIt = (line: string) => tell?.(`calibration: ${line}`);
    const measured = await withSystem(
      { ...{ folder: own, program, settings, seed, events }, ...(config !== undefined && { config }), ...stoppable },
      ({ gateway }) =>
        calibrate({ url: gateway, mix: load.mix, seed, ...plan.calibration, tell: tellOfIt, ...stoppable }),
    );
    await writeJson(file, measured);
  }
  return JSON.parse(await readFile(file, 'utf8')) as Calibration;
}

const bestOf = ({ curve }: Calibration): number => Math.max(...curve.map(({ throughput }) => throughput));

/** The highest load of each profile that was run already: it stays, also when the VM was calibrated anew. */
async function loadsOf(folder: string, cells: readonly Cell[]): Promise<Map<string, number>> {
  const loads = new Map<string, number>();
  for (const { name, profile } of cells) {
    const made = await readJson<RunInfo>(join(folder, 'runs', name, 'run.json'));
    if (made !== undefined) loads.set(profile, made.load.max);
  }
  return loads;
}

/** Requests a second, or a burst; a share is of what the largest fleet answers in that time. */
function highestLoad({ profiles, load, settings }: ExperimentPlan, profile: string, calibration: Calibration): number {
  const fleet = bestOf(calibration) * Number(settings['elasticity.max'] ?? 4);
  return maxOf(
    profiles[profile]?.max ?? 0,
    load.drive === 'bursts' || load.drive === 'batch' ? (fleet * load.step) / 1000 : fleet,
  );
}

async function oneRun(
  options: ExperimentOptions & { readonly during: (elapsed: number, of: number) => void },
  cell: Cell,
  order: number,
  max: number,
): Promise<RunInfo> {
  const { plan, folder, program, version, signal, during } = options;
  const { policies, profiles, seed, warmup, events, objective, config } = plan;
  const settings: Settings = { ...plan.settings, ...policies[cell.policy] };
  const wanted = profiles[cell.profile];
  if (wanted === undefined) throw new OptionError(`The plan has no profile ${cell.profile}.`);
  const { step, drive, thinkTime, mix, timeout } = plan.load;
  const { profile, duration } = wanted;
  const load: LoadInfo = {
    ...{ profile, max, duration, drive, step, thinkTime, mix, timeout },
    // the same for all policies, another in each repetition
    seed: seed + cell.repetition - 1,
  };
  return makeRun({
    ...{ folder, program, settings, seed, events, warmup },
    load: {
      ...load,
      arrivals: plan.load.arrivals,
      bounds: [objective.within, 4 * objective.within],
    },
    about: {
      ...{ ...cell, order, seed, load, settings },
      objective: { ms: objective.within, share: objective.share },
      versions: { mmeliot: version, node: process.version, system: `${type()} ${release()}` },
      machine: machine(),
    },
    onProgress: ({ elapsed }) => {
      if (Math.round(elapsed / 1000) % (TELL_EVERY_MS / 1000) === 0 && elapsed < duration) during(elapsed, duration);
    },
    ...(config !== undefined && { config: isAbsolute(config) ? config : resolve(config) }),
    ...(signal && { signal }),
  });
}

/** What the machine was, and how busy others kept it. */
const machine = (): RunInfo['machine'] => ({
  host: hostname(),
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Number((totalmem() / 2 ** 30).toFixed(1)),
  loadBefore: loadavg()[0] ?? 0,
});
