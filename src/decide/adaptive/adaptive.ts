// Adaptive: no thresholds. The operator states an objective; the policy weighs what one VM more costs against the
// requests that it is expected to save from missing the objective, over the loads that may come until a VM that is asked
// for now would serve:
//   the n with the least  E[ misses(load, n) ] + price × n,   price = (1 − share) × what a VM answers
// so a VM is worth its price when it saves more than (1 − share) of what it could answer.
// Worked: 95 % and 20 a second (50 ms each): a VM has to save 1 request a second. At 30 a second, 2 VMs miss 0.5 of them,
// so a third is not worth it. When in one case of ten the load jumps to 70, 2 VMs miss those 7 a second of the mean,
// and 4 VMs hardly any: they are worth their price of 2.
// A VM that is not there yet must save twice its price, for its boot is paid as well; one that is there half of it, for
// what is given back may have to boot again. That, and margins, keep the fleet from flapping: a VM more must be worth
// some of what the whole fleet costs, and a tenth of the fleet must be too much before any of it is given back.
// With `goal: cost` nothing is weighed: the fewest VMs with which no more than (1 − share) of the requests are expected to
// miss, which is the cheapest fleet that keeps the promise, for the mix buys each of them at the least price. Worked, as
// above: of 30 a second 1.5 may miss, and 2 VMs will do; with the jump 1.7 of 34 may, and 2 VMs, which miss 7, won't do.
import type { Decision } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { bootTimeOf, burstDelayOf, capacityOf, horizonOf, type Horizon } from './learned.ts';
import { expectedRate, remembered } from './forecast.ts';
import { burstiness } from './bursts.ts';
import { definePolicy } from '../common/definition.ts';
import { show, type Policy, type Situation } from '../common/policy.ts';
import { ratePerVm, slowShareAt, stationOf, type Capacity } from '../../queueing/queueing.ts';
import { decideBySize, hold } from '../common/rules.ts';
import { mostOf, stretchesOf, type Scenario, type Stretches } from './scenarios.ts';

const own = {
  objectiveMs: {
    type: 'number',
    default: 500,
    min: 1,
    unit: 'ms',
    doc: 'queries are to be answered within so many ms',
  },
  objectivePercent: { type: 'number', default: 95, min: 1, max: 99.99, doc: 'per cent of the queries that are to be' },
  goal: {
    type: 'choice',
    choices: ['worth', 'cost'],
    default: 'worth',
    doc: 'worth: a VM more where it saves enough misses; cost: no VM more than the objective needs',
  },
  boot: { type: 'duration', default: 60_000, min: 0, doc: 'time that a VM takes to boot, until one was measured' },
} as const satisfies Declarations;

type Parameters = Values<typeof own>;

/** Taken for the scatter of the work of requests until it is measured: that of an exponential distribution. */
const VARIATION = 1;
/** A backlog grows for so long at most, before requests are turned away. */
const BACKLOG_MS = 20_000;
const NEW_VM = 2;
const OLD_VM = 0.5;
/** A change must save that share of what the fleet costs ... */
const WORTH = 0.15;
/** ... and give back that share of the fleet. */
const MARGIN = 0.1;
/** What leaves is not to be missed for so long, however quickly a VM boots: a change has a price of its own. */
const PATIENCE = 200_000;

const decide: Policy<Parameters> = (situation, { objectiveMs, objectivePercent, goal, boot }): Decision => {
  const { present, history, fleet, now, limits } = situation;
  const periods = [present, ...history];
  const capacity = capacityOf(periods, objectiveMs, VARIATION);
  if (capacity === undefined) return hold('adaptive', 'No request was answered yet, so nothing is known of the VMs.');
  const rate = ratePerVm(capacity);
  const bootMs = bootTimeOf(fleet, now, boot);
  const horizon = horizonOf(situation, bootMs);
  const slack = Math.round((objectiveMs - capacity.serviceMs) / 20) / 50;
  const { by, loads } = outlookOf(situation, horizon, rate, slack);
  const atEnd = loads(horizon.periods, 'end');
  const outlook = {
    capacity,
    objectiveMs,
    burstMs: burstDelayOf(periods, capacity),
    seconds: horizon.ms / 1000,
    backlog: backlogOf(situation, capacity, horizon.ms),
  };
  const price = (1 - objectivePercent / 100) * rate;
  const cost = (loads: readonly Scenario[], factor: number, vms: number): number =>
    misses(loads, vms, outlook) + factor * price * vms;
  const best = (loads: readonly Scenario[], factor: number): number =>
    goal === 'cost'
      ? fewest(limits, (1 - objectivePercent / 100) * meanOf(loads), (vms) => misses(loads, vms, outlook))
      : cheapest(limits, factor * price, (vms) => cost(loads, factor, vms));

  const { ready, vms } = present;
  const rates = `${Math.round(present.arrivalRate)} requests a second, in ${Math.round(outlook.seconds)} s at most`;
  const why = `${rates} ${Math.round(mostOf(atEnd, 0.95))} in 19 of 20 cases ${by}, and a VM answers ${show(rate)}`;
  const up = best(atEnd, NEW_VM);
  const isWorth = (): boolean => cost(atEnd, NEW_VM, vms) - cost(atEnd, NEW_VM, up) >= WORTH * price * vms;
  if (up > vms && (goal === 'cost' || isWorth())) return decideBySize(situation, up, 'adaptive', why);
  const enough = vms - Math.max(1, MARGIN * vms);
  const patience = Math.max(horizon.periods, Math.round((PATIENCE * horizon.periods) / horizon.ms));
  const keep = up > enough ? up : Math.max(up, best(loads(patience, 'highest'), OLD_VM));
  if (keep > enough) return hold('adaptive', `adaptive: ${why}; ${vms} VMs are near enough to the best size.`);
  // a pending VM can't leave, and the ready ones alone must do until it comes
  return decideBySize(situation, Math.max(keep, vms - Math.max(0, ready - keep)), 'adaptive', why);
};

