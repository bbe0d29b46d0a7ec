// What the peers ask of the past: the present period and those before it, newest first.
import type { Millis, PeriodSummary } from '../../model.ts';
import type { Situation } from './policy.ts';

/** This period and the past ones that are less than `span` old. */
export function recent({ now, present, history }: Situation, span: Millis): readonly PeriodSummary[] {
  return [present, ...history.filter((past) => now - past.at < span)];
}

/** Whether the periods, newest first, reach back over the span, but for the length of one of them. */
export function covers(periods: readonly PeriodSummary[], now: Millis, span: Millis): boolean {
  const oldest = periods.at(-1)?.at;
  if (oldest === undefined || periods.length < 2) return false;
  return now - oldest + (now - oldest) / (periods.length - 1) >= span;
}

/** Whether a policy that looks only every so often looks now: a new stretch of that length has begun. */
export function isDue({ now, history }: Pick<Situation, 'now' | 'history'>, every: Millis): boolean {
  const last = history[0]?.at;
  return last === undefined || Math.floor(now / every) > Math.floor(last / every);
}

export const meanOf = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
};

/** VMs that the load was shared among. */
export const servingOf = ({ ready, serving = ready }: PeriodSummary): number => serving;

/** VMs that carry a load. Worked: 120 at 70 a VM are 2. At least 1; 2.0000000001 from rounding is still 2. */
export const vmsFor = (load: number, capacity: number): number => Math.max(1, Math.ceil(load / capacity - 1e-9));
