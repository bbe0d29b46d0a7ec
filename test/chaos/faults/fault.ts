// A fault: what is done to a running system, and how that ends.
import type { World, WorldOptions } from './world.ts';

export interface Fault {
  readonly name: string;
  /** What happens, for the table. */
  readonly what: string;
  readonly world?: WorldOptions;
  /** Why it cannot be tried on this machine; undefined: it can. */
  readonly cannot?: () => string | undefined;
  /** How far behind queries may have been, in ms; undefined: not at all. */
  readonly lag?: () => number;
  /** Within so many ms a job has ended; undefined: as soon as any request. */
  readonly jobMs?: number;
  /** Does it, and returns when it is over: nothing is broken any more but what the system has to mend by itself. */
  inflict(world: World): Promise<void>;
}

let pace = 1;

/** From now on faults take so many times as long: the short form. */
export function shorten(times: number): void {
  pace = times;
}

/** So often, in the short form less so. */
export const repeated = (times: number): number => Math.max(1, Math.round(pace * times));

export const seconds = (n: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, pace * n * 1000));

/** Stops a process for so long, as an overloaded host or a debugger does. */
export async function freeze(pid: number, forSeconds: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    await seconds(forSeconds);
  } finally {
    resume(pid);
  }
}

function resume(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch (error) {
    if (!isGone(error)) throw error; // something else has ended it meanwhile
  }
}

/** The process that a fault was to happen to has ended, or did not begin. */
export const isGone = (error: unknown): boolean =>
  error instanceof Error &&
  /ESRCH|No such process|ENOENT.*\/proc\/|There is no VM|The gateway has no HAProxy|ended with status/.test(
    error.message,
  );

/** Two at once; over when both are. */
export const meanwhile = (one: Fault, other: Fault): Fault => ({
  name: `${one.name}+${other.name}`,
  what: `${one.what}; meanwhile ${other.what}`,
  world: { ...one.world, ...other.world },
  cannot: () => one.cannot?.() ?? other.cannot?.(),
  inflict: async (world) => void (await Promise.all([one.inflict(world), other.inflict(world)])),
});

export function firstVm(world: World): number {
  const [vm] = world.vms();
  if (vm === undefined) throw new Error('There is no VM.');
  return vm.pid;
}
