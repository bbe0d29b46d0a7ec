// What happens within a period, by the arrivals of its seconds: whether they come in bursts, and what those ask of the
// VMs.
import type { PeriodSummary } from '../../model.ts';

/** The variance of some hundred counts is by chance up to so many times their mean. */
const CHANCE = 1.1;

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
  return variance <= CHANCE * mean ? 0 : Math.sqrt(1 - mean / variance);
}

/** A period is asked for in many decisions: what was found for it, and the slack that it was found for. */
const found = new WeakMap<PeriodSummary, { readonly slack: number; readonly excess: Float64Array }>();

/**
 * By how much more than the period's mean rate the VMs must answer so that at the end of each second nobody waits longer
 * than `slack` seconds: of all stretches that end there the one with the most arrivals above the mean for its length and
 * the slack. Before the period it was as in it. The mean itself may last, so it has no use of the slack.
 * Worked: a mean of 10, 50 in one second of ten, slack 0.6: 40 / 1.6 = 25 more.
 */
export function excesses(period: PeriodSummary | undefined, slack: number): Float64Array | undefined {
  if (period?.arrivals === undefined || period.arrivals.length === 0) return undefined;
  const known = found.get(period);
  if (known?.slack === slack) return known.excess;
  const { arrivals, arrivalRate } = period;
  const excess = Float64Array.from(arrivals, (_, end) => {
    let most = -Infinity;
    let more = 0;
    for (let length = 1; length <= arrivals.length; length++) {
      more += (arrivals.at(end + 1 - length) ?? 0) - arrivalRate;
      most = Math.max(most, more / (length + slack));
    }
    return most;
  });
  found.set(period, { slack, excess });
  return excess;
}
