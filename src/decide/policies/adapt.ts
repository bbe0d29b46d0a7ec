// Adapt (Ali-Eldin and others, NOMS 2012), as in the public code. L: servers that the arrivals need, rounded up.
//   rate of repair   R = n × (L − n) / mean n; a quarter of it when negative
//   repair           adds up R period by period; its whole part is done and taken off
//   below zero       releases it, not below L
//   n below L        n becomes ⌈1.1 × L⌉, plus what repair there is
// Worked: 10 VMs, mean 10, L = 6: R = −4 / 4 = −1 a period: a VM leaves in each. L = 12: ⌈13.2⌉ + 2 = 16.
// The code adds up since its start; here since the oldest period that is remembered (20 minutes), where the repair was 0.
import type { Decision, PeriodSummary } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy } from '../common/definition.ts';
import { demand, demandSettings, whole } from '../common/demand.ts';
import { show, type Policy } from '../common/policy.ts';
import { decideBySize, hold, NO_EVIDENCE } from '../common/rules.ts';

const own = {
  ...demandSettings,
  headroom: { type: 'number', default: 1.1, min: 1, max: 10, doc: 'factor on the load when the fleet is short of it' },
  slowing: { type: 'number', default: 4, min: 1, max: 100, doc: 'by how much slower it shrinks than it grows' },
} as const satisfies Declarations;

const decide: Policy<Values<typeof own>> = (situation, parameters): Decision => {
  const { present, history } = situation;
  const needs = demand(situation, parameters);
  if (needs === undefined) return hold('adapt', NO_EVIDENCE);
  const needed = whole(needs(present));
  const repair = repairOf([present, ...history], (period) => whole(needs(period)), parameters.slowing);
  const { vms } = present;
  const why = `the load needs ${needed} VMs, repair ${show(repair)}`;
  const done = Math.trunc(repair);
  if (needed > vms)
    return decideBySize(situation, whole(parameters.headroom * needed) + Math.max(0, done), 'adapt', why);
  return decideBySize(situation, Math.max(1, needed, vms + Math.min(0, done)), 'adapt', why);
};

export const adapt = definePolicy(own, {
  doc: 'Adapt: reactive with a tenth on top; shrinks by what the fleet was above the load, added up.',
  decidesWhilePending: true,
  decide,
});

/** What is added up now, the whole parts that were done in earlier periods taken off. `periods`: newest first. */
export function repairOf(
  periods: readonly PeriodSummary[],
  needed: (period: PeriodSummary) => number,
  slowing: number,
): number {
  let [repair, sum] = [0, 0];
  for (let i = periods.length - 1; i >= 0; i--) {
    const period = periods[i];
    if (period === undefined || period.vms === 0) continue;
    repair -= Math.trunc(repair);
    sum += period.vms;
    const rate = (period.vms * (needed(period) - period.vms) * (periods.length - i)) / sum;
    repair += rate < 0 ? rate / slowing : rate;
  }
  return repair;
}
