// How the load may be when a VM that is asked for now would serve: the past's own stretches, laid on the present in four
// ways. Which of them count, their record says (`track-record.ts`).
import type { PeriodSummary } from '../../model.ts';
import { alikeOf, persistence } from './alike.ts';
import { excesses } from './bursts.ts';
import { expectedWays, waysOf } from './line.ts';
import { logsOf } from './logs.ts';
import { stretches, type Which } from './past.ts';
import { spread, type Scenario } from './spread.ts';

/** What each way goes by, as the decision says it. */
export const WAYS_ON = ['moments like this one', 'the line of its levels', 'how it changed', 'where it was'] as const;

/** Of them, those of which more is known than their record. */
export const MOMENTS = 0;
export const LEVELS = 3;

/**
 * The loads of each way that is `wanted`, so many periods on: in the period at their end, or in the busiest one until then.
 * None of the others.
 */
export type Outlooks = (
  horizon: number,
  which: Which,
  wanted?: (way: number) => boolean,
) => readonly (readonly Scenario[])[];

/** So many moments of the past are looked at, evenly spread: of four hours every sixth, of one no fewer than every second. */
const LOOKS = 240;
const LEAST_EVERY = 2;
/** Of their periods every fourth second: the others are like them. */
const SECONDS = 4;
/** Written anew in each call. */
const rates = new Float64Array(LOOKS);

/**
 * The past repeats itself in proportion: what came at the end of a stretch of it as long as the horizon (or in its busiest
 * period) may come now, moved by what makes the present another beginning:
 * - Moments alike: of the stretches that began like the present (at a like rate, after a like way to it), by the factor that
 *   the present is above or below their beginning, as far as such a difference lasts (`persistence`). What is above all
 *   that was alike counts half as lasting, whatever the slope: it may be the first of its kind.
 * - A line: of all stretches, by the factor that is expected of the present above or below what was expected at their
 *   beginning, after the ways between means of ever longer times: back from a passing peak, on with a rise, nowhere.
 * - Changes: of all stretches, by the factor that the present is above or below their beginning.
 * - Levels: of all stretches, by nothing. Where minutes have nothing to do with each other, nothing is better.
 * `floor` (requests a second, about) keeps moves near zero from being factors of thousands; a request may wait `slack` seconds;
 * `burst`: how much requests come in bursts within a period.
 * Worked: 10 a second now, and a stretch rose from 20 to 30. As it changed that says 15, by its level 30. Had it been expected
 * to rise to 24, and nothing now, it was a quarter more than that: 12.5. Where half of a difference lasts, moments alike say
 * 30 × √(10 / 20) = 21.
 */
export function outlooksOf(
  periods: readonly PeriodSummary[],
  { floor: near, slack, burst }: { readonly floor: number; readonly slack: number; readonly burst: number },
): Outlooks {
  const { logs, floor } = logsOf(periods, near);
  const every = Math.max(LEAST_EVERY, Math.ceil(logs.length / LOOKS));
  let known: Float64Array | undefined;
  const here = logs[0] ?? 0;
  return (horizon, which, wanted = () => true) => {
    const past = stretches(logs, every, horizon, which);
    const { count, begins, ends } = past;
    if (count === 0) return WAYS_ON.map(() => [{ rate: periods[0]?.arrivalRate ?? 0, weight: 1 }]);
    const began = (n: number): number => logs[begins[n] ?? 0] ?? 0;
    /** The stretches, each moved by such a shift of its logarithm. */
    const laid = (chosen: readonly number[] | undefined, shiftOf: (n: number) => number): readonly Scenario[] => {
      const most = chosen?.length ?? count;
      const more: number[] = [];
      for (let k = 0; k < most; k++) {
        const n = chosen?.[k] ?? k;
        const end = ends[n] ?? 0;
        const came = Math.exp(logs[end] ?? 0);
        const factor = Math.exp(shiftOf(n));
        const excess = burst === 0 ? undefined : excesses(periods[end], slack);
        if (excess === undefined) rates[k] = Math.max(0, came * factor - floor);
        else
          for (let second = n % SECONDS; second < excess.length; second += SECONDS)
            more.push(Math.max(0, (came + burst * (excess[second] ?? 0)) * factor - floor));
      }
      return burst === 0 ? spread(rates.subarray(0, most)) : spread(more);
    };
    const alike = (): readonly Scenario[] => {
      const lasts = persistence(logs, past);
      return laid(alikeOf(logs, past, horizon), (n) => {
        const away = here - began(n);
        return away * (away < 0 ? lasts : (1 + lasts) / 2);
      });
    };
    const line = (): readonly Scenario[] => {
      const expected = expectedWays(logs, (known ??= waysOf(logs, every)), past);
      const level = here + expected(0);
      return laid(undefined, (n) => level - began(n) - expected(begins[n] ?? 0));
    };
    const changes = (): readonly Scenario[] => laid(undefined, (n) => here - began(n));
    const levels = (): readonly Scenario[] => laid(undefined, () => 0);
    return [alike, line, changes, levels].map((way, i) => (wanted(i) ? way() : []));
  };
}

/** All ways together, each with its share. */
export function together(outlooks: readonly (readonly Scenario[])[], shares: readonly number[]): readonly Scenario[] {
  const every: number[] = [];
  const weights: number[] = [];
  for (const [i, cases] of outlooks.entries())
    for (const { rate, weight } of cases) {
      every.push(rate);
      weights.push(weight * (shares[i] ?? 0));
    }
  return spread(every, weights);
}
