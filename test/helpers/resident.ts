// How much memory a process has in use, and how much of the processors it has had.
import { readFileSync } from 'node:fs';

/** 0 for one that has ended. */
export function residentBytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

const TICK_MS = 10;

/** ms of processor time so far; 0 for one that has ended. */
export function processorMs(pid: number): number {
  try {
    // behind its name, which may hold spaces, the 12th and 13th field
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}
