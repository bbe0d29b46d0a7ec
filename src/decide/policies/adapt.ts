// Adapt (Ali-Eldin and others): the load of the next period is the present one plus its rate of change (proportional),
// plus what the fleet was short of lately (integral). Quick to grow; it shrinks one VM at a time, after a while.
// Worked: load 100 → 140 in the last period, capacity 70, gain 1: ceil((140 + 40) / 70) = 3.
import type { Decision } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy } from '../common/definition.ts';
import type { Policy } from '../common/policy.ts';
import { decideBySize, hold, NO_EVIDENCE } from '../common/rules.ts';
import { loadOf, meanOf, recent, vmsFor } from '../common/series.ts';

const own = {
  capacity: { type: 'number', default: 70, min: 1, max: 100, doc: 'CPU that one VM should carry, in per cent' },
  gain: { type: 'number', default: 1, min: 0, max: 10, doc: 'weight of the rate of change' },
  integral: { type: 'number', default: 0.5, min: 0, max: 10, doc: 'weight of the mean shortage of late' },
  span: {
    type: 'duration',
    default: 60_000,
    min: 1000,
    doc: 'time that shortage is the mean of, and that a smaller want must last',
  },
} as const satisfies Declarations;

const decide: Policy<Values<typeof own>> = (situation, parameters): Decision => {
  const { capacity, gain, integral, span } = parameters;
  const load = loadOf(situation.present);
  if (load === undefined) return hold('adapt', NO_EVIDENCE);
  const before = situation.history.map(loadOf).find((past) => past !== undefined) ?? load;
  const periods = recent(situation, span);
  const shortage = meanOf(periods.map((p) => Math.max(0, (loadOf(p) ?? 0) - p.ready * capacity))) ?? 0;
  const growth = Math.max(0, load - before);
  const want = vmsFor(load + gain * growth + integral * shortage, capacity);
  const { vms } = situation.present;
  const why = `load ${Math.round(load)}, growing by ${Math.round(growth)}`;
  if (want >= vms) return decideBySize(situation, want, 'adapt', why);
  const lasting = coversSpan(periods.at(-1)?.at, situation.now, span, periods.length);
  const small = periods.every((p) => vmsFor(loadOf(p) ?? Infinity, capacity) < vms && (p.action ?? 'hold') === 'hold');
  return decideBySize(situation, lasting && small ? vms - 1 : vms, 'adapt', why);
};

export const adapt = definePolicy(own, {
  doc: 'Adapt: follows the rate of change of the load; quick to grow, slow to shrink.',
  decidesWhilePending: true,
  decide,
});

/** The periods reach back over the span, but for the length of one of them. */
const coversSpan = (oldest: number | undefined, now: number, span: number, count: number): boolean =>
  oldest !== undefined && count > 1 && now - oldest + (now - oldest) / (count - 1) >= span;
