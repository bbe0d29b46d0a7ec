// What a real control loop of a test works with beside cloud, gateway and settings: VMs that are always half busy, and a state that
// the next loop begins with, as after a restart.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { createControlLoop } from '../../src/loop/control-loop.ts';
import type { SavedState } from '../../src/loop/saved-state.ts';
import { Monitor } from '../../src/monitor/monitor.ts';
import { NO_TRAFFIC } from './world.ts';

type Deps = Parameters<typeof createControlLoop>[0];

export class LoopParts {
  /** VMs that all its loops ordered. */
  ordered = 0;
  #saved: SavedState | undefined;

  forNext(): Omit<Deps, 'provider' | 'gateway' | 'parameters'> {
    return {
      clock: {
        now: Date.now,
        sleep: (ms, signal) => sleep(ms, undefined, signal && { signal }).catch(() => undefined),
      },
      isReady: async (_id, { host, port }) => (await request(`http://${host}:${port}/`)).statusCode === 200,
      monitor: new Monitor(
        {
          latest: () => ({
            sample: { at: Date.now(), cpu: 50, memory: 40, networkIn: 0, networkOut: 0 },
            receivedAt: Date.now(),
          }),
          forget: () => undefined,
        },
        { take: () => ({ traffic: NO_TRAFFIC, responseTimes: new Map() }) },
      ),
      store: { load: async () => this.#saved, save: async (state) => void (this.#saved = state) },
      journal: { append: () => undefined },
      newMark: () => `mark-${++this.ordered}`,
    };
  }
}
