import { spawn } from 'node:child_process';
import type { StartedProcess } from '../core/contract.ts';

/** Detached: it carries the traffic on when its manager crashes, and the next manager takes it over. */
export function startHaproxy(args: readonly string[]): StartedProcess {
  const child = spawn('haproxy', args, { detached: true, stdio: 'ignore' });
  child.unref();
  return child;
}
