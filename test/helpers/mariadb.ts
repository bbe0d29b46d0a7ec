// A private MariaDB for the tests of one mocha run: started when first asked for, stopped when the process ends.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

const run = promisify(execFile);

export interface MariaDb {
  readonly port: number;
  readonly socket: string;
  /** The URL of a database of this name (created by openDatabase when it's absent). */
  url(database: string): string;
  stop(): Promise<void>;
  /** Of its process; another one after a start. */
  pid(): number;
  /** It says nothing any more, until it thaws. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Ends it as a crash would; by SIGTERM as an operator does. */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
}

let shared: Promise<MariaDb> | undefined;
let databases = 0;
const ATTEMPTS = 5;

/** The URL of a fresh, empty database on the shared server. */
export async function freshMariaDb(): Promise<string> {
  shared ??= startMariaDb();
  databases += 1;
  return (await shared).url(`test${databases}`);
}

/** A server of the caller's own, for tests that stop it. `env`: beside its environment. */
export async function startMariaDb(options: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<MariaDb> {
  const folder = await mkdtemp(join(tmpdir(), 'mmeliot-mariadb-'));
  const data = join(folder, 'data');
  const socket = join(folder, 'sock');
  const user = userInfo().username;
  const install = ['--no-defaults', `--datadir=${data}`, `--user=${user}`];
  install.push('--auth-root-authentication-method=normal', '--skip-test-db');
  // a temporary folder of its own: a server that starts deletes all temporary tables it finds there
  await run('mariadb-install-db', install, { env: { ...process.env, TMPDIR: folder } });
  let port = await freePort();
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    const place = [`--datadir=${data}`, `--socket=${socket}`, `--port=${port}`, `--tmpdir=${folder}`, `--user=${user}`];
    child = await launch([...place, ...options], env);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref(); // waited for
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  // somebody else may have taken the port since
  for (let attempt = 1; ; attempt++)
    try {
      await start();
      break;
    } catch (error) {
      if (attempt === ATTEMPTS || !String(error).includes('Address already in use')) throw error;
      port = await freePort();
    }
  // an end by signal is an end too: no server outlives its test
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(status));
  process.once('exit', () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const stopped = async (): Promise<boolean> => {
    const tasks = `/proc/${child.pid ?? 0}/task`;
    const states = (await readdir(tasks)).map((task) => readFile(join(tasks, task, 'status'), 'utf8'));
    return (await Promise.all(states)).every((status) => /^State:\s+T/m.test(status));
  };
  return {
    port,
    socket,
    url: (database) => `mysql://root@127.0.0.1:${port}/${database}`,
    start,
    pid: () => child.pid ?? 0,
    freeze: async () => {
      child.kill('SIGSTOP');
      await until('it stands still', stopped); // its threads do one after the other, and one may still answer
    },
    thaw: () => void child.kill('SIGCONT'),
    kill: (signal = 'SIGKILL') => end(signal),
    stop: async () => {
      child.kill('SIGCONT'); // a test that failed may have left it standing
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A data folder with the system's tables, and a root without a password. */
export async function installMariaDb(data: string, user: string): Promise<void> {
  await run('mariadb-install-db', [
    '--no-defaults',
    `--datadir=${data}`,
    `--user=${user}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ]);
}

/** Resolves once the server says that it takes connections. */
export async function launch(place: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
  const lean = ['--innodb-buffer-pool-size=64M', '--innodb-log-file-size=32M'];
  const child = spawn(
    'mariadbd',
    ['--no-defaults', ...lean, '--bind-address=127.0.0.1', '--skip-name-resolve', ...place],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...env },
    },
  );
  // neither the server nor its pipe keeps the test process from ending
  child.unref();
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`mariadbd did not start:\n${said}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000);
      if (said.includes('ready for connections')) resolve();
    });
  });
  said = '';
  (child.stderr as Socket).unref();
  return child;
}
