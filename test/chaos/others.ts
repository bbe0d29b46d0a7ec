// Those whom a hostile client might hurt: they ask in a steady rhythm; and what it costs processes meanwhile.
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:http';
import { ask } from '../helpers/gateway.ts';
import { residentBytes } from '../../src/act/local/process-info.ts';

/** So many ask, each every so many ms, or as soon as it has its answer. */
const OTHERS = 4;
const EVERY_MS = 20;
const MB = 1_000_000;

/** Which part of a processor these processes take from now until asked. */
export function watchProcessors(pids: readonly number[]): () => number {
  const now = () => pids.reduce((sum, pid) => sum + processorMs(pid), 0);
  const [before, since] = [now(), performance.now()];
  return () => (now() - before) / (performance.now() - since);
}

/** Less than this is no work that a client left behind. */
const IDLE = 0.1;
const LOOK_MS = 200;
const LONGEST_WORK_MS = 20_000;

/**
 * Resolves when these processes have worked off what a client left behind that is gone: up to some 10 MB of each of its uploads are
 * still on their way then, and would count as the next phase's. One that never rests is not waited for any longer.
 */
export async function workedOff(pids: readonly number[]): Promise<void> {
  const end = performance.now() + LONGEST_WORK_MS;
  for (let part = 1; part > IDLE && performance.now() < end;) {
    const takes = watchProcessors(pids);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    part = takes();
  }
}

/** How many MB these processes have grown at most, until asked. */
export function watchGrowth(pids: readonly number[]): () => number {
  const now = () => pids.reduce((sum, pid) => sum + (residentBytes(pid) ?? 0), 0);
  const before = now();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, now())), 50);
  return () => {
    clearInterval(timer);
    return Math.round((most - before) / MB);
  };
}

/**
 * Some that ask in a steady rhythm, for so long, and at least so often, as on a busy machine little happens in that time; how long an
 * answer takes counts from when it should have been asked for.
 */
export async function askFor(
  port: number,
  by: RequestOptions,
  ms: number,
  least = 0,
): Promise<{ asked: number; lost: number; p95: number }> {
  const times: number[] = [];
  let lost = 0;
  const begin = performance.now();
  const isOver = (time: number): boolean => time >= begin + ms && times.length >= least;
  const one = async (_: unknown, which: number) => {
    for (let due = begin + (which * EVERY_MS) / OTHERS; !isOver(due); due += EVERY_MS) {
      if (isOver(performance.now())) break;
      const early = due - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      const since = Math.max(due, performance.now() - EVERY_MS);
      const answer = await ask(port, '/events', by).catch(() => undefined);
      times.push(performance.now() - since);
      if (answer?.status !== 200) lost++;
    }
  };
  await Promise.all(Array.from({ length: OTHERS }, one));
  times.sort((a, b) => a - b);
  return { asked: times.length, lost, p95: times[Math.floor(times.length * 0.95)] ?? 0 };
}

const TICK_MS = 10;

/** ms of processor time so far; 0 for one that has ended. */
function processorMs(pid: number): number {
  try {
    // behind its name, which may hold spaces, the 12th and 13th field
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}
