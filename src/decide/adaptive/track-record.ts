// How far each way of looking ahead was off of late, and how much each counts therefore. What is expected of a moment is kept
// until it comes; then each forecast is held against what came by the pinball loss: a rate that is to be exceeded in one
// case of twenty costs 0.95 of each request that comes above it, and 0.05 of each below. So all of the distribution is judged,
// most of all where requests would miss, and no price of a VM is in it. It is made anew each period in bounded space and travels
// with the newest one, so journal and replay have it.
import type { Millis, PeriodSummary } from '../../model.ts';
import { LEVELS, MOMENTS, WAYS_ON } from './scenarios.ts';
import { areAll, has, isAmount, isNumber, isSound, made } from './sound.ts';
import { STEPS, type Scenario } from './spread.ts';

export interface TrackRecord {
  /** Of each way, fading. */
  readonly losses: readonly number[];
  /** Time in which they were judged, fading as well. */
  readonly judgedMs: Millis;
  /** What was expected and has not come yet, oldest first. */
  readonly expected: readonly Expected[];
}

interface Expected {
  readonly due: Millis;
  /** Of each way, the rates of its steps. */
  readonly rates: readonly (readonly number[])[];
}

const HOUR = 3_600_000;
/** What was judged fades in so long. */
const MEMORY = 3 * HOUR;
/** A way that was off by a tenth more than the best counts e⁻³ as much. */
const STRICT = 30;
/** After so long the record counts as much as what is known without one: that moments alike need the least past. */
const YOUNG = HOUR;
/** The levels of less time than that say nothing. */
const LEAST_LEVELS = 2 * HOUR;
/** So much of what is expected is kept at most: of overlapping stretches few say as much as all. */
const MOST_EXPECTED = 4;
/** After a longer pause what was expected isn't held against what came. */
const PAUSE = 120_000;
/** Requests a second: where nobody is off by more (a loss every ten seconds), all are alike. */
const LITTLE = 1e-4;

const NO_RECORD: TrackRecord = { losses: WAYS_ON.map(() => 0), judgedMs: 0, expected: [] };

/** That which the period has learned; a journal may hold what another version has. */
export function recordIn(period: PeriodSummary | undefined): TrackRecord {
  const record = (period?.learned as { readonly record?: unknown } | undefined)?.record;
  return isRecord(record) ? record : NO_RECORD;
}

const isRecord = (value: unknown): value is TrackRecord =>
  isSound<TrackRecord>(value, (fields) =>
    has(fields, {
      losses: (losses) => areAll(losses, isAmount, WAYS_ON.length),
      judgedMs: isAmount,
      expected: (expected) => areAll(expected, isExpected),
    }),
  );

const isExpected = (value: unknown): boolean =>
  has(value, {
    due: isNumber,
    rates: (rates) => areAll(rates, (way) => areAll(way, isAmount, STEPS.length), WAYS_ON.length),
  });

export interface Judged {
  readonly at: Millis;
  readonly span: Millis;
  readonly horizonMs: Millis;
  /** Requests a second that came. */
  readonly rate: number;
  /** What each way expects at the end of the horizon, if that is to be judged. */
  readonly outlooks: readonly (readonly Scenario[])[] | undefined;
}

/** Whether what is expected now is one more thing to be judged. */
export function isNext({ expected }: TrackRecord, at: Millis, horizonMs: Millis): boolean {
  const last = expected.at(-1)?.due;
  return last === undefined || at + horizonMs - last >= horizonMs / MOST_EXPECTED - 1;
}

/** The record with one period more. */
export function judged(record: TrackRecord, { at, span, horizonMs, rate, outlooks }: Judged): TrackRecord {
  const kept = Math.exp(-span / MEMORY);
  const step = span <= 0 ? 0 : span * Math.ceil(horizonMs / MOST_EXPECTED / span - 0.05);
  const known = span > PAUSE + horizonMs ? [] : soon(record.expected, at + 2 * horizonMs + PAUSE);
  const due = known.filter((one) => one.due <= at + span / 2);
  const off = (i: number): number => due.reduce((sum, { rates }) => sum + pinball(rates[i] ?? [], rate), 0);
  return made({
    losses: record.losses.map((loss, i) => kept * loss + off(i)),
    judgedMs: kept * record.judgedMs + due.length * step,
    expected: [
      ...(due.length === 0 ? known : known.slice(due.length)),
      ...(outlooks !== undefined
        ? [{ due: at + horizonMs, rates: outlooks.map((cases) => cases.map((one) => rounded(one.rate))) }]
        : []),
    ],
  });
}

/** What is due later than that was expected when a clock was wrong. */
const soon = (expected: TrackRecord['expected'], until: Millis): TrackRecord['expected'] =>
  expected.some(({ due }) => due > until) ? expected.filter(({ due }) => due <= until) : expected;

/** Worked: of steps that say 100 in all cases, 110 came: half of 10 in the mean of the steps' middles, 5. */
function pinball(rates: readonly number[], came: number): number {
  let loss = 0;
  for (const [i, { middle, weight }] of STEPS.entries()) {
    const above = came - (rates[i] ?? 0);
    loss += weight * (above > 0 ? middle * above : (middle - 1) * above);
  }
  return loss;
}

const rounded = (rate: number): number => Math.round(1e3 * rate) / 1e3;

/**
 * How much each way counts, 1 in all; `reach`: so far back goes what is known of the load.
 * Worked: an hour was judged, and the line was best by far: it counts a half, as moments alike do.
 */
export function sharesOf({ losses, judgedMs }: TrackRecord, reach: Millis): readonly number[] {
  const counted = losses.map((loss, i) => (i === LEVELS && reach < LEAST_LEVELS ? Infinity : loss));
  const least = Math.max(1e-9, (LITTLE * judgedMs) / 1000, Math.min(...counted));
  const weights = counted.map((loss) => Math.exp(-STRICT * Math.max(0, loss / least - 1)));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const known = judgedMs ** 2 / (judgedMs ** 2 + YOUNG ** 2);
  return weights.map((weight, i) => (known * weight) / whole + (i === MOMENTS ? 1 - known : 0));
}
