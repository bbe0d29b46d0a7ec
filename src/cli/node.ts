// `mmeliot node`: what a machine runs that carries workers. It starts and stops them as the manager orders, and says what it carries.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { LocalProvider } from '../act/local/local-provider.ts';
import { startTicks } from '../act/local/process-info.ts';
import { MmeliotError } from '../errors.ts';
import { writeWhole } from '../files/write-whole.ts';
import { NODE, nodeIdentity } from '../manager/node-environment.ts';
import { listenOf } from '../manager/vm-environment.ts';
import { vmProgram } from '../manager/vm-program.ts';
import { createCarrier } from '../node/carrier.ts';
import { startNode } from '../node/node-server.ts';
import { createLog } from '../telemetry/log.ts';
import { untilInterrupted } from './shared/signals.ts';

export const nodeCommand = (): Command =>
  new Command('node')
    .description(`carry workers on this machine, as a manager with packing orders (told who it is by ${NODE})`)
    .action(() => runNode());

/** Less than its own provider gives it, so that nobody is killed who would have ended. */
const KILL_AFTER_MS = 8_000;

export async function runNode(): Promise<void> {
  const { env } = process;
  const interrupted = untilInterrupted();
  const log = createLog({ level: 'info' });
  if (!env[NODE]) throw new MmeliotError('CONFIG_INVALID', `${NODE} is not set: a manager with packing starts nodes.`);
  const { mark, trusted, certificate, quota } = nodeIdentity(env[NODE]);
  const listen = listenOf(env);
  const addressFile = env['MMELIOT_ADDRESS_FILE'];
  // by hand without such a folder: one that nobody else has made
  const folder =
    addressFile === undefined
      ? (env['STATE_DIRECTORY'] ?? mkdtempSync(join(tmpdir(), 'mmeliot-node-')))
      : dirname(addressFile);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const machines: LocalProvider = new LocalProvider({
    folder: join(folder, 'workers'),
    name: `mmeliot-${createHash('sha256').update(mark).digest('hex').slice(0, 12)}`,
    ...{ cpu: 1, anySize: true, quota, killAfterMs: KILL_AFTER_MS },
    command: ({ addressFile: file, cpu, memoryBytes, environment }) => {
      const told = { ...environment, MMELIOT_ADDRESS_FILE: file, MMELIOT_CPU: String(cpu), MMELIOT_PARENT: parent() };
      return vmProgram(
        env['NODE_COMPILE_CACHE'] ?? join(folder, 'compile-cache'),
        machines.quotaKind === 'signals' ? oneProcess(told) : told,
        memoryBytes,
      );
    },
  });
  const trustedFile = join(folder, 'trusted.json');
  const door = await startNode({
    ...{ listen, node: mark, certificate, now: Date.now },
    trusted: trustedSince(trustedFile) ?? trusted,
    carrier: createCarrier(machines, join(folder, 'keys')),
    onTrust: (keys) => writeWhole(trustedFile, JSON.stringify(keys), { durable: true, mode: 0o600 }),
    onUnkept: (err) => log.warn({ err }, 'Whom this node obeys could not be kept; it is tried again'),
    onRefused: (refusal, from) => log.warn({ refusal, from }, 'An order was refused'),
  });
  if (addressFile !== undefined)
    await writeWhole(addressFile, JSON.stringify({ host: listen.host, port: door.port, pid: process.pid }));
  log.info({ node: mark, host: listen.host, port: door.port, quota: machines.quotaKind }, 'Node carries workers');
  await interrupted;
  await door.close();
  for (const { id } of await machines.list()) await machines.release(id);
  await machines.close();
}

/** Whom the manager said last, over a restart. */
function trustedSince(file: string): readonly string[] | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as readonly string[];
  } catch {
    return undefined;
  }
}

/** By which a worker sees that its node is gone. */
const parent = (): string => `${process.pid}:${startTicks(process.pid) ?? ''}`;

/** Only one process of a worker is held to its share by signals. */
function oneProcess(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const epcis = JSON.parse(env['MMELIOT_EPCIS'] ?? '{}') as object;
  return { ...env, MMELIOT_EPCIS: JSON.stringify({ ...epcis, processes: 1 }) };
}
