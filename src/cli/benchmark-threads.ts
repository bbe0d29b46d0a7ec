// Runs of a benchmark in threads, as many at once as there are cores. What comes of a run goes into the folder: it has
// chances of its own, so neither how many threads there are nor which is done first shows in it.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Scene } from '../compare/compare.ts';
import type { Run } from './benchmark-runs.ts';

/** What a thread is sent, so without functions. */
export interface Job extends Omit<Run, 'scene'> {
  readonly scene: Omit<Scene, 'at'>;
  /** Arrivals a second, in steps of ten seconds. */
  readonly rates: readonly number[];
}

/** What a thread is started with. */
export interface ThreadData {
  readonly folder: string;
  /** Policies that are run although they are there. */
  readonly again: readonly string[];
}

/** What a thread tells: how much of its run is done, and when it has written it. */
export interface Told {
  readonly share: number;
  readonly isWritten: boolean;
}

interface Threads extends ThreadData {
  /** The next run to make; undefined: no more. */
  readonly next: () => Job | undefined;
  readonly tell: (job: Job, told: Told) => void;
  readonly signal: AbortSignal;
}

/** Resolves when all runs are made, or those that were under way are given up, as the signal asks. */
export async function inThreads(threads: Threads, most = Math.min(MOST, availableParallelism())): Promise<void> {
  await Promise.all(Array.from({ length: most }, () => oneThread(threads)));
}

/** Each takes some 300 MB. */
const MOST = 8;

async function oneThread({ next, tell, signal, folder, again }: Threads): Promise<void> {
  let job = next();
  if (job === undefined || signal.aborted) return;
  const data: ThreadData = { folder, again };
  const thread = new Worker(new URL('./benchmark-thread.ts', import.meta.url), { workerData: data });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  thread.on('message', (told: Told) => {
    if (job !== undefined) tell(job, told);
    if (!told.isWritten) return;
    job = next();
    if (job === undefined) resolve();
    else thread.postMessage(job);
  });
  thread.once('error', reject);
  signal.addEventListener('abort', () => resolve(), { once: true });
  thread.postMessage(job);
  await promise.finally(() => thread.terminate());
}
