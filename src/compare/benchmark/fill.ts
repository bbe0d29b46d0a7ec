// A recorded load in real time. A trace says how many requests came in each of its intervals, not when in them; what it
// leaves out is filled by a rule, in steps of ten seconds, so that an interval's boundary gives nothing away:
//   the logarithm of the rate is a random walk and a passing noise (a moving mean over half an interval), on the condition
//   that each interval comes to its recorded count: both are drawn freely, and what is likeliest to be missing is added.
//   How much of each is the trace's own: changes of a walk from interval to interval go on a little in the same direction
//   (correlation 1/4), those of noise turn back (-0.44). So a load of minutes that have nothing to do with each other is filled
//   with such half minutes, and one that drifts with a drift.
// A trace that is such a process is filled with it, and then no step of an interval differs from another. One that is flat
// most of the time is filled flat. Intervals of ten seconds and less are added up instead; where ten seconds are no part of
// an interval, they have their share of each of its steps.
import type { Millis } from '../../model.ts';
import type { Chance } from '../../simulate/chance.ts';

const GRAIN = 10_000;
/** Of a normal distribution's standard deviation, the median of its absolute value. */
const MEDIAN = 0.6745;
/** Taken for fewer, as a share of the mean count: an empty interval has no logarithm. */
const LEAST = 0.01;
/** Every trace drifts a little. */
const LEAST_WALK = 0.02;
/** For a trace that never changes. */
const TINY = 1e-12;
/** Each leaves a small part of what counts are off by; what is left then is scaled away. */
const ROUNDS = 6;

export interface Recorded {
  readonly interval: Millis;
  readonly counts: readonly number[];
}

/** Requests a second in each ten seconds. */
export function filled({ interval, counts }: Recorded, chance: Chance): readonly number[] {
  const steps = Math.ceil(interval / GRAIN);
  if (steps <= 1) return inGrains(counts, interval);
  const floor = (LEAST * counts.reduce((sum, count) => sum + count, 0)) / Math.max(1, counts.length) + 1e-9;
  const targets = counts.map((count) => Math.max(count, floor));
  const nature = natureOf(
    targets.map((target) => Math.log(target)),
    steps,
  );
  const walk = drawn(counts.length * steps, steps, nature, chance);
  const rates = new Float64Array(walk.length);
  for (let round = 0; round <= ROUNDS; round++) {
    for (let k = 0; k < rates.length; k++) rates[k] = Math.exp(walk[k] ?? 0);
    const sums = counts.map((_, i) => rates.subarray(i * steps, (i + 1) * steps).reduce((sum, rate) => sum + rate, 0));
    if (round < ROUNDS)
      addMissing(
        walk,
        steps,
        nature,
        targets.map((target, i) => Math.log(target / (sums[i] ?? 1))),
      );
    else
      for (const [i, count] of counts.entries())
        for (let k = i * steps; k < (i + 1) * steps; k++) rates[k] = ((rates[k] ?? 0) * count) / (sums[i] ?? 1);
  }
  return inGrains(rates, interval / steps);
}

/** Variances, of logarithms: of the walk over an interval, and of the noise at any moment. */
interface Nature {
  readonly walk: number;
  readonly noise: number;
}

const noiseSpan = (steps: number): number => Math.max(1, Math.round(steps / 2));

/** Covariance of the noise in a step with the mean of an interval, in terms of its variance; `step` counts from the interval's begin. */
function noiseShared(step: number, steps: number): number {
  const span = noiseSpan(steps);
  let sum = 0;
  for (let k = 0; k < steps; k++) sum += Math.max(0, 1 - Math.abs(step - k) / span);
  return sum / steps;
}

/** Covariance of the noise's means over two intervals, so many intervals apart. */
function noiseOfMeans(steps: number, apart: number): number {
  let sum = 0;
  for (let k = 0; k < steps; k++) sum += noiseShared(k + apart * steps, steps);
  return sum / steps;
}

/**
 * Changes of means from one interval to the next have a variance of 2/3 walk + 2 (c - c') noise, those over two intervals
 * one of 5/3 walk + 2 c noise. Each is taken from the median of the trace, for leaps are not of this nature.
 */
