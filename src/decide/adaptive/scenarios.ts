// How the load may be when a VM that is asked for now would serve: the past's own stretches, laid on the present.
import type { PeriodSummary } from '../../model.ts';
import { excesses } from './bursts.ts';
import { logsOf } from './logs.ts';
import { solved } from './least-squares.ts';

/** A load (requests a second) that may come, and how likely it is. */
export interface Scenario {
  readonly rate: number;
  readonly weight: number;
}

/** Of the present until so many periods on: the load in the period at their end, or in the busiest one until then. */
export type Stretches = (horizon: number, which: 'end' | 'highest') => readonly Scenario[];

/** So many moments of the past are looked at, evenly spread: of four hours every sixth, of one no fewer than every second. */
const MOMENTS = 240;
const LEAST_EVERY = 2;
/** Of their periods every fourth second: the others are like them. */
const SECONDS = 4;
/** Share of the stretches of the past that count as like the present, but enough of them. */
const SHARE_ALIKE = 1 / 8;
const LEAST_ALIKE = 30;
/** After so many stretches that don't overlap a line counts as much as the moments alike. */
const ENOUGH_APART = 20;
/** A load that varies less says nothing of how long differences last. */
const LEAST_VARIANCE = 1e-6;
/** The levels of a load are means of so many periods; a way leads from each to the next, and from the last to the mean of all. */
const SPANS = [3, 9, 30, 90];
const WAYS = SPANS.length + 1;
/** Mean square of ways (logarithms) that are too little to learn from: it holds what is learned of them near 0. */
const LITTLE = 2e-4;
/** The expected way is no longer than this (logarithm). */
const LONGEST_WAY = 3;

/**
 * The past repeats itself in proportion: what came at the end of a stretch of it as long as the horizon (or in its busiest
 * period) may come now, moved by what makes the present another beginning. Two forecasts say how far, and both count:
 * - Moments alike: of the stretches that began like the present (at a like rate, after a like way to it), by the factor that
 *   the present is above or below their beginning, as far as such a difference lasts (`persistence`).
 * - A line: of all stretches, by the factor that is expected of the present above or below what was expected at their
 *   beginning, after the ways between means of ever longer times: back from a passing peak, on with a rise, nowhere.
 * A line has more to learn, so it counts the more the longer the past is (`shareOfLine`).
 * `floor` (requests a second, about) keeps moves near zero from being factors of thousands; a request may wait `slack` seconds;
 * `burst`: how much requests come in bursts within a period.
 * Worked: 10 a second now, and nothing is expected of any way: a stretch that rose from 20 to 30 says 15. Had it been expected
 * to rise to 24, it was a quarter more than that: 12.5. Where half of a difference lasts, moments alike say 30 × √(10 / 20) = 21.
 */
export function stretchesOf(
  periods: readonly PeriodSummary[],
  { floor: near, slack, burst }: { readonly floor: number; readonly slack: number; readonly burst: number },
): Stretches {
  const { logs, floor } = logsOf(periods, near);
  const every = Math.max(LEAST_EVERY, Math.ceil(logs.length / MOMENTS));
  const ways = waysOf(logs, every);
  const here = logs[0] ?? 0;
  return (horizon, which) => {
    const past = stretches(logs, every, horizon, which);
    const { count, begins, ends } = past;
    if (count === 0) return [{ rate: periods[0]?.arrivalRate ?? 0, weight: 1 }];
    const found: Found = { rates: [], weights: [] };
    const add = (n: number, shift: number, weight: number): void => {
      const end = ends[n] ?? 0;
      const excess = burst === 0 ? undefined : excesses(periods[end], slack);
      if (excess === undefined) put(found, Math.exp((logs[end] ?? 0) + shift) - floor, weight);
      else
        for (let second = n % SECONDS; second < excess.length; second += SECONDS)
          put(found, (Math.exp(logs[end] ?? 0) + burst * (excess[second] ?? 0)) * Math.exp(shift) - floor, weight);
    };
    const share = shareOfLine(logs.length, horizon);
    const alike = alikeOf(logs, past, horizon);
    const lasts = persistence(logs, past);
    for (const n of alike) {
      const away = here - (logs[begins[n] ?? 0] ?? 0);
      add(n, away * (away < 0 ? lasts : (1 + lasts) / 2), (1 - share) / alike.length);
    }
    const expected = expectedWays(logs, ways, past);
    const level = here + expected(0);
    for (let n = 0; n < count; n++) {
      const i = begins[n] ?? 0;
      add(n, level - (logs[i] ?? 0) - expected(i), share / count);
    }
    return spread(found.rates, found.weights);
  };
}

