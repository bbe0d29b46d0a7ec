// The past as stretches as long as a horizon: where each began, and where it ended.

/** Where they begin and end, as indices into the past (0 is the present). */
export interface Past {
  readonly count: number;
  /** From one beginning to the next. */
  readonly every: number;
  readonly begins: Int32Array;
  readonly ends: Int32Array;
}

/** Of all of a stretch its end counts, or its busiest period. */
export type Which = 'end' | 'highest';

export function stretches(logs: Float64Array, every: number, horizon: number, which: Which): Past {
  const first = Math.ceil(horizon / every) * every;
  const count = Math.max(0, Math.ceil((logs.length - first) / every));
  const begins = new Int32Array(count);
  const ends = new Int32Array(count);
  for (let n = 0; n < count; n++) {
    const i = first + n * every;
    begins[n] = i;
    ends[n] = which === 'end' ? i - horizon : busiest(logs, i - horizon, i);
  }
  return { count, every, begins, ends };
}

function busiest(logs: Float64Array, from: number, to: number): number {
  let most = to - 1;
  for (let i = from; i < to; i++) if ((logs[i] ?? 0) > (logs[most] ?? 0)) most = i;
  return most;
}
