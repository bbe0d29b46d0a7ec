// Reg (Iqbal and others), as in the public code: going out it is reactive, 1.05 × what the arrival rate needs; going in, a
// quadratic through the servers needed in the last 60 samples says, with 20 % on top, what is kept.
// Worked: 3 VMs, 4 needed: ⌈1.05 × 4⌉ = 5. 6 VMs and needs of 4, 3, 2: the curve is at 2 now, so ⌈1.2 × 2⌉ = 3 are kept.
import type { Decision } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy } from '../common/definition.ts';
import { demand, demandSettings, whole } from '../common/demand.ts';
import { show, type Policy } from '../common/policy.ts';
import { decideBySize, hold, NO_EVIDENCE } from '../common/rules.ts';

const own = {
  ...demandSettings,
  headroom: { type: 'number', default: 1.05, min: 1, max: 10, doc: 'factor on what the load needs, going out' },
  kept: { type: 'number', default: 1.2, min: 1, max: 10, doc: 'factor on what the curve needs, going in' },
  samples: { type: 'whole', default: 60, min: 3, max: 120, doc: 'samples that the curve is fitted to' },
} as const satisfies Declarations;

const decide: Policy<Values<typeof own>> = (situation, parameters): Decision => {
  const { present, history } = situation;
  const needs = demand(situation, parameters);
  if (needs === undefined) return hold('reg', NO_EVIDENCE);
  const needed = needs(present);
  if (needed > present.vms)
    return decideBySize(situation, whole(parameters.headroom * needed), 'reg', `the load needs ${show(needed)} VMs`);
  if (whole(needed) >= present.vms) return hold('reg', `reg: the load needs ${show(needed)} VMs, all that there are.`);
  const past = [present, ...history].slice(0, parameters.samples).map((period) => whole(needs(period)));
  const fitted = endOfCurve(past.reverse());
  if (fitted === undefined) return hold('reg', `Three samples are needed for a curve, ${past.length} are there.`);
  if (whole(fitted) <= 0) return hold('reg', 'reg: the curve ends below zero.');
  const kept = Math.min(present.vms, whole(parameters.kept * whole(fitted)));
  return decideBySize(situation, kept, 'reg', `the curve through the last loads needs ${show(fitted)} VMs`);
};

export const reg = definePolicy(own, {
  doc: 'Reg: reactive when growing; shrinks by a quadratic through the last loads.',
  decidesWhilePending: true,
  decide,
});

/** The least-squares quadratic through values at −(n − 1) … 0, at 0. Undefined for fewer than three. */
export function endOfCurve(values: readonly number[]): number | undefined {
  const n = values.length;
  if (n < 3) return undefined;
  let [s1, s2, s3, s4, m0, m1, m2] = [0, 0, 0, 0, 0, 0, 0];
  for (const [i, y] of values.entries()) {
    const x = i - (n - 1);
    const square = x * x;
    s1 += x;
    s2 += square;
    s3 += square * x;
    s4 += square * square;
    m0 += y;
    m1 += y * x;
    m2 += y * square;
  }
  return determinant([m0, s1, s2], [m1, s2, s3], [m2, s3, s4]) / determinant([n, s1, s2], [s1, s2, s3], [s2, s3, s4]);
}

type Row = readonly [number, number, number];

const determinant = ([a, b, c]: Row, [d, e, f]: Row, [g, h, i]: Row): number =>
  a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
