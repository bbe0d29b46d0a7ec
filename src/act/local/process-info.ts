// What the system says about a process by its id. Linux; elsewhere everything is undefined but `isAlive`.
import { readdirSync, readFileSync } from 'node:fs';

/** Identifies a process beyond its id, which the system gives away again: its start in clock ticks since boot. */
export function startTicks(pid: number): number | undefined {
  const fields = statFields(pid);
  return fields === undefined ? undefined : Number(fields[19]);
}

/** A process that ended and waits to be collected by its parent is not alive. */
export function isAlive(pid: number, start?: number): boolean {
  const fields = statFields(pid);
  if (fields !== undefined) return fields[0] !== 'Z' && (start === undefined || Number(fields[19]) === start);
  if (process.platform === 'linux') return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Also true for a process that ended and still waits to be collected: it holds its cgroup until then. */
export function isListed(pid: number, start?: number): boolean {
  const fields = statFields(pid);
  return fields !== undefined && (start === undefined || Number(fields[19]) === start);
}

/** CPU time used by all threads, in ms (the scheduler's own count: finer than clock ticks). */
export function cpuTimeMs(pid: number): number | undefined {
  try {
    let nanoseconds = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    }
    return nanoseconds / 1e6;
  } catch {
    return undefined;
  }
}

/** Memory that it holds, in bytes. */
export function residentBytes(pid: number): number | undefined {
  try {
    const kib = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}

/** The fields of /proc/<pid>/stat after the name (which may hold anything): state is [0], start time [19]. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
