// Eliot, the baseline: the fleet's load prediction against two thresholds.
//   LP > high → allocate one;  LP < low and n > min → release one.
// Worked: high 70, low 30: LP 73.125 allocates, LP 29.9 on two VMs releases, LP 70 holds.
import type { Decision } from '../../model.ts';
import { definePolicy, highAndLow } from '../common/definition.ts';
import { compare, type Policy } from '../common/policy.ts';
import { decideByRules } from '../common/rules.ts';
import type { CommonParameters } from '../common/settings.ts';

const decide: Policy<CommonParameters> = (situation, { high, low }): Decision => {
  const { lp } = situation.forecast;
  const { vms } = situation.present;
  return decideByRules(situation, [
    { name: 'overload', action: 'allocate', terms: [compare('LP', lp, '>', high)] },
    {
      name: 'underload',
      action: 'release',
      terms: [compare('LP', lp, '<', low), compare('VMs', vms, '>', situation.limits.min)],
    },
  ]);
};

export const eliot = definePolicy(
  {},
  {
    doc: 'Eliot, the baseline: one VM more when LP is above high, one less when it is below low.',
    decidesWhilePending: false,
    thresholds: (parameters) => highAndLow('LP', parameters),
    steady: ({ high, low }) => ({ releases: low, allocates: high }),
    decide,
  },
);
