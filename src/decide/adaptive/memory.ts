// What `adaptive` remembers of days, in bounded space: where the load was and is (levels of four ages), how it went on from
// there (a linear model of what came a boot later), and what an hour and a day look like. It is made anew each period and
// travels with the newest period, so journal and replay have it.
import type { Millis, PeriodSummary } from '../../model.ts';
import { fitted, noFit, solved, withPair, type Fit } from './least-squares.ts';
import { noProfile, rise, withLevel, type Profile } from './profile.ts';
import { areAll, has, isAmount, isNumber, isSound } from './sound.ts';

/** Levels are logarithms of the arrival rate, `floor` (requests a second) added so that idle is a level as well. */
export interface Memory {
  readonly version: 3;
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

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
/** The means of the level are over 20 s, 2 minutes, 10 minutes and an hour. */
const SPANS = [MINUTE / 3, 2 * MINUTE, 10 * MINUTE, 60 * MINUTE];
/** Errors of the last ten minutes say how unsteady the load is now. */
const UNSTEADY = 10 * MINUTE;
/** So much of what is expected is kept at most; with longer horizons not every period's. */
const MOST_EXPECTED = 40;
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

const FEATURES = SPANS.length + 2;
const isPositive = (value: unknown): boolean => isAmount(value) && value > 0;
const isLevels = (count: number) => (value: unknown) => areAll(value, (one) => one === null || isNumber(one), count);

/** A journal may hold what another version has learned, or a part of it. */
export const isMemory = (value: unknown): value is Memory =>
  isSound<Memory>(
    value,
    (fields) =>
      fields['version'] === 3 &&
      has(fields, {
        ...{ since: isNumber, at: isNumber, floor: isPositive, periods: isAmount },
        levels: (levels) => areAll(levels, isNumber, SPANS.length + 1),
        fit: (fit) =>
          has(fit, {
            squares: (squares) => areAll(squares, isNumber, FEATURES ** 2),
            products: (products) => areAll(products, isNumber, FEATURES),
            weights: (weights) => areAll(weights, isNumber, FEATURES),
          }),
        squares: (squares) => areAll(squares, isAmount, 2),
        expected: (expected) => areAll(expected, isExpected),
        day: isLevels(1_440),
        hour: isLevels(60),
      }),
  );

const isExpected = (value: unknown): boolean =>
  has(value, {
    ...{ at: isNumber, from: isNumber, level: isNumber, scatter: isPositive },
    features: (features) => areAll(features, isNumber, FEATURES),
  });

/** `floor`: a load that matters little. A memory without a past. */
export const noMemory = (at: Millis, rate: number, floor: number): Memory => ({
  version: 3,
  ...{ since: at, at, floor, periods: 0 },
  levels: [levelOf(rate, floor), ...SPANS.map(() => levelOf(rate, floor))],
  fit: noFit(FEATURES),
  squares: [FIRST_SQUARE, FIRST_SQUARE],
  expected: [],
  day: noProfile(1_440),
  hour: noProfile(60),
});

/** The memory with one period more. After a pause, and where a clock was set back, what was expected is forgotten. */
export function learn(memory: Memory, { at, arrivalRate }: PeriodSummary, horizonMs: Millis): Memory {
  const span = at - memory.at;
  if (span < 0) return { ...memory, since: Math.min(memory.since, at), at, expected: [] };
  if (span === 0) return memory;
  const level = levelOf(arrivalRate, memory.floor);
  const paused = span > horizonMs + 2 * MINUTE;
  const levels = [level, ...memory.levels.slice(1).map((old, i) => old + (level - old) * shareOf(span, SPANS[i] ?? 1))];
  const seen = checked({ ...memory, ...(paused && { expected: [] }) }, at, level, span, horizonMs);
  const next = { ...seen, at, levels, periods: memory.periods + 1 };
  const past = [memory.at, at, memory.levels[1] ?? level] as const;
  const profiles = { day: withLevel(memory.day, ...past), hour: withLevel(memory.hour, ...past) };
  return withExpectation({ ...next, ...profiles }, arrivalRate, span, horizonMs);
}

const shareOf = (span: Millis, of: Millis): number => 1 - Math.exp(-span / of);

/** What was expected of now, held against what came. */
function checked(memory: Memory, at: Millis, level: number, span: Millis, horizonMs: Millis): Memory {
  let { fit, squares } = memory;
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
  }
  if (Math.floor(at / MINUTE) > Math.floor((at - span) / MINUTE)) fit = solved(fit);
  const expected = due.length === 0 ? memory.expected : memory.expected.filter((one) => at - one.at < horizonMs);
  return { ...memory, fit, squares, expected };
}

function withExpectation(memory: Memory, rate: number, span: Millis, horizonMs: Millis): Memory {
  const { at, expected } = memory;
  const last = expected.at(-1)?.at;
  if (last !== undefined && at - last < horizonMs / MOST_EXPECTED - 1) return memory;
  return { ...memory, expected: [...expected, { at, ...outlook(memory, rate, span, horizonMs) }] };
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
