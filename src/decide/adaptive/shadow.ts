// A fleet that is only thought: it serves the load that really came as the candidate that leads it would have had it, and
// keeps the record of that. VMs boot as long as the real ones, and what they miss is what the queueing model says.
import type { Millis } from '../../model.ts';
import { slowShareAt, stationOf } from '../../queueing/queueing.ts';
import type { Candidate } from './candidates.ts';
import { idleAfter, isTooSoon } from './idle.ts';
import { BACKLOG_MS } from './size.ts';
import { areAll, has, isAmount, isNumber } from './sound.ts';
import type { View } from './view.ts';

export interface Shadow {
  readonly name: string;
  readonly vms: number;
  /** Of those, the ones that boot: when they will serve. */
  readonly booting: readonly { readonly at: Millis; readonly count: number }[];
  /** Requests that have piled up. */
  readonly waiting: number;
  /** VM-ms that were too much in one period after the other. */
  readonly idleMs: Millis;
  readonly record: Served;
}

/** What older hours add to it fades. */
export interface Served {
  /** Requests that missed the objective. */
  readonly missed: number;
  readonly vmHours: number;
  readonly actions: number;
}

export const isShadow = (value: unknown): boolean =>
  has(value, {
    name: (name) => typeof name === 'string',
    ...{ vms: isAmount, waiting: isAmount, idleMs: isAmount },
    booting: (booting) => areAll(booting, (boot) => has(boot, { at: isNumber, count: isAmount })),
    record: (record) => has(record, { missed: isAmount, vmHours: isAmount, actions: isAmount }),
  });

export const shadowOf = ({ name }: Candidate, vms: number): Shadow => ({
  name,
  vms,
  booting: [],
  waiting: 0,
  idleMs: 0,
  record: { missed: 0, vmHours: 0, actions: 0 },
});

/**
 * The stretch of `span` that has ended is served, and then the candidate says how many there are to be. `kept`: share of the
 * record that stays.
 */
export function step(
  shadow: Shadow,
  candidate: Candidate,
  view: View,
  { at, span, kept }: { readonly at: Millis; readonly span: Millis; readonly kept: number },
): Shadow {
  const booting = shadow.booting.filter((boot) => boot.at > at - span / 2);
  const ready = shadow.vms - countOf(booting);
  const { missed, waiting } = served(shadow.waiting, ready, span / 1000, view);
  const fleet = { vms: shadow.vms, ready, waiting };
  const { min, max } = view.limits;
  const size = candidate.size(view, fleet);
  const idleMs = idleAfter(shadow.idleMs, shadow.vms, size, span);
  const stays = isTooSoon(idleMs, candidate.patienceMs ?? 0, view.horizon.ms);
  const wanted = Math.max(min, Math.min(max, Math.max(stays ? shadow.vms : size, shadow.vms - ready)));
  const added = Math.max(0, wanted - shadow.vms);
  const boot = { at: at + view.bootMs, count: added };
  const { record } = shadow;
  return {
    name: shadow.name,
    vms: wanted,
    booting: added > 0 ? [...booting, boot] : booting,
    waiting,
    idleMs: wanted === shadow.vms ? idleMs : 0,
    record: {
      missed: kept * record.missed + missed,
      vmHours: kept * record.vmHours + (shadow.vms * span) / 3_600_000,
      actions: kept * record.actions + (wanted === shadow.vms ? 0 : 1),
    },
  };
}

const countOf = (booting: Shadow['booting']): number => booting.reduce((sum, { count }) => sum + count, 0);

/**
 * Requests that miss the objective, and that wait at the end: all miss it until what waits is gone.
 * Worked: 2 VMs of 20 a second, 30 a second come for 10 s, and 50 wait: 5 s until they are gone, and half of the 300 miss.
 */
function served(before: number, ready: number, seconds: number, view: View) {
  const { capacity, objectiveMs, burstMs, arrivalRate: rate } = view;
  const spare = ready * view.rate - rate;
  const delayed = before <= 0 ? 0 : spare <= 0 ? 1 : Math.min(1, before / spare / Math.max(1e-9, seconds));
  const slow = ready > 0 ? slowShareAt(rate, stationOf(ready, capacity.parallel), capacity, objectiveMs, burstMs) : 1;
  const most = (BACKLOG_MS / 1000) * view.rate * ready;
  return {
    missed: rate * seconds * (delayed + (1 - delayed) * slow),
    waiting: Math.max(0, Math.min(most, before - spare * seconds)),
  };
}
