// The best that is possible: a manager that knows the load in advance. It has in each stretch of time the fewest VMs
// that keep the wanted share of requests within the objective, asks for each a boot time before, and keeps one over a gap
// that is shorter than its boot, since giving it back and booting it again costs more.
import { vmsNeeded, type Objective } from '../queueing/queueing.ts';
import type { Millis } from '../model.ts';
import { createChance } from '../simulate/chance.ts';
import { FluidTraffic } from '../simulate/fluid-traffic.ts';
import type { TrafficSettings } from '../simulate/traffic-model.ts';

export interface ForesightOptions {
  readonly traffic: TrafficSettings;
  readonly duration: Millis;
  /** What comes before isn't counted. */
  readonly skip: Millis;
  readonly bootMs: Millis;
  readonly max: number;
}

const SLOT_MS = 10_000;
const SECOND = 1_000;

export function withForesight(options: ForesightOptions, objective: Objective) {
  const { traffic: settings, duration, skip, bootMs, max } = options;
  const plan = planned(neededVms(options, objective), Math.ceil(bootMs / SLOT_MS), max);
  const traffic = new FluidTraffic(settings, createChance(1), 0);
  const present: string[] = [];
  let actions = 0;
  let vmMs = 0;
  for (const [slot, { ready, paid }] of plan.entries()) {
    if (slot * SLOT_MS === Math.ceil(skip / SLOT_MS) * SLOT_MS) {
      traffic.takeOutcomes();
      [actions, vmMs] = [0, 0];
    }
    if (ready !== present.length) actions++;
    while (present.length < ready) traffic.add(present[present.push(`vm-${present.length}`) - 1] ?? '');
    while (present.length > ready) traffic.remove(present.pop() ?? '');
    traffic.advance(Math.min(duration, (slot + 1) * SLOT_MS));
    vmMs += paid * SLOT_MS;
  }
  const { slow, lost, answered } = traffic.takeOutcomes();
  return {
    vmHours: vmMs / 3_600_000,
    violationsPercent: (100 * (slow + lost)) / Math.max(1, answered + lost),
    actions,
  };
}

function neededVms(
  { traffic: { load, vm }, duration, max }: ForesightOptions,
  objective: Objective,
): readonly number[] {
  return Array.from({ length: Math.ceil(duration / SLOT_MS) }, (_, slot) => {
    let rate = 0;
    for (let t = slot * SLOT_MS; t < (slot + 1) * SLOT_MS; t += SECOND) rate = Math.max(rate, load.at(t));
    return objective.share < 1 ? Math.min(max, vmsNeeded(rate, vm, objective)) : max;
  });
}

/**
 * VMs that serve, and VMs that are paid for, in each slot. The k-th VM is there whenever k are needed.
 * Worked: needed 1, 2, 1, 2, 1 and a boot of two slots: the second VM stays over the gap of one; from its boot on it is
 * paid for: ready 1, 2, 2, 2, 1 and paid 2, 2, 2, 2, 1 (one slot of its boot was before the beginning).
 */
export function planned(
  needed: readonly number[],
  boot: number,
  max: number,
): readonly { readonly ready: number; readonly paid: number }[] {
  const ready = needed.map(() => 0);
  const paid = needed.map(() => 0);
  const add = (counts: number[], from: number, to: number): void => {
    for (let slot = Math.max(0, from); slot < to; slot++) counts[slot] = (counts[slot] ?? 0) + 1;
  };
  for (let k = 1; k <= max; k++) {
    let from: number | undefined;
    let until = 0;
    for (let slot = 0; slot <= needed.length; slot++) {
      const wanted = slot < needed.length && (needed[slot] ?? 0) >= k;
      if (wanted && from === undefined) from = slot;
      if (wanted) until = slot + 1;
      else if (from !== undefined && (slot === needed.length || slot - until >= boot)) {
        add(ready, from, until);
        add(paid, from - boot, until);
        from = undefined;
      }
    }
  }
  return ready.map((count, slot) => ({ ready: count, paid: paid[slot] ?? count }));
}
