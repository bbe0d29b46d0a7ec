import { Command } from 'commander';
import { environmentOf, type MachineOrder } from '../../opennebula/emulator/machine-room.ts';
import { startEmulator } from '../../opennebula/emulator/server.ts';
import type { DataFolder } from '../manager/data-folder.ts';
import { COMMAND } from '../manager/program.ts';
import { sqliteUrl } from '../manager/repository-urls.ts';
import { emulate, type CloudCommand } from './shared/emulated-cloud.ts';
import { withConfig } from './shared/options.ts';

export const emulateOpenNebulaCommand = (): Command =>
  withConfig(
    new Command('emulate-opennebula').description(
      'play an OpenNebula front end whose VMs are processes of this machine',
    ),
  )
    .option('--port <port>', 'XML-RPC port (a real front end has 2633)', '2633')
    .option('--control-port <port>', 'port of the door where faults are switched on and off', '2634')
    .action((options: CloudCommand) =>
      emulate(options, {
        environmentOf: ({ context }: MachineOrder) => environmentOf(context),
        start: (ports, room) => startEmulator({ ...LOGIN, ...ports, address: () => ports.host }, room),
        text: ({ url, controlUrl }, folder) => text(url, controlUrl, folder),
      }),
    );

const LOGIN = { user: 'mmeliot', password: 'emulated' };

const text = (url: string, controlUrl: string, folder: DataFolder): string => `
The emulated OpenNebula front end is ready.

  XML-RPC              ${url}   user ${LOGIN.user}, password ${LOGIN.password}, template mmeliot
  faults               ${controlUrl}   (GET shows them, POST {"noCapacity": true} switches one on)

Start mmeliot on it, in another terminal:
  ${COMMAND} up --set provider=opennebula --set access=open --set opennebula.url=${url} --set opennebula.user=${LOGIN.user} \\
    --set opennebula.password=${LOGIN.password} --set 'repository.url=${sqliteUrl(folder.file('epcis.db'))}'

Ctrl-C ends the cloud and its VMs.
`;
