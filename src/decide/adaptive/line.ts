// A line through the past: what the ways between means of ever longer times say of the way to come.
import { solved } from './least-squares.ts';
import type { Past } from './past.ts';

/** The levels of a load are means of so many periods; a way leads from each to the next, and from the last to the mean of all. */
const SPANS = [3, 9, 30, 90];
const WAYS = SPANS.length + 1;
/** Mean square of ways (logarithms) that are too little to learn from: it holds what is learned of them near 0. */
const LITTLE = 2e-4;
/** The expected way is no longer than this (logarithm). */
const LONGEST_WAY = 3;

/** At each moment that is looked at, one after the other: the ways from the level itself on. */
export function waysOf(logs: Float64Array, every: number): Float64Array {
  const ways = new Float64Array(Math.ceil(logs.length / every) * WAYS);
  let mean = 0;
  for (let i = 0; i < logs.length; i++) mean += (logs[i] ?? 0) / logs.length;
  const levels = new Float64Array(SPANS.length).fill(logs.at(-1) ?? 0);
  const shares = SPANS.map((span) => 2 / (span + 1));
  for (let i = logs.length - 1; i >= 0; i--) {
    const log = logs[i] ?? 0;
    for (let k = 0; k < levels.length; k++) levels[k] = (levels[k] ?? 0) + (shares[k] ?? 0) * (log - (levels[k] ?? 0));
    if (i % every !== 0) continue;
    const at = (i / every) * WAYS;
    for (let k = 0; k < WAYS; k++) ways[at + k] = (k === 0 ? log : (levels[k - 1] ?? 0)) - (levels[k] ?? mean);
  }
  return ways;
}

/** What the ways at a moment say of the one to the end of its stretch: least squares over the past. */
export function expectedWays(
  logs: Float64Array,
  ways: Float64Array,
  { count, every, begins, ends }: Past,
): (moment: number) => number {
  const squares = new Array<number>(WAYS * WAYS).fill(0);
  const products = new Array<number>(WAYS).fill(0);
  let mean = 0;
  for (let n = 0; n < count; n++) mean += ((logs[ends[n] ?? 0] ?? 0) - (logs[begins[n] ?? 0] ?? 0)) / count;
  for (let n = 0; n < count; n++) {
    const i = begins[n] ?? 0;
    const at = (i / every) * WAYS;
    const change = (logs[ends[n] ?? 0] ?? 0) - (logs[i] ?? 0) - mean;
    for (let row = 0; row < WAYS; row++) {
      const own = ways[at + row] ?? 0;
      products[row] = (products[row] ?? 0) + own * change;
      for (let column = 0; column <= row; column++)
        squares[row * WAYS + column] = (squares[row * WAYS + column] ?? 0) + own * (ways[at + column] ?? 0);
    }
  }
  for (let row = 0; row < WAYS; row++) {
    for (let column = 0; column < row; column++) squares[column * WAYS + row] = squares[row * WAYS + column] ?? 0;
    squares[row * (WAYS + 1)] = (squares[row * (WAYS + 1)] ?? 0) + LITTLE * count;
  }
  const { weights } = solved({ squares, products, weights: [] });
  return (moment) => {
    let way = 0;
    const at = (moment / every) * WAYS;
    for (let k = 0; k < WAYS; k++) way += (weights[k] ?? 0) * (ways[at + k] ?? 0);
    return Math.max(-LONGEST_WAY, Math.min(LONGEST_WAY, way));
  };
}
