// What `adaptive` expects of the load: from its memory of days the load that a VM asked for now will meet, and the highest
// one until a VM that leaves now would be missed, each as cases with their likelihoods.
import type { Millis, PeriodSummary } from '../../model.ts';
import { stepsOf, type Errors } from './errors.ts';
import { learn, noMemory, outlook, rateOf, type Ahead, type Memory } from './memory.ts';
import type { Scenario, Scenarios } from './scenarios.ts';

/** A load of this share of what a VM answers matters little. */
const FLOOR = 0.3;
/** The longer a boot, the dearer it is to give a VM back too early: with boots of two minutes twice the horizon is looked at. */
const DEAR_BOOT = 120_000;

export const aheadOf = (horizonMs: Millis, bootMs: Millis): Ahead => ({
  horizonMs,
  patienceMs: horizonMs * (1 + bootMs / DEAR_BOOT),
});

/** `past`: the period before; `rate`: what a VM answers, asked for at the beginning; undefined until that is known. */
export function remembered(
  past: PeriodSummary | undefined,
  present: PeriodSummary,
  ahead: Ahead,
  rate: () => number | undefined,
): Memory | undefined {
  const before = past?.learned;
  if (isMemory(before)) return learn(before, present, ahead);
  const each = rate();
  return each === undefined ? undefined : noMemory(present.at, present.arrivalRate, Math.max(1e-3, FLOOR * each));
}

/** A journal may hold what another version has learned. */
const isMemory = (value: unknown): value is Memory =>
  typeof value === 'object' && value !== null && 'version' in value && value.version === 2;

export function expectedLoads(memory: Memory, rate: number, span: Millis, { horizonMs }: Ahead): Scenarios {
  const { level, scatter } = outlook(memory, rate, span, horizonMs);
  const cases = (errors: Errors): readonly Scenario[] =>
    stepsOf(errors).map(({ error, share }) => ({ rate: rateOf(level + error * scatter, memory.floor), weight: share }));
  return { atEnd: cases(memory.errors), highest: cases(memory.peakErrors) };
}
