// Reg (Iqbal and others), as in the public code: going out it is reactive, 1.05 × what the arrival rate needs; going in, a
// quadratic through the servers needed in the last 60 samples says, with 20 % on top, what is kept.
// Worked: 3 VMs, 4 needed: ⌈1.05 × 4⌉ = 5. 6 VMs and needs of 4, 3, 2: the curve is at 2 now, so ⌈1.2 × 2⌉ = 3 are kept.
import type { Decision } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy } from '../common/definition.ts';
import { demand, demandSettings } from '../common/demand.ts';
import { REG, regSize } from '../common/peer-sizes.ts';
import type { Policy } from '../common/policy.ts';
import { decideBySize, hold, NO_EVIDENCE } from '../common/rules.ts';

const own = {
  ...demandSettings,
  headroom: { type: 'number', default: REG.headroom, min: 1, max: 10, doc: 'factor on what the load needs, going out' },
  kept: { type: 'number', default: REG.kept, min: 1, max: 10, doc: 'factor on what the curve needs, going in' },
  samples: { type: 'whole', default: REG.samples, min: 3, max: 120, doc: 'samples that the curve is fitted to' },
} as const satisfies Declarations;

const decide: Policy<Values<typeof own>> = (situation, parameters): Decision => {
  const { present, history } = situation;
  const needs = demand(situation, parameters);
  if (needs === undefined) return hold('reg', NO_EVIDENCE);
  const past = [present, ...history.slice(0, parameters.samples - 1)];
  const { size, why } = regSize(past.map(needs), present.vms, parameters);
  return size === undefined ? hold('reg', why) : decideBySize(situation, size, 'reg', why);
};

export const reg = definePolicy(own, {
  doc: 'Reg: reactive when growing; shrinks by a quadratic through the last loads.',
  decidesWhilePending: true,
  decide,
});
