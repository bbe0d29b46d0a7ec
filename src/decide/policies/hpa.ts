// Kubernetes' Horizontal Pod Autoscaler on CPU: desired = ceil(n × metric / target), left alone within the tolerance.
//   Down: the largest want of the stabilization window. Up: at most max(4, 100 %) in the policy period.
// Worked: 2 VMs at 90 %, target 70: ceil(2 × 90 / 70) = 3. At 75 % the ratio 1.07 is within ±10 %: 2 stay.
// VMs without a sample yet are left out of the mean; Kubernetes' corrections for missing pods are not copied.
import type { Decision, PeriodSummary } from '../../model.ts';
import type { Own, ParameterDocs, Policy } from '../common/policy.ts';
import { decideBySize, hold, NO_EVIDENCE } from '../common/rules.ts';
import { isDue, recent, vmsFor } from '../common/series.ts';

export const hpaParameters = {
  target: { default: 70, min: 1, max: 100, doc: 'mean CPU that is aimed at, in per cent' },
  tolerance: { default: 10, min: 0, max: 100, doc: 'per cent around the target within which nothing changes' },
  every: { default: 15_000, min: 1000, doc: 'ms between two looks' },
  stabilization: { default: 300_000, min: 0, doc: 'ms over which the largest want counts when going down' },
  upVms: { default: 4, min: 1, doc: 'VMs that one policy period may add' },
  upPercent: { default: 100, min: 0, doc: 'per cent that one policy period may add, where that is more' },
  policyPeriod: { default: 15_000, min: 1000, doc: 'ms that the limits for going up are for' },
} as const satisfies ParameterDocs;

type Parameters = Own<typeof hpaParameters>;

export const hpa: Policy<Parameters> = (situation, parameters): Decision => {
  const { present } = situation;
  if (present.cpu === undefined) return hold('hpa', NO_EVIDENCE);
  if (!isDue(situation, parameters.every)) return hold('hpa', 'Not due yet.');
  const wants = recent(situation, parameters.stabilization).map((period) => desired(period, parameters));
  const want = wants[0] ?? present.vms;
  const stabilized = want < present.vms ? Math.min(present.vms, Math.max(...wants)) : want;
  const before = recent(situation, parameters.policyPeriod).at(-1)?.vms ?? present.vms;
  const limit = Math.max(before + parameters.upVms, Math.floor(before * (1 + parameters.upPercent / 100)));
  return decideBySize(situation, Math.min(stabilized, limit), 'hpa', `CPU ${Math.round(present.cpu)} %`);
};

function desired({ cpu, ready, vms }: PeriodSummary, { target, tolerance }: Parameters): number {
  if (cpu === undefined) return vms;
  const ratio = cpu / target;
  return Math.abs(ratio - 1) <= tolerance / 100 ? vms : vmsFor(ready * cpu, target);
}
