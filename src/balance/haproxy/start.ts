import { spawn } from 'node:child_process';
import type { StartedProcess } from '../core/contract.ts';

/** Nothing of our environment, where secrets may stand, but what finds it. Detached: it carries the traffic on when its manager crashes, and the next manager takes it over. */
export function startHaproxy(args: readonly string[]): StartedProcess {
  const env = { PATH: process.env['PATH'] ?? '' };
  const child = spawn('haproxy', args, { detached: true, stdio: 'ignore', env });
  child.unref();
  return child;
}
