// What `adaptive` makes of the past and the present before it looks at the fleet: what a VM can do, and how the load may
// be. It is the same for the real fleet and for any other one under the same load.
import type { Limits, Millis, PeriodSummary } from '../../model.ts';
import { ratePerVm, type Capacity } from '../../queueing/queueing.ts';
import { burstiness } from './bursts.ts';
import { expectedRate, remembered } from './forecast.ts';
import { burstDelayOf, capacityOf, horizonOf, type Horizon } from './learned.ts';
import type { Which } from './past.ts';
import { outlooksOf, together, WAYS_ON } from './scenarios.ts';
import { mostOf, STEPS, type Scenario } from './spread.ts';
import { isNext, recordIn, sharesOf } from './track-record.ts';
import { withUnseen } from './unseen.ts';

/** What is promised, and how it is kept. */
export interface Goal {
  readonly objectiveMs: Millis;
  readonly objectivePercent: number;
  readonly goal: 'worth' | 'cost';
}

export interface View extends Goal {
  /** The present one and those before it, newest first. */
  readonly periods: readonly PeriodSummary[];
  readonly capacity: Capacity;
  /** Requests a second: what a VM answers, and what comes now. */
  readonly rate: number;
  readonly arrivalRate: number;
  /** Requests a second that a VM must save to be worth having. */
  readonly price: number;
  readonly burstMs: Millis;
  readonly bootMs: Millis;
  readonly horizon: Horizon;
  readonly limits: Limits;
  /** What says how the load may be, in words. */
  readonly by: string;
  /** How it may be at the end of the horizon, and at its highest until then. */
  readonly atEnd: Loads;
  readonly highest: () => Loads;
  /** What each way of looking ahead expects at the end of the horizon, where its record is to have that. */
  readonly outlooks: readonly (readonly Scenario[])[] | undefined;
}

/** Loads that may come. */
export interface Loads {
  readonly cases: readonly Scenario[];
  /** What fleets of each size miss of them without a backlog, as far as it was asked. */
  readonly missed: number[];
}

export const loadsOf = (cases: readonly Scenario[]): Loads => ({ cases, missed: [] });

/** Taken for the scatter of the work of requests until it is measured: that of an exponential distribution. */
const VARIATION = 1;

export const capacityBy = (periods: readonly PeriodSummary[], objectiveMs: Millis): Capacity | undefined =>
  capacityOf(periods, objectiveMs, VARIATION);

/** Undefined while nothing is known of the VMs. `history`: newest first. */
export function viewOf(
  present: PeriodSummary,
  history: readonly PeriodSummary[],
  goal: Goal,
  { bootMs, limits }: { readonly bootMs: Millis; readonly limits: Limits },
): View | undefined {
  const periods = [present, ...history];
  const capacity = capacityBy(periods, goal.objectiveMs);
  if (capacity === undefined) return undefined;
  const rate = ratePerVm(capacity);
  const horizon = horizonOf({ now: present.at, history }, bootMs);
  const slack = Math.round((goal.objectiveMs - capacity.serviceMs) / 20) / 50;
  const { by, loads, outlooks } = outlookOf(present, periods, horizon, rate, slack);
  const past = { periods, horizon: horizon.periods, near: rate };
  const all = (which: Which): Loads => loadsOf(withUnseen(loads(which), past, which));
  let highest: Loads | undefined;
  return {
    ...goal,
    periods,
    capacity,
    rate,
    arrivalRate: present.arrivalRate,
    price: (1 - goal.objectivePercent / 100) * rate,
    burstMs: burstDelayOf(periods, capacity),
    bootMs,
    horizon,
    limits,
    by,
    outlooks,
    atEnd: all('end'),
    highest: () => (highest ??= all('highest')),
  };
}

interface Known {
  readonly before: PeriodSummary | undefined;
  readonly present: PeriodSummary;
  readonly asked: string;
  readonly view: View | undefined;
}

/** The newest alone: views of the past would keep all that they were made of. */
let newest: Known | undefined;

/** The same, once for all who ask at a moment: the policy and its shadows. Only the time depends on that. */
export const viewAt: typeof viewOf = (present, history, goal, about) => {
  const [before] = history;
  const asked = JSON.stringify([goal, about]);
  if (newest?.before === before && newest?.asked === asked && isSame(newest.present, present)) return newest.view;
  const view = viewOf(present, history, goal, about);
  newest = { before, present, asked, view };
  return view;
};

/** What a view is made of. */
const FIELDS = ['at', 'arrivalRate', 'ready', 'serving', 'cpu', 'throughput', 'responseTime', 'queueTime'] as const;

const isSame = (one: PeriodSummary, other: PeriodSummary): boolean =>
  one.arrivals === other.arrivals && FIELDS.every((name) => one[name] === other[name]);

interface Outlook extends Pick<View, 'by' | 'outlooks'> {
  readonly loads: (which: Which) => readonly Scenario[];
}

/** A way with a smaller share isn't asked. */
const HEARD = 1e-3;
/** A memory of less knows no way yet. */
const YOUNG = 5 * 60_000;
/** Memory moves the expectation by this power of what it expects ÷ what the last hours do, within bounds. */
const BELIEF = 0.25;
const MOST_MOVED = 1.5;

/**
 * How far it may go: as the last hours went on. Where it goes on the whole: mostly as they say, a little as the memory of days
 * says, which knows how loads went on from such levels and what an hour and a day look like. Bursts within a period
 * are not in the memory.
 * Worked: after the last hours 100 a second are expected, memory expects 146: all that may come is taken 1.1 times.
 */
function outlookOf(
  present: PeriodSummary,
  periods: readonly PeriodSummary[],
  horizon: Horizon,
  rate: number,
  slack: number,
): Outlook {
  const before = periods[1];
  const burst = burstiness(periods);
  const ways = outlooksOf(periods, { floor: rate, slack, burst });
  const record = recordIn(before);
  const shares = sharesOf(record, present.at - (periods.at(-1)?.at ?? present.at));
  const isHeard = (way: number): boolean => (shares[way] ?? 0) > HEARD;
  const isToBeJudged = burst === 0 && isNext(record, present.at, horizon.ms);
  const each = ways(horizon.periods, 'end', isToBeJudged ? undefined : isHeard);
  const loads: Outlook['loads'] = (which) =>
    together(which === 'end' ? each : ways(horizon.periods, which, isHeard), shares);
  const outlooks = isToBeJudged && each[0]?.length === STEPS.length ? each : undefined;
  const memory = remembered(before, present, horizon.ms, () => rate);
  const by = `by ${WAYS_ON.map((name, i) => `${name} (${Math.round(100 * (shares[i] ?? 0))} %)`).join(', ')}`;
  if (before === undefined || memory === undefined || memory.at - memory.since < YOUNG || burst > 0)
    return { by, loads, outlooks };
  const atEnd = loads('end');
  const ratio =
    (expectedRate(memory, present.arrivalRate, present.at - before.at, horizon.ms) + memory.floor) /
    (mostOf(atEnd, 0.5) + memory.floor);
  const moved = Math.max(1 / MOST_MOVED, Math.min(MOST_MOVED, ratio)) ** BELIEF;
  const hours = Math.round((memory.at - memory.since) / 360_000) / 10;
  return {
    by: `${by} and ${hours} h of memory`,
    outlooks,
    loads: (which) => (which === 'end' ? atEnd : loads(which)).map((one) => ({ ...one, rate: one.rate * moved })),
  };
}
