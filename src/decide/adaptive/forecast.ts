// What `adaptive` expects of the load from its memory of days: the one that a VM asked for now will meet.
import type { Millis, PeriodSummary } from '../../model.ts';
import { isMemory, learn, noMemory, outlook, rateOf, type Memory } from './memory.ts';

/** A load of this share of what a VM answers matters little. */
const FLOOR = 0.3;

/** `past`: the period before; `rate`: what a VM answers, asked for at the beginning; undefined until that is known. */
export function remembered(
  past: PeriodSummary | undefined,
  present: PeriodSummary,
  horizonMs: Millis,
  rate: () => number | undefined,
): Memory | undefined {
  const before = past?.learned;
  if (isMemory(before)) return learn(before, present, horizonMs);
  const each = rate();
  return each === undefined ? undefined : noMemory(present.at, present.arrivalRate, Math.max(1e-3, FLOOR * each));
}

export const expectedRate = (memory: Memory, rate: number, span: Millis, horizonMs: Millis): number =>
  rateOf(outlook(memory, rate, span, horizonMs).level, memory.floor);
