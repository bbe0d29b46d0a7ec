// A fault: what is done to a running system, and how that ends.
import type { World, WorldOptions } from './world.ts';

export interface Fault {
  readonly name: string;
  /** What happens, for the table. */
  readonly what: string;
  readonly world?: WorldOptions;
  /** Why it cannot be tried on this machine; undefined: it can. */
  readonly cannot?: () => string | undefined;
  /** Does it, and returns when it is over: nothing is broken any more but what the system has to mend by itself. */
  inflict(world: World): Promise<void>;
}

let pace = 1;

/** From now on faults take so many times as long: the short form. */
export function shorten(times: number): void {
  pace = times;
}

export const seconds = (n: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, pace * n * 1000));

/** Stops a process for so long, as an overloaded host or a debugger does. */
export async function freeze(pid: number, forSeconds: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    await seconds(forSeconds);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

export function firstVm(world: World): number {
  const [vm] = world.vms();
  if (vm === undefined) throw new Error('There is no VM.');
  return vm.pid;
}
