// How the load may be when a VM that is asked for now would serve: the past's own stretches, laid on the present.
import type { PeriodSummary } from '../../model.ts';
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

/**
 * The past repeats itself in proportion. Of all stretches as long as the horizon those are taken that began like the
 * present: at a like rate, after a like way to it. By what factor the seconds at their end (and of their busiest
 * period) differ from their beginning, the load may differ from the present one.
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
  const distribution = (endOf: (i: number) => number): readonly Scenario[] => {
    const factors: number[] = [];
    for (const i of near) {
      const end = endOf(i);
      const from = (rates[i] ?? 0) + floor;
      const to = (rates[end] ?? 0) + floor;
      const excess = burst === 0 ? undefined : excesses(periods[end], slack);
      if (excess === undefined) factors.push(to / from);
      else
        for (let second = (i / EVERY) % EVERY; second < excess.length; second += EVERY)
          factors.push((to + burst * (excess[second] ?? 0)) / from);
    }
    return spread(factors).map(({ value, weight }) => ({ rate: Math.max(0, now * value - floor), weight }));
  };
  return { atEnd: distribution((i) => i - horizon), highest: distribution(busiest) };
}

/** Of the stretches whose end is known, the indices of their beginnings (index 0 is the present). */
function beginnings(count: number, horizon: number): readonly number[] {
  const found: number[] = [];
  for (let i = Math.ceil(horizon / EVERY) * EVERY; i < count; i += EVERY) found.push(i);
  return found;
}

/** The beginnings that the present is like. */
function alike(rates: Float64Array, begins: readonly number[], horizon: number, floor: number): readonly number[] {
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
  const taken = Math.min(begins.length, Math.max(LEAST_ALIKE, Math.ceil(begins.length * SHARE_ALIKE)));
  const farthest = distances.slice().sort()[taken - 1] ?? 0;
  const nearer = begins.filter((_, n) => (distances[n] ?? 0) < farthest);
  const asFar = begins.filter((_, n) => distances[n] === farthest);
  return [...nearer, ...asFar.slice(0, taken - nearer.length)];
}

/** The distribution in steps that are finer where it matters: in the upper tail. */
const EDGES = [0, 0.25, 0.5, 0.65, 0.75, 0.82, 0.88, 0.92, 0.95, 0.97, 0.985, 0.995, 1];

function spread(values: readonly number[]): readonly { readonly value: number; readonly weight: number }[] {
  const sorted = new Float64Array(values).sort();
  return EDGES.slice(1).map((edge, i) => {
    const from = EDGES[i] ?? 0;
    return { value: sorted[Math.floor(((from + edge) / 2) * sorted.length)] ?? 1, weight: edge - from };
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
