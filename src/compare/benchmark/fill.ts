// A recorded load in real time. A trace says how many requests came in each of its intervals, not when in them; what it
// leaves out is filled by a rule, in steps of ten seconds, so that an interval's boundary gives nothing away:
//   the logarithm of the rate is a random walk on the condition that each interval comes to its recorded count: a free
//   walk, and added to it the curve that bends least of all (quadratic in each interval, smooth over boundaries) with
//   which it does.
//   The walk's variance over an interval is the trace's own: the median of |ln(next / one)| over 0.6745, squared.
// A trace that is a walk itself moves on alike at boundaries and between them: movement at a boundary over that elsewhere is 1.06, 0.95
// and 1.08 for three traces of five minutes to an hour. It does not hold where minutes alternate (1.48 and 0.13 for two traces of minutes).
// Intervals of ten seconds and less are added up instead.
import type { Millis } from '../../model.ts';
import type { Chance } from '../../simulate/chance.ts';

const GRAIN = 10_000;
/** Of a normal distribution's standard deviation, the median of its absolute value. */
const MEDIAN = 0.6745;
/** Taken for fewer, as a share of the mean count: an empty interval has no logarithm. */
const LEAST = 1e-4;
/** Each leaves a small part of what counts are off by; what is left then is scaled away. */
const ROUNDS = 6;

export interface Recorded {
  readonly interval: Millis;
  readonly counts: readonly number[];
}

/** Requests a second in each ten seconds. */
export function filled({ interval, counts }: Recorded, chance: Chance): readonly number[] {
  const steps = Math.round(interval / GRAIN);
  if (steps <= 1) return added(counts, Math.max(1, Math.round(GRAIN / interval)));
  const floor = (LEAST * counts.reduce((sum, count) => sum + count, 0)) / Math.max(1, counts.length) + 1e-9;
  const targets = counts.map((count) => Math.max(count, floor));
  const scatter = scatterOf(targets.map((target) => Math.log(target))) / Math.sqrt(steps);
  const walk = new Float64Array(counts.length * steps);
  for (let k = 1; k < walk.length; k++) walk[k] = (walk[k - 1] ?? 0) + scatter * chance.normal();
  const rates = new Float64Array(walk.length);
  for (let round = 0; round <= ROUNDS; round++) {
    for (let k = 0; k < rates.length; k++) rates[k] = Math.exp(walk[k] ?? 0);
    const sums = counts.map((_, i) => rates.subarray(i * steps, (i + 1) * steps).reduce((sum, rate) => sum + rate, 0));
    if (round < ROUNDS)
      addCurve(
        walk,
        steps,
        targets.map((target, i) => Math.log(target / (sums[i] ?? 1))),
      );
    else
      for (const [i, count] of counts.entries())
        for (let k = i * steps; k < (i + 1) * steps; k++)
          rates[k] = ((rates[k] ?? 0) * count) / (sums[i] ?? 1) / (GRAIN / 1000);
  }
  return Array.from(rates);
}

/**
 * Adds the smooth curve whose mean over each interval is as asked, with the least ∫ slope²: the slope is straight in an
 * interval, from d to d' at its boundaries, so with s at its begin the mean is s + d/3 + d'/6, and it ends at
 * s + d/2 + d'/2. From one interval to the next: d/6 + 2d'/3 + d''/6 = the difference of the means.
 */
function addCurve(values: Float64Array, steps: number, means: readonly number[]): void {
  const slopes = new Float64Array(means.length + 1);
  const pivots = new Float64Array(means.length + 1);
  for (let i = 1; i < means.length; i++) {
    pivots[i] = 2 / 3 - (i > 1 ? 1 / 36 / (pivots[i - 1] ?? 1) : 0);
    const wanted = (means[i] ?? 0) - (means[i - 1] ?? 0);
    slopes[i] = wanted - (i > 1 ? (slopes[i - 1] ?? 0) / 6 / (pivots[i - 1] ?? 1) : 0);
  }
  for (let i = means.length - 1; i > 0; i--)
    slopes[i] = ((slopes[i] ?? 0) - (slopes[i + 1] ?? 0) / 6) / (pivots[i] ?? 1);
  for (const [i, mean] of means.entries()) {
    const [d = 0, next = 0] = [slopes[i], slopes[i + 1]];
    const start = mean - d / 3 - next / 6;
    for (let k = 0; k < steps; k++) {
      const t = (k + 0.5) / steps;
      values[i * steps + k] = (values[i * steps + k] ?? 0) + start + d * t + ((next - d) * t * t) / 2;
    }
  }
}

const added = (counts: readonly number[], together: number): readonly number[] =>
  Array.from({ length: Math.floor(counts.length / together) }, (_, i) => {
    const part = counts.slice(i * together, (i + 1) * together);
    return part.reduce((sum, count) => sum + count, 0) / (GRAIN / 1000);
  });

function scatterOf(logs: readonly number[]): number {
  const changes = logs.slice(1).map((log, i) => Math.abs(log - (logs[i] ?? log)));
  return (changes.sort((a, b) => a - b)[Math.floor(changes.length / 2)] ?? 0) / MEDIAN;
}
