// A live system for one run: `mmeliot up` as a process, and what its admin API tells.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { GeneratorGone, type Listening } from './together.ts';
import { OptionError } from './workload/option-error.ts';

export interface LiveOptions {
  /** The file of the command line, and what follows it. */
  readonly program: string;
  readonly args: readonly string[];
  /** Keeps what the system printed. */
  readonly logFile: string;
  /** Ends the wait for the system. */
  readonly signal?: AbortSignal;
}

/** Of what the admin API tells, what a run needs. */
export interface LiveState {
  readonly counts: Readonly<Record<'pending' | 'ready' | 'draining' | 'releasing' | 'failed', number>>;
  readonly vms: readonly { readonly id: string; readonly bootTime?: number }[];
  readonly parameters: { readonly period: number; readonly high: number };
  /** Of the fleet's size, now. */
  readonly limits: { readonly max: number };
  readonly lp?: number;
  /** What the VMs cost an hour, now, where the provider says so. */
  readonly money: { readonly rate: number; readonly isPriced: boolean };
}

export interface LiveSystem {
  readonly gateway: string;
  /** The operator's page. */
  readonly admin: string;
  state(): Promise<LiveState>;
  config(): Promise<unknown>;
  setParameters(changes: Readonly<Record<string, unknown>>): Promise<void>;
  /** Waits for its end; what doesn't end in time is killed. */
  stop(): Promise<void>;
}

const READY_MS = 120_000;
const STOP_MS = 60_000;

export async function startLive({ program, args, logFile, signal }: LiveOptions): Promise<LiveSystem> {
  // a session of its own: Ctrl-C reaches this program only, and the system is told to end once, when its turn comes
  const child = spawn(process.execPath, [program, 'up', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const tell = () => void child.kill('SIGINT');
  process.once('exit', tell);
  // a log that has no room ends; what is measured is written elsewhere, and tells it
  const log = createWriteStream(logFile).on('error', () => undefined);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      if (text.length < MOST_TEXT) text += chunk.toString();
      log.write(chunk);
    });
  }
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let running = true;
  void ended.then(() => {
    running = false;
    process.off('exit', tell);
    log.end();
  });
  const stop = async (): Promise<void> => {
    if (running && process.listeners('exit').includes(tell)) tell();
    process.off('exit', tell);
    const late = new AbortController();
    const kill = sleep(STOP_MS, undefined, { signal: late.signal }).then(() => child.kill('SIGKILL'));
    await ended;
    late.abort();
    await kill.catch(() => undefined);
  };
  try {
    const deadline = performance.now() + READY_MS;
    for (;;) {
      const found = /clients connect to\s+(\S+)\s[^]*operator looks at\s+(\S+)\s[^]*data is kept in/.exec(text);
      if (found !== null) return { ...adminOf(found[2] ?? ''), gateway: found[1] ?? '', admin: found[2] ?? '', stop };
      signal?.throwIfAborted();
      if (!running) throw new OptionError(`The system under test ended while it started: ${complaintIn(text)}`);
      if (performance.now() > deadline) throw new OptionError(`The system under test did not start; see ${logFile}.`);
      await sleep(50);
    }
  } catch (error) {
    await stop();
    throw error;
  }
}

const MOST_TEXT = 100_000;

const complaintIn = (text: string): string =>
  text.split('\n').find((line) => line.startsWith('mmeliot: ')) ??
  (text.trim().split('\n').at(-1) || 'it said nothing');

function adminOf(admin: string): Pick<LiveSystem, 'state' | 'config' | 'setParameters'> {
  const ask = async (path: string, change?: object): Promise<unknown> => {
    const { statusCode, body } = await request(new URL(path, admin), {
      method: change === undefined ? 'GET' : 'PATCH',
      ...(change && { headers: { 'content-type': 'application/json', 'x-mmeliot-by': 'experiment' } }),
      ...(change && { body: JSON.stringify(change) }),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new OptionError(`${admin}${path} answers with status ${statusCode}: ${text}`);
    return JSON.parse(text);
  };
  return {
    state: async () => (await ask('api/state')) as LiveState,
    config: () => ask('api/config'),
    setParameters: async (changes) => void (await ask('api/parameters', changes)),
  };
}

/** A generator that joins a load. The key of its clients, where there is one, is in the environment. */
export function startGenerator(program: string, { url, fail }: Listening): void {
  const child = spawn(process.execPath, [program, 'load', '--join', url], { stdio: ['ignore', 'ignore', 'inherit'] });
  child.once('exit', (status) => {
    if (status !== 0) fail(new GeneratorGone('A generator of this load has ended; what it sent is not known.'));
  });
}
