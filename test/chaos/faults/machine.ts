// What a system under test needs of this machine: ports, disks, rules of packets, processes, another commit's programs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { startUdpRelay, type Relay } from './relay.ts';

export const CHECKOUT = join(import.meta.dirname, '../../..');

/** What that commit had, with the packages of this one. */
export function checkOut(commit: string, folder: string): string {
  mkdirSync(folder);
  const archive = execFileSync('git', ['-C', CHECKOUT, 'archive', commit], { maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const run = (file: string, ...args: string[]): void => void execFileSync(file, args);

/** Load reports to this port come to a relay first, which passes them on. */
export async function startReports(collector: number): Promise<Relay> {
  const relay = await startUdpRelay(collector);
  const reports = ['-p', 'udp', '--dport', String(collector), '!', '--sport', String(relay.port)];
  run('iptables', '-t', 'nat', '-A', 'OUTPUT', ...reports, '-j', 'REDIRECT', '--to-ports', String(relay.port));
  return relay;
}

/** The HAProxy of the gateway with this folder. */
export function haproxyOf(dataDir: string): number {
  const file = join(dataDir, 'haproxy');
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = pids.find((pid) => /^haproxy\0/.test(commandOf(pid)) && commandOf(pid).includes(file));
  if (found === undefined) throw new Error('The gateway has no HAProxy.');
  return Number(found);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
