// What a policy says of itself, so that nothing else has to know which policy it is.
import type { Millis, PeriodSummary } from '../../model.ts';
import { defaultsOf, type Declarations, type Values } from '../../settings/declaration.ts';
import type { Policy } from './policy.ts';
import type { CommonParameters } from './settings.ts';

/** A bound that a policy holds what it sees against, for people and charts. */
export interface Threshold {
  readonly name: string;
  readonly of: 'LP' | 'delta TP' | 'CPU';
  readonly value: number;
}

/** `P`: the common parameters with the policy's own. */
interface About<P> {
  /** One sentence for the operator who chooses. */
  readonly doc: string;
  /** As much of the past as it looks back on; default: 20 minutes. */
  readonly lookback?: Millis;
  /** Whether it was published as deciding while VMs are pending. */
  readonly decidesWhilePending: boolean;
  /** Whether a release that would itself trigger an allocation is held, unless the operator says otherwise; default: no. */
  readonly guardsAgainstFlapping?: (parameters: P) => boolean;
  /** Whether TP is the sum of all periods so far, as Algorithm 2 is printed; default: no. */
  readonly sumsTimeOn?: (parameters: P) => boolean;
  /** Default: it has none. */
  readonly thresholds?: (parameters: P) => readonly Threshold[];
  /** LP at which it releases and allocates under a load that stays: to see whether the pair flaps. */
  readonly steady?: (parameters: P) => Steady;
  /** Its own parameters that contradict one another, in one sentence. */
  readonly contradiction?: (parameters: P) => string | undefined;
  /** What it remembers beyond the history: learned anew each period, kept with the newest one. `past`: newest first. */
  readonly learn?: (past: readonly PeriodSummary[], period: PeriodSummary, parameters: P) => unknown;
  readonly decide: Policy<P>;
}

interface Steady {
  readonly releases: number;
  readonly allocates: number;
}

/** The same for whoever knows the common parameters only. */
export interface PolicyDefinition {
  readonly doc: string;
  /** The policy's own parameters (`policyParameters`). */
  readonly parameters: Declarations;
  readonly lookback: Millis;
  readonly decidesWhilePending: boolean;
  readonly guardsAgainstFlapping: (parameters: CommonParameters) => boolean;
  readonly sumsTimeOn: (parameters: CommonParameters) => boolean;
  readonly thresholds: (parameters: CommonParameters) => readonly Threshold[];
  readonly steady: (parameters: CommonParameters) => Steady | undefined;
  readonly contradiction: (parameters: CommonParameters) => string | undefined;
  readonly learn: (past: readonly PeriodSummary[], period: PeriodSummary, parameters: CommonParameters) => unknown;
  readonly decide: Policy<CommonParameters>;
}

const LOOKBACK_MS = 20 * 60_000;

/** A policy sees its own parameters, completed by their defaults, beside the common ones. */
export function definePolicy<D extends Declarations>(
  parameters: D,
  about: About<CommonParameters & Values<D>>,
): PolicyDefinition {
  const defaults = defaultsOf(parameters);
  const completed = (given: CommonParameters): CommonParameters & Values<D> => ({
    ...given,
    ...defaults,
    ...(given.policyParameters as Partial<Values<D>>),
  });
  return {
    doc: about.doc,
    parameters,
    lookback: about.lookback ?? LOOKBACK_MS,
    decidesWhilePending: about.decidesWhilePending,
    guardsAgainstFlapping: (given) => about.guardsAgainstFlapping?.(completed(given)) ?? false,
    sumsTimeOn: (given) => about.sumsTimeOn?.(completed(given)) ?? false,
    thresholds: (given) => about.thresholds?.(completed(given)) ?? [],
    steady: (given) => about.steady?.(completed(given)),
    contradiction: (given) => about.contradiction?.(completed(given)),
    learn: (past, period, given) => about.learn?.(past, period, completed(given)),
    decide: (situation, given) => about.decide(situation, completed(given)),
  };
}

/** Of those that compare high and low with `of`. */
export const highAndLow = (of: Threshold['of'], { high, low }: CommonParameters): readonly Threshold[] => [
  { name: 'high', of, value: high },
  { name: 'low', of, value: low },
];
