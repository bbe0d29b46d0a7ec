// OneFlow's elasticity policies: an expression over the mean CPU of the running VMs must hold `periodNumber` looks in
// a row; then one VM more or less, and a cooldown. The first VM of the list leaves.
// Worked: high 70: CPU 80 % at the looks at 0, 90 and 180 s allocates one VM at 180 s, and none before 480 s.
import type { Decision, PeriodSummary } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { oldest } from '../common/choose.ts';
import { definePolicy, highAndLow } from '../common/definition.ts';
import { compare, type Policy, type Situation } from '../common/policy.ts';
import { decideByRules, hold } from '../common/rules.ts';
import { isDue } from '../common/series.ts';

const own = {
  every: { type: 'duration', default: 90_000, min: 1000, doc: 'time between two looks' },
  metricsEvery: {
    type: 'duration',
    default: 30_000,
    min: 1000,
    doc: 'time between two readings of the metrics: how old they may be',
  },
  periodNumber: { type: 'whole', default: 3, min: 1, max: 60, doc: 'looks in a row at which the expression must hold' },
  cooldown: { type: 'duration', default: 300_000, min: 0, doc: 'time after a change in which nothing is decided' },
} as const satisfies Declarations;

type Parameters = Values<typeof own> & { readonly high: number; readonly low: number };

const decide: Policy<Parameters> = (situation, parameters): Decision => {
  const { now, history, limits, present } = situation;
  if (!isDue(situation, parameters.every)) return hold('oneflow', 'Not due yet.');
  const change = history.find((past) => (past.action ?? 'hold') !== 'hold');
  if (change !== undefined && now - change.at < parameters.cooldown)
    return hold('oneflow', `In its cooldown of ${parameters.cooldown / 1000} s.`);
  const cpus = looks(situation, parameters).map(({ cpu }) => cpu);
  const enough = cpus.length >= parameters.periodNumber;
  const least = enough && !cpus.includes(undefined) ? Math.min(...cpus.map((cpu) => cpu ?? 0)) : undefined;
  const most = least === undefined ? undefined : Math.max(...cpus.map((cpu) => cpu ?? 0));
  return decideByRules(
    situation,
    [
      { name: 'oneflow up', action: 'allocate', terms: [compare('least CPU', least, '>', parameters.high)] },
      {
        name: 'oneflow down',
        action: 'release',
        terms: [compare('most CPU', most, '<', parameters.low), compare('VMs', present.vms, '>', limits.min)],
      },
    ],
    oldest,
  );
};

export const oneflow = definePolicy(own, {
  doc: 'OneFlow: CPU beyond high or low at some looks in a row, then a cooldown.',
  decidesWhilePending: true,
  thresholds: (parameters) => highAndLow('CPU', parameters),
  decide,
});

/** The periods at which it looked, newest first, each with the metrics as they were last read before. */
function looks(situation: Situation, { every, metricsEvery, periodNumber }: Parameters): readonly PeriodSummary[] {
  const periods = [situation.present, ...situation.history];
  const found: PeriodSummary[] = [];
  for (const [i, period] of periods.entries()) {
    const history = periods.slice(i + 1);
    if (history.length === 0 || found.length === periodNumber) break;
    if (!isDue({ ...situation, now: period.at, history }, every)) continue;
    const readAt = Math.floor(period.at / metricsEvery) * metricsEvery;
    found.push(periods.slice(i).find(({ at }) => at <= readAt) ?? period);
  }
  return found;
}
