// What is given back too early has to boot again, and what is kept too long is paid for nothing. So a VM that leaves is not
// to be missed for some minutes: until the horizon as far as the forecast sees, and for the rest of that time the past
// answers instead of a guess. What is too much must have been so for that rest: one VM for all of it, two for half of it.
import type { Millis, PeriodSummary } from '../../model.ts';
import { isAmount } from './sound.ts';

/** The horizon and what was idle before it, together. */
export const PATIENCE: Millis = 200_000;

/**
 * VM-ms that were too much in one period after the other, this one of `span` included.
 * Worked: two VMs too many for 10 s, and 60 VM-seconds before: 80.
 */
export const idleAfter = (before: Millis, vms: number, wanted: number, span: Millis): Millis =>
  wanted < vms ? before + (vms - wanted) * span : 0;

/** Whether that is not enough yet. Worked: of 200 s of patience 70 s are the horizon, so it is up to 130 VM-seconds. */
export const isTooSoon = (idleMs: Millis, patienceMs: Millis, horizonMs: Millis): boolean =>
  idleMs > 0 && idleMs < patienceMs - horizonMs;

/** What the period before has learned of it; a fleet that has changed since then begins anew. */
export function idleBefore(before: PeriodSummary | undefined, { vms }: Pick<PeriodSummary, 'vms'>): Millis {
  const idleMs = (before?.learned as { readonly idleMs?: unknown } | null | undefined)?.idleMs;
  return before?.vms === vms && typeof idleMs === 'number' && isAmount(idleMs) ? idleMs : 0;
}
