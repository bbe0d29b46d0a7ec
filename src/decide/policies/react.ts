// React (Chieu and others): n' = ceil(load / capacity of a VM). Above what is there: n + 1.2 × the shortfall. Below,
// with 10 % to spare: 1.2 × n'. The load is the CPU of the whole fleet in per cent of one VM.
// Worked: 2 VMs at 100 % and capacity 70: n' = 3, so 2 + ceil(1.2 × 1) = 4. 4 VMs at 20 %: n' = 2, so ceil(1.2 × 2) = 3.
import type { Decision } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy } from '../common/definition.ts';
import type { Policy } from '../common/policy.ts';
import { decideBySize, hold, NO_EVIDENCE } from '../common/rules.ts';
import { loadOf, vmsFor } from '../common/series.ts';

const own = {
  capacity: { type: 'number', default: 70, min: 1, max: 100, doc: 'CPU that one VM should carry, in per cent' },
  headroom: { type: 'number', default: 1.2, min: 1, max: 10, doc: 'factor on what is added, and on what is kept' },
  spare: {
    type: 'number',
    default: 10,
    min: 0,
    max: 100,
    doc: 'per cent of the capacity that must be to spare before it shrinks',
  },
} as const satisfies Declarations;

const decide: Policy<Values<typeof own>> = (situation, parameters): Decision => {
  const { capacity, headroom, spare } = parameters;
  const load = loadOf(situation.present);
  if (load === undefined) return hold('react', NO_EVIDENCE);
  const { vms } = situation.present;
  const needed = vmsFor(load, capacity);
  const why = `the load needs ${needed} VMs`;
  if (needed > vms) return decideBySize(situation, vms + Math.ceil(headroom * (needed - vms)), 'react', why);
  const roomy = load * (1 + spare / 100) < (vms - 1) * capacity;
  const kept = roomy ? Math.min(vms, Math.ceil(headroom * needed - 1e-9)) : vms;
  return decideBySize(situation, kept, 'react', why);
};

export const react = definePolicy(own, {
  doc: 'React: what the load needs, with 20 % on top.',
  decidesWhilePending: true,
  decide,
});
