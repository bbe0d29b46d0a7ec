// The one function that decides: policy, then the limits of waiting, then guards.
import type { Decision, Millis, PeriodSummary } from '../model.ts';
import type { Situation } from './common/policy.ts';
import { atTime } from './calendar.ts';
import { guarded } from './guards.ts';
import type { ElasticityParameters, PolicyName } from './parameters.ts';
import { policies } from './policies/index.ts';
import { unlessWorkWaits } from './waiting.ts';

export const lookbackOf = (policy: PolicyName): Millis => policies[policy].lookback;

/** The period with what the policy has learned until then. */
export function withLearned(
  past: readonly PeriodSummary[],
  period: PeriodSummary,
  parameters: ElasticityParameters,
): PeriodSummary {
  const learned = policies[parameters.policy].learn(past, period, atTime(parameters, period.at));
  return learned === undefined ? period : { ...period, learned };
}

export function decide(situation: Situation, parameters: ElasticityParameters): Decision {
  const definition = policies[parameters.policy];
  return guarded(situation, {
    ...parameters,
    noFlap: guardsAgainstFlapping(parameters),
    decideWhilePending: auto(parameters.decideWhilePending, definition.decidesWhilePending),
    policy: (seen) => unlessWorkWaits(definition.decide(seen, parameters), seen, parameters),
  });
}

export const guardsAgainstFlapping = (parameters: ElasticityParameters): boolean =>
  auto(parameters.noFlap, policies[parameters.policy].guardsAgainstFlapping(parameters));

/** Whether the policy takes TP as the sum of all periods so far. */
export const sumsTimeOn = (parameters: ElasticityParameters): boolean =>
  policies[parameters.policy].sumsTimeOn(parameters);

const auto = <T>(value: T | 'auto', otherwise: T): T => (value === 'auto' ? otherwise : value);
