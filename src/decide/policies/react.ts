// React (Chieu and others), as in the public code: servers needed = arrival rate / what a server should answer.
//   more than there are:    n + the whole part of 1.2 × (needed, rounded up, − n)
//   with 10 % to spare:     1.2 × needed, rounded up
// Worked: 2 VMs, 2.5 needed: 2 + ⌊1.2 × 1⌋ = 3. 5 VMs, 2.5 needed: 1.1 × 2.5 is below 5, so 1.2 × 3 = 3.6: 4.
import type { Decision } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy } from '../common/definition.ts';
import { demand, demandSettings } from '../common/demand.ts';
import { REACT, reactSize } from '../common/peer-sizes.ts';
import { show, type Policy } from '../common/policy.ts';
import { decideBySize, hold, NO_EVIDENCE } from '../common/rules.ts';

const own = {
  ...demandSettings,
  headroom: {
    type: 'number',
    default: REACT.headroom,
    min: 1,
    max: 10,
    doc: 'factor on what is added, and on what is kept',
  },
  spare: {
    type: 'number',
    default: REACT.spare,
    min: 0,
    max: 100,
    doc: 'per cent that must be to spare before it shrinks',
  },
} as const satisfies Declarations;

const decide: Policy<Values<typeof own>> = (situation, parameters): Decision => {
  const { present } = situation;
  const needed = demand(situation, parameters)?.(present);
  if (needed === undefined) return hold('react', NO_EVIDENCE);
  const wanted = reactSize(needed, present.vms, parameters.headroom, parameters.spare);
  return decideBySize(situation, wanted, 'react', `the load needs ${show(needed)} VMs`);
};

export const react = definePolicy(own, {
  doc: 'React: what the arrival rate needs, with 20 % on top.',
  decidesWhilePending: true,
  decide,
});
