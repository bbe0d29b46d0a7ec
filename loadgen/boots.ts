// How long a VM takes to boot while the others work: one after the other is ordered, as a growing load does it.
import { runLoad } from './cli.ts';
import type { LiveState, LiveSystem } from './live.ts';
import { waitFor } from './one-run.ts';

export interface BootOptions {
  readonly system: LiveSystem;
  readonly mix: string;
  readonly seed: number;
  /** Clients that never think, so that the VMs that are there have work. */
  readonly clients: number;
  /** VMs at the end. */
  readonly most: number;
  readonly signal?: AbortSignal;
}

/** The median, ms; undefined where there is one VM at most. */
export async function bootOf({ system, mix, seed, clients, most, signal }: BootOptions): Promise<number | undefined> {
  const enough = new AbortController();
  const until = AbortSignal.any([enough.signal, ...(signal === undefined ? [] : [signal])]);
  const load = { profile: 'constant', drive: 'closed', thinkTime: 0, max: clients, duration: LONG_MS } as const;
  const working = runLoad({ url: system.gateway, ...load, mix, seed, signal: until });
  try {
    const first = new Set((await system.state()).vms.map(({ id }) => id));
    for (let vms = first.size + 1; vms <= most; vms++) {
      await system.setParameters({ min: vms, max: vms });
      await waitFor(system, `VM ${vms} of ${most} to boot`, ({ counts }: LiveState) => counts.ready >= vms, signal);
    }
    const { vms } = await system.state();
    const boots = vms.flatMap(({ id, bootTime }) => (first.has(id) || bootTime === undefined ? [] : [bootTime]));
    return boots.sort((a, b) => a - b)[Math.floor(boots.length / 2)];
  } finally {
    enough.abort();
    await working;
  }
}

/** Longer than any boots take: it ends when they are there. */
const LONG_MS = 3_600_000;