interface Found {
  readonly rates: number[];
  readonly weights: number[];
}

function put({ rates, weights }: Found, rate: number, weight: number): void {
  rates.push(Math.max(0, rate));
  weights.push(weight);
}

/** Stretches of the past: where they begin and end, as indices (0 is the present). */
interface Past {
  readonly count: number;
  /** From one beginning to the next. */
  readonly every: number;
  readonly begins: Int32Array;
  readonly ends: Int32Array;
}

function stretches(logs: Float64Array, every: number, horizon: number, which: 'end' | 'highest'): Past {
  const first = Math.ceil(horizon / every) * every;
  const count = Math.max(0, Math.ceil((logs.length - first) / every));
  const begins = new Int32Array(count);
  const ends = new Int32Array(count);
  for (let n = 0; n < count; n++) {
    const i = first + n * every;
    begins[n] = i;
    ends[n] = which === 'end' ? i - horizon : busiest(logs, i - horizon, i);
  }
  return { count, every, begins, ends };
}

function busiest(logs: Float64Array, from: number, to: number): number {
  let most = to - 1;
  for (let i = from; i < to; i++) if ((logs[i] ?? 0) > (logs[most] ?? 0)) most = i;
  return most;
}

/**
 * How much a line counts after so many periods; the rest of the weight is with the moments alike.
 * Worked: an hour of periods of 10 s and a horizon of 17: 20 stretches that don't overlap, so a half.
 */
export function shareOfLine(periods: number, horizon: number): number {
  const apart = Math.max(0, periods - horizon) / horizon;
  return apart ** 2 / (apart ** 2 + ENOUGH_APART ** 2);
}

/**
 * How much of a difference between two beginnings is still there at their ends: the slope of the straight line through all
 * stretches' logarithms. 1: it lasts; 0: minutes have nothing to do with each other, and a dip is no reason to give a VM
 * back. A load above all that was like it counts half as lasting, whatever the slope: it may be the first of its kind.
 */
function persistence(logs: Float64Array, { count, begins, ends }: Past): number {
  if (count < LEAST_ALIKE) return 1;
  let [sumX, sumY, sumXX, sumXY] = [0, 0, 0, 0];
  for (let n = 0; n < count; n++) {
    const [x, y] = [logs[begins[n] ?? 0] ?? 0, logs[ends[n] ?? 0] ?? 0];
    sumX += x;
    sumY += y;
    sumXX += x * x;
    sumXY += x * y;
  }
  const variance = sumXX - (sumX * sumX) / count;
  const together = sumXY - (sumX * sumY) / count;
  return variance < LEAST_VARIANCE * count ? 1 : Math.max(0, Math.min(1, together / variance));
}

/** At each moment that is looked at, one after the other: the ways from the level itself on. */
function waysOf(logs: Float64Array, every: number): Float64Array {
  const ways = new Float64Array(Math.ceil(logs.length / every) * WAYS);
  let mean = 0;
  for (let i = 0; i < logs.length; i++) mean += (logs[i] ?? 0) / logs.length;
  const levels = new Float64Array(SPANS.length).fill(logs.at(-1) ?? 0);
  const shares = SPANS.map((span) => 2 / (span + 1));
  for (let i = logs.length - 1; i >= 0; i--) {
    const log = logs[i] ?? 0;
    for (let k = 0; k < levels.length; k++) levels[k] = (levels[k] ?? 0) + (shares[k] ?? 0) * (log - (levels[k] ?? 0));
    if (i % every !== 0) continue;
    const at = (i / every) * WAYS;
    for (let k = 0; k < WAYS; k++) ways[at + k] = (k === 0 ? log : (levels[k - 1] ?? 0)) - (levels[k] ?? mean);
  }
  return ways;
}

