// Every setting of the elasticity manager, with its default. Durations in ms. All can be changed while it runs.
import type { Limits, Millis } from '../../model.ts';

export type PolicyName =
  | 'eliot'
  | 'mmeliot'
  | 'hpa'
  | 'kpa'
  | 'target-tracking'
  | 'oneflow'
  | 'react'
  | 'adapt'
  | 'reg'
  | 'proliot'
  | 'adaptive';

export interface ElasticityParameters extends Limits {
  readonly policy: PolicyName;
  /** Which reading of the paper `mmeliot` follows; each point can be set by itself below. */
  readonly preset: 'mmeliot' | 'paper-literal';
  readonly predictor: 'aging' | 'last';
  /** Per cent of LP. */
  readonly high: number;
  readonly low: number;
  /** Per cent: how near to a threshold delta TP has a say. */
  readonly nearness: number;
  /** Per cent of delta TP that counts as a trend. */
  readonly target: number;
  readonly period: Millis;
  /** Samples that a prediction is made of. */
  readonly window: number;
  /** Real samples before a VM's prediction counts as evidence. */
  readonly warmup: number;
  /** `auto`: as the preset says (signed, drop; paper-literal: absolute, stable). */
  readonly deltaTp: 'auto' | 'signed' | 'absolute';
  readonly releaseTrigger: 'auto' | 'drop' | 'stable';
  /** `auto`: no for eliot and mmeliot, as published; yes for the others. */
  readonly decideWhilePending: 'auto' | boolean;
  /** `auto`: on for the preset mmeliot and for adaptive; off for the baseline, the literal preset and the peers, as published. */
  readonly noFlap: 'auto' | boolean;
  /** Time after any change of the fleet before the next allocation, the next release. */
  readonly allocateCooldown: Millis;
  readonly releaseCooldown: Millis;
  /** VMs that one period may add or release at most; 0: as many as the policy says. */
  readonly step: number;
  /** Where requests wait for a VM, or capture jobs to be finished, for longer than this, a VM is added whatever the policy says; 0: never. */
  readonly longestQueueTime: Millis;
  readonly longestBacklog: Millis;
  /** Parameters of the policy itself, by name, where they differ from its defaults. */
  readonly policyParameters: Readonly<Record<string, number>>;
  /** A VM that isn't ready after this long is given up and replaced. */
  readonly bootDeadline: Millis;
  /** A leaving VM's requests may take this long to finish. */
  readonly drainDeadline: Millis;
  /** Decide and record, change nothing at the provider. */
  readonly dryRun: boolean;
}

export const DEFAULT_PARAMETERS: ElasticityParameters = {
  policy: 'mmeliot',
  preset: 'mmeliot',
  predictor: 'aging',
  high: 70,
  low: 30,
  nearness: 20,
  target: 20,
  min: 1,
  max: 4,
  period: 10_000,
  window: 7,
  warmup: 2,
  deltaTp: 'auto',
  releaseTrigger: 'auto',
  decideWhilePending: 'auto',
  noFlap: 'auto',
  allocateCooldown: 0,
  releaseCooldown: 0,
  step: 0,
  longestQueueTime: 0,
  longestBacklog: 0,
  policyParameters: {},
  bootDeadline: 120_000,
  drainDeadline: 30_000,
  dryRun: false,
};
