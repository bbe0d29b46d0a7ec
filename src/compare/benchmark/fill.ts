// A recorded load in real time. A trace says how many requests came in each of its intervals, not when in them; what it
// leaves out is filled by a rule, so that an interval's boundary gives nothing away:
//   between the middles of two intervals the logarithm of the rate is a Brownian bridge, in steps of ten seconds;
//   its variance over an interval is the trace's own: the median of |ln(next / one)| over 0.6745, squared.
// Then each interval is scaled to its recorded count. Intervals of ten seconds and less are added up instead.
import type { Millis } from '../../model.ts';
import type { Chance } from '../../simulate/chance.ts';

const GRAIN = 10_000;
/** Of a normal distribution's standard deviation, the median of its absolute value. */
const MEDIAN = 0.6745;
/** Added to a count, as a share of their mean: an empty interval has no logarithm. */
const LEAST = 0.02;

export interface Recorded {
  readonly interval: Millis;
  readonly counts: readonly number[];
}

/** Requests a second in each ten seconds. */
export function filled({ interval, counts }: Recorded, chance: Chance): readonly number[] {
  const steps = Math.round(interval / GRAIN);
  if (steps <= 1) return added(counts, Math.max(1, Math.round(GRAIN / interval)));
  const floor = (LEAST * counts.reduce((sum, count) => sum + count, 0)) / Math.max(1, counts.length) + 1e-9;
  const logs = counts.map((count) => Math.log(count + floor));
  const scatter = scatterOf(logs) / Math.sqrt(steps);
  const rates = counts.flatMap((_, i) => bridge(i, logs, steps, scatter, chance));
  return counts.flatMap((count, i) => {
    const part = rates.slice(i * steps, (i + 1) * steps);
    const sum = part.reduce((all, rate) => all + rate, 0);
    return part.map((rate) => (sum === 0 ? 0 : (rate / sum) * (count / (GRAIN / 1000))));
  });
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

/** Of one interval: half a bridge from the middle of the one before, half of one to the next. */
function bridge(i: number, logs: readonly number[], steps: number, scatter: number, chance: Chance): number[] {
  const at = (j: number): number => logs[Math.max(0, Math.min(logs.length - 1, j))] ?? 0;
  const [before, here, after] = [at(i - 1), at(i), at(i + 1)];
  const walk = [0];
  for (let step = 1; step <= steps; step++) walk.push((walk[step - 1] ?? 0) + scatter * chance.normal());
  return Array.from({ length: steps }, (_, step) => {
    const share = (step + 0.5) / steps;
    const line = share < 0.5 ? before + (here - before) * (share + 0.5) : here + (after - here) * (share - 0.5);
    const around = (walk[step] ?? 0) - share * (walk[steps] ?? 0);
    return Math.exp(line + around);
  });
}
