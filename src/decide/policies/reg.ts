// Reg (Iqbal and others): reactive when going out; going in, a quadratic through the last samples says what the next
// period will need, so that a dip in a growing load doesn't shrink the fleet.
// Worked: loads 70, 80, 90 (oldest first) continue at 100: with capacity 70 that is 2 VMs.
import type { Decision } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy } from '../common/definition.ts';
import type { Policy } from '../common/policy.ts';
import { decideBySize, hold, NO_EVIDENCE } from '../common/rules.ts';
import { loadOf, vmsFor } from '../common/series.ts';

const own = {
  capacity: { type: 'number', default: 70, min: 1, max: 100, doc: 'CPU that one VM should carry, in per cent' },
  samples: { type: 'whole', default: 60, min: 3, max: 120, doc: 'samples that the curve is fitted to' },
} as const satisfies Declarations;

const decide: Policy<Values<typeof own>> = (situation, { capacity, samples }): Decision => {
  const { present, history } = situation;
  const load = loadOf(present);
  if (load === undefined) return hold('reg', NO_EVIDENCE);
  const needed = vmsFor(load, capacity);
  if (needed >= present.vms) return decideBySize(situation, needed, 'reg', `load ${Math.round(load)}`);
  const past = [present, ...history]
    .slice(0, samples)
    .map(loadOf)
    .filter((value) => value !== undefined);
  const next = extrapolate(past.reverse());
  if (next === undefined) return hold('reg', `Three samples are needed for a forecast, ${past.length} are there.`);
  const kept = Math.max(needed, vmsFor(Math.max(0, next), capacity));
  return decideBySize(
    situation,
    Math.min(present.vms, kept),
    'reg',
    `the next load is expected at ${Math.round(next)}`,
  );
};

export const reg = definePolicy(own, {
  doc: 'Reg: reactive when growing; shrinks by a quadratic forecast.',
  decidesWhilePending: true,
  decide,
});

/** The least-squares quadratic through values at −(n − 1) … 0, at 1. Undefined for fewer than three. */
export function extrapolate(values: readonly number[]): number | undefined {
  const n = values.length;
  if (n < 3) return undefined;
  const sums = [0, 0, 0, 0, 0];
  const moments = [0, 0, 0];
  for (const [i, y] of values.entries()) {
    const x = i - (n - 1);
    for (let power = 0; power < 5; power++) sums[power] = (sums[power] ?? 0) + x ** power;
    for (let power = 0; power < 3; power++) moments[power] = (moments[power] ?? 0) + y * x ** power;
  }
  const [s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0] = sums;
  const [m0 = 0, m1 = 0, m2 = 0] = moments;
  const whole = determinant([s0, s1, s2], [s1, s2, s3], [s2, s3, s4]);
  const a = determinant([m0, s1, s2], [m1, s2, s3], [m2, s3, s4]) / whole;
  const b = determinant([s0, m0, s2], [s1, m1, s3], [s2, m2, s4]) / whole;
  const c = determinant([s0, s1, m0], [s1, s2, m1], [s2, s3, m2]) / whole;
  return a + b + c;
}

type Row = readonly [number, number, number];

const determinant = ([a, b, c]: Row, [d, e, f]: Row, [g, h, i]: Row): number =>
  a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
