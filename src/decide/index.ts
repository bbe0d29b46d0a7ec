// The policies by name, and the one function that decides: policy, then the limits of waiting, then guards.
import type { Decision, Millis } from '../model.ts';
import { adapt, adaptParameters } from './policies/adapt.ts';
import { adaptive, adaptiveParameters } from './adaptive/adaptive.ts';
import { eliot } from './policies/eliot.ts';
import { guarded } from './guards.ts';
import { hpa, hpaParameters } from './policies/hpa.ts';
import { kpa, kpaParameters } from './policies/kpa.ts';
import { mmeliot } from './policies/mmeliot.ts';
import { oneflow, oneflowParameters } from './policies/oneflow.ts';
import type { ElasticityParameters, PolicyName } from './common/parameters.ts';
import type { Own, ParameterDocs, Policy, Situation } from './common/policy.ts';
import { proliot, proliotParameters } from './policies/proliot.ts';
import { react, reactParameters } from './policies/react.ts';
import { reg, regParameters } from './policies/reg.ts';
import { targetTracking, targetTrackingParameters } from './policies/target-tracking.ts';
import { unlessWorkWaits } from './waiting.ts';

export interface PolicyDefinition {
  /** One sentence for the operator who chooses. */
  readonly doc: string;
  /** The policy's own parameters (`policyParameters`); thresholds, bounds and window are common to all. */
  readonly parameters: ParameterDocs;
  /** As much of the past as it looks back on; default: 20 minutes. */
  readonly lookback?: Millis;
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
  hpa: peer("Kubernetes' HPA: as many VMs as bring the mean CPU to a target.", hpaParameters, hpa),
  kpa: peer("Knative's KPA: as many VMs as the requests at once need; panics in a burst.", kpaParameters, kpa),
  'target-tracking': peer(
    'AWS target tracking: proportional to CPU, after minutes above, a quarter of an hour below.',
    targetTrackingParameters,
    targetTracking,
  ),
  oneflow: peer('OneFlow: CPU beyond high or low at some looks in a row, then a cooldown.', oneflowParameters, oneflow),
  react: peer('React: what the load needs, with 20 % on top.', reactParameters, react),
  adapt: peer('Adapt: follows the rate of change of the load; quick to grow, slow to shrink.', adaptParameters, adapt),
  reg: peer('Reg: reactive when growing; shrinks by a quadratic forecast.', regParameters, reg),
  adaptive: {
    ...peer(
      'Adaptive: as many VMs as an objective for the response time is worth; no thresholds.',
      adaptiveParameters,
      adaptive,
    ),
    lookback: 2 * 3_600_000,
  },
  proliot: peer('Proliot: thresholds on a forecast of the CPU some periods ahead.', proliotParameters, proliot),
};

/** A peer sees its own parameters, completed by their defaults, beside the common ones. */
function peer<D extends ParameterDocs>(
  doc: string,
  parameters: D,
  policy: Policy<Own<D> & ElasticityParameters>,
): PolicyDefinition {
  const defaults = Object.fromEntries(Object.entries(parameters).map(([name, { default: value }]) => [name, value]));
  return {
    doc,
    parameters,
    decidesWhilePending: true,
    decide: (situation, all) =>
      policy(situation, { ...all, ...(defaults as Own<D>), ...(all.policyParameters as Partial<Own<D>>) }),
  };
}

const LOOKBACK_MS = 20 * 60_000;

export const lookbackOf = (policy: PolicyName): Millis => policies[policy].lookback ?? LOOKBACK_MS;

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
  auto(parameters.noFlap, OURS.has(parameters.policy) && !literal(parameters));

const OURS: ReadonlySet<PolicyName> = new Set(['mmeliot', 'adaptive']);

const literal = (parameters: ElasticityParameters): boolean => parameters.preset === 'paper-literal';

const auto = <T>(value: T | 'auto', otherwise: T): T => (value === 'auto' ? otherwise : value);
