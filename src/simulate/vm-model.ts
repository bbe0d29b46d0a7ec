// What one simulated VM can do: given by hand, or a service curve that `mmeliot calibrate` measured.
import type { Capacity } from '../decide/queueing.ts';

/** Measured with so many requests at the VM at once. */
export interface CurvePoint {
  readonly concurrency: number;
  /** Requests a second. */
  readonly throughput: number;
  readonly responseMs: number;
}

export interface VmModel extends Capacity {
  /** Rising concurrency; without it a VM serves `parallel` at full speed and shares that among more. */
  readonly curve?: readonly CurvePoint[];
}

export const DEFAULT_VM: VmModel = { serviceMs: 100, parallel: 1, variation: 1 };

/** A model from a measured curve: its best throughput, and the response time of a request that is alone. */
export function fromCurve(curve: readonly CurvePoint[], variation = 1): VmModel {
  const sorted = curve.filter(({ throughput }) => throughput > 0).sort((a, b) => a.concurrency - b.concurrency);
  const [alone] = sorted;
  if (alone === undefined) throw new RangeError('A service curve needs a point with throughput.');
  const serviceMs = (1000 * alone.concurrency) / alone.throughput;
  const best = Math.max(...sorted.map(({ throughput }) => throughput));
  return { serviceMs, parallel: (best * serviceMs) / 1000, variation, curve: sorted };
}

/**
 * Requests a second that the VM completes with `k` at it. Worked: 100 ms, parallel 2: k = 1 → 10, k = 2 and more → 20.
 * On a curve: a straight line between points (0 at k = 0), the last point's throughput beyond them.
 */
export function completionRate(model: VmModel, k: number): number {
  if (k <= 0) return 0;
  if (model.curve === undefined) return (Math.min(k, model.parallel) * 1000) / model.serviceMs;
  let before = { concurrency: 0, throughput: 0 };
  for (const point of model.curve) {
    if (k <= point.concurrency) {
      const share = (k - before.concurrency) / (point.concurrency - before.concurrency);
      return before.throughput + share * (point.throughput - before.throughput);
    }
    before = point;
  }
  return before.throughput;
}
