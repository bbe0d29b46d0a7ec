// How a VM's speed changes: how much slower it is while it is new, from its first seconds under full load, and how it varies
// from second to second. Pure.
import { speedAfter, type Warming } from '../../src/simulate/simulate.ts';

export interface Second {
  readonly answered: number;
  readonly ms: number;
}

const SPEEDS = Array.from({ length: 18 }, (_, i) => (i + 1) / 20);
/** A VM that is nearly as fast when it is new: not worth a parameter. */
const WARM = 0.9;

/**
 * The speed at first and the requests until full speed that fit best (least squares) where `best` requests a second are
 * full speed. Worked: best 80; 40 answered in the first second and more each second until 80 after a thousand requests in
 * all: speed 0.5, requests 1000. Undefined: it was as fast from the beginning.
 */
export function fitWarming(seconds: readonly Second[], best: number): Warming | undefined {
  let served = 0;
  const points = seconds.map(({ answered, ms }) => {
    served += answered;
    // in the middle of its interval
    return { at: served - answered / 2, share: (1000 * answered) / ms / best, ms };
  });
  let found: Warming = { speed: 1, requests: 0 };
  let least = errorOf(found);
  for (const { at } of points) {
    for (const speed of SPEEDS) {
      const candidate = { speed, requests: Math.round(at) };
      const error = errorOf(candidate);
      if (error < least) [found, least] = [candidate, error];
    }
  }
  return found.speed < WARM && found.requests > 0 ? found : undefined;

  function errorOf(warming: Warming): number {
    return points.reduce((sum, { at, share, ms }) => sum + ms * (share - speedAfter(at, warming)) ** 2, 0);
  }
}

/** Standard deviation ÷ mean of the answers a second. Worked: 90, 100 and 110: 0.1. */
export function scatterOf(seconds: readonly Second[]): number {
  // the last interval ends with the load
  const rates = seconds.filter(({ ms }) => ms > SHORT_MS).map(({ answered, ms }) => answered / ms);
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  if (rates.length < 2 || mean === 0) return 0;
  const variance = rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0) / (rates.length - 1);
  return Math.round((100 * Math.sqrt(variance)) / mean) / 100;
}
const SHORT_MS = 500;
