// Kubernetes' Horizontal Pod Autoscaler on CPU: desired = ceil(n × metric / target), left alone within the tolerance.
//   Down: the largest want of the stabilization window. Up: at most max(4, 100 %, rounded up) in the policy period.
// Worked: 2 VMs at 90 %, target 70: ceil(2 × 90 / 70) = 3. At 75 % the ratio 1.07 is within ±10 %: 2 stay.
// VMs that aren't ready yet count as idle when it goes up, which may bring it within the tolerance, and not at all when
// it goes down: 2 ready VMs at 100 % with 1 pending are 67 %, so 3 stay.
import type { Decision, PeriodSummary } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy } from '../common/definition.ts';
import type { Policy } from '../common/policy.ts';
import { decideBySize, hold, NO_EVIDENCE } from '../common/rules.ts';
import { isDue, recent, vmsFor } from '../common/series.ts';

const own = {
  target: { type: 'number', default: 70, min: 1, max: 100, doc: 'mean CPU that is aimed at, in per cent' },
  tolerance: {
    type: 'number',
    default: 10,
    min: 0,
    max: 100,
    doc: 'per cent around the target within which nothing changes',
  },
  every: { type: 'duration', default: 15_000, min: 1000, doc: 'time between two looks' },
  stabilization: {
    type: 'duration',
    default: 300_000,
    min: 0,
    doc: 'time over which the largest want counts when going down',
  },
  upVms: { type: 'whole', default: 4, min: 1, doc: 'VMs that one policy period may add' },
  upPercent: {
    type: 'number',
    default: 100,
    min: 0,
    doc: 'per cent that one policy period may add, where that is more',
  },
  policyPeriod: { type: 'duration', default: 15_000, min: 1000, doc: 'time that the limits for going up are for' },
} as const satisfies Declarations;

type Parameters = Values<typeof own>;

const decide: Policy<Parameters> = (situation, parameters): Decision => {
  const { present } = situation;
  if (present.cpu === undefined) return hold('hpa', NO_EVIDENCE);
  if (!isDue(situation, parameters.every)) return hold('hpa', 'Not due yet.');
  const wants = recent(situation, parameters.stabilization).map((period) => desired(period, parameters));
  const want = wants[0] ?? present.vms;
  const stabilized = want < present.vms ? Math.min(present.vms, Math.max(...wants)) : want;
  const before = recent(situation, parameters.policyPeriod).at(-1)?.vms ?? present.vms;
  const limit = Math.max(before + parameters.upVms, Math.ceil(before * (1 + parameters.upPercent / 100) - 1e-9));
  return decideBySize(situation, Math.min(stabilized, limit), 'hpa', `CPU ${Math.round(present.cpu)} %`);
};

export const hpa = definePolicy(own, {
  doc: "Kubernetes' HPA: as many VMs as bring the mean CPU to a target.",
  decidesWhilePending: true,
  decide,
});

function desired({ cpu, ready, vms }: PeriodSummary, { target, tolerance }: Parameters): number {
  if (cpu === undefined) return vms;
  const stays = (ratio: number): boolean => Math.abs(ratio - 1) <= tolerance / 100;
  const ratio = cpu / target;
  if (stays(ratio)) return vms;
  const withUnready = (ratio * ready) / Math.max(1, vms);
  if (ratio > 1 && vms > ready && (withUnready < 1 || stays(withUnready))) return vms;
  return ratio > 1 ? Math.max(vms, vmsFor(ready * cpu, target)) : vmsFor(ready * cpu, target);
}