function natureOf(logs: readonly number[], steps: number): Nature {
  const [one, two] = [varianceOf(logs, 1), varianceOf(logs, 2)];
  const [same, next] = [noiseOfMeans(steps, 0), noiseOfMeans(steps, 1)];
  const share = same / (same - next);
  const walk = Math.max(LEAST_WALK * one, Math.min(1.5 * one, (two - share * one) / (5 / 3 - (2 / 3) * share)));
  return { walk, noise: Math.max(0, (one - (2 / 3) * walk) / (2 * (same - next))) };
}

function varianceOf(logs: readonly number[], apart: number): number {
  const changes = logs.slice(apart).map((log, i) => Math.abs(log - (logs[i] ?? log)));
  return ((changes.sort((a, b) => a - b)[Math.floor(changes.length / 2)] ?? 0) / MEDIAN) ** 2;
}

function drawn(length: number, steps: number, { walk, noise }: Nature, chance: Chance): Float64Array {
  const span = noiseSpan(steps);
  const [step, each] = [Math.sqrt(walk / steps), Math.sqrt(noise / span)];
  const recent = Array.from({ length: span }, () => chance.normal());
  let level = 0;
  return new Float64Array(length).map((_, k) => {
    recent[k % span] = chance.normal();
    level += step * chance.normal();
    return level + each * recent.reduce((sum, one) => sum + one, 0);
  });
}

/**
 * Adds what the process is likeliest to have had in addition, if the means of its intervals are to be higher by those: its
 * covariance with them, times the share of each. The shares follow from the changes of the means, one for each boundary. Of
 * the walk that is a curve that bends least: straight slopes in an interval, from d to d' at its boundaries, so with s at
 * its begin the mean is s + d/3 + d'/6, and it ends at s + d/2 + d'/2.
 */
function addMissing(values: Float64Array, steps: number, { walk, noise }: Nature, means: readonly number[]): void {
  const [same, next] = [noise * noiseOfMeans(steps, 0), noise * noiseOfMeans(steps, 1)];
  const shares = boundaryShares((2 / 3) * walk + 2 * (same - next), walk / 6 + 2 * next - same, means);
  const shared = Array.from({ length: 3 * steps }, (_, k) => noise * noiseShared(k - steps, steps));
  const weight = (i: number): number => (shares[i] ?? 0) - (shares[i + 1] ?? 0);
  for (const [i, mean] of means.entries()) {
    const [d, after] = [walk * (shares[i] ?? 0), walk * (shares[i + 1] ?? 0)];
    const [before, own, behind] = [weight(i - 1), weight(i), weight(i + 1)];
    const start = mean - (next * before + same * own + next * behind) - d / 3 - after / 6;
    for (let k = 0; k < steps; k++) {
      const t = (k + 0.5) / steps;
      const noisy = own * (shared[k + steps] ?? 0) + before * (shared[k + 2 * steps] ?? 0) + behind * (shared[k] ?? 0);
      values[i * steps + k] = (values[i * steps + k] ?? 0) + start + noisy + d * t + ((after - d) * t * t) / 2;
    }
  }
}

/**
 * x with beside (x before + x after) + own x = the change of the means at each boundary. Changes two boundaries apart have
 * little to do with each other and are left to the next round.
 */
function boundaryShares(own: number, beside: number, means: readonly number[]): Float64Array {
  const shares = new Float64Array(means.length + 1);
  const pivots = new Float64Array(means.length + 1);
  for (let i = 1; i < means.length; i++) {
    const before = i > 1 ? beside / (pivots[i - 1] ?? 1) : 0;
    pivots[i] = own + TINY - before * beside;
    shares[i] = (means[i] ?? 0) - (means[i - 1] ?? 0) - before * (shares[i - 1] ?? 0);
  }
  for (let i = means.length - 1; i > 0; i--)
    shares[i] = ((shares[i] ?? 0) - beside * (shares[i + 1] ?? 0)) / (pivots[i] ?? 1);
  return shares;
}

/** Requests a second in each grain, of the requests in steps of no more than a grain. */
function inGrains(requests: ArrayLike<number>, step: Millis): readonly number[] {
  return Array.from({ length: Math.floor((requests.length * step) / GRAIN) }, (_, grain) => {
    const [from, to] = [(grain * GRAIN) / step, ((grain + 1) * GRAIN) / step];
    let sum = 0;
    for (let k = Math.floor(from); k < to; k++) sum += (requests[k] ?? 0) * (Math.min(to, k + 1) - Math.max(from, k));
    return sum / (GRAIN / 1000);
  });
}
