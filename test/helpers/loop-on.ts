// The real control loop over a cloud and a gateway, ten times as fast as time; what agents report is the test's to say.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Provider } from '../../src/act/provider.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../../src/decide/parameters.ts';
import type { Clock } from '../../src/loop/clock.ts';
import { createControlLoop, type ControlLoop } from '../../src/loop/control-loop.ts';
import type { SavedState } from '../../src/loop/saved-state.ts';
import { Monitor } from '../../src/monitor/monitor.ts';
import { NO_TRAFFIC } from './world.ts';

const SPEED = 10;
const started = Date.now();
export const quickNow = (): number => started + (Date.now() - started) * SPEED;
export const quickClock: Clock = {
  now: quickNow,
  sleep: (ms, signal) => sleep(ms / SPEED, undefined, signal && { signal }).catch(() => undefined),
};

/** `cpu`: what the agent of that VM reports. */
export function loopOn(
  provider: Provider,
  gateway: Gateway,
  cpu: (vm: string) => number,
  parameters: Partial<ElasticityParameters>,
): ControlLoop {
  let saved: SavedState | undefined;
  let marks = 0;
  return createControlLoop({
    clock: quickClock,
    provider,
    gateway,
    isReady: async (_id, { host, port }) => (await request(`http://${host}:${port}/`)).statusCode === 200,
    monitor: new Monitor(
      {
        latest: (vm) => {
          const sample = { at: quickNow(), cpu: cpu(vm), memory: 40, networkIn: 0, networkOut: 0 };
          return { sample, receivedAt: quickNow() };
        },
        forget: () => undefined,
      },
      { take: () => ({ traffic: NO_TRAFFIC, responseTimes: new Map() }) },
    ),
    store: { load: async () => saved, save: async (state) => void (saved = state) },
    journal: { append: () => undefined },
    newMark: () => `mark-${++marks}`,
    parameters: { ...DEFAULT_PARAMETERS, max: 3, period: 2_000, bootDeadline: 20_000, ...parameters },
  });
}
