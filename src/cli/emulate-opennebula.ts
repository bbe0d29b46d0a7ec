import { createHash } from 'node:crypto';
import { Command } from 'commander';
import { environmentOf, type MachineOrder } from '../../opennebula/emulator/machine-room.ts';
import { startEmulator } from '../../opennebula/emulator/server.ts';
import { LocalProvider } from '../act/local/local-provider.ts';
import { roomOf } from '../act/local/machine-room.ts';
import type { Config } from '../config/schema.ts';
import { Closing } from '../manager/closing.ts';
import { openDataFolder, type DataFolder } from '../manager/data-folder.ts';
import { wholeNumber, optionErrors } from './shared/load-options.ts';
import { listenError } from '../manager/open-gateway.ts';
import { configOf, withConfig } from './shared/options.ts';
import { COMMAND } from '../manager/program.ts';
import { sqliteUrl } from '../manager/repository-urls.ts';
import { showAddress } from '../../epcis/domain/address.ts';
import { untilInterrupted } from './shared/signals.ts';
import { vmProgram } from '../manager/vm-program.ts';

interface Options {
  readonly port: string;
  readonly controlPort: string;
}

export const emulateOpenNebulaCommand = (): Command =>
  withConfig(
    new Command('emulate-opennebula').description(
      'play an OpenNebula front end whose VMs are processes of this machine',
    ),
  )
    .option('--port <port>', 'XML-RPC port (a real front end has 2633)', '2633')
    .option('--control-port <port>', 'port of the door where faults are switched on and off', '2634')
    .action((options: Options & Parameters<typeof configOf>[0]) => optionErrors(() => emulate(options)));

const LOGIN = { user: 'mmeliot', password: 'emulated' };

async function emulate(options: Options & Parameters<typeof configOf>[0]): Promise<void> {
  const config = configOf(options);
  const interrupted = untilInterrupted();
  const closing = new Closing();
  const folder = openDataFolder(config.dataDir, 'emulator');
  closing.add(async () => folder.unlock());
  try {
    let next: MachineOrder | undefined;
    const machines = machinesIn(folder, config, () => next?.context ?? {});
    closing.add(() => machines.close());
    closing.add(async () => {
      for (const { id } of await machines.list()) await machines.release(id);
    });
    const ports = {
      port: wholeNumber('--port', options.port),
      controlPort: wholeNumber('--control-port', options.controlPort),
    };
    const room = roomOf(machines, (order: MachineOrder) => (next = order));
    const { host } = config.local;
    const emulator = await startEmulator({ ...LOGIN, ...ports, host, address: () => host }, room).catch(
      (error: unknown) => {
        throw listenError(error, '--', { host, port: ports.port });
      },
    );
    closing.add(() => emulator.close());
    process.stdout.write(text(emulator.url, emulator.controlUrl, folder));
    await interrupted;
  } finally {
    await closing.close();
  }
}

/** The emulated cloud's hosts: each VM a process with the CPU quota of a local VM, told who it is by its CONTEXT. */
function machinesIn(folder: DataFolder, config: Config, context: () => MachineOrder['context']): LocalProvider {
  return new LocalProvider({
    folder: folder.file('machines'),
    name: `mmeliot-cloud-${createHash('sha256').update(folder.path).digest('hex').slice(0, 12)}`,
    ...config.local,
    command: ({ addressFile, cpu }) =>
      vmProgram(folder, {
        ...environmentOf(context()),
        MMELIOT_LISTEN: showAddress({ host: config.local.host, port: 0 }), // many VMs on one address: each has a port of its own
        MMELIOT_ADDRESS_FILE: addressFile,
        MMELIOT_CPU: String(cpu),
      }),
  });
}

const text = (url: string, controlUrl: string, folder: DataFolder): string => `
The emulated OpenNebula front end is ready.

  XML-RPC              ${url}   user ${LOGIN.user}, password ${LOGIN.password}, template mmeliot
  faults               ${controlUrl}   (GET shows them, POST {"noCapacity": true} switches one on)

Start mmeliot on it, in another terminal:
  ${COMMAND} up --set provider=opennebula --set opennebula.url=${url} --set opennebula.user=${LOGIN.user} \\
    --set opennebula.password=${LOGIN.password} --set 'repository.url=${sqliteUrl(folder.file('epcis.db'))}'

Ctrl-C ends the cloud and its VMs.
`;
