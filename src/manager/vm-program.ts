import type { DataFolder } from './data-folder.ts';
import { PROGRAM } from './program.ts';

/** `mmeliot vm` as a process of this machine, with nothing of our environment but what a VM needs. */
export function vmProgram(folder: DataFolder, env: Readonly<Record<string, string>>) {
  return {
    program: process.execPath,
    // a small nursery: capturing a large document then needs half the memory, and no more time
    args: ['--max-semi-space-size=4', PROGRAM, 'vm'],
    env: {
      PATH: process.env['PATH'] ?? '',
      // halves the CPU time of a boot, which a VM's quota makes long; ours, where we were given one
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? folder.file('compile-cache'),
      ...env,
    },
  };
}
