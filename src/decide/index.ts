// The policies by name, and the one function that decides: policy, then guards.
import type { Decision } from '../model.ts';
import { eliot } from './eliot.ts';
import { guarded } from './guards.ts';
import { mmeliot } from './mmeliot.ts';
import type { ElasticityParameters, PolicyName } from './parameters.ts';
import type { ParameterDoc, Situation } from './policy.ts';

export interface PolicyDefinition {
  /** One sentence for the operator who chooses. */
  readonly doc: string;
  /** The policy's own parameters (`policyParameters`); thresholds, bounds and window are common to all. */
  readonly parameters: Readonly<Record<string, ParameterDoc>>;
  /** Whether it was published as deciding while VMs are pending. */
  readonly decidesWhilePending: boolean;
  readonly decide: (situation: Situation, parameters: ElasticityParameters) => Decision;
}

export const policies: Readonly<Record<PolicyName, PolicyDefinition>> = {
  eliot: {
    doc: 'Eliot, the baseline: one VM more when LP is above high, one less when it is below low.',
    parameters: {},
    decidesWhilePending: false,
    decide: eliot,
  },
  mmeliot: {
    doc: 'MMEliot: as eliot, and nearer to a threshold the response time decides with it.',
    parameters: {},
    decidesWhilePending: false,
    decide: (situation, parameters) =>
      mmeliot(situation, {
        ...parameters,
        deltaTp: auto(parameters.deltaTp, literal(parameters) ? 'absolute' : 'signed'),
        releaseTrigger: auto(parameters.releaseTrigger, literal(parameters) ? 'stable' : 'drop'),
      }),
  },
};

export function decide(situation: Situation, parameters: ElasticityParameters): Decision {
  const definition = policies[parameters.policy];
  return guarded(situation, {
    ...parameters,
    noFlap: guardsAgainstFlapping(parameters),
    decideWhilePending: auto(parameters.decideWhilePending, definition.decidesWhilePending),
    policy: (seen) => definition.decide(seen, parameters),
  });
}

export const guardsAgainstFlapping = (parameters: ElasticityParameters): boolean =>
  auto(parameters.noFlap, parameters.policy === 'mmeliot' && !literal(parameters));

const literal = (parameters: ElasticityParameters): boolean => parameters.preset === 'paper-literal';

const auto = <T>(value: T | 'auto', otherwise: T): T => (value === 'auto' ? otherwise : value);
