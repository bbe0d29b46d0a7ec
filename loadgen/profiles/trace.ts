// Recorded load as a profile: a series of counts, one for each interval of the recording.
import type { ProfileOptions, Shape } from './profile.ts';

/** Equal intervals of `interval` ms, each with the number of requests that arrived in it. */
export interface Trace {
  readonly interval: number;
  readonly counts: readonly number[];
}

export function traceShape(trace: Trace, { max }: ProfileOptions): Shape {
  const peak = trace.counts.reduce((highest, count) => Math.max(highest, count), 0);
  if (peak === 0) return () => 0;
  const last = trace.counts.length - 1;
  return (at) => ((trace.counts[Math.min(last, Math.floor(at * trace.counts.length))] ?? 0) / peak) * max;
}

/** How long the recording is, ms: the duration that replays it at its own speed. */
export function traceDuration(trace: Trace): number {
  return trace.interval * trace.counts.length;
}

/** How many requests a second arrived at the peak: the max that replays it at its own height (open loop). */
export function tracePeakRate(trace: Trace): number {
  return trace.counts.reduce((highest, count) => Math.max(highest, count), 0) / (trace.interval / 1000);
}

/** How it was read: a wrong interval, another unit or a hole show here, to whoever knows the recording. */
export function traceText({ interval, counts }: Trace): string {
  const hours = Math.round((counts.length * interval) / 360_000) / 10;
  const number = (value: number): string =>
    value >= 10 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
  const sum = counts.reduce((all, count) => all + count, 0);
  const most = counts.reduce((highest, count) => Math.max(highest, count), 0);
  const empty = counts.filter((count) => count === 0).length;
  const onEnd = longestEmpty(counts);
  const intervals = `${counts.length} interval${counts.length === 1 ? '' : 's'} of ${interval / 1000} s`;
  return `${intervals} (${hours} h), ${number(sum)} requests, at most ${number(most)} in one${empty === 0 ? '' : `; ${empty} without any${onEnd > 1 ? `, up to ${onEnd} on end` : ''}`}`;
}

function longestEmpty(counts: readonly number[]): number {
  let [most, now] = [0, 0];
  for (const count of counts) {
    now = count === 0 ? now + 1 : 0;
    most = Math.max(most, now);
  }
  return most;
}

/** The recording over and over, in straight lines from point to point, its highest point at `max`. */
export function traceLine({ interval, counts }: Trace, max: number): (t: number) => number {
  const peak = counts.reduce((highest, count) => Math.max(highest, count), 0);
  const point = (i: number): number => counts[i % counts.length] ?? 0;
  return (t) => {
    const at = Math.max(0, t) / interval;
    const i = Math.floor(at);
    return peak === 0 ? 0 : (max * (point(i) + (at - i) * (point(i + 1) - point(i)))) / peak;
  };
}
