// The machines of an emulated cloud: each of its VMs is `mmeliot vm`, a process of this machine.
import { join } from 'node:path';
import { LocalProvider, type LocalProviderOptions } from '../../src/act/local/local-provider.ts';

const PROGRAM = join(import.meta.dirname, '../../src/cli/mmeliot.js');

/** `told`: the environment of the VM that is started next. `listen`: many VMs on one address, so each has a port of its own. */
export const vmMachines = (
  options: Pick<LocalProviderOptions, 'folder' | 'name' | 'cpu' | 'quota'>,
  told: () => Readonly<Record<string, string>>,
  listen = '127.0.0.1:0',
): LocalProvider =>
  new LocalProvider({
    ...options,
    command: ({ addressFile, cpu }) => ({
      program: process.execPath,
      args: [PROGRAM, 'vm'],
      env: { ...told(), MMELIOT_LISTEN: listen, MMELIOT_ADDRESS_FILE: addressFile, MMELIOT_CPU: String(cpu) },
    }),
  });