/** What may come, and what says so, in words. */
interface Outlooks {
  readonly by: string;
  readonly loads: Stretches;
}

/** A memory of less knows no way yet. */
const YOUNG = 5 * 60_000;
/** Memory moves the expectation by this power of what it expects ÷ what moments like this one came to, within bounds. */
const BELIEF = 0.25;
const MOST_MOVED = 1.5;

/**
 * How far it may go: as from moments like this one. Where it goes on the whole: mostly as those say, a little as the memory of
 * days says, which knows how loads went on from such levels and what an hour and a day look like. Bursts within a period
 * are not in the memory.
 * Worked: after moments like this one it was 100 a second, memory expects 146: all that may come is taken 1.1 times.
 */
function outlookOf(situation: Situation, horizon: Horizon, rate: number, slack: number): Outlooks {
  const { present, history } = situation;
  const [before] = history;
  const periods = [present, ...history];
  const burst = burstiness(periods);
  const loads = stretchesOf(periods, { floor: rate, slack, burst });
  const memory = remembered(before, present, horizon.ms, () => rate);
  if (before === undefined || memory === undefined || memory.at - memory.since < YOUNG || burst > 0)
    return { by: 'by moments like this one', loads };
  const ratio =
    (expectedRate(memory, present.arrivalRate, present.at - before.at, horizon.ms) + memory.floor) /
    (mostOf(loads(horizon.periods, 'end'), 0.5) + memory.floor);
  const moved = Math.max(1 / MOST_MOVED, Math.min(MOST_MOVED, ratio)) ** BELIEF;
  const hours = Math.round((memory.at - memory.since) / 360_000) / 10;
  return {
    by: `by moments like this one and ${hours} h of memory`,
    loads: (until, which) => loads(until, which).map((each) => ({ ...each, rate: each.rate * moved })),
  };
}

export const adaptive = definePolicy(own, {
  doc: 'Adaptive: as many VMs as an objective for the response time is worth; no thresholds.',
  decidesWhilePending: true,
  lookback: 2 * 3_600_000,
  guardsAgainstFlapping: () => true,
  learn: (past, period, { objectiveMs, boot }) => {
    const horizon = horizonOf({ now: period.at, history: past }, period.boot ?? boot);
    return remembered(past[0], period, horizon.ms, () => {
      const capacity = capacityOf([period, ...past], objectiveMs, VARIATION);
      return capacity && ratePerVm(capacity);
    });
  },
  decide,
});

/** Requests that will have piled up when a VM asked for now serves. */
function backlogOf({ present }: Situation, capacity: Capacity, horizonMs: number): number {
  const { arrivalRate, concurrency, ready } = present;
  const waiting = Math.max(0, concurrency - 2 * capacity.parallel * ready);
  const excess = Math.max(0, arrivalRate - ratePerVm(capacity) * ready);
  return waiting + (excess * Math.min(BACKLOG_MS, horizonMs)) / 1000;
}

interface Outlook {
  readonly capacity: Capacity;
  readonly objectiveMs: number;
  readonly burstMs: number;
  /** Over so many seconds. */
  readonly seconds: number;
  readonly backlog: number;
}

/**
 * Requests a second that miss the objective, over the loads that may come: all of them until the backlog is gone, then
 * those that the queueing model says. What is not even served in that time counts once more, so that where nothing
 * helps at once the bigger fleet is still the better one.
 */
function misses(loads: readonly Scenario[], vms: number, outlook: Outlook): number {
  const { capacity, objectiveMs, burstMs, seconds, backlog } = outlook;
  const station = stationOf(vms, capacity.parallel);
  let sum = 0;
  for (const { rate, weight } of loads) {
    const spare = vms * ratePerVm(capacity) - rate;
    const delayed = backlog <= 0 ? 0 : spare <= 0 ? 1 : Math.min(1, backlog / spare / seconds);
    const unserved = Math.max(0, backlog / seconds - spare);
    sum +=
      weight *
      (rate * (delayed + (1 - delayed) * slowShareAt(rate, station, capacity, objectiveMs, burstMs)) + unserved);
  }
  return sum;
}

const meanOf = (loads: readonly Scenario[]): number => loads.reduce((sum, { rate, weight }) => sum + weight * rate, 0);

/** The least size that misses no more than `most`; where none does, the one that misses least. */
function fewest(
  { min, max }: { readonly min: number; readonly max: number },
  most: number,
  missesOf: (vms: number) => number,
): number {
  let best = min;
  let least = Infinity;
  for (let vms = Math.max(1, min); vms <= max && least > most; vms++) {
    const missed = missesOf(vms);
    if (missed < least) [best, least] = [vms, missed];
  }
  return best;
}

function cheapest(
  { min, max }: { readonly min: number; readonly max: number },
  price: number,
  costOf: (vms: number) => number,
): number {
  let best = min;
  let least = Infinity;
  for (let vms = Math.max(1, min); vms <= max && price * vms < least; vms++) {
    const cost = costOf(vms);
    if (cost < least) [best, least] = [vms, cost];
  }
  return best;
}
