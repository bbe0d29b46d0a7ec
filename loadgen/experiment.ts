// An experiment: every policy under every load, as often as the plan says. Its folder holds the plan, the calibration and
// one folder of raw data for each run; a run that is there is not made again.
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { cpus, hostname, loadavg, release, totalmem, type } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { bootOf } from './boots.ts';
import { calibrate } from './calibration.ts';
import { readJson } from './read-folder.ts';
import { makeRun, withSystem, writeJson, type Settings } from './one-run.ts';
import { cellsOf, durationOf, maxOf, samePlan, type Cell, type ExperimentPlan } from './plan.ts';
import { isBusy, type Calibration, type LoadInfo, type RunInfo } from './report/raw.ts';
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
  const loads = await loadsOf(folder, plan, cells, calibration);
  for (const [name, { growth }] of Object.entries(plan.profiles))
    if (growth !== undefined)
      tell(
        `${name}: ${(loads[name]?.duration ?? 0) / 1000} s, so that the load grows by ${growth} VMs while one boots`,
      );
  const progress = new Progress(plan, cells, loads);
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
    const during = (elapsed: number, of: number): void =>
      tell(`${place}: ${clock(elapsed)} of ${clock(of)}${progress.left(elapsed)}`);
    const { result } = await oneRun({ ...options, folder: target, during }, cell, i + 1, loads);
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

  constructor({ warmup }: ExperimentPlan, cells: readonly Cell[], loads: Loads) {
    this.#takes = ({ profile }) => AROUND_MS + warmup + (loads[profile]?.duration ?? 0);
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
    // before there is any work of the experiment's own
    const before = machine();
    if (isBusy(before))
      tell?.(
        `calibration: other work keeps this machine busy (${before['loadBefore']?.toFixed(0)} wait for its ${before['cores']} cores), so VMs are slower, boot later, and ` +
          `loads that go by boots last longer; without ${file} all is measured anew`,
      );
    const { seed, events, load, config } = plan;
    const own = join(folder, 'calibration');
    await mkdir(own, { recursive: true });
    const settings = { ...plan.settings, 'elasticity.min': 1, 'elasticity.max': 1 };
    const stoppable = signal === undefined ? {} : { signal };
    const tellOfIt = (line: string) => tell?.(`calibration: ${line}`);
    const growing = Object.values(plan.profiles).some(({ growth }) => growth !== undefined);
    const measured = await withSystem(
      { ...{ folder: own, program, settings, seed, events }, ...(config !== undefined && { config }), ...stoppable },
      async (system) => {
        const { mix } = load;
        const url = system.gateway;
        const vm = await calibrate({ url, mix, seed, ...plan.calibration, tell: tellOfIt, ...stoppable });
        const clients = Math.max(...plan.calibration.clients);
        const bootMs = growing
          ? await bootOf({ system, mix, seed, clients, most: mostVms(plan), ...stoppable })
          : undefined;
        if (bootMs !== undefined) tellOfIt(`a VM boots in ${(bootMs / 1000).toFixed(1)} s while others work`);
        return { ...vm, machine: before, ...(bootMs !== undefined && { bootMs }) };
      },
    );
    signal?.throwIfAborted();
    await writeJson(file, measured);
  }
  return JSON.parse(await readFile(file, 'utf8')) as Calibration;
}

const bestOf = ({ curve }: Calibration): number => Math.max(...curve.map(({ throughput }) => throughput));

const mostVms = ({ settings }: ExperimentPlan): number => Number(settings['elasticity.max'] ?? 4);

/** By profile. */
type Loads = Readonly<Record<string, Pick<LoadInfo, 'max' | 'duration'>>>;

/** The loads by the calibration; of a profile that was run already the same again, also when the VM was calibrated anew. */
async function loadsOf(
  folder: string,
  plan: ExperimentPlan,
  cells: readonly Cell[],
  calibration: Calibration,
): Promise<Loads> {
  const loads: Record<string, Pick<LoadInfo, 'max' | 'duration'>> = {};
  for (const profile of Object.keys(plan.profiles)) loads[profile] = loadBy(plan, profile, calibration);
  for (const { name, profile } of cells) {
    const made = await readJson<RunInfo>(join(folder, 'runs', name, 'run.json'));
    if (made !== undefined) loads[profile] = { max: made.load.max, duration: made.load.duration };
  }
  return loads;
}

/** Requests a second, or a burst; a share is of what the largest fleet answers in that time. */
function loadBy(plan: ExperimentPlan, name: string, calibration: Calibration): Pick<LoadInfo, 'max' | 'duration'> {
  const { profiles, load } = plan;
  const profile = profiles[name];
  if (profile === undefined) throw new OptionError(`The plan has no profile ${name}.`);
  const { bootMs } = calibration;
  if (profile.growth !== undefined && bootMs === undefined)
    throw new OptionError(`The profile ${name} grows by boots, and no boot was measured: it takes two VMs or more.`);
  const vmRate = bestOf(calibration);
  const inTime = load.drive === 'bursts' || load.drive === 'batch' ? load.step / 1000 : 1;
  const max = maxOf(profile.max, vmRate * mostVms(plan) * inTime);
  return { max, duration: durationOf(profile, { bootMs: bootMs ?? 0, vmRate, perSecond: max / inTime }) };
}

async function oneRun(
  options: ExperimentOptions & { readonly during: (elapsed: number, of: number) => void },
  cell: Cell,
  order: number,
  loads: Loads,
): Promise<RunInfo> {
  const { plan, folder, program, version, signal, during } = options;
  const { policies, profiles, seed, warmup, events, objective, config } = plan;
  const settings: Settings = { ...plan.settings, ...policies[cell.policy] };
  const wanted = profiles[cell.profile];
  const timed = loads[cell.profile];
  if (wanted === undefined || timed === undefined) throw new OptionError(`The plan has no profile ${cell.profile}.`);
  const { step, drive, thinkTime, mix, timeout } = plan.load;
  const { profile } = wanted;
  const { max, duration } = timed;
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
const machine = () => ({
  host: hostname(),
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Number((totalmem() / 2 ** 30).toFixed(1)),
  loadBefore: loadavg()[0] ?? 0,
});
