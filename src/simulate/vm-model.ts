// What one simulated VM can do: given by hand, or a service curve that `mmeliot calibrate` measured.
import { ratePerVm, type Capacity } from '../queueing/queueing.ts';

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
  /** Whether it serves its requests one after the other; else they share it equally. */
  readonly inTurn?: boolean;
  /** How much slower it is when it is new. */
  readonly warming?: Warming;
  /** Standard deviation ÷ mean of its speed, from one second to the next; default 0. */
  readonly unsteadiness?: number;
}

/** A program's first requests take longer: its code is not compiled yet, its caches are empty. */
export interface Warming {
  /** Share of full speed for the first request; it rises evenly with the requests answered ... */
  readonly speed: number;
  /** ... and is full after so many. */
  readonly requests: number;
}

/**
 * Share of the VM that is busy with `k` at it. Where more requests than at the best throughput slow each other down, the VM
 * is all busy still. Worked, on a curve of 80, 100 and 90 a second at 1, 4 and 16: 0.8 at 1, 1 at 4 and at 16.
 */
export function utilization(model: VmModel, k: number): number {
  let rate = completionRate(model, k);
  for (const { concurrency, throughput } of model.curve ?? []) if (concurrency <= k) rate = Math.max(rate, throughput);
  return rate / ratePerVm(model);
}

/** Share of full speed after so many requests. Worked: 0.6 at first, full after 1000: after 500, 0.8. */
export function speedAfter(requests: number, warming: Warming | undefined): number {
  if (warming === undefined || requests >= warming.requests) return 1;
  return warming.speed + (1 - warming.speed) * (requests / warming.requests);
}

export const DEFAULT_VM: VmModel = { serviceMs: 100, parallel: 1, variation: 1 };

/** What `mmeliot calibrate` measures. */
export interface MeasuredVm extends Pick<VmModel, 'inTurn' | 'warming' | 'unsteadiness'> {
  readonly curve: readonly CurvePoint[];
  readonly variation?: number;
}

/** A model from a measured curve: its best throughput, and the response time of a request that is alone. */
export function fromMeasured({ curve, variation = 1, inTurn, warming, unsteadiness }: MeasuredVm): VmModel {
  const sorted = curve.filter(({ throughput }) => throughput > 0).sort((a, b) => a.concurrency - b.concurrency);
  const [alone] = sorted;
  if (alone === undefined) throw new RangeError('A service curve needs a point with throughput.');
  const serviceMs = (1000 * alone.concurrency) / alone.throughput;
  const best = Math.max(...sorted.map(({ throughput }) => throughput));
  const more = {
    ...(inTurn !== undefined && { inTurn }),
    ...(warming && { warming }),
    ...(unsteadiness !== undefined && { unsteadiness }),
  };
  return { serviceMs, parallel: (best * serviceMs) / 1000, variation, curve: sorted, ...more };
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
