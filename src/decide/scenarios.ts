// How the load may be when a VM that is asked for now would serve: the past's own stretches, laid on the present.
import type { PeriodSummary } from '../model.ts';

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

/** So many stretches of the past are taken, those that the present is likest to: a share of them, but enough. */
const SHARE_ALIKE = 1 / 8;
const LEAST_ALIKE = 60;

/**
 * The past repeats itself in proportion. Of all stretches as long as the horizon those are taken that began like the
 * present: at a like rate, after a like way to it. By what factor each second at their end (and of their busiest
 * period) differs from their beginning, the load may differ from the present one.
 * `floor` (requests a second) keeps moves near zero from being factors of thousands.
 * Worked: 10 a second now, and after two of ten like stretches the load had doubled: two of ten scenarios are 20.
 */
export function scenarios(periods: readonly PeriodSummary[], horizon: number, floor: number): Scenarios {
  const rates = periods.map(({ arrivalRate }) => arrivalRate);
  const [now = 0] = rates;
  const burst = burstiness(periods);
  const atEnd: number[] = [];
  const highest: number[] = [];
  for (const i of alike(rates, horizon, floor)) {
    const from = (rates[i] ?? 0) + floor;
    let busiest = i - 1;
    for (let j = i - horizon; j < i; j++) if ((rates[j] ?? 0) > (rates[busiest] ?? 0)) busiest = j;
    for (const rate of withinPeriod(periods[i - horizon], burst)) atEnd.push((rate + floor) / from);
    for (const rate of withinPeriod(periods[busiest], burst)) highest.push((rate + floor) / from);
  }
  const applied = (factors: readonly number[]): readonly Scenario[] =>
    spread(factors.length === 0 ? [1] : factors).map(({ value, weight }) => ({
      rate: Math.max(0, (now + floor) * value - floor),
      weight,
    }));
  return { atEnd: applied(atEnd), highest: applied(highest) };
}

/** Indices of the stretches' beginnings (index 0 is the present). */
function alike(rates: readonly number[], horizon: number, floor: number): readonly number[] {
  const log = rates.map((rate) => Math.log(rate + floor));
  const at = (i: number): number => log[Math.min(i, log.length - 1)] ?? 0;
  const count = Math.max(0, rates.length - horizon);
  const distances = new Float64Array(count);
  for (let n = 0; n < count; n++) {
    const i = n + horizon;
    distances[n] = Math.abs(at(i) - at(0)) + Math.abs(at(i + horizon) - at(i) - at(horizon) + at(0)) / 2;
  }
  const taken = Math.min(count, Math.max(LEAST_ALIKE, Math.ceil(count * SHARE_ALIKE)));
  const farthest = distances.slice().sort()[taken - 1] ?? 0;
  const found: number[] = [];
  for (let n = 0; n < count; n++) if ((distances[n] ?? 0) < farthest) found.push(n + horizon);
  for (let n = 0; n < count && found.length < taken; n++) if (distances[n] === farthest) found.push(n + horizon);
  return found;
}

/** The rates of a period's seconds, as far as they scatter more than chance alone makes them. */
function withinPeriod(period: PeriodSummary | undefined, burst: number): readonly number[] {
  if (period === undefined) return [];
  const { arrivalRate, arrivals = [] } = period;
  if (burst === 0 || arrivals.length === 0) return [arrivalRate];
  return arrivals.map((rate) => arrivalRate + burst * (rate - arrivalRate));
}

/**
 * How much of the scatter of seconds is more than chance: a Poisson count's variance is its mean.
 * Worked: mean 10, variance 40 within periods: √(1 − 10/40) = 0.87.
 */
export function burstiness(periods: readonly PeriodSummary[]): number {
  let variance = 0;
  let mean = 0;
  for (const { arrivals = [] } of periods.slice(0, 60)) {
    if (arrivals.length < 2) continue;
    const middle = arrivals.reduce((sum, rate) => sum + rate, 0) / arrivals.length;
    variance += arrivals.reduce((sum, rate) => sum + (rate - middle) ** 2, 0) / (arrivals.length - 1);
    mean += middle;
  }
  return variance <= mean ? 0 : Math.sqrt(1 - mean / variance);
}

/** The distribution in steps that are finer where it matters: in the upper tail. */
const EDGES = [0, 0.25, 0.5, 0.65, 0.75, 0.82, 0.88, 0.92, 0.95, 0.97, 0.985, 0.995, 1];

function spread(values: readonly number[]): readonly { readonly value: number; readonly weight: number }[] {
  const sorted = Float64Array.from(values).sort();
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
