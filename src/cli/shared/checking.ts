// What every check of a cloud needs of this machine.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from '../../model.ts';
import { untilInterrupted } from './signals.ts';

/** The group that only checks use. */
export const CHECK_GROUP = 'mmeliot-check';

/** A database of its own on the VM's disk, so that an image with mmeliot's service serves. */
export const CHECK_DATABASE = 'sqlite:///tmp/mmeliot-check.db';

export const clocks = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms: number) => sleep(ms),
};

/** Aborted by Ctrl-C. */
export function interruption(): AbortSignal {
  const interrupt = new AbortController();
  void untilInterrupted().then(() => {
    print('Interrupted: giving back what was allocated (Ctrl-C again ends at once, and leaves it).');
    interrupt.abort();
  });
  return interrupt.signal;
}

export const print = (line: string): void => void process.stdout.write(`${line}\n`);

export function reach({ host, port }: Address): Promise<true | string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 3_000 });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('timeout', () => {
      socket.destroy();
      resolve('silence, as behind a firewall');
    });
    socket.on('error', ({ code = 'an error' }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' ? 'the machine is there, but nothing listens on that port' : code),
    );
  });
}
