// AWS target tracking on CPU: proportional; out after 3 minutes above the target, in after 15 below 90 % of it; no
// scale-in while a VM warms up.
// Worked: 2 VMs at 100 % for three minutes, target 70: ceil(2 × 100 / 70) = 3.
import type { Decision } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy } from '../common/definition.ts';
import type { Policy, Situation } from '../common/policy.ts';
import { decideBySize, hold, NO_EVIDENCE } from '../common/rules.ts';
import { meanOf, vmsFor, servingOf } from '../common/series.ts';

const own = {
  target: { type: 'number', default: 70, min: 1, max: 100, doc: 'mean CPU that is aimed at, in per cent' },
  lowShare: {
    type: 'number',
    default: 90,
    min: 1,
    max: 100,
    doc: 'per cent of the target below which the fleet shrinks',
  },
  datapoint: { type: 'duration', default: 60_000, min: 1000, doc: 'time that one data point is the mean of' },
  outPoints: { type: 'whole', default: 3, min: 1, max: 60, doc: 'data points above the target before the fleet grows' },
  inPoints: { type: 'whole', default: 15, min: 1, max: 60, doc: 'data points below before it shrinks' },
} as const satisfies Declarations;

type Parameters = Values<typeof own>;

const decide: Policy<Parameters> = (situation, parameters): Decision => {
  const { target, lowShare, outPoints, inPoints } = parameters;
  const points = dataPoints(situation, parameters, Math.max(outPoints, inPoints));
  const [newest] = points;
  if (newest === undefined) return hold('target-tracking', NO_EVIDENCE);
  const { present, forecast } = situation;
  const want = vmsFor(servingOf(present) * newest, target);
  const why = `CPU ${Math.round(newest)} % in the last data point`;
  if (allOf(points, outPoints, (cpu) => cpu > target))
    return decideBySize(situation, Math.max(want, present.vms), 'target-tracking', why);
  if (!allOf(points, inPoints, (cpu) => cpu < (target * lowShare) / 100))
    return hold('target-tracking', `${why}: not for long enough outside of the target.`);
  if (present.vms > present.ready || forecast.vms.some((vm) => vm.warming && !vm.dark))
    return hold('target-tracking', `${why}: nothing leaves while a VM warms up.`);
  return decideBySize(situation, Math.min(want, present.vms), 'target-tracking', why);
};

export const targetTracking = definePolicy(own, {
  doc: 'AWS target tracking: proportional to CPU, after minutes above, a quarter of an hour below.',
  decidesWhilePending: true,
  decide,
});

const allOf = (points: readonly (number | undefined)[], count: number, test: (cpu: number) => boolean): boolean =>
  points.length >= count && points.slice(0, count).every((cpu) => cpu !== undefined && test(cpu));

/** Means of CPU over the last stretches, newest first, as far back as there are samples for a whole stretch. */
function dataPoints({ now, present, history }: Situation, { datapoint }: Parameters, most: number) {
  const periods = [present, ...history];
  const oldest = periods.at(-1)?.at ?? now;
  const every = now - (history[0]?.at ?? now);
  const count = Math.min(most, Math.floor((now - oldest + every) / datapoint));
  return Array.from({ length: count }, (_, i) => {
    const inside = periods.filter(({ at }) => now - at >= i * datapoint && now - at < (i + 1) * datapoint);
    return meanOf(inside.map(({ cpu }) => cpu));
  });
}
