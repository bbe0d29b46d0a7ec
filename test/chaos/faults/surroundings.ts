// What the system under test stands on: a repository of some kind, and a cloud that gives VMs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf, type MachineOrder } from '../../../opennebula/emulator/machine-room.ts';
import { startEmulator, type Emulator } from '../../../opennebula/emulator/server.ts';
import { roomOf } from '../../../src/act/local/machine-room.ts';
import { startGalera, type Galera } from '../../helpers/galera.ts';
import { startMariaDb, type MariaDb } from '../../helpers/mariadb.ts';
import { ask, startReplicated, type Replicated } from '../../helpers/replicated.ts';
import { vmMachines } from '../../helpers/vm-machines.ts';
import { LOGIN, QUICK } from '../../opennebula/emulated.ts';
import { startRelay, type Relay } from './relay.ts';

export type RepositoryKind =
  'sqlite' | 'mysql' | 'mysql behind a relay' | 'mysql by another clock' | 'mysql with a replica' | 'galera';

export interface Repository {
  /** For the system. */
  readonly url: string;
  /** Where queries read, if not there. */
  readonly readUrl?: string;
  /** For the independent reader. */
  readonly readerUrl: string;
  readonly server?: MariaDb;
  readonly cluster?: Galera;
  readonly relay?: Relay;
  readonly replicated?: Replicated;
  /** Sets its clock, as faketime has it. */
  readonly setClock?: (offset: string) => void;
  stop(): Promise<void>;
}

/** Not its operator: who may do all may write to what is read only. */
async function serviceUrl(server: MariaDb): Promise<string> {
  await ask(server, "CREATE USER epcis@'127.0.0.1'", "GRANT ALL ON chaos.* TO epcis@'127.0.0.1'");
  return server.url('chaos').replace('root@', 'epcis@');
}

export async function openRepository(kind: RepositoryKind, folder: string): Promise<Repository> {
  if (kind === 'sqlite') {
    mkdirSync(join(folder, 'database'), { recursive: true });
    const url = `sqlite://${join(folder, 'database', 'epcis.db')}`;
    return { url, readerUrl: url, stop: async () => {} };
  }
  if (kind === 'galera') {
    const cluster = await startGalera();
    const url = cluster.url('chaos');
    // the others first: the first is the one that faults happen to
    return { url, readerUrl: cluster.url('chaos', 1), cluster, stop: () => cluster.stop() };
  }
  if (kind === 'mysql with a replica') {
    const replicated = await startReplicated();
    const { primary, replica } = replicated;
    const url = await serviceUrl(primary);
    const readUrl = url.replace(`:${primary.port}/`, `:${replica.port}/`);
    await replicated.caughtUp();
    const stop = () => replicated.stop();
    return { ...{ url, readUrl, replicated, stop }, readerUrl: primary.url('chaos'), server: primary };
  }
  const clock = join(folder, 'clock');
  const setClock = (offset: string): void => writeFileSync(clock, `${offset}\n`);
  if (kind === 'mysql by another clock') setClock('+0');
  const server = await startMariaDb([], kind === 'mysql by another clock' ? byClock(clock) : {});
  const readerUrl = server.url('chaos');
  const url = await serviceUrl(server);
  if (kind !== 'mysql behind a relay') return { url, readerUrl, server, setClock, stop: () => server.stop() };
  const relay = await startRelay([server.port]);
  const stop = async () => {
    relay.close();
    await server.stop();
  };
  return { url: url.replace(`:${server.port}/`, `:${relay.port}/`), readerUrl, server, relay, stop };
}

export interface Cloud {
  readonly emulator: Emulator;
  /** What tells the system of it. */
  readonly settings: readonly string[];
  /** VMs that cost something, whether or not anybody knows of them. */
  running(): number;
  stop(): Promise<void>;
}

export const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** Of a program with threads that goes by what stands in that file. */
export const byClock = (file: string): NodeJS.ProcessEnv => ({
  LD_PRELOAD: FAKETIME.replace('.so', 'MT.so'),
  ...{ FAKETIME_TIMESTAMP_FILE: file, FAKETIME_CACHE_DURATION: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
});

const DONE = 6;

/** `clock`: that of every other VM, as faketime has it. */
const clockOf = (clock: string, n: number): Readonly<Record<string, string>> =>
  clock === '' || n % 2 === 0
    ? {}
    : { LD_PRELOAD: FAKETIME, FAKETIME: clock, FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_NO_CACHE: '1' };

/** An emulated OpenNebula whose VMs are real processes with a folder each below this one. */
export async function openCloud(folder: string, clock = ''): Promise<Cloud> {
  let context: MachineOrder['context'] = {};
  let made = 0;
  const machines = vmMachines({ folder, name: `mmeliot-chaos-${process.pid}`, cpu: 0.5, quota: 'auto' }, () => ({
    ...environmentOf(context),
    ...clockOf(clock, made++),
  }));
  const room = roomOf(machines, (order: MachineOrder) => (context = order.context), 50);
  const emulator = await startEmulator({ ...LOGIN, ...QUICK }, room);
  return {
    emulator,
    settings: [
      ...['provider=opennebula', 'access=open', `opennebula.url=${emulator.url}`],
      ...[`opennebula.user=${LOGIN.user}`, `opennebula.password=${LOGIN.password}`, 'manager.releaseWithin=5s'],
    ],
    running: () => [...emulator.cloud.vms.values()].filter((vm) => vm.state[0] !== DONE).length,
    stop: async () => {
      await emulator.close();
      await machines.close();
    },
  };
}
