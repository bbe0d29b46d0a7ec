// Policies compared: each peer swept over its own target or thresholds, the frontier of violations against VM-hours
// that they draw together, and where a policy stands to it. Pure.
import type { ElasticityParameters, PolicyName } from '../decide/parameters.ts';
import type { Measures } from './measures.ts';

/** One policy with one setting. */
export interface Contender {
  readonly policy: PolicyName;
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
/** Requests at a VM at once, as shares of the 10 that the limit is set to. */
const CONCURRENCY = [4, 6, 8, 10, 14, 20, 40];
const OBJECTIVES = [80, 90, 95, 98, 99.5];

export function contenders(objectiveMs: number): readonly Contender[] {
  const thresholds = (policy: PolicyName): readonly Contender[] =>
    THRESHOLDS.map(([high, low]) => ({ policy, label: `${high}/${low}`, parameters: { policy, high, low } }));
  const own = (policy: PolicyName, name: string, values: readonly number[], others = {}): readonly Contender[] =>
    values.map((value) => ({
      policy,
      label: `${name} ${value}`,
      parameters: { policy, policyParameters: { [name]: value, ...others } },
    }));
  return [
    ...thresholds('eliot'),
    ...thresholds('mmeliot'),
    ...own('hpa', 'target', PERCENTS),
    ...own('kpa', 'utilization', CONCURRENCY, { limit: 10 }),
    ...own('target-tracking', 'target', PERCENTS),
    ...thresholds('oneflow'),
    // a VM's true capacity is 100 % of its CPU
    ...own('react', 'capacity', PERCENTS),
    ...own('adapt', 'capacity', PERCENTS),
    ...own('reg', 'capacity', PERCENTS),
    ...thresholds('proliot'),
    ...own('adaptive', 'objectivePercent', OBJECTIVES, { objectiveMs }),
  ];
}

export type Standing = Pick<Measures, 'vmHours' | 'violationsPercent' | 'actions'>;

/** The points that no other beats in both VM-hours and violations, by VM-hours. */
export function frontier<T extends Standing>(points: readonly T[]): readonly T[] {
  const kept: T[] = [];
  for (const point of [...points].sort((a, b) => a.vmHours - b.vmHours || a.violationsPercent - b.violationsPercent))
    if (point.violationsPercent < (kept.at(-1)?.violationsPercent ?? Infinity)) kept.push(point);
  return kept;
}

/**
 * Violations that the frontier has at those VM-hours: between two points a straight line of the logarithm, which is
 * what mixing them over time could not even reach; left of the frontier undefined, right of it its last point's.
 * Worked: 4 % at 10 VM-hours and 1 % at 20: 2 % at 15.
 */
export function frontierAt(points: readonly Standing[], vmHours: number): number | undefined {
  const line = frontier(points);
  const after = line.findIndex((point) => point.vmHours >= vmHours);
  const [left, right] = [line[after - 1], line[after]];
  if (after === -1) return line.at(-1)?.violationsPercent;
  if (right === undefined || (left === undefined && right.vmHours > vmHours)) return undefined;
  if (left === undefined) return right.violationsPercent;
  const share = (vmHours - left.vmHours) / (right.vmHours - left.vmHours);
  const log = (point: Standing): number => Math.log(Math.max(LEAST_PERCENT, point.violationsPercent));
  return Math.exp(log(left) + share * (log(right) - log(left)));
}
/** Below this two shares of violations are the same. */
export const LEAST_PERCENT = 0.01;

export const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
