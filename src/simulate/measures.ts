// The measures of a run, from its intervals: the paper's (saturation, response, loss, energy) and those that the
// literature compares autoscalers by. Pure; the same for simulated and for live runs.
import type { Millis } from '../model.ts';

/** What happened in one stretch of time. */
export interface Interval {
  readonly at: Millis;
  readonly span: Millis;
  /** VMs allocated, booting and draining ones included: the mean over the interval. */
  readonly allocated: number;
  /** VMs ready: the mean over the interval. */
  readonly ready: number;
  /** VMs needed to meet the objective at its load (d), where the demand curve is known. */
  readonly needed?: number;
  /** Fleet LP; undefined where there was no evidence. */
  readonly lp?: number;
  readonly arrived: number;
  readonly answered: number;
  readonly lost: number;
  /** ms, over all answered requests. */
  readonly responseSum: number;
  /** Answered later than the objective. */
  readonly slow: number;
  /** Answered within T, and within 4 T, of Apdex. */
  readonly satisfied: number;
  readonly tolerated: number;
  /** Decisions that changed the fleet. */
  readonly actions: number;
}

export interface Measures {
  readonly minutes: number;
  readonly requests: number;
  /** Requests a second answered. */
  readonly throughput: number;
  /** Minutes with the fleet LP above high. */
  readonly saturatedMinutes: number;
  /** Mean ms of answered requests. */
  readonly responseMs: number;
  /** Per cent of ended requests without an answer. */
  readonly lossPercent: number;
  /** VM-minutes. */
  readonly energy: number;
  readonly vmHours: number;
  /** Per cent of ended requests slower than the objective, or lost. */
  readonly violationsPercent: number;
  readonly apdex: number;
  /** Per cent; undefined without a demand curve. */
  readonly thetaUnder?: number;
  readonly thetaOver?: number;
  readonly tauUnder?: number;
  readonly tauOver?: number;
  readonly instability?: number;
  readonly actions: number;
  readonly meanLp?: number;
}

export function measure(intervals: readonly Interval[], high: number): Measures {
  const total = (of: (interval: Interval) => number): number => intervals.reduce((sum, each) => sum + of(each), 0);
  const time = total(({ span }) => span);
  const answered = total((each) => each.answered);
  const lost = total((each) => each.lost);
  const ended = answered + lost;
  const energy = total(({ allocated, span }) => allocated * span) / MINUTE;
  const withLp = intervals.filter(({ lp }) => lp !== undefined);
  const lpTime = withLp.reduce((sum, { span }) => sum + span, 0);
  const lpSum = withLp.reduce((sum, { lp = 0, span }) => sum + lp * span, 0);
  return {
    minutes: time / MINUTE,
    requests: total(({ arrived }) => arrived),
    throughput: ratio(answered, time / 1000),
    saturatedMinutes: total(({ lp = 0, span }) => (lp > high ? span : 0)) / MINUTE,
    responseMs: ratio(
      total(({ responseSum }) => responseSum),
      answered,
    ),
    lossPercent: 100 * ratio(lost, ended),
    energy,
    vmHours: energy / 60,
    violationsPercent: 100 * ratio(lost + total(({ slow }) => slow), ended),
    apdex: ratio(
      total(({ satisfied, tolerated }) => satisfied + (tolerated - satisfied) / 2),
      ended,
    ),
    ...elasticity(intervals),
    actions: total(({ actions }) => actions),
    ...(lpTime === 0 ? {} : { meanLp: lpSum / lpTime }),
  };
}

/**
 * θU = 100/T ∫ max(d − s, 0)/d dt, θO = 100/T ∫ max(s − d, 0)/d dt, τU and τO the shares of time with s < d and s > d,
 * υ the share of time in which d and s don't move in the same direction (standing still is a direction).
 * Worked: d = 4, 4, 2 and s = 2, 4, 4 in intervals of a minute: θU = 100/3 × 2/4 = 16.7, θO = 100/3 × 2/2 = 33.3,
 * τU = τO = 33.3; the two changes (d: 0, −; s: +, 0) both differ: υ = 100.
 */
function elasticity(
  intervals: readonly Interval[],
): Pick<Measures, 'thetaUnder' | 'thetaOver' | 'tauUnder' | 'tauOver' | 'instability'> {
  const known = intervals.flatMap(({ needed, ready, span }) =>
    needed === undefined ? [] : [{ d: Math.max(1, needed), s: ready, span }],
  );
  if (known.length === 0) return {};
  const time = known.reduce((sum, { span }) => sum + span, 0);
  const percent = (of: (each: (typeof known)[number]) => number): number =>
    (100 * known.reduce((sum, each) => sum + of(each) * each.span, 0)) / time;
  const later = known.slice(1);
  const laterTime = later.reduce((sum, { span }) => sum + span, 0);
  const differing = later.reduce((sum, { d, s, span }, i) => {
    const before = known[i] ?? { d, s };
    return sum + (Math.sign(d - before.d) === Math.sign(s - before.s) ? 0 : span);
  }, 0);
  return {
    thetaUnder: percent(({ d, s }) => Math.max(d - s, 0) / d),
    thetaOver: percent(({ d, s }) => Math.max(s - d, 0) / d),
    tauUnder: percent(({ d, s }) => (s < d ? 1 : 0)),
    tauOver: percent(({ d, s }) => (s > d ? 1 : 0)),
    instability: 100 * ratio(differing, laterTime),
  };
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const MINUTE = 60_000;
