// What MMEliot is to Eliot at one point, over seeds, and why.
import { estimate } from '../report/statistics.ts';
import type { MapPoint } from './points.ts';

/** One policy's run with one seed. */
export interface Outcome {
  readonly responseMs: number;
  /** VM-minutes. */
  readonly energy: number;
  /** Periods in which delta TP decided (the rules `slowing` and `easing`). */
  readonly decidedByTime: number;
}

export interface Ratio {
  readonly mean: number;
  /** The 95 % confidence interval. */
  readonly low: number;
  readonly high: number;
}

export interface MapCell {
  readonly point: MapPoint;
  /** MMEliot ÷ Eliot. */
  readonly response: Ratio;
  readonly energy: Ratio;
  /** Share of MMEliot's runs in which delta TP decided at least once. */
  readonly decided: number;
  readonly verdict: 'helps' | 'hurts' | 'nothing';
  readonly reason: string;
}

/** Smaller differences are not worth a word. */
const WORTH = 0.03;

export function cellOf(point: MapPoint, pairs: readonly { eliot: Outcome; mmeliot: Outcome }[]): MapCell {
  const response = ratioOf(pairs.map(({ eliot, mmeliot }) => mmeliot.responseMs / eliot.responseMs));
  const energy = ratioOf(pairs.map(({ eliot, mmeliot }) => mmeliot.energy / eliot.energy));
  const decided = pairs.filter(({ mmeliot }) => mmeliot.decidedByTime > 0).length / pairs.length;
  const verdict = verdictOf(response);
  return { point, response, energy, decided, verdict, reason: reasonOf(point, verdict, decided) };
}

/**
 * The geometric mean with its interval: seeds are pairs, so it is the interval of the mean logarithm.
 * Worked: 0.5 and 2 have the mean 1; 0.5, 0.5 and 0.5 the mean 0.5 and no width.
 */
export function ratioOf(ratios: readonly number[]): Ratio {
  const { mean = 0, half = Infinity } = estimate(ratios.map(Math.log)) ?? {};
  return { mean: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}

function verdictOf({ mean, low, high }: Ratio): MapCell['verdict'] {
  if (high < 1 && mean <= 1 - WORTH) return 'helps';
  return low > 1 && mean >= 1 + WORTH ? 'hurts' : 'nothing';
}

function reasonOf({ growth, direction }: MapPoint, verdict: MapCell['verdict'], decided: number): string {
  if (decided === 0) return 'delta TP never decided: both are one policy here';
  if (verdict === 'helps') return `delta TP orders a VM earlier, and the load grows by ${growth} VMs while it boots`;
  if (verdict === 'hurts')
    return direction === 'descending' ? 'delta TP gives VMs back too early' : 'delta TP holds a VM back';
  if (growth < SLOW) return `the load grows by ${growth} VMs while one boots: an earlier VM has little to win`;
  if (growth > FAST) return `the load grows by ${growth} VMs while one boots: one more comes too late`;
  return 'seeds differ more than the policies do';
}
const SLOW = 0.2;
const FAST = 1;
