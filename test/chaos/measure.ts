// What a fault cost, from the outcomes of all requests. Pure; times are ms of one clock.
export interface Outcome {
  readonly began: number;
  readonly ended: number;
  readonly answered: boolean;
  /** Why not, in words: the same for what fails in the same way. */
  readonly why?: string;
  /** All that is known of it. */
  readonly detail?: string;
}

export interface Cost {
  readonly requests: number;
  /** Those that got an error, or no answer. */
  readonly failed: number;
  /** ms without any answered request. */
  readonly longestGap: number;
  /** ms from the end of the fault to the end of the last request that failed; 0: none failed after it. */
  readonly recovery: number;
}

/** Example: answers at 0, 10, 400 and 410 ms, a failure that ended at 390, the fault over at 300: a gap of 390, recovery of 90. */
export function costOf(
  outcomes: readonly Outcome[],
  { began, over, until }: Record<'began' | 'over' | 'until', number>,
): Cost {
  const during = outcomes.filter(({ ended }) => ended >= began && ended <= until);
  const gaps = gapsIn(outcomes, began, until).map((gap) => gap.until - gap.from);
  const failures = during.filter(({ answered }) => !answered);
  const last = Math.max(over, ...failures.map(({ ended }) => ended));
  return {
    requests: during.length,
    failed: failures.length,
    longestGap: Math.max(...gaps),
    recovery: last - over,
  };
}

/** The times between answers. */
export function gapsIn(
  outcomes: readonly Outcome[],
  from: number,
  until: number,
): { readonly from: number; readonly until: number }[] {
  const answers = outcomes.filter(({ answered, ended }) => answered && ended >= from && ended <= until);
  const times = [from, ...answers.map(({ ended }) => ended).sort((a, b) => a - b), until];
  return times.slice(1).map((time, i) => ({ from: times[i] ?? time, until: time }));
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;

export interface Reading {
  readonly at: number;
  readonly value: number;
}

/** The slope of the straight line through readings, by least squares. Example: 1 at 0, 2 at 10 and 3 at 20: 0.1. */
export function slopeOf(readings: readonly Reading[]): number {
  const mean = (of: (one: Reading) => number) => readings.reduce((sum, one) => sum + of(one), 0) / readings.length;
  const [at, value] = [mean((one) => one.at), mean((one) => one.value)];
  const spread = mean((one) => (one.at - at) ** 2);
  return spread === 0 ? 0 : mean((one) => (one.at - at) * (one.value - value)) / spread;
}
