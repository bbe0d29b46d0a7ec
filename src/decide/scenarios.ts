// How the load may be when a VM that is asked for now would serve: the past's own stretches, laid on the present.
import type { PeriodSummary } from '../model.ts';
import { burstiness, excesses } from './bursts.ts';

/** A load (requests a second) that may come, and how likely it is. */
export interface Scenario {
  readonly rate: number;
  readonly weight: number;
}

export interface Scenarios {
  /** In the period at the end of the horizon. */
  readonly atEnd: readonly Scenario[];
  /** In the busiest period until then. */
  readonly highest: readonly Scenario[];
}

/** Every second moment of the past is looked at, and every second second of its periods: the others are like them. */
const EVERY = 2;
/** So many stretches of the past are taken, those that the present is likest to: a share of them, but enough. */
const SHARE_ALIKE = 1 / 8;
const LEAST_ALIKE = 30;
/** Weight of what came after any moment: a level that was only left downwards yet may still be left upwards. */
const OTHERWISE = 0.05;

/**
 * The past repeats itself in proportion. Of all stretches as long as the horizon those are taken that began like the
 * present: at a like rate, after a like way to it. By what factor the seconds at their end (and of their busiest
 * period) differ from their beginning, the load may differ from the present one. What came after any other moment
 * counts a little.
 * `floor` (requests a second) keeps moves near zero from being factors of thousands; a request may wait `slack` seconds.
 * Worked: 10 a second now, and after two of ten like stretches the load had doubled: two of ten scenarios are 20.
 */
export function scenarios(periods: readonly PeriodSummary[], horizon: number, floor: number, slack = 0): Scenarios {
  const rates = new Float64Array(periods.length);
  for (let i = 0; i < rates.length; i++) rates[i] = periods[i]?.arrivalRate ?? 0;
  const now = (rates[0] ?? 0) + floor;
  const begins = beginnings(rates.length, horizon);
  if (begins.length === 0) {
    const same = [{ rate: now - floor, weight: 1 }];
    return { atEnd: same, highest: same };
  }
  const burst = burstiness(periods);
  const near = alike(rates, begins, horizon, floor);
  const busiest = (i: number): number => {
    let most = i - 1;
    for (let j = i - horizon; j < i; j++) if ((rates[j] ?? 0) > (rates[most] ?? 0)) most = j;
    return most;
  };
  // of the like stretches every second second, of the others one
  const distribution = (endOf: (i: number) => number): readonly Scenario[] => {
    const like: number[] = [];
    const any: number[] = [];
    for (let n = 0; n < begins.length; n++) {
      if (near[n] === 0 && n % EVERY !== 0) continue;
      const i = begins[n] ?? 0;
      const end = endOf(i);
      const excess = burst === 0 ? undefined : excesses(periods[end], slack);
      const factor = (second: number): number =>
        ((rates[end] ?? 0) + burst * (excess?.[second] ?? 0) + floor) / ((rates[i] ?? 0) + floor);
      const seconds = excess?.length ?? 1;
      if (n % EVERY === 0) any.push(factor(n % seconds));
      if (near[n] === 1)
        for (let second = seconds > 1 ? n % EVERY : 0; second < seconds; second += EVERY) like.push(factor(second));
    }
    return [...spread(like, 1 - OTHERWISE), ...spread(any, OTHERWISE)]
      .map(({ value, weight }) => ({ rate: Math.max(0, now * value - floor), weight }))
      .sort((a, b) => a.rate - b.rate);
  };
  return { atEnd: distribution((i) => i - horizon), highest: distribution(busiest) };
}

/** Of the stretches whose end is known, the indices of their beginnings (index 0 is the present). */
function beginnings(count: number, horizon: number): readonly number[] {
  const found: number[] = [];
  for (let i = Math.ceil(horizon / EVERY) * EVERY; i < count; i += EVERY) found.push(i);
  return found;
}

/** 1 for each beginning that the present is like. */
function alike(rates: Float64Array, begins: readonly number[], horizon: number, floor: number): Uint8Array {
  const log = rates.map((rate) => Math.log(rate + floor));
  const last = log.length - 1;
  const at = (i: number): number => log[i < last ? i : last] ?? 0;
  const way = at(0) - at(horizon);
  const distances = new Float64Array(begins.length);
  for (let n = 0; n < distances.length; n++) {
    const i = begins[n] ?? 0;
    const level = at(i);
    distances[n] = Math.abs(level - at(0)) + Math.abs(level - at(i + horizon) - way) / 2;
  }
  let left = Math.min(begins.length, Math.max(LEAST_ALIKE, Math.ceil(begins.length * SHARE_ALIKE)));
  const farthest = distances.slice().sort()[left - 1] ?? 0;
  const near = new Uint8Array(begins.length);
  for (let n = 0; n < near.length; n++) if ((distances[n] ?? 0) < farthest) [near[n], left] = [1, left - 1];
  for (let n = 0; n < near.length && left > 0; n++) if (distances[n] === farthest) [near[n], left] = [1, left - 1];
  return near;
}

/** The distribution in steps that are finer where it matters: in the upper tail. */
const EDGES = [0, 0.25, 0.5, 0.65, 0.75, 0.82, 0.88, 0.92, 0.95, 0.97, 0.985, 0.995, 1];

function spread(
  values: readonly number[],
  share: number,
): readonly { readonly value: number; readonly weight: number }[] {
  const sorted = new Float64Array(values).sort();
  return EDGES.slice(1).map((edge, i) => {
    const from = EDGES[i] ?? 0;
    return { value: sorted[Math.floor(((from + edge) / 2) * sorted.length)] ?? 1, weight: share * (edge - from) };
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
