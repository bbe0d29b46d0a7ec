// moto, an EC2 that others wrote (Python): what our provider does must work there too. test/setup.sh installs it where it can.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../helpers/free-port.ts';
import { until } from '../helpers/until.ts';

const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/moto');

export const hasMoto = existsSync(join(FOLDER, 'moto'));

export interface Moto {
  readonly url: string;
  /** Forgets everything. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function startMoto(): Promise<Moto> {
  const port = await freePort();
  const child = spawn('python3', ['-m', 'moto.server', '-p', String(port)], {
    stdio: 'ignore',
    env: { ...process.env, PYTHONPATH: FOLDER },
  });
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  await until(
    'moto answers',
    () =>
      fetch(`${url}/moto-api/`).then(
        ({ ok }) => ok,
        () => false,
      ),
    60_000,
  );
  return {
    url,
    async reset() {
      await fetch(`${url}/moto-api/reset`, { method: 'POST' });
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
