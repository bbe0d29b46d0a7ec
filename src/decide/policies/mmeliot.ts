// MMEliot: Eliot's thresholds, and nearer ones that count when the response time confirms the trend.
//   allocate one when n < max and ( LP > high, or (LP > high × (1 − nearness) and delta TP ≥ +target) )
//   else release one when n > min and ( LP < low, or (LP < low × (1 + nearness) and the release trigger) )
// Worked: high 70, nearness 20 % → 56; low 30 → 36. LP 60 with delta TP +25 % allocates; LP 33 with −25 % releases.
import type { Comparison, Decision } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { type Threshold, definePolicy, highAndLow } from '../common/definition.ts';
import { compare, type Policy } from '../common/policy.ts';
import { decideByRules } from '../common/rules.ts';
import type { CommonParameters } from '../common/settings.ts';

const own = {
  preset: {
    type: 'choice',
    choices: ['mmeliot', 'paper-literal'],
    default: 'mmeliot',
    doc: 'reading of the paper; what it means can be set point by point below',
  },
  nearness: {
    type: 'number',
    default: 20,
    min: 0,
    max: 100,
    unit: '%',
    doc: 'how near to a threshold delta TP has a say',
  },
  // `absolute` are the paper's words: it also allocates because responses got faster
  deltaTp: {
    type: 'choice',
    choices: ['auto', 'signed', 'absolute'],
    default: 'auto',
    doc: 'sign of delta TP; auto: as the preset says (signed; paper-literal: absolute)',
  },
  // `stable` is the paper's Algorithm 3 as printed: releases when the response time hardly changes
  releaseTrigger: {
    type: 'choice',
    choices: ['auto', 'drop', 'stable'],
    default: 'auto',
    doc: 'what releases near the low threshold; auto: as the preset says (drop; paper-literal: stable)',
  },
  // Algorithm 2 as printed never sets its sum back: TP only grows, so delta TP is a's share of all a's so far
  timeSum: {
    type: 'choice',
    choices: ['auto', 'fresh', 'running'],
    default: 'auto',
    doc: 'whether the sum behind TP begins at 0 in each period; auto: as the preset says (fresh; paper-literal: running)',
  },
  targetReached: {
    type: 'choice',
    choices: ['auto', 'at', 'above'],
    default: 'auto',
    doc: 'whether delta TP at the target itself counts; auto: as the preset says (at; paper-literal: above)',
  },
} as const satisfies Declarations;

type Parameters = CommonParameters & Values<typeof own>;

const decide: Policy<Parameters> = (situation, parameters): Decision => {
  const { lp, deltaTp } = situation.forecast;
  const { vms } = situation.present;
  const { min, max } = situation.limits;
  const room = compare('VMs', vms, '<', max);
  const spare = compare('VMs', vms, '>', min);
  const { high, low } = parameters;
  const near = nearThresholds(parameters);
  const nearHigh = compare('LP', lp, '>', near.high);
  const nearLow = compare('LP', lp, '<', near.low);
  return decideByRules(situation, [
    { name: 'overload', action: 'allocate', terms: [compare('LP', lp, '>', high), room] },
    { name: 'slowing', action: 'allocate', terms: [nearHigh, slowing(deltaTp, parameters), room] },
    { name: 'underload', action: 'release', terms: [compare('LP', lp, '<', low), spare] },
    { name: 'easing', action: 'release', terms: [nearLow, easing(deltaTp, parameters), spare] },
  ]);
};

export const mmeliot = definePolicy(own, {
  doc: 'MMEliot: as eliot, and nearer to a threshold the response time decides with it.',
  decidesWhilePending: false,
  guardsAgainstFlapping: (parameters) => !isLiteral(parameters),
  sumsTimeOn: (parameters) => isChosen(parameters, 'timeSum', 'running'),
  thresholds,
  steady: (parameters) => {
    const near = nearThresholds(parameters);
    return { releases: near.low, allocates: isLiteral(parameters) ? near.high : parameters.high };
  },
  contradiction(parameters) {
    const { high, low } = nearThresholds(parameters);
    if (low < high) return undefined;
    return `policyParameters.nearness ${parameters.nearness} % lets the bands meet (release below ${low}, allocate above ${high}): lower it.`;
  },
  decide,
});

const isLiteral = ({ preset }: Parameters): boolean => preset === 'paper-literal';

const nearThresholds = ({ high, low, nearness }: Parameters) => ({
  high: nearTo(high, -nearness),
  low: nearTo(low, nearness),
});

function thresholds(parameters: Parameters): readonly Threshold[] {
  const near = nearThresholds(parameters);
  return [
    ...highAndLow('LP', parameters),
    { name: 'near high', of: 'LP', value: near.high },
    { name: 'near low', of: 'LP', value: near.low },
    { name: 'target', of: 'delta TP', value: parameters.target },
    { name: 'target', of: 'delta TP', value: -parameters.target },
  ];
}

/** `70, −20 → 56`; `30, +20 → 36`. Rounded, because 30 × 1.2 is not 36 in binary fractions. */
const nearTo = (threshold: number, percent: number): number => Math.round(threshold * (100 + percent) * 1e4) / 1e6;

const slowing = (delta: number | undefined, parameters: Parameters): Comparison =>
  isChosen(parameters, 'deltaTp', 'absolute')
    ? compare('|delta TP|', magnitude(delta), isStrict(parameters) ? '>' : '>=', parameters.target)
    : compare('delta TP', delta, isStrict(parameters) ? '>' : '>=', parameters.target);

const easing = (delta: number | undefined, parameters: Parameters): Comparison =>
  isChosen(parameters, 'releaseTrigger', 'stable')
    ? compare('|delta TP|', magnitude(delta), '<', parameters.target)
    : compare('delta TP', delta, isStrict(parameters) ? '<' : '<=', -parameters.target);

const isStrict = (parameters: Parameters): boolean => isChosen(parameters, 'targetReached', 'above');

/** Whether the paper's own reading of a point holds: set by itself, or by the preset. */
function isChosen<K extends keyof typeof own & keyof Parameters>(
  parameters: Parameters,
  point: K,
  literal: Parameters[K],
): boolean {
  return parameters[point] === 'auto' ? isLiteral(parameters) : parameters[point] === literal;
}

const magnitude = (delta: number | undefined): number | undefined =>
  delta === undefined ? undefined : Math.abs(delta);
