import { PROGRAM } from './program.ts';

/**
 * A small nursery: capturing a large document then needs half the memory, and no more time. And a heap that may double before all of it is
 * collected: a VM of a fifth of a core did that every four seconds beside an upload, and stood still for 0.1 s each time.
 */
export const VM_NODE_OPTIONS = ['--max-semi-space-size=4', '--heap-growing-percent=100'];
/** Who has less than a core has none for threads that collect beside it: what they use is missing to those who ask. */
const PART_OF_A_CORE = '--single-threaded-gc';

/** `mmeliot vm`, or another command, as a process of this machine, with nothing of our environment but what it needs. */
export function vmProgram(
  compileCache: string,
  env: Readonly<Record<string, string>>,
  memoryBytes?: number,
  command: 'vm' | 'node' = 'vm',
) {
  // rather collect garbage than be ended for it: some memory is not the heap's
  const heap =
    memoryBytes === undefined
      ? []
      : [`--max-old-space-size=${Math.max(32, Math.round((memoryBytes * 0.7) / 2 ** 20))}`];
  const alone = Number(env['MMELIOT_CPU'] ?? 1) < 1 ? [PART_OF_A_CORE] : [];
  return {
    program: process.execPath,
    args: [...VM_NODE_OPTIONS, ...alone, ...heap, PROGRAM, command],
    env: {
      PATH: process.env['PATH'] ?? '',
      // halves the CPU time of a boot, which a VM's quota makes long
      NODE_COMPILE_CACHE: compileCache,
      ...env,
    },
  };
}
