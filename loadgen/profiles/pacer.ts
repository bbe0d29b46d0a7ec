// From a profile to requests: when each one should start. Pure; the runner waits for these times and sends.
import type { Profile } from './index.ts';
import { SECOND } from './profile.ts';
import type { Random } from '../workload/random.ts';

/** The ways to drive a load. */
export type Drive =
  /** The paper's: at each client step, load(t) requests at once, whether or not those of the step before are answered. */
  | { readonly kind: 'bursts'; readonly step: number }
  /** As bursts, but the next one only after the last one's requests have all ended, and a step after it at the earliest. */
  | { readonly kind: 'batch'; readonly step: number }
  /** load(t) clients, each sending its next request a think time after its last answer. */
  | { readonly kind: 'closed'; readonly thinkTime: number }
  /** load(t) arrivals a second, at random (Poisson) or evenly spaced. */
  | { readonly kind: 'open'; readonly arrivals: 'poisson' | 'even' };

export const DRIVES = ['bursts', 'batch', 'closed', 'open'] as const satisfies readonly Drive['kind'][];

/** This many requests start at this time (ms from the start of the run). */
export interface Start {
  readonly at: number;
  readonly count: number;
}

/** One burst a step; steps without a request are left out. 60 requests at the most and a step of 1 s: up to 60 a second. */
export function* bursts(profile: Profile, duration: number, step: number): Generator<Start> {
  for (let i = 0; i * step < duration; i++) {
    const count = Math.round(profile(i * step));
    if (count > 0) yield { at: i * step, count };
  }
}

/**
 * Arrivals at load(t) a second: one whenever the integral of the load has grown by the next gap, which is 1 (even)
 * or exponentially distributed with mean 1 (Poisson). The load is taken as constant over 10 ms.
 * Even arrivals at a constant 4 a second: 250, 500, 750 ms and so on.
 */
export function* arrivals(
  profile: Profile,
  duration: number,
  spacing: 'poisson' | 'even',
  random: Random,
): Generator<Start> {
  const gap = (): number => (spacing === 'even' ? 1 : -Math.log(1 - random.next()));
  let due = gap();
  for (let t = 0; t < duration; t += SLICE) {
    const slice = Math.min(SLICE, duration - t);
    const rate = profile(t) / SECOND;
    let used = 0;
    while (rate > 0 && due <= rate * (slice - used) + EPSILON) {
      used += due / rate;
      yield { at: t + Math.min(used, slice), count: 1 };
      due = gap();
    }
    due -= rate * (slice - used);
  }
}
const SLICE = 10;
/** Keeps rounding from moving an even arrival into the next slice. */
const EPSILON = 1e-9;

/** How many clients a closed loop has at t. */
export function clients(profile: Profile, t: number): number {
  return Math.round(profile(t));
}

/** A think time in ms: exponentially distributed around its mean, so that clients don't march in step. */
export function think(mean: number, random: Random): number {
  return mean === 0 ? 0 : -mean * Math.log(1 - random.next());
}
