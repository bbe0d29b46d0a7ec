// An emulated cloud as a command: its hosts are processes of this machine, and all of it ends with Ctrl-C.
import { createHash } from 'node:crypto';
import { LocalProvider } from '../../act/local/local-provider.ts';
import { roomOf, type MachineRoom } from '../../act/local/machine-room.ts';
import { showAddress } from '../../../epcis/domain/address.ts';
import type { Config } from '../../config/schema.ts';
import { Closing } from '../../manager/closing.ts';
import { openDataFolder, type DataFolder } from '../../manager/data-folder.ts';
import { listenError } from '../../manager/open-gateway.ts';
import { vmProgram } from '../../manager/vm-program.ts';
import { portNumber } from './load-options.ts';
import { configOf } from './options.ts';
import { untilInterrupted } from './signals.ts';

type ConfigOptions = Parameters<typeof configOf>[0];

export interface CloudCommand extends ConfigOptions {
  readonly port: string;
  readonly controlPort: string;
}

interface Ports {
  readonly host: string;
  readonly port: number;
  readonly controlPort: number;
}

interface Emulated {
  readonly url: string;
  readonly controlUrl: string;
  close(): Promise<void>;
}

export interface EmulatedCloud<Order> {
  /** Where it listens, and its machines do; default: where local VMs do. */
  readonly host?: string;
  /** What a machine is told of its order, as the cloud's own way of telling has it. */
  readonly environmentOf: (order: Order) => Readonly<Record<string, string>>;
  readonly start: (ports: Ports, room: MachineRoom<Order>) => Promise<Emulated>;
  /** What is said when it is ready. */
  readonly text: (emulated: Emulated, folder: DataFolder) => string;
}

export async function emulate<Order extends { readonly id: number | string }>(
  options: CloudCommand,
  { environmentOf, start, text, ...given }: EmulatedCloud<Order>,
): Promise<void> {
  const config = configOf(options);
  const { host } = { ...config.local, ...given };
  const interrupted = untilInterrupted();
  const closing = new Closing();
  const folder = openDataFolder(config.dataDir, 'emulator');
  closing.add(async () => folder.unlock());
  try {
    let next: Order | undefined;
    const machines = machinesIn(folder, config, host, () => (next === undefined ? {} : environmentOf(next)));
    closing.add(() => machines.close());
    closing.add(async () => {
      for (const { id } of await machines.list()) await machines.release(id);
    });
    const ports = {
      host,
      port: portNumber('--port', options.port),
      controlPort: portNumber('--control-port', options.controlPort),
    };
    const room = roomOf(machines, (order: Order) => (next = order));
    const emulated = await start(ports, room).catch((error: unknown) => {
      throw listenError(error, '--', ports);
    });
    closing.add(() => emulated.close());
    process.stdout.write(text(emulated, folder));
    await interrupted;
  } finally {
    await closing.close();
  }
}

/** The cloud's hosts: each VM a process with the CPU quota of a local VM. */
const machinesIn = (folder: DataFolder, config: Config, host: string, told: () => Readonly<Record<string, string>>) =>
  new LocalProvider({
    folder: folder.file('machines'),
    name: `mmeliot-cloud-${createHash('sha256').update(folder.path).digest('hex').slice(0, 12)}`,
    ...config.local,
    command: ({ addressFile, cpu }) =>
      vmProgram(folder.file('compile-cache'), {
        ...told(),
        MMELIOT_LISTEN: showAddress({ host, port: 0 }), // many VMs on one address: each has a port of its own
        MMELIOT_ADDRESS_FILE: addressFile,
        MMELIOT_CPU: String(cpu),
      }),
  });
