// How many requests a VM takes at once, found from its response times (the idea of TCP Vegas): when answers take longer
// than the VM's own time, the difference is time spent queueing inside the VM, and such a queue is better kept here.
import type { Millis } from '../../model.ts';

export const LIMIT_START = 32;
const LIMIT_MIN = 8;
const LIMIT_MAX = 512;
const WINDOW_MS = 250;
const WINDOW_SAMPLES = 20;
/** The VM's own time is forgotten this fast, so that a change of workload is noticed: 1 % a window. */
const FORGET = 1.01;

export interface LimitState {
  limit: number;
  /** The VM's own time in ms: the least mean of a window, slowly forgotten; 0: unknown. */
  base: number;
  windowSince: Millis;
  sum: number;
  count: number;
  /** Most requests at the VM at once in this window. */
  busiest: number;
}

export function newLimit(now: Millis): LimitState {
  return { limit: LIMIT_START, base: 0, windowSince: now, sum: 0, count: 0, busiest: 0 };
}

/** Takes one answer into account. `inFlight`: how many were at the VM, this one included. */
export function observeAnswer(state: LimitState, responseMs: number, inFlight: number, now: Millis): void {
  state.sum += responseMs;
  state.count++;
  if (inFlight > state.busiest) state.busiest = inFlight;
  if (state.count < WINDOW_SAMPLES || now - state.windowSince < WINDOW_MS) return;
  const mean = state.sum / state.count;
  state.base = state.base === 0 ? mean : Math.min(state.base * FORGET, mean);
  state.limit = nextLimit(state.limit, state.base, mean, state.busiest);
  state.windowSince = now;
  state.sum = 0;
  state.count = 0;
  state.busiest = 0;
}

/**
 * Queue inside the VM = limit × (1 − base / mean): below 3 log10(limit) there is room, above 6 log10(limit) too much.
 * Example: limit 32, base 10 ms, mean 14 ms: 32 × (1 − 10/14) = 9.1 > 6 × 1.5 = 9.03, so 32 → 30.
 */
export function nextLimit(limit: number, base: number, mean: number, busiest: number): number {
  // a VM that was not asked to its limit says nothing about it
  if (busiest < limit / 2) return limit;
  const queue = limit * (1 - base / mean);
  const scale = Math.log10(limit);
  const step = Math.max(1, Math.round(scale));
  if (queue < 3 * scale) return Math.min(LIMIT_MAX, limit + step);
  if (queue > 6 * scale) return Math.max(LIMIT_MIN, limit - step);
  return limit;
}
