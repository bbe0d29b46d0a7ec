// How long the intervals of a recorded load are, and what was counted in each.
import type { Millis } from '../../src/model.ts';
import { OptionError } from '../workload/option-error.ts';

export interface Point {
  readonly at: Millis;
  readonly count: number;
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
/** What recordings are counted by. */
const ROUND = [
  1, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
].map((seconds) => seconds * SECOND);
/** A year of seconds: more than that is a broken time in the file, not a trace. */
const MOST_INTERVALS = 366 * 86_400;

/** What times are usually apart, as recordings are counted: a clock that is a little late counts by the minute, too. */
export function usualInterval(times: readonly Millis[]): Millis | undefined {
  const gap = usualGap(times);
  return ROUND.find((round) => gap !== undefined && near(gap, round)) ?? gap;
}

/** No two at once, and all apart by whole intervals: they are of a series, not of what came when it came. */
export function isEven(times: readonly Millis[]): boolean {
  const gap = usualGap(times) ?? 0;
  const inOrder = times.toSorted((a, b) => a - b);
  return (
    ROUND.includes(gap) &&
    inOrder.every((at, i) => i === 0 || (at > (inOrder[i - 1] ?? at) && (at - (inOrder[0] ?? at)) % gap === 0))
  );
}

/**
 * How far the times are apart: most of them, if most are about as far apart (a clock that is a second late makes no
 * interval of a second), else the closest. What a longer gap leaves out were intervals without a request.
 */
export function usualGap(times: readonly number[]): number | undefined {
  const gaps = gapsOf(times);
  const [shortest, middle = 0] = [gaps[0], gaps[Math.floor(gaps.length / 2)]];
  if (shortest === undefined || middle === shortest) return shortest;
  if (2 * gaps.filter((gap) => near(gap, middle)).length <= gaps.length) return shortest;
  return middle;
}

/** From one time to the next, shortest first. */
function gapsOf(times: readonly number[]): readonly number[] {
  const inOrder = times.toSorted((a, b) => a - b);
  const gaps = inOrder.map((at, i) => at - (inOrder[i - 1] ?? at));
  return gaps.filter((gap) => gap > 0).sort((a, b) => a - b);
}

/** Most of them about no usual time after the one before. */
export function isScattered(times: readonly number[]): boolean {
  const gaps = gapsOf(times);
  const middle = gaps[Math.floor(gaps.length / 2)] ?? 0;
  return 2 * gaps.filter((gap) => near(gap, middle)).length <= gaps.length;
}

/** But for a tenth. */
const near = (gap: number, of: number): boolean => Math.abs(gap - of) <= of / 10;

/** By the file's own name, whatever folders it is in; undefined where it doesn't say. */
export function stepIn(path: string): Millis | undefined {
  const name = path.replace(/^.*[/\\]/, '');
  const [, number, unit = ''] = /(\d+)[-_ ]?(s|sec|min|h|hours?)(?![a-z])/i.exec(name) ?? [];
  if (Number(number) > 0) return Number(number) * (/^s/i.test(unit) ? SECOND : /^m/i.test(unit) ? MINUTE : 60 * MINUTE);
  if (/hourly|per[-_ ]hour/i.test(name)) return 60 * MINUTE;
  return /per[-_ ]min/i.test(name) ? MINUTE : undefined;
}

/** A time counts in the interval that it is nearest to the beginning of; a second's arrivals in that second. */
export function binned(rows: readonly Point[], interval: Millis, name: string): number[] {
  const start = rows.reduce((earliest, { at }) => Math.min(earliest, at), Infinity);
  const steps = interval === SECOND ? undefined : stepsOf(rows, interval);
  const indexOf = (at: number): number =>
    steps?.get(at) ?? (interval === SECOND ? Math.floor : Math.round)((at - start) / interval);
  const length = rows.length === 0 ? 0 : rows.reduce((most, { at }) => Math.max(most, indexOf(at)), 0) + 1;
  if (length > MOST_INTERVALS)
    throw new OptionError(`The times in the trace ${name} are more than a year of intervals apart.`);
  const counts = new Array<number>(length).fill(0);
  for (const { at, count } of rows) counts[indexOf(at)] = (counts[indexOf(at)] ?? 0) + count;
  return counts;
}

/**
 * The interval of each time, counted from one time to the next: a clock that is a little slow or fast would leave an interval
 * empty after a while, or have two times in one. Undefined where times are not about whole intervals apart.
 */
function stepsOf(rows: readonly Point[], interval: Millis): ReadonlyMap<Millis, number> | undefined {
  const times = [...new Set(rows.map(({ at }) => at))].sort((a, b) => a - b);
  const steps = new Map<Millis, number>();
  let step = 0;
  for (const [i, at] of times.entries()) {
    const gap = i === 0 ? 0 : (at - (times[i - 1] ?? at)) / interval;
    step += Math.round(gap);
    if (gap > 0 && Math.abs(gap - Math.round(gap)) > 0.1 * Math.max(1, Math.round(gap))) return undefined;
    if (i > 0 && Math.round(gap) === 0) return undefined;
    steps.set(at, step);
  }
  return steps;
}
