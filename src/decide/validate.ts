// Settings that can't hold, in one sentence each, and settings that are allowed but ask for trouble.
import { guardsAgainstFlapping, policies } from './index.ts';
import { nearTo } from './policies/mmeliot.ts';
import type { ElasticityParameters } from './common/parameters.ts';
import { show } from './common/policy.ts';

export interface Verdict {
  /** Refused because of these. */
  readonly errors: readonly string[];
  /** Accepted, but the operator should know. */
  readonly warnings: readonly string[];
}

type Check = readonly [wrong: boolean, sentence: string];

export function validateParameters(p: ElasticityParameters): Verdict {
  const checks: readonly Check[] = [
    [
      !Object.hasOwn(policies, p.policy),
      `policy ${p.policy} is unknown: choose one of ${Object.keys(policies).join(', ')}.`,
    ],
    ...oneOf(p, 'preset', ['mmeliot', 'paper-literal']),
    ...oneOf(p, 'predictor', ['aging', 'last']),
    ...oneOf(p, 'deltaTp', ['auto', 'signed', 'absolute']),
    ...oneOf(p, 'releaseTrigger', ['auto', 'drop', 'stable']),
    ...oneOf(p, 'decideWhilePending', ['auto', true, false]),
    ...oneOf(p, 'noFlap', ['auto', true, false]),
    ...oneOf(p, 'dryRun', [true, false]),
    ...between(p, 'high', 0, 100),
    ...between(p, 'low', 0, 100),
    ...between(p, 'nearness', 0, 100),
    ...between(p, 'target', 0, 10_000),
    ...whole(p, 'min', 0, 100_000),
    ...whole(p, 'max', 1, 100_000),
    ...between(p, 'period', 100, 3_600_000),
    ...whole(p, 'window', 1, 60),
    ...whole(p, 'warmup', 1, 60),
    ...between(p, 'allocateCooldown', 0, 86_400_000),
    ...between(p, 'releaseCooldown', 0, 86_400_000),
    ...whole(p, 'step', 0, 100_000),
    ...between(p, 'longestQueueTime', 0, 86_400_000),
    ...between(p, 'longestBacklog', 0, 86_400_000),
    ...between(p, 'bootDeadline', 1_000, 86_400_000),
    ...between(p, 'drainDeadline', 0, 86_400_000),
    [p.low >= p.high, `low (${p.low}) must be below high (${p.high}): raise high or lower low.`],
    [p.min > p.max, `min (${p.min}) must not be above max (${p.max}).`],
    [p.warmup > p.window, `warmup (${p.warmup}) must not be above window (${p.window}): no VM would ever be warm.`],
    [
      p.policy === 'mmeliot' && p.low < p.high && nearLow(p) >= nearHigh(p),
      `nearness ${p.nearness} % lets the bands meet (release below ${nearLow(p)}, allocate above ${nearHigh(p)}): lower it.`,
    ],
    ...ownParameters(p),
  ];
  const errors = checks.filter(([wrong]) => wrong).map(([, sentence]) => sentence);
  return { errors, warnings: errors.length > 0 ? [] : warnings(p) };
}

const nearHigh = (p: ElasticityParameters): number => nearTo(p.high, -p.nearness);
const nearLow = (p: ElasticityParameters): number => nearTo(p.low, p.nearness);

/** The pair flaps when what a release leaves behind allocates again. Worked: released below 36 on 2 VMs is up to 72 on one. */
function warnings(p: ElasticityParameters): readonly string[] {
  const from = Math.max(2, p.min + 1);
  const released = p.policy === 'mmeliot' ? nearLow(p) : p.low;
  const allocated = p.policy === 'mmeliot' && p.preset === 'paper-literal' ? nearHigh(p) : p.high;
  const after = (released * from) / (from - 1);
  const thresholds = p.policy === 'eliot' || p.policy === 'mmeliot';
  const flaps = thresholds && p.max >= from && after > allocated && !guardsAgainstFlapping(p);
  const flapping = `${from} VMs are released to ${from - 1} below ${show(released)}, which may leave ${show(after)}, and above ${show(allocated)} one is allocated again: the pair flaps; turn noFlap on, or lower low.`;
  const reacts = p.window * p.period > 30 * 60_000;
  return [
    ...(flaps ? [flapping] : []),
    ...(reacts
      ? [`window × period is ${show((p.window * p.period) / 60_000)} min: the manager reacts very late.`]
      : []),
    ...(p.min === 0 ? ['min is 0: without a VM there is no load to see, so the first one is never allocated.'] : []),
  ];
}

function ownParameters(p: ElasticityParameters): readonly Check[] {
  if (!Object.hasOwn(policies, p.policy)) return [];
  if (typeof p.policyParameters !== 'object' || p.policyParameters === null)
    return [[true, 'policyParameters must be names with numbers.']];
  const docs = policies[p.policy].parameters;
  return Object.entries(p.policyParameters).map(([name, value]) => {
    const doc = docs[name];
    const names = Object.keys(docs).join(', ') || 'none';
    if (doc === undefined) return [true, `policyParameters.${name} is unknown to ${p.policy}: it has ${names}.`];
    const { min = 0, max = 1e9 } = doc;
    return [
      !isBetween(value, min, max),
      `policyParameters.${name} is ${value}: a number from ${min} to ${max} is expected.`,
    ];
  });
}

type Key = keyof ElasticityParameters;

const isBetween = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'number' && value >= min && value <= max;

const between = (p: ElasticityParameters, key: Key, min: number, max: number): readonly Check[] => [
  [!isBetween(p[key], min, max), `${key} is ${told(p[key])}: a number from ${min} to ${max} is expected.`],
];

const whole = (p: ElasticityParameters, key: Key, min: number, max: number): readonly Check[] => [
  [
    !isBetween(p[key], min, max) || !Number.isInteger(p[key]),
    `${key} is ${told(p[key])}: a whole number from ${min} to ${max} is expected.`,
  ],
];

const oneOf = (p: ElasticityParameters, key: Key, values: readonly unknown[]): readonly Check[] => [
  [!values.includes(p[key]), `${key} is ${told(p[key])}: one of ${values.join(', ')} is expected.`],
];

const told = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
