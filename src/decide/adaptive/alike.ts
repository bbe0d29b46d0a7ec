// The moments of the past that were most like the present, and how much of their difference to it lasts.
import { ranked } from '../common/ranked.ts';
import type { Past } from './past.ts';

/** Share of the stretches of the past that count as like the present, but enough of them. */
const SHARE_ALIKE = 1 / 8;
const LEAST_ALIKE = 30;
/** A load that varies less says nothing of how long differences last. */
const LEAST_VARIANCE = 1e-6;

/**
 * How much of a difference between two beginnings is still there at their ends: the slope of the straight line through all
 * stretches' logarithms. 1: it lasts; 0: minutes have nothing to do with each other, and a dip is no reason to give a VM
 * back.
 */
export function persistence(logs: Float64Array, { count, begins, ends }: Past): number {
  if (count < LEAST_ALIKE) return 1;
  let [sumX, sumY, sumXX, sumXY] = [0, 0, 0, 0];
  for (let n = 0; n < count; n++) {
    const [x, y] = [logs[begins[n] ?? 0] ?? 0, logs[ends[n] ?? 0] ?? 0];
    sumX += x;
    sumY += y;
    sumXX += x * x;
    sumXY += x * y;
  }
  const variance = sumXX - (sumX * sumX) / count;
  const together = sumXY - (sumX * sumY) / count;
  return variance < LEAST_VARIANCE * count ? 1 : Math.max(0, Math.min(1, together / variance));
}

/** The stretches that began most like the present. */
export function alikeOf(logs: Float64Array, { count, begins }: Past, horizon: number): readonly number[] {
  const last = logs.length - 1;
  const here = logs[0] ?? 0;
  const way = here - (logs[Math.min(last, horizon)] ?? 0);
  const distances = new Float64Array(count);
  for (let n = 0; n < count; n++) {
    const i = begins[n] ?? 0;
    const level = logs[i] ?? 0;
    distances[n] = Math.abs(level - here) + Math.abs(level - (logs[Math.min(last, i + horizon)] ?? 0) - way) / 2;
  }
  const taken = Math.min(count, Math.max(LEAST_ALIKE, Math.ceil(count * SHARE_ALIKE)));
  const farthest = taken === 0 ? 0 : ranked(distances.slice(), taken - 1);
  const [nearer, asFar]: [number[], number[]] = [[], []];
  for (let n = 0; n < count; n++) {
    const distance = distances[n] ?? 0;
    if (distance < farthest) nearer.push(n);
    else if (distance === farthest) asFar.push(n);
  }
  return [...nearer, ...asFar.slice(0, taken - nearer.length)];
}
