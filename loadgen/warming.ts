// How much slower a VM is while it is new, from its first seconds under full load. Pure.
import { speedAfter, type Warming } from '../src/simulate/simulate.ts';

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
