// Starts the real program as a user does, in a data folder of its own and on free ports.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StateView } from '../../src/admin/view.ts';
import { until } from './until.ts';

const PROGRAM = join(import.meta.dirname, '../../src/cli/mmeliot.js');

export const FREE_PORTS = ['gateway.port=0', 'admin.port=0', 'collector.port=0'];

export interface Finished {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a command to its end. */
export async function mmeliot(...args: string[]): Promise<Finished> {
  const running = start(args);
  await until('the command ended', () => running.child.exitCode !== null, 60_000);
  return { status: running.child.exitCode, output: running.output() };
}

export interface System {
  readonly child: ChildProcess;
  readonly gateway: string;
  readonly admin: string;
  readonly dataDir: string;
  output(): string;
  state(): Promise<StateView>;
  /** Ctrl-C, and the wait for the end. */
  stop(): Promise<Finished>;
}

export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'mmeliot-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** `mmeliot up`, resolved once it has said that it is ready. */
export async function startSystem(dataDir: string, ...settings: string[]): Promise<System> {
  const { child, output } = start([
    'up',
    ...[`dataDir=${dataDir}`, ...FREE_PORTS, ...settings].flatMap((one) => ['--set', one]),
  ]);
  const found = await until(
    'mmeliot is ready',
    () => {
      if (child.exitCode !== null) throw new Error(`mmeliot ended with status ${child.exitCode}:\n${output()}`);
      return /clients connect to\s+(\S+)[^]*operator looks at\s+(\S+)[^]*load on it/.exec(output());
    },
    60_000,
  );
  const [, gateway = '', admin = ''] = found;
  return {
    child,
    gateway,
    admin,
    dataDir,
    output,
    state: async () => (await fetch(`${admin}api/state`)).json() as Promise<StateView>,
    stop: async () => {
      child.kill('SIGINT');
      await until('mmeliot ended', () => child.exitCode !== null || child.signalCode !== null, 60_000);
      return { status: child.exitCode, output: output() };
    },
  };
}

function start(args: readonly string[]): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const collect = (chunk: Buffer) => (output += chunk.toString());
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return { child, output: () => output };
}
