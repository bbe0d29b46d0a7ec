// What every check of a cloud needs of this machine.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Address } from '../../model.ts';
import { showAddress } from '../../../epcis/domain/address.ts';
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

/** Does the service answer, and say that it is ready? What merely listens there may be anything. */
export async function reach(address: Address): Promise<true | string> {
  try {
    const where = `http://${showAddress(address)}/ready`;
    const { statusCode, body } = await request(where, { signal: AbortSignal.timeout(3_000), reset: true });
    await body.dump();
    return statusCode === 200 || `GET /ready answers with status ${statusCode}`;
  } catch (error) {
    const { code = 'an error', name } = error as NodeJS.ErrnoException;
    if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'silence, as behind a firewall';
    return code === 'ECONNREFUSED' ? 'the machine is there, but nothing listens on that port' : code;
  }
}