/** What the ways at a moment say of the one to the end of its stretch: least squares over the past. */
function expectedWays(
  logs: Float64Array,
  ways: Float64Array,
  { count, every, begins, ends }: Past,
): (moment: number) => number {
  const squares = new Array<number>(WAYS * WAYS).fill(0);
  const products = new Array<number>(WAYS).fill(0);
  let mean = 0;
  for (let n = 0; n < count; n++) mean += ((logs[ends[n] ?? 0] ?? 0) - (logs[begins[n] ?? 0] ?? 0)) / count;
  for (let n = 0; n < count; n++) {
    const i = begins[n] ?? 0;
    const at = (i / every) * WAYS;
    const change = (logs[ends[n] ?? 0] ?? 0) - (logs[i] ?? 0) - mean;
    for (let row = 0; row < WAYS; row++) {
      const own = ways[at + row] ?? 0;
      products[row] = (products[row] ?? 0) + own * change;
      for (let column = 0; column <= row; column++)
        squares[row * WAYS + column] = (squares[row * WAYS + column] ?? 0) + own * (ways[at + column] ?? 0);
    }
  }
  for (let row = 0; row < WAYS; row++) {
    for (let column = 0; column < row; column++) squares[column * WAYS + row] = squares[row * WAYS + column] ?? 0;
    squares[row * (WAYS + 1)] = (squares[row * (WAYS + 1)] ?? 0) + LITTLE * count;
  }
  const { weights } = solved({ squares, products, weights: [] });
  return (moment) => {
    let way = 0;
    const at = (moment / every) * WAYS;
    for (let k = 0; k < WAYS; k++) way += (weights[k] ?? 0) * (ways[at + k] ?? 0);
    return Math.max(-LONGEST_WAY, Math.min(LONGEST_WAY, way));
  };
}

/** The stretches that began most like the present. */
function alikeOf(logs: Float64Array, { count, begins }: Past, horizon: number): readonly number[] {
  const last = logs.length - 1;
  const here = logs[0] ?? 0;
  const way = here - (logs[Math.min(last, horizon)] ?? 0);
  const distances = new Float64Array(count);
  for (let n = 0; n < count; n++) {
    const i = begins[n] ?? 0;
    const level = logs[i] ?? 0;
    distances[n] = Math.abs(level - here) + Math.abs(level - (logs[Math.min(last, i + horizon)] ?? 0) - way) / 2;
  }
  const taken = Math.min(count, Math.max(LEAST_ALIKE, Math.ceil(count * SHARE_ALIKE)));
  const farthest = distances.slice().sort()[taken - 1] ?? 0;
  const [nearer, asFar]: [number[], number[]] = [[], []];
  for (let n = 0; n < count; n++) {
    const distance = distances[n] ?? 0;
    if (distance < farthest) nearer.push(n);
    else if (distance === farthest) asFar.push(n);
  }
  return [...nearer, ...asFar.slice(0, taken - nearer.length)];
}

/** The distribution in steps that are finer where it matters: in the upper tail. */
const EDGES = [0, 0.25, 0.5, 0.65, 0.75, 0.82, 0.88, 0.92, 0.95, 0.97, 0.985, 0.995, 1];
/** Rates are sorted into so many classes. */
const CLASSES = 400;

/** Each step has the mean of the class of rates that its middle lies in. */
export function spread(rates: readonly number[], weights?: readonly number[]): readonly Scenario[] {
  let [least, most] = [Infinity, 0];
  for (const rate of rates) {
    if (rate < least) least = rate;
    if (rate > most) most = rate;
  }
  const scale = most > least ? (CLASSES - 1) / (most - least) : 0;
  const sums = new Float64Array(CLASSES);
  const shares = new Float64Array(CLASSES);
  let whole = 0;
  for (let n = 0; n < rates.length; n++) {
    const [rate = 0, weight = 1] = [rates[n], weights?.[n]];
    const of = Math.floor((rate - least) * scale);
    sums[of] = (sums[of] ?? 0) + weight * rate;
    shares[of] = (shares[of] ?? 0) + weight;
    whole += weight;
  }
  let [of, below] = [0, shares[0] ?? 0];
  return EDGES.slice(1).map((edge, n) => {
    const from = EDGES[n] ?? 0;
    const middle = ((from + edge) / 2) * whole;
    while (of < CLASSES - 1 && below <= middle) below += shares[++of] ?? 0;
    while (of > 0 && shares[of] === 0) of--;
    return { rate: (sums[of] ?? 0) / (shares[of] ?? 1), weight: edge - from };
  });
}

/** The rate that is exceeded in (1 − share) of the cases. */
export function mostOf(cases: readonly Scenario[], share: number): number {
  let weight = 0;
  for (const { rate, weight: own } of cases) {
    weight += own;
    if (weight >= share - 1e-9) return rate;
  }
  return cases.at(-1)?.rate ?? 0;
}
