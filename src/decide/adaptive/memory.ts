// What `adaptive` remembers of days, in bounded space: where the load was and is (levels of four ages), how it went on from
// there (a linear model of what came a boot later), how far that was off (errors, faded over three days), and what a
// day looks like. It is made anew each period and travels with the newest period, so journal and replay have it.
import type { Millis, PeriodSummary } from '../../model.ts';
import { noErrors, withError, type Errors } from './errors.ts';
import { fitted, noFit, solved, withPair, type Fit } from './least-squares.ts';
import { noProfile, rise, withLevel, type Profile } from './profile.ts';

/** Levels are logarithms of the arrival rate, `floor` (requests a second) added so that idle is a level as well. */
export interface Memory {
  readonly version: 2;
  /** Of its first and its newest period. */
  readonly since: Millis;
  readonly at: Millis;
  readonly floor: number;
  readonly periods: number;
  /** The newest level, and means of it over ever longer times. */
  readonly levels: readonly number[];
  readonly fit: Fit;
  /** Mean square of what the model was off by: of the last minutes, and of the last day. */
  readonly squares: readonly [number, number];
  /** What was expected and has not come yet, oldest first. */
  readonly expected: readonly Expected[];
  readonly peaks: readonly Peak[];
  /** Of the level at the horizon, and of the highest one until a VM that leaves now would be missed. */
  readonly errors: Errors;
  readonly peakErrors: Errors;
  /** What a day and an hour look like. */
  readonly day: Profile;
  readonly hour: Profile;
}

interface Expected {
  readonly at: Millis;
  readonly features: readonly number[];
  readonly from: number;
  readonly level: number;
  readonly scatter: number;
}

type Peak = Pick<Expected, 'at' | 'level' | 'scatter'> & { readonly highest: number };

/** How far ahead: until a VM asked for now serves, and how long one that leaves now should not be missed. */
export interface Ahead {
  readonly horizonMs: Millis;
  readonly patienceMs: Millis;
}

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
/** The means of the level are over 20 s, 2 minutes, 10 minutes and an hour. */
const SPANS = [MINUTE / 3, 2 * MINUTE, 10 * MINUTE, 60 * MINUTE];
/** Errors of the last ten minutes say how unsteady the load is now. */
const UNSTEADY = 10 * MINUTE;
/** Errors fade over three days. */
const FADING = 3 * DAY;
/** So much of what is expected is kept at most; with longer horizons not every period's. */
const MOST_EXPECTED = 40;
const MOST_PEAKS = 20;
/** An error of more scatters than that teaches the model no more than one of so many. */
const CLIP = 4;
/** Weight of a pair in the model, in terms of its scatter. */
const TRUST = 0.01;
/** Chance in the counts of a period, as a share of what the next one will have as well. */
const CHANCE = 0.3;
/** Minutes that those of a day are smoothed with, on each side. */
const AROUND = 2;
const LEAST_SQUARE = 1e-6;
const FIRST_SQUARE = 0.01;

export const levelOf = (rate: number, floor: number): number => Math.log(rate + floor);
export const rateOf = (level: number, floor: number): number => Math.max(0, Math.exp(level) - floor);

/** `floor`: a load that matters little. A memory without a past. */
export const noMemory = (at: Millis, rate: number, floor: number): Memory => ({
  version: 2,
  ...{ since: at, at, floor, periods: 0 },
  levels: [levelOf(rate, floor), ...SPANS.map(() => levelOf(rate, floor))],
  fit: noFit(SPANS.length + 2),
  squares: [FIRST_SQUARE, FIRST_SQUARE],
  ...{ expected: [], peaks: [] },
  errors: noErrors(0.7, 0),
  peakErrors: noErrors(0.8, 0.3),
  day: noProfile(1_440),
  hour: noProfile(60),
});

