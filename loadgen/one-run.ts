// One run of an experiment: a system of its own, the data set, the warm-up, the load; raw data into the run's folder.
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeWhole } from '../src/files/write-whole.ts';
import { runLoad, type LoadOptions } from './cli.ts';
import { openLines } from './line-file.ts';
import { startLive, type LiveState, type LiveSystem } from './live.ts';
import type { RunInfo } from './report/raw.ts';
import { runSeed } from './seed.ts';
import { OptionError } from './workload/option-error.ts';

export type Settings = Readonly<Record<string, string | number | boolean>>;

export interface RunOptions {
  readonly folder: string;
  /** The command line's file. */
  readonly program: string;
  readonly config?: string;
  readonly settings: Settings;
  /** Of the data set. */
  readonly seed: number;
  readonly events: number;
  /** ms. */
  readonly warmup: number;
  readonly load: Omit<LoadOptions, 'url' | 'signal' | 'onProgress'>;
  readonly about: Omit<RunInfo, 'startedAt' | 'config' | 'bootTimes' | 'result' | 'period' | 'high'>;
  readonly onProgress?: LoadOptions['onProgress'];
  /** Fills the repository in this data folder before the system starts: its VMs would take the events at their own pace. */
  readonly fill?: (dataDir: string) => Promise<void>;
  readonly signal?: AbortSignal;
}

const OWN_PORTS: Settings = { 'gateway.port': 0, 'admin.port': 0, 'collector.port': 0 };

/**
 * Starts `mmeliot up` in a data folder below `folder` and fills it, its fleet held at its minimum until `work` calls
 * `letGo`: the data set's load is not the experiment's.
 */
export async function withSystem<T>(
  options: Omit<RunOptions, 'load' | 'about' | 'warmup' | 'onProgress'>,
  work: (system: LiveSystem, letGo: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const { folder, program, config, settings, seed, events, fill, signal } = options;
  const dataDir = join(folder, 'data');
  await rm(dataDir, { recursive: true, force: true });
  await fill?.(dataDir);
  signal?.throwIfAborted();
  const all: Settings = { ...OWN_PORTS, logLevel: 'warn', ...settings, dataDir };
  const sets = Object.entries(all).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const args = [...(config === undefined ? [] : ['--config', config]), ...sets];
  const system = await startLive({ program, args, logFile: join(folder, 'system.log'), ...(signal && { signal }) });
  try {
    await waitFor(
      system,
      'its first VMs to be ready',
      ({ counts }) => counts.ready > 0 && counts.pending === 0,
      signal,
    );
    const { max, min } = boundsOf(await system.config());
    await system.setParameters({ max: min });
    if (events > 0) await runSeed({ url: system.gateway, events, seed, ...(signal && { signal }) });
    signal?.throwIfAborted();
    return await work(system, () => system.setParameters({ max }));
  } finally {
    await system.stop();
    await keepJournal(dataDir, join(folder, 'journal.jsonl')).finally(() =>
      rm(dataDir, { recursive: true, force: true }),
    );
  }
}

export async function makeRun(options: RunOptions): Promise<RunInfo> {
  const { folder, load, warmup, about, signal } = options;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const info = await withSystem(options, async (system, letGo) => {
    const stoppable = signal === undefined ? {} : { signal };
    // another seed than the load's, so that it asks for other things
    await runLoad({
      ...load,
      ...WARMUP,
      url: system.gateway,
      duration: warmup,
      seed: about.load.seed + 1_000_000,
      ...stoppable,
    });
    // a VM that was allocated before the fleet was held must have gone, too
    const isCalm = ({ lp = 0, counts, limits }: LiveState): boolean =>
      lp < CALM_LP && allocatedOf(counts) - counts.failed <= limits.max;
    await waitFor(system, 'the fleet to calm down', isCalm, signal);
    const config = await system.config();
    const startedAt = Date.now();
    const measured = await measure(system, options, letGo);
    const { period, high } = (await system.state()).parameters;
    return { ...about, startedAt, config, period, high, ...measured };
  });
  signal?.throwIfAborted();
  await writeJson(join(folder, 'run.json'), info);
  return info;
}

/** One request a second. */
const WARMUP = { profile: 'constant', max: 1, drive: 'open' } as const;
/** What the data set and the warm-up left of load has faded. */
const CALM_LP = 30;
const LOOK_MS = 500;

const allocatedOf = (counts: LiveState['counts']): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Looks at the fleet from before it may change on. */
async function measure(system: LiveSystem, options: RunOptions, letGo: () => Promise<void>) {
  const { folder, load, onProgress } = options;
  const full = new AbortController();
  const stop = () => full.abort();
  const client = openLines(join(folder, 'client.jsonl'), stop);
  const fleet = openLines(join(folder, 'fleet.jsonl'), stop);
  const signal = AbortSignal.any([full.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const boots = new Map<string, number>();
  const note = ({ counts, vms, money }: LiveState, elapsed: number): void => {
    for (const { id, bootTime } of vms) if (bootTime !== undefined) boots.set(id, bootTime);
    const leaving = counts.draining + counts.releasing;
    const price = money.isPriced ? { price: money.rate } : {};
    const allocated = allocatedOf(counts);
    fleet.add({ elapsed, allocated, ready: counts.ready, leaving, ...price });
  };
  note(await system.state(), 0);
  await letGo();
  const begun = performance.now();
  const watching = new AbortController();
  const watch = (async () => {
    for (let at = begun + LOOK_MS; !watching.signal.aborted; at += LOOK_MS) {
      await sleep(Math.max(0, at - performance.now()), undefined, { signal: watching.signal }).catch(() => undefined);
      const state = await system.state().catch(() => undefined);
      if (state !== undefined) note(state, performance.now() - begun);
    }
  })();
  try {
    const result = await runLoad({
      ...load,
      url: system.gateway,
      onProgress(progress) {
        client.add(progress);
        onProgress?.(progress);
      },
      signal,
    });
    return { result, bootTimes: [...boots.values()] };
  } finally {
    watching.abort();
    await watch;
    await Promise.all([client, fleet].map((lines) => lines.close()));
  }
}

const PATIENCE_MS = 120_000;

export async function waitFor(
  system: LiveSystem,
  what: string,
  holds: (state: LiveState) => boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!holds(await system.state())) {
    signal?.throwIfAborted();
    if (performance.now() > deadline)
      throw new OptionError(`The system under test took more than ${PATIENCE_MS / 1000} s for ${what}.`);
    await sleep(200);
  }
}

const boundsOf = (config: unknown): { min: number; max: number } =>
  (config as { elasticity: { min: number; max: number } }).elasticity;

/** The manager's journal, of whatever number of files, as one. */
async function keepJournal(dataDir: string, file: string): Promise<void> {
  const number = (name: string): number => Number(/^journal\.?(\d*)\.jsonl$/.exec(name)?.[1] ?? NaN);
  const names = (await readdir(dataDir).catch(() => [])).filter((name) => number(name) >= 0);
  await writeFile(file, '');
  for (const name of names.sort((a, b) => number(b) - number(a)))
    await appendFile(file, await readFile(join(dataDir, name)));
}

/** Also when the machine stops: a run takes minutes. */
export const writeJson = (file: string, content: unknown): Promise<void> =>
  writeWhole(file, `${JSON.stringify(content, undefined, 2)}\n`, { durable: true });
