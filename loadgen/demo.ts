// The point in two minutes: a system of its own whose load rises until it needs all of its VMs, and falls again.
import { setTimeout as sleep } from 'node:timers/promises';
import { ratePerVmOf } from './capacity.ts';
import { runLoad, type LoadSummary } from './cli.ts';
import { hasGrown, type DemoOutcome, type FleetMoment } from './demo-text.ts';
import type { LiveSystem } from './live.ts';
import { withSystem, type Settings } from './one-run.ts';

export interface DemoOptions {
  /** Where the system keeps its data meanwhile; nothing of it stays. */
  readonly folder: string;
  /** The file that starts the command line. */
  readonly program: string;
  /** ms of load. */
  readonly duration: number;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

const MOST_VMS = 4;
/** Short periods, so that a fleet has come and gone in two minutes. */
const SETTINGS: Settings = {
  'elasticity.period': '1s',
  'elasticity.window': 3,
  'elasticity.min': 1,
  'elasticity.max': MOST_VMS,
};
const EVENTS = 300;
/** Loads as shares of what one VM answers, the top one of what all of them answer; and how long, as shares of the whole. */
const CALM = 0.35;
const TOP = 0.7;
/** How often the load rises to twice as much where one VM was enough for it. */
const MOST_AGAIN = 2;
/** ms. In a shorter demo no VM boots while the load rises. */
const LONG = 60_000;
const PARTS = { calm: 0.1, rise: 0.4, top: 0.15, end: 0.35 };

/** Rejects with the signal's reason when it was stopped. */
export async function runDemo({ duration, tell, signal, ...own }: DemoOptions): Promise<DemoOutcome> {
  tell('Starting a system of its own, and filling its repository.');
  return withSystem({ ...own, signal, settings: SETTINGS, seed: 1, events: EVENTS }, async (system, letGo) => {
    tell(`Watch it on ${system.admin}`);
    const rate = await ratePerVmOf({ url: system.gateway, signal });
    let top = TOP * MOST_VMS * rate;
    tell(`A VM answers ${rate.toFixed(1)} requests a second: the load will rise to ${top.toFixed(0)} a second.`);
    const fleet: FleetMoment[] = [];
    const watching = new AbortController();
    const watch = watchFleet(system, fleet, watching.signal, tell);
    const play = async (profile: string, max: number, share: number): Promise<LoadSummary> => {
      const load = { profile, max, duration: Math.round(share * duration), drive: 'open', timeout: 10_000 } as const;
      const result = await runLoad({ url: system.gateway, signal, ...load });
      signal.throwIfAborted();
      return result;
    };
    try {
      const calm = await play('constant', CALM * rate, PARTS.calm);
      // only now: what was measured before is no load of the demo
      await letGo();
      const roseAt = performance.now();
      let rise = await play('ascending', top, PARTS.rise);
      for (let again = 0; duration >= LONG && again < MOST_AGAIN && !hasGrown(fleet); again++) {
        top *= 2;
        tell(
          `No VM was needed: this machine was busier when it was measured. The load rises to ${top.toFixed(0)} a second.`,
        );
        rise = await play('ascending', top, PARTS.rise);
      }
      const high = await play('constant', top, PARTS.top);
      const fellAt = performance.now();
      const end = await play('constant', CALM * rate, PARTS.end);
      return { rate, top, calm, rise, high, end, fleet, roseAt, fellAt, mostVms: MOST_VMS };
    } finally {
      watching.abort();
      await watch;
    }
  });
}

/** Twice a second; tells when the number of VMs that serve has changed. */
async function watchFleet(
  system: LiveSystem,
  fleet: FleetMoment[],
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<void> {
  while (!signal.aborted) {
    const state = await system.state().catch(() => undefined);
    if (state !== undefined) {
      const { ready, pending, draining, releasing } = state.counts;
      if (ready !== fleet.at(-1)?.ready) tell(`${ready} ${ready === 1 ? 'VM serves' : 'VMs serve'}`);
      fleet.push({ at: performance.now(), ready, allocated: ready + pending + draining + releasing });
    }
    await sleep(500, undefined, { signal }).catch(() => undefined);
  }
}
