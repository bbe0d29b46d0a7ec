// Who is compared: each policy over its own target or thresholds, and fleets that stay as they are.
import { DEFAULT_PARAMETERS, type ElasticityParameters, type PolicyName } from '../decide/parameters.ts';
import { policies } from '../decide/policies/index.ts';
import { ratePerVm, type Capacity } from '../queueing/queueing.ts';

/** One policy with one setting; static: so many VMs at all times. */
export interface Contender {
  readonly policy: PolicyName | 'static';
  readonly label: string;
  readonly parameters: Partial<ElasticityParameters>;
}

const THRESHOLDS = [
  [40, 15],
  [50, 20],
  [60, 25],
  [70, 30],
  [85, 40],
] as const;
const PERCENTS = [35, 50, 60, 70, 80, 90, 100];
const FEW_PERCENTS = [50, 70, 90];
/** Requests at a VM at once, as shares of the 10 that the limit is set to. */
const CONCURRENCY = [4, 6, 8, 10, 14, 20, 40];
const FEW_CONCURRENCIES = [6, 10, 20];
const OBJECTIVES = [80, 90, 95, 98, 99.5];
/** Shares of the largest fleet. */
const STATIC = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

/** What is swept of a policy that has no thresholds, and what is set beside it. */
interface Sweep {
  readonly name: string;
  readonly values: readonly number[];
  readonly beside?: Readonly<Record<string, number>>;
  readonly parameters?: Partial<ElasticityParameters>;
  /** What it is called where a policy is swept in several ways. */
  readonly variant?: string;
}

export interface Field {
  readonly objectiveMs: number;
  readonly vm: Capacity;
  readonly max: number;
}

function sweeps({ objectiveMs, vm }: Field): Partial<Record<PolicyName, readonly Sweep[]>> {
  // as their authors have it, these know what a server can do; arrivals of ten seconds are noisy where they are few, and
  // their authors looked once a minute
  const capacity = { name: 'capacity', values: PERCENTS, beside: { speed: ratePerVm(vm) } };
  const byRate = [capacity, { ...capacity, parameters: { period: 60_000 }, variant: 'period 60 s, ' }];
  const kpa = { name: 'utilization', parameters: { period: 2_000 } };
  return {
    hpa: [
      { name: 'target', values: PERCENTS },
      { name: 'target', values: FEW_PERCENTS, beside: { stabilization: 60_000 }, variant: 'stabilization 60 s, ' },
      { name: 'target', values: FEW_PERCENTS, beside: { stabilization: 0 }, variant: 'stabilization 0 s, ' },
    ],
    kpa: [
      { ...kpa, values: CONCURRENCY, beside: { limit: 10 } },
      { ...kpa, values: FEW_CONCURRENCIES, beside: { limit: 10, stableWindow: 300_000 }, variant: 'window 300 s, ' },
    ],
    'target-tracking': [{ name: 'target', values: PERCENTS }],
    react: byRate,
    adapt: byRate,
    reg: byRate,
    adaptive: [{ name: 'objectivePercent', values: OBJECTIVES, beside: { objectiveMs } }],
  };
}

/** Every policy that there is; over its thresholds where nothing else of it is swept, and once where it has none. */
export function contenders(field: Field): readonly Contender[] {
  const swept = sweeps(field);
  const all = (Object.keys(policies) as PolicyName[]).flatMap((policy): readonly Contender[] => {
    const own = swept[policy];
    if (own === undefined && policies[policy].thresholds(DEFAULT_PARAMETERS).length === 0)
      return [{ policy, label: 'as it is', parameters: { policy } }];
    if (own === undefined)
      return THRESHOLDS.map(([high, low]) => ({ policy, label: `${high}/${low}`, parameters: { policy, high, low } }));
    return own.flatMap(({ name, values, beside, parameters, variant = '' }) =>
      values.map((value) => ({
        policy,
        label: `${variant}${name} ${value}`,
        parameters: { policy, ...parameters, policyParameters: { ...beside, [name]: value } },
      })),
    );
  });
  return [...all, ...staticFleets(field.max)];
}

/** Bounds that leave no choice: which policy it is doesn't matter. */
export const staticFleets = (max: number): readonly Contender[] =>
  [...new Set(STATIC.map((share) => Math.max(1, Math.round(share * max))))].map((vms) => ({
    policy: 'static',
    label: `${vms} VMs`,
    parameters: { policy: 'eliot', min: vms, max: vms },
  }));
