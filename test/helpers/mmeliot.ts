// Starts the real program as a user does, in a data folder of its own and on free ports.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ManagerView } from '../../src/loop/view.ts';
import type { DecisionRecord } from '../../src/model.ts';
import { undescribed } from './admin-description.ts';
import { until } from './until.ts';

export { temporaryFolder } from './temporary-folder.ts';

export const PROGRAM = join(import.meta.dirname, '../../src/cli/mmeliot.js');

export const FREE_PORTS = ['gateway.port=0', 'admin.port=0', 'collector.port=0'];

export interface Finished {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a command to its end. */
export async function mmeliot(...args: string[]): Promise<Finished> {
  return startProgram(args).ended();
}

export interface Program {
  readonly child: ChildProcess;
  output(): string;
  /** Resolves with the match once the output has it; rejects when the program ends without. */
  says(what: RegExp, deadlineMs?: number): Promise<RegExpExecArray>;
  ended(): Promise<Finished>;
  /** Ctrl-C, and the wait for the end. */
  stop(): Promise<Finished>;
  /** kill -9 */
  kill(): Promise<Finished>;
}

interface Surroundings {
  /** Another program than this checkout's. */
  readonly program?: string;
  readonly cwd?: string;
  /** Beside our own. */
  readonly env?: NodeJS.ProcessEnv;
}

export function startProgram(args: readonly string[], { program, cwd, env }: Surroundings = {}): Program {
  const [file, ...before] = program === undefined ? [process.execPath, PROGRAM] : [program];
  const child = spawn(file, [...before, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    cwd,
  });
  let text = '';
  const collect = (chunk: Buffer) => (text += chunk.toString());
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const output = () => text;
  const ended = async () => {
    await until('the program ended', hasEnded, 60_000);
    return { status: child.exitCode, output: text };
  };
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended();
  };
  return {
    child,
    output,
    ended,
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    says: (what, deadlineMs = 60_000) =>
      until(
        `mmeliot says ${what}`,
        () => {
          const found = what.exec(text);
          if (found === null && hasEnded())
            throw new Error(`mmeliot ${args.join(' ')} ended with status ${child.exitCode}:\n${text}`);
          return found;
        },
        deadlineMs,
      ),
  };
}

export interface System extends Program {
  readonly gateway: string;
  readonly admin: string;
  readonly dataDir: string;
  state(): Promise<ManagerView>;
  decisions(): Promise<readonly DecisionRecord[]>;
}

/** It says so after a minute also where no VM is ready by then. */
const START_MS = 120_000;

/** `mmeliot up`, resolved once it has said that it is ready. */
export async function startSystem(dataDir: string, ...settings: string[]): Promise<System> {
  const program = startProgram([
    'up',
    ...[`dataDir=${dataDir}`, ...FREE_PORTS, ...settings].flatMap((one) => ['--set', one]),
  ]);
  const found = await program
    .says(/clients connect to\s+(\S+)[^]*operator looks at\s+(\S+)[^]*load on it/, START_MS)
    .catch(async (error: unknown) => {
      // nobody else knows of it
      await program.kill();
      throw error;
    });
  const [, gateway = '', admin = ''] = found;
  const ask = async (path: string) => {
    const answer = await fetch(`${admin}api${path}`);
    const said: unknown = await answer.json();
    // nothing but what the API says that it answers
    expect(undescribed('get', path, answer.status, said)).to.equal(undefined);
    return said;
  };
  const state = () => ask('/state') as Promise<ManagerView>;
  const decisions = () => ask('/decisions') as Promise<readonly DecisionRecord[]>;
  return { ...program, gateway, admin, dataDir, state, decisions };
}
