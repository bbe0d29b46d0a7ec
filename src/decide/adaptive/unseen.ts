// What a short past has not seen. In its first two hours a load may do what it has not done yet: a burst of arrivals of
// twice what there was is no surprise in the first hour of a service, and nothing in that hour says so. So some of what may
// come is taken to be further away than what came in stretches as long, and less of it with every stretch and minute.
import type { Millis, PeriodSummary } from '../../model.ts';
import { logsOf } from './logs.ts';
import type { Which } from './past.ts';
import type { Scenario } from './spread.ts';

/** After so long the past speaks for itself. */
const LONG: Millis = 2 * 3_600_000;
/** As many stretches are taken not to have been seen, and of all that may come they are this share at most. */
const STRETCHES = 2;
const MOST = 0.2;
/** What was not seen scatters so many times as much as what was, within bounds (logarithm). */
const WIDER = 3;
const WIDEST = 1;
/** A normal distribution in few steps, finer where it matters. */
const STEPS = [
  [-1.2, 0.3],
  [0, 0.3],
  [0.8, 0.2],
  [1.5, 0.12],
  [2.3, 0.06],
  [3.2, 0.02],
] as const;
/** Of the past every third stretch is looked at, and the level is the mean of three periods. */
const EVERY = 3;

/**
 * `cases` with what may come besides; `horizon`: in periods; `near`: a load that matters little (requests a second).
 * Worked: in 8 min there were 6 stretches of 80 s, so 2 of 8 were not seen, a fifth at most; after 8 min of 120 that counts 0.19. The
 * load changed by 0.2 (logarithm) in them, so in a case of fifty of those it comes to e^(3.2 × 0.6) = 7 times what it is.
 */
export function withUnseen(
  cases: readonly Scenario[],
  {
    periods,
    horizon,
    near,
  }: { readonly periods: readonly PeriodSummary[]; readonly horizon: number; readonly near: number },
  which: Which,
): readonly Scenario[] {
  const [present] = periods;
  const reach = (present?.at ?? 0) - (periods.at(-1)?.at ?? 0);
  if (reach >= LONG || periods.length <= horizon) return cases;
  const { logs, floor } = logsOf(periods, near);
  const share = Math.min(MOST, STRETCHES / (STRETCHES + logs.length / horizon)) * (1 - reach / LONG);
  const scatter = Math.min(WIDEST, WIDER * scatterOf(logs, horizon));
  const level = logs.subarray(0, EVERY).reduce((sum, log) => sum + log, 0) / Math.min(EVERY, logs.length);
  const unseen = STEPS.map(([step, weight]) => {
    const way = scatter * (which === 'end' ? step : Math.abs(step));
    return { rate: Math.max(0, Math.exp(level + way) - floor), weight: share * weight };
  });
  const seen = cases.map(({ rate, weight }) => ({ rate, weight: (1 - share) * weight }));
  return [...seen, ...unseen].sort((one, other) => one.rate - other.rate);
}

/** How far the load went in stretches of the horizon (logarithm): the root of the mean square. */
function scatterOf(logs: Float64Array, horizon: number): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i + horizon < logs.length; i += EVERY) {
    sum += ((logs[i] ?? 0) - (logs[i + horizon] ?? 0)) ** 2;
    count++;
  }
  return Math.sqrt(sum / Math.max(1, count));
}
