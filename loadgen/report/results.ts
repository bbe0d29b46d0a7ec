// The runs of one policy under one load, put together.
import { measure, type Interval, type Measures, type VmModel } from '../../src/simulate/simulate.ts';
import type { Run } from './raw.ts';
import { estimate, type Estimate } from './statistics.ts';
import { timelineOf, type Period } from './timeline.ts';

export interface Simulated {
  readonly policy: string;
  readonly profile: string;
  /** One for each time it was simulated. */
  readonly timelines: readonly (readonly Interval[])[];
  readonly measures: readonly Measures[];
}

export interface Cell {
  readonly policy: string;
  readonly profile: string;
  readonly runs: readonly Run[];
  /** One for each run. */
  readonly timelines: readonly (readonly Period[])[];
  readonly measures: readonly Measures[];
  readonly simulated?: Simulated;
}

interface Input {
  readonly runs: readonly Run[];
  readonly policies: readonly string[];
  readonly profiles: readonly string[];
  readonly vm?: VmModel;
  readonly simulated: readonly Simulated[];
}

/** In the order of the plan; what has no run yet is left out. */
export function cellsWith({ runs, policies, profiles, vm, simulated }: Input): readonly Cell[] {
  return profiles.flatMap((profile) =>
    policies.flatMap((policy) => {
      const own = runs.filter(({ info }) => info.policy === policy && info.profile === profile);
      if (own.length === 0) return [];
      const timelines = own.map((run) => timelineOf(run, vm));
      const measures = timelines.map((timeline, i) => measure(timeline, own[i]?.info.high ?? 100));
      const model = simulated.find((each) => each.policy === policy && each.profile === profile);
      return [{ policy, profile, runs: own, timelines, measures, ...(model && { simulated: model }) }];
    }),
  );
}

export const estimateOf = (
  measures: readonly Measures[],
  of: (measures: Measures) => number | undefined,
): Estimate | undefined => estimate(measures.map(of).filter((value) => value !== undefined));
