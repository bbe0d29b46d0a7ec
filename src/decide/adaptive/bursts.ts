// What happens within a period, by the arrivals of its seconds: whether they come in bursts, and what those ask of the
// VMs.
import type { PeriodSummary } from '../../model.ts';

/** The last ten minutes tell whether requests come in bursts. */
const PERIODS = 60;
/** Fewer requests a second than this say nothing. */
const LEAST_RATE = 1;
/** What chance does to a variance, in terms of its own scatter: more than that it does hardly ever. */
const CHANCE = 4;

/**
 * How much of the scatter of seconds is more than chance: a Poisson count's variance is its mean.
 * Worked: mean 10, variance 40 within periods: √(1 − 10/40) = 0.87.
 */
export function burstiness(periods: readonly PeriodSummary[]): number {
  let dispersion = 0;
  let seconds = 0;
  for (let i = 0; i < Math.min(PERIODS, periods.length); i++) {
    const period = periods[i];
    const own = period && dispersionOf(period);
    if (own === undefined) continue;
    dispersion += own;
    seconds += (period?.arrivals?.length ?? 1) - 1;
  }
  const share = dispersion / seconds;
  return share > 1 + CHANCE * Math.sqrt(2 / seconds) ? Math.sqrt(1 - 1 / share) : 0;
}

/** Of the seconds of a period: Σ (x − mean)² ÷ mean; undefined: too few. */
function dispersionOf({ arrivals = [] }: PeriodSummary): number | undefined {
  let sum = 0;
  for (const rate of arrivals) sum += rate;
  const middle = sum / arrivals.length;
  if (arrivals.length < 2 || middle < LEAST_RATE) return undefined;
  let squares = 0;
  for (const rate of arrivals) squares += (rate - middle) ** 2;
  return squares / middle;
}

/** What was found for a period, and the slack that it was found for. */
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
