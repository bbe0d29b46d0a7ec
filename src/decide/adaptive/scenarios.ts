// How the load may be when a VM that is asked for now would serve: the past's own stretches, laid on the present.
import type { PeriodSummary } from '../../model.ts';
import { excesses } from './bursts.ts';

/** A load (requests a second) that may come, and how likely it is. */
export interface Scenario {
  readonly rate: number;
  readonly weight: number;
}

/** Every second moment of the past is looked at, and every second second of its periods: the others are like them. */
const EVERY = 2;
/** So many stretches of the past are taken, those that the present is likest to: a share of them, but enough. */
const SHARE_ALIKE = 1 / 8;
const LEAST_ALIKE = 30;
/** A load that varies less says nothing of how long differences last. */
const LEAST_VARIANCE = 1e-6;

/** Of the present until so many periods on: the load in the period at their end, or in the busiest one until then. */
export type Stretches = (horizon: number, which: 'end' | 'highest') => readonly Scenario[];

/**
 * The past repeats itself in proportion. Of all stretches as long as the horizon those are taken that began like the
 * present: at a like rate, after a like way to it. What came at their end (or in their busiest period) may come now: by the
 * factor that the present is above or below their beginning, as far as such a difference lasts (`persistence`).
 * `floor` (requests a second) keeps moves near zero from being factors of thousands; a request may wait `slack` seconds;
 * `burst`: how much requests come in bursts within a period.
 * Worked: 10 a second now, and after two of ten stretches from 10 the load had doubled: two of ten scenarios are 20. Had they
 * begun at 12.5 and were half of a difference to last, they would be 25 × √(10 / 12.5) = 22.4, not 20.
 */
export function stretchesOf(
  periods: readonly PeriodSummary[],
  { floor, slack, burst }: { readonly floor: number; readonly slack: number; readonly burst: number },
): Stretches {
  const rates = new Float64Array(periods.length);
  for (let i = 0; i < rates.length; i++) rates[i] = (periods[i]?.arrivalRate ?? 0) + floor;
  const logs = rates.map((rate) => Math.log(rate));
  const now = rates[0] ?? floor;
  return (horizon, which) => {
    const begins = beginnings(rates.length, horizon);
    if (begins.length === 0) return [{ rate: now - floor, weight: 1 }];
    const endOf = (i: number): number => (which === 'end' ? i - horizon : busiest(rates, i - horizon, i));
    const lasts = persistence(logs, begins, endOf);
    const found: number[] = [];
    for (const i of alike(logs, begins, horizon)) {
      const end = endOf(i);
      const [from = 1, to = 1] = [rates[i], rates[end]];
      const shift = (now / from) ** (now < from ? lasts : (1 + lasts) / 2);
      const excess = burst === 0 ? undefined : excesses(periods[end], slack);
      if (excess === undefined) found.push(to * shift);
      else
        for (let second = (i / EVERY) % EVERY; second < excess.length; second += EVERY)
          found.push((to + burst * (excess[second] ?? 0)) * shift);
    }
    if (found.length === 0) return [{ rate: now - floor, weight: 1 }];
    return spread(found.map((rate) => Math.max(0, rate - floor)));
  };
}

/**
 * How much of a difference between two beginnings is still there at their ends: the slope of the straight line through all
 * stretches' logarithms. 1: it lasts; 0: minutes have nothing to do with each other, and a dip is no reason to give a VM
 * back. A load above all that was like it counts half as lasting, whatever the slope: it may be the first of its kind.
 */
function persistence(logs: Float64Array, begins: readonly number[], endOf: (begin: number) => number): number {
  if (begins.length < LEAST_ALIKE) return 1;
  let [sumX, sumY, sumXX, sumXY] = [0, 0, 0, 0];
  for (const i of begins) {
    const [x = 0, y = 0] = [logs[i], logs[endOf(i)]];
    sumX += x;
    sumY += y;
    sumXX += x * x;
    sumXY += x * y;
  }
  const variance = sumXX - (sumX * sumX) / begins.length;
  const together = sumXY - (sumX * sumY) / begins.length;
  return variance < LEAST_VARIANCE * begins.length ? 1 : Math.max(0, Math.min(1, together / variance));
}

function busiest(rates: Float64Array, from: number, to: number): number {
  let most = to - 1;
  for (let i = from; i < to; i++) if ((rates[i] ?? 0) > (rates[most] ?? 0)) most = i;
  return most;
}

/** Of the stretches whose end is known, the indices of their beginnings (index 0 is the present). */
function beginnings(count: number, horizon: number): readonly number[] {
  const found: number[] = [];
  for (let i = Math.ceil(horizon / EVERY) * EVERY; i < count; i += EVERY) found.push(i);
  return found;
}

/** The beginnings that the present is like. */
function alike(logs: Float64Array, begins: readonly number[], horizon: number): readonly number[] {
  const last = logs.length - 1;
  const at = (i: number): number => logs[i < last ? i : last] ?? 0;
  const here = at(0);
  const way = here - at(horizon);
  const distances = new Float64Array(begins.length);
  for (let n = 0; n < distances.length; n++) {
    const i = begins[n] ?? 0;
    const level = at(i);
    distances[n] = Math.abs(level - here) + Math.abs(level - at(i + horizon) - way) / 2;
  }
  const taken = Math.min(begins.length, Math.max(LEAST_ALIKE, Math.ceil(begins.length * SHARE_ALIKE)));
  const farthest = distances.slice().sort()[taken - 1] ?? 0;
  const nearer = begins.filter((_, n) => (distances[n] ?? 0) < farthest);
  const asFar = begins.filter((_, n) => distances[n] === farthest);
  return [...nearer, ...asFar.slice(0, taken - nearer.length)];
}

/** The distribution in steps that are finer where it matters: in the upper tail. */
const EDGES = [0, 0.25, 0.5, 0.65, 0.75, 0.82, 0.88, 0.92, 0.95, 0.97, 0.985, 0.995, 1];

export function spread(rates: readonly number[]): readonly Scenario[] {
  const sorted = new Float64Array(rates).sort();
  return EDGES.slice(1).map((edge, i) => {
    const from = EDGES[i] ?? 0;
    return { rate: sorted[Math.floor(((from + edge) / 2) * sorted.length)] ?? 0, weight: edge - from };
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