/** The memory with one period more. After a pause what was expected for it is forgotten. */
export function learn(memory: Memory, { at, arrivalRate }: PeriodSummary, ahead: Ahead): Memory {
  const span = at - memory.at;
  if (span <= 0) return memory;
  const level = levelOf(arrivalRate, memory.floor);
  const paused = span > ahead.horizonMs + 2 * MINUTE;
  const levels = [level, ...memory.levels.slice(1).map((old, i) => old + (level - old) * shareOf(span, SPANS[i] ?? 1))];
  const known = { ...memory, ...(paused && { expected: [], peaks: [] }) };
  const seen = checked(known, at, level, span, ahead);
  const next = { ...seen, at, levels, periods: memory.periods + 1 };
  const past = [memory.at, at, memory.levels[1] ?? level] as const;
  const profiles = { day: withLevel(memory.day, ...past), hour: withLevel(memory.hour, ...past) };
  return withExpectation({ ...next, ...profiles }, arrivalRate, span, ahead);
}

const shareOf = (span: Millis, of: Millis): number => 1 - Math.exp(-span / of);

/** What was expected of now, held against what came. */
function checked(memory: Memory, at: Millis, level: number, span: Millis, { horizonMs, patienceMs }: Ahead): Memory {
  let { fit, squares, errors, peakErrors } = memory;
  const kept = Math.exp(-span / FADING);
  const due = memory.expected.filter((one) => at - one.at >= horizonMs);
  for (const { features, from, level: expected, scatter } of due) {
    const off = level - expected;
    const clipped = Math.max(-CLIP * scatter, Math.min(CLIP * scatter, off));
    const weight = TRUST / (scatter * scatter);
    fit = withPair(fit, features, expected + clipped - from, weight, Math.exp(-span / DAY));
    const first = 1 / (memory.periods + 2);
    const towards = (old: number, of: Millis): number =>
      old + (clipped * clipped - old) * Math.max(first, Math.min(1, span / of));
    squares = [towards(squares[0], UNSTEADY), towards(squares[1], DAY)];
    errors = withError(errors, off / scatter, 1, kept);
  }
  if (Math.floor(at / MINUTE) > Math.floor((at - span) / MINUTE)) fit = solved(fit);
  const higher = memory.peaks.map((peak) => (level > peak.highest ? { ...peak, highest: level } : peak));
  for (const { highest, level: expected, scatter } of higher.filter((peak) => at - peak.at >= patienceMs))
    peakErrors = withError(peakErrors, (highest - expected) / scatter, every(patienceMs, MOST_PEAKS) / span, kept);
  return {
    ...{ ...memory, fit, squares, errors, peakErrors },
    expected: due.length === 0 ? memory.expected : memory.expected.filter((one) => at - one.at < horizonMs),
    peaks: higher.filter((peak) => at - peak.at < patienceMs),
  };
}

const every = (span: Millis, most: number): Millis => span / most;

function withExpectation(memory: Memory, rate: number, span: Millis, { horizonMs, patienceMs }: Ahead): Memory {
  const { at, floor, expected, peaks } = memory;
  const { level, scatter, features, from } = outlook(memory, rate, span, horizonMs);
  const isDue = (last: Millis | undefined, gap: Millis): boolean => last === undefined || at - last >= gap - 1;
  return {
    ...memory,
    floor,
    ...(isDue(expected.at(-1)?.at, every(horizonMs, MOST_EXPECTED)) && {
      expected: [...expected, { at, features, from, level, scatter }],
    }),
    ...(isDue(peaks.at(-1)?.at, every(patienceMs, MOST_PEAKS)) && {
      peaks: [...peaks, { at, level, scatter, highest: level - 10 * scatter }],
    }),
  };
}

/** The level that is expected at the horizon, and its scatter; `features`: what it was made of. */
export function outlook(memory: Memory, rate: number, span: Millis, horizonMs: Millis): Omit<Expected, 'at'> {
  const { levels, fit, floor, squares, day, hour, at } = memory;
  const [from = 0] = levels;
  const ways = levels.slice(0, -1).map((level, i) => level - (levels[i + 1] ?? level));
  const features = [...ways, rise(day, at, at + horizonMs, AROUND), rise(hour, at, at + horizonMs, 0)];
  const chance = (CHANCE * rate * 1000) / Math.max(1, span) / (rate + floor) ** 2;
  const scatter = Math.sqrt((squares[0] + squares[1]) / 2 + chance + LEAST_SQUARE);
  return { features, from, level: from + fitted(fit, features), scatter };
}
