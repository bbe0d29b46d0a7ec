// The point in two minutes: a system of its own whose load rises until it needs all of its VMs, and falls again.
import { setTimeout as sleep } from 'node:timers/promises';
import { ratePerVmOf } from './capacity.ts';
import { FILLED, VM_HEADER, WORKLOAD_DEFAULTS } from './cli.ts';
import { hasGrown, Part, type DemoOutcome, type FleetMoment } from './demo-text.ts';
import type { LiveSystem } from './live.ts';
import { withSystem, type Settings } from './one-run.ts';
import { run } from './runner.ts';
import { STOPPED } from './sender.ts';
import { DEFAULT_MIX } from './workload/mix.ts';

export interface DemoOptions {
  /** Where the system keeps its data meanwhile; nothing of it stays. */
  readonly folder: string;
  /** The file that starts the command line. */
  readonly program: string;
  /** ms of load. */
  readonly duration: number;
  readonly tell: (line: string) => void;
  /** Captures so many events into the repository of this data folder, before the system starts. */
  readonly fill: (dataDir: string, events: number) => Promise<void>;
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
/** Loads as shares of what one VM answers, the top one of what all of them answer; and how long, as shares of the whole. */
const CALM = 0.3;
const TOP = 0.8;
const PARTS = { calm: 0.1, rise: 0.4, top: 0.15, end: 0.35 };
/** ms between an answer and the same client's next request: as many clients as requests a second, where answers are fast. */
const THINK_MS = 1_000;
/** ms. In a shorter demo no VM boots while the load rises. */
const LONG = 60_000;

/** Rejects with the signal's reason when it was stopped. */
export async function runDemo({ duration, tell, fill, signal, ...own }: DemoOptions): Promise<DemoOutcome> {
  tell(`Filling a repository of its own with ${FILLED} events.`);
  const filled = async (dataDir: string): Promise<void> => {
    await fill(dataDir, FILLED);
    tell('Starting a system on it.');
  };
  const options = { ...own, signal, settings: SETTINGS, seed: 1, events: 0, fill: filled };
  return withSystem(options, async (system, letGo) => {
    tell(`Watch it on ${system.admin}`);
    tell('Measuring for 6 s what a VM answers.');
    const rate = await ratePerVmOf({ url: system.gateway, signal });
    const calm = Math.max(1, CALM * rate);
    let top = Math.max(2, TOP * MOST_VMS * rate);
    tell(`A VM answers ${rate.toFixed(1)} requests a second: the load will need ${MOST_VMS} of them.`);
    const fleet: FleetMoment[] = [];
    const watching = new AbortController();
    const watch = watchFleet(system, fleet, watching.signal, tell);
    const starts = startsOf(duration);
    const parts = { calm: new Part(), rise: new Part(), high: new Part(), end: new Part() };
    const begun = performance.now();
    // only then: what was measured before is no load of the demo
    let growing = Promise.resolve();
    const loose = setTimeout(() => void (growing = letGo()), starts.rise);
    // where this machine was busier when it was measured, one VM is enough for what was meant to need them all
    const more = setTimeout(
      () => {
        if (duration < LONG || hasGrown(fleet)) return;
        top *= 2;
        tell('No VM was needed so far: this machine was busier when it was measured. Twice as many clients come.');
      },
      (starts.rise + starts.high) / 2,
    );
    try {
      await run({
        ...{
          url: new URL(system.gateway),
          duration,
          timeout: 10_000,
          vmHeader: VM_HEADER,
          maxOpen: 5_000,
          seed: 1,
          signal,
        },
        ...{ mix: DEFAULT_MIX, workload: WORKLOAD_DEFAULTS, drive: { kind: 'closed', thinkTime: THINK_MS } },
        profile: (t) => clientsAt(t, starts, calm, top),
        onEvent([late, , latency = 0, cause]) {
          if (late !== null || cause === STOPPED) return;
          parts[partAt(performance.now() - begun - latency, starts)].add(latency, cause ?? undefined);
        },
      });
      signal.throwIfAborted();
      await growing;
      const [roseAt, fellAt] = [begun + starts.rise, begun + starts.end];
      return { rate, clients: Math.round(top), ...parts, fleet, roseAt, fellAt, mostVms: MOST_VMS };
    } finally {
      clearTimeout(loose);
      clearTimeout(more);
      await growing.catch(() => undefined);
      watching.abort();
      await watch;
    }
  });
}

type PartName = 'calm' | 'rise' | 'high' | 'end';
type Starts = Readonly<Record<PartName, number>>;

const startsOf = (duration: number): Starts => ({
  calm: 0,
  rise: PARTS.calm * duration,
  high: (PARTS.calm + PARTS.rise) * duration,
  end: (1 - PARTS.end) * duration,
});

const partAt = (t: number, { rise, high, end }: Starts): PartName =>
  t < rise ? 'calm' : t < high ? 'rise' : t < end ? 'high' : 'end';

/** One load without a gap: between two of them the fleet would shrink. */
function clientsAt(t: number, starts: Starts, calm: number, top: number): number {
  const part = partAt(t, starts);
  if (part === 'rise') return calm + ((top - calm) * (t - starts.rise)) / (starts.high - starts.rise);
  return part === 'high' ? top : calm;
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
