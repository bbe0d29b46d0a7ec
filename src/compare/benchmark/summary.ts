// What the benchmark says: scene by scene, since the settings of one policy are not independent of one another, and over
// all scenes with intervals from resampling scenes, and seeds within them.
import type { Chance } from '../../simulate/chance.ts';
import { geometricMean, judgements, LEAST_PERCENT, type Comparison } from '../compare.ts';
import { policyResults, type PolicyResult } from './totals.ts';

export interface SceneResult {
  readonly name: string;
  /** What it is of: scenes of one trace have much in common. */
  readonly trace: string;
  /** Of each seed: geometric mean over adaptive's settings of its violations in terms of the frontier's; undefined: no peer is as cheap. */
  readonly ratios: readonly number[];
  /** The same of perfect foresight at adaptive's VM-hours, over all seeds: what is left to win at most. */
  readonly foresight: number | undefined;
  /** Settings above the frontier, with more actions than the peer, and all. */
  readonly above: number;
  readonly busier: number;
  readonly settings: number;
  /** Settings whose peer never changes: whoever changes has more actions. */
  readonly still: number;
  /** Settings in which foresight has more actions than the peer. */
  readonly foresightBusier: number;
  /** What every policy did. */
  readonly policies: readonly PolicyResult[];
}

export function sceneResult(
  { name, trace }: Pick<SceneResult, 'name' | 'trace'>,
  seeds: readonly Comparison[],
): SceneResult {
  const all = seeds.map(judgements);
  const ratios = all.flatMap((found) => {
    const known = found.flatMap(({ ratio }) => (ratio === undefined ? [] : [ratio]));
    return known.length === 0 ? [] : [geometricMean(known)];
  });
  const points = all.flat();
  const foreseen = points.flatMap(({ foresight, frontier }) =>
    foresight === undefined || frontier === undefined
      ? []
      : [Math.max(LEAST_PERCENT, foresight) / Math.max(LEAST_PERCENT, frontier)],
  );
  return {
    ...{ name, trace, ratios },
    foresight: foreseen.length === 0 ? undefined : geometricMean(foreseen),
    above: points.filter(({ ratio = 0 }) => ratio > 1).length,
    busier: points.filter(({ point, peer }) => peer !== undefined && point.actions > peer.actions).length,
    settings: points.length,
    still: points.filter(({ peer }) => peer?.actions === 0).length,
    foresightBusier: points.filter(({ peer, foresightActions = 0 }) => foresightActions > (peer?.actions ?? Infinity))
      .length,
    policies: policyResults(seeds),
  };
}

export interface Summary {
  readonly scenes: number;
  readonly ratio: number;
  readonly interval: Interval;
  /** The same with whole traces resampled; undefined where there are fewer than three. */
  readonly intervalByTrace: Interval | undefined;
  /** Of perfect foresight, where it is known; no better than the frontier where it isn't. */
  readonly foresight: number;
  readonly worst: { readonly name: string; readonly ratio: number };
  /** Share of scenes on or below the frontier, and of settings with no more actions than the peer. */
  readonly scenesWon: number;
  readonly scenesWonInterval: Interval;
  readonly calm: number;
  readonly calmInterval: Interval;
  /** The same share of foresight; and of settings whose peer never changes, which no policy that changes can match. */
  readonly foresightCalm: number;
  readonly still: number;
}

/** 95 % of the resamples lie between. */
export type Interval = readonly [number, number];

const RESAMPLES = 2_000;
const FEWEST_TRACES = 3;

function intervalOf(samples: readonly number[]): Interval {
  const sorted = samples.toSorted((a, b) => a - b);
  return [sorted[Math.floor(0.025 * RESAMPLES)] ?? 0, sorted[Math.floor(0.975 * RESAMPLES)] ?? 0];
}

/** Undefined where no scene has a ratio. */
export function summary(results: readonly SceneResult[], chance: Chance): Summary | undefined {
  const scenes = results.filter(({ ratios }) => ratios.length > 0);
  const [first] = scenes;
  if (first === undefined) return undefined;
  const one = <T>(from: readonly T[]): T => from[Math.floor(chance.uniform() * from.length)] as T;
  const ofSeeds = ({ ratios }: SceneResult): number => geometricMean(ratios.map(() => one(ratios)));
  const resampled = Array.from({ length: RESAMPLES }, () => {
    const drawn = scenes.map(() => one(scenes));
    return {
      ratios: drawn.map(ofSeeds),
      calm: calmOf(drawn),
    };
  });
  const interval = (of: (sample: (typeof resampled)[number]) => number): Interval => intervalOf(resampled.map(of));
  const traces = [...Map.groupBy(scenes, ({ trace }) => trace).values()];
  const byTrace = Array.from({ length: traces.length < FEWEST_TRACES ? 0 : RESAMPLES }, () =>
    geometricMean(traces.flatMap(() => one(traces).map(ofSeeds))),
  );
  const each = scenes.map(({ name, ratios }) => ({ name, ratio: geometricMean(ratios) }));
  return {
    scenes: scenes.length,
    ratio: geometricMean(each.map(({ ratio }) => ratio)),
    interval: interval(({ ratios }) => geometricMean(ratios)),
    intervalByTrace: byTrace.length === 0 ? undefined : intervalOf(byTrace),
    foresight: geometricMean(scenes.map(({ foresight }) => foresight ?? 1)),
    worst: each.reduce((worst, scene) => (scene.ratio > worst.ratio ? scene : worst)),
    scenesWon: wonOf(each.map(({ ratio }) => ratio)),
    scenesWonInterval: interval(({ ratios }) => wonOf(ratios)),
    calm: calmOf(results),
    calmInterval: interval(({ calm }) => calm),
    foresightCalm: 1 - shareOf(results, ({ foresightBusier }) => foresightBusier),
    still: shareOf(results, ({ still }) => still),
  };
}

const wonOf = (ratios: readonly number[]): number => ratios.filter((ratio) => ratio <= 1).length / ratios.length;

const calmOf = (results: readonly SceneResult[]): number => 1 - shareOf(results, ({ busier }) => busier);

/** Of all settings. */
function shareOf(results: readonly SceneResult[], of: (result: SceneResult) => number): number {
  const sum = (what: (result: SceneResult) => number): number => results.reduce((all, result) => all + what(result), 0);
  return (
    sum(of) /
    Math.max(
      1,
      sum(({ settings }) => settings),
    )
  );
}
