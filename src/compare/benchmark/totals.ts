// What each policy did in all scenes: how often it changed its fleet, what missed, and what its fleets came to. All settings
// of a policy count alike, for nobody knows beforehand which of them a load wants.
import type { Chance } from '../../simulate/chance.ts';
import { judgements, type Comparison, type Standing } from '../compare.ts';

/** In one scene: means over the settings and seeds. */
export interface PolicyResult extends Standing {
  readonly policy: string;
  readonly settings: number;
}

/** The peers of the frontier that adaptive's settings are compared with. */
export const COMPARED = "the frontier's, beside adaptive";

export function policyResults(seeds: readonly Comparison[]): readonly PolicyResult[] {
  const standings = new Map<string, Standing[]>();
  const add = (policy: string, standing: Standing): void => {
    const known = standings.get(policy);
    if (known === undefined) standings.set(policy, [standing]);
    else known.push(standing);
  };
  for (const comparison of seeds) {
    for (const point of comparison.points) if (point.policy !== 'foresight') add(point.policy, point);
    for (const { peer } of judgements(comparison)) if (peer !== undefined) add(COMPARED, peer);
  }
  return [...standings].map(([policy, all]) => ({
    policy,
    settings: all.length / seeds.length,
    vmHours: mean(all.map(({ vmHours }) => vmHours)),
    violationsPercent: mean(all.map(({ violationsPercent }) => violationsPercent)),
    actions: mean(all.map(({ actions }) => actions)),
  }));
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** A total over the scenes, or a mean over them, and where 95 % of the resamples of the scenes lie. */
export interface Resampled {
  readonly value: number;
  readonly interval: readonly [number, number];
}

export interface PolicyTotal {
  readonly policy: string;
  readonly scenes: number;
  /** Settings in a scene, in the mean. */
  readonly settings: number;
  /** Of one setting in all scenes. */
  readonly actions: Resampled;
  readonly vmHours: Resampled;
  /** Mean over the scenes. */
  readonly violationsPercent: Resampled;
}

const RESAMPLES = 2_000;

export function policyTotals(scenes: readonly (readonly PolicyResult[])[], chance: Chance): readonly PolicyTotal[] {
  const names = [...new Set(scenes.flatMap((results) => results.map(({ policy }) => policy)))];
  return names.map((policy) => {
    const own = scenes.flatMap((results) => results.filter((result) => result.policy === policy));
    const drawn = Array.from({ length: RESAMPLES }, () =>
      own.map(() => own[Math.floor(chance.uniform() * own.length)]),
    );
    const resampled = (of: (result: PolicyResult) => number, over: 'sum' | 'mean'): Resampled => {
      const whole = (results: readonly (PolicyResult | undefined)[]): number =>
        results.reduce((sum, result) => sum + (result === undefined ? 0 : of(result)), 0) /
        (over === 'sum' ? 1 : results.length);
      const sorted = drawn.map(whole).sort((a, b) => a - b);
      const at = (share: number): number => sorted[Math.floor(share * RESAMPLES)] ?? 0;
      return { value: whole(own), interval: [at(0.025), at(0.975)] };
    };
    return {
      policy,
      scenes: own.length,
      settings: mean(own.map(({ settings }) => settings)),
      actions: resampled(({ actions }) => actions, 'sum'),
      vmHours: resampled(({ vmHours }) => vmHours, 'sum'),
      violationsPercent: resampled(({ violationsPercent }) => violationsPercent, 'mean'),
    };
  });
}
