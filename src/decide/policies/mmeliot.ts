// MMEliot: Eliot's thresholds, and nearer ones that count when the response time confirms the trend.
//   allocate one when n < max and ( LP > high, or (LP > high × (1 − nearness) and delta TP ≥ +target) )
//   else release one when n > min and ( LP < low, or (LP < low × (1 + nearness) and the release trigger) )
// Worked: high 70, nearness 20 % → 56; low 30 → 36. LP 60 with delta TP +25 % allocates; LP 33 with −25 % releases.
import type { Comparison, Decision } from '../../model.ts';
import { decideByRules } from '../common/rules.ts';
import { compare, type Policy } from '../common/policy.ts';

export interface MmeliotParameters {
  readonly high: number;
  readonly low: number;
  /** Per cent: how near to a threshold the response time has a say. */
  readonly nearness: number;
  /** Per cent of change of the fleet's TP. */
  readonly target: number;
  /** `absolute` are the paper's words: it also allocates because responses got faster. */
  readonly deltaTp: 'signed' | 'absolute';
  /** `stable` is the paper's Algorithm 3 as printed: releases when the response time hardly changes. */
  readonly releaseTrigger: 'drop' | 'stable';
}

export const mmeliot: Policy<MmeliotParameters> = (situation, parameters): Decision => {
  const { high, low } = parameters;
  const { lp } = situation.forecast;
  const { vms } = situation.present;
  const { min, max } = situation.limits;
  const room = compare('VMs', vms, '<', max);
  const spare = compare('VMs', vms, '>', min);
  const nearHigh = compare('LP', lp, '>', nearTo(high, -parameters.nearness));
  const nearLow = compare('LP', lp, '<', nearTo(low, parameters.nearness));
  return decideByRules(situation, [
    { name: 'overload', action: 'allocate', terms: [compare('LP', lp, '>', high), room] },
    { name: 'slowing', action: 'allocate', terms: [nearHigh, slowing(situation.forecast.deltaTp, parameters), room] },
    { name: 'underload', action: 'release', terms: [compare('LP', lp, '<', low), spare] },
    { name: 'easing', action: 'release', terms: [nearLow, easing(situation.forecast.deltaTp, parameters), spare] },
  ]);
};

/** `70, −20 → 56`; `30, +20 → 36`. Rounded, because 30 × 1.2 is not 36 in binary fractions. */
export const nearTo = (threshold: number, percent: number): number =>
  Math.round(threshold * (100 + percent) * 1e4) / 1e6;

function slowing(delta: number | undefined, { deltaTp, target }: MmeliotParameters): Comparison {
  return deltaTp === 'signed'
    ? compare('delta TP', delta, '>=', target)
    : compare('|delta TP|', magnitude(delta), '>=', target);
}

function easing(delta: number | undefined, { releaseTrigger, target }: MmeliotParameters): Comparison {
  return releaseTrigger === 'drop'
    ? compare('delta TP', delta, '<=', -target)
    : compare('|delta TP|', magnitude(delta), '<', target);
}

const magnitude = (delta: number | undefined): number | undefined =>
  delta === undefined ? undefined : Math.abs(delta);
