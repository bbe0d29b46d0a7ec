// As the systemd units have it: who ends without being told to is started again.
import type { World } from './world.ts';

const LOOK_MS = 500;
/** A defect, and what no program of ours says (a signal that nobody has sent). */
const OWN_FAULT = 70;

export interface Supervisor {
  stop(): Promise<void>;
}

/** But whoever a fault has in its hands. */
export function supervise(world: World, busy: ReadonlySet<string>, say: (what: string) => void): Supervisor {
  let isOver = false;
  let failed: Error | undefined;
  const lookAfter = async (part: 'gateway' | 'manager'): Promise<void> => {
    const program = world[part];
    const { child } = program;
    if (busy.has(part) || (child.exitCode === null && child.signalCode === null)) return;
    const last = program.output().trimEnd().split('\n').at(-1) ?? '';
    say(`${part} ended with ${child.exitCode ?? child.signalCode}: ${last}`);
    if (child.exitCode === OWN_FAULT)
      failed = new Error(`The ${part} ended by a defect of its own: ${program.output()}`);
    await (part === 'gateway' ? world.startGateway() : world.startManager()).catch(() => undefined);
  };
  const looking = (async () => {
    while (!isOver) {
      for (const part of ['gateway', 'manager'] as const) await lookAfter(part);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  })();
  return {
    async stop() {
      isOver = true;
      await looking;
      for (const part of ['gateway', 'manager'] as const) await lookAfter(part);
      if (failed !== undefined) throw failed;
    },
  };
}
