// What the demo came to, for people.
import { milliseconds } from './text.ts';

export interface FleetMoment {
  /** ms on one clock. */
  readonly at: number;
  readonly ready: number;
  /** All that cost something. */
  readonly allocated: number;
}

/** What became of the requests of one part of the load. */
export class Part {
  sent = 0;
  lost = 0;
  readonly causes = new Set<string>();
  #ms = 0;

  /** One has ended; without a `cause` it was answered. */
  add(ms: number, cause?: string): void {
    this.sent++;
    if (cause === undefined) {
      this.#ms += ms;
      return;
    }
    this.lost++;
    this.causes.add(cause);
  }

  /** Of those that were answered, ms. */
  get mean(): number {
    return this.#ms / Math.max(1, this.sent - this.lost);
  }
}

export interface DemoOutcome {
  /** Requests a second that a VM answers. */
  readonly rate: number;
  /** At the load's highest point. */
  readonly clients: number;
  readonly calm: Part;
  readonly rise: Part;
  readonly high: Part;
  readonly end: Part;
  readonly fleet: readonly FleetMoment[];
  /** When the load began to rise, and when it fell. */
  readonly roseAt: number;
  readonly fellAt: number;
  readonly mostVms: number;
}

/** Five lines that a terminal of 80 columns has room for. */
export function demoText(outcome: DemoOutcome): string {
  const { rate, clients, calm, rise, high, end } = outcome;
  return [
    `A VM answers ${rate.toFixed(1)} requests a second; ${clients} clients came, and went again.`,
    fleetLine(outcome),
    `Mean response ${milliseconds(calm.mean)}, rising ${milliseconds(rise.mean)}, ` +
      `at the top ${milliseconds(high.mean)}, after it ${milliseconds(end.mean)}.`,
    lossLine([calm, rise, high, end]),
    costLine(outcome),
  ].join('\n');
}

/** Whether there was a time with more VMs than at first. */
export const hasGrown = (fleet: readonly FleetMoment[]): boolean =>
  fleet.some(({ allocated }) => allocated > (fleet[0]?.allocated ?? 0));

function fleetLine({ fleet, roseAt, fellAt, mostVms }: DemoOutcome): string {
  const least = fleet[0]?.ready ?? 0;
  const most = Math.max(...fleet.map(({ ready }) => ready));
  if (most <= least) return `The fleet did not grow: it stayed at ${least} of ${mostVms} VMs.`;
  const grown = fleet.find(({ ready }) => ready === most);
  const after = fleet.filter(({ at }) => at > fellAt);
  const last = after.at(-1)?.ready ?? most;
  // from when it stayed so
  const shrunk = after[after.findLastIndex(({ ready }) => ready !== last) + 1];
  const grew = `The fleet grew from ${least} to ${most} of ${mostVms} VMs in ${seconds(roseAt, grown?.at)}`;
  return last < most ? `${grew}, and shrank to ${last} in ${seconds(fellAt, shrunk?.at)}.` : `${grew}.`;
}

const seconds = (from: number, to = from): string => `${Math.max(0, Math.round((to - from) / 1000))} s`;

function lossLine(parts: readonly Part[]): string {
  const sent = parts.reduce((sum, part) => sum + part.sent, 0);
  const lost = parts.reduce((sum, part) => sum + part.lost, 0);
  if (lost === 0) return `${sent} requests, nothing lost.`;
  const causes = new Set(parts.flatMap((part) => [...part.causes]));
  return `${sent} requests, ${lost} lost (${((100 * lost) / sent).toFixed(1)} %): ${[...causes].join(', ')}.`;
}

/** Worked: 1 VM for a minute and 4 for another: 5 VM-minutes, where 4 all the time are 8. */
function costLine({ fleet, mostVms }: DemoOutcome): string {
  let spent = 0;
  for (const [i, { at, allocated }] of fleet.entries()) spent += (allocated * ((fleet[i + 1]?.at ?? at) - at)) / 60_000;
  const whole = (mostVms * ((fleet.at(-1)?.at ?? 0) - (fleet[0]?.at ?? 0))) / 60_000;
  return `It cost ${spent.toFixed(1)} VM-minutes; ${mostVms} VMs all the time would have cost ${whole.toFixed(1)}.`;
}
