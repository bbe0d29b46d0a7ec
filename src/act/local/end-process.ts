// Ends a process of this machine.
import { isAlive, isListed } from './process-info.ts';

export interface Process {
  readonly pid: number;
  /** By which it is told from a later one of the same number. */
  readonly start?: number | undefined;
}

const COLLECTED_MS = 5_000;
const POLL_MS = 50;

/** Without a word, as a machine ends whose power is cut, or a cloud takes a VM away. */
export function kill(one: Process | undefined): void {
  if (one !== undefined && isAlive(one.pid, one.start)) process.kill(one.pid, 'SIGKILL');
}

/** Resolves when it is gone: told to end, killed where it doesn't, and collected. */
export async function endProcess({ pid, start }: Process, killAfterMs: number): Promise<void> {
  if (isAlive(pid, start)) process.kill(pid, 'SIGTERM');
  const killAt = performance.now() + killAfterMs;
  for (let killed = false; isListed(pid, start);) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const late = performance.now() - killAt;
    if (late > 0 && !killed && isAlive(pid, start)) killed = process.kill(pid, 'SIGKILL');
    if (late > COLLECTED_MS) return; // nobody collects it: a matter of the system, not ours
  }
}
