// What the benchmark says: scene by scene, since the settings of one policy are not independent of one another, and over
// all scenes with intervals from resampling scenes, and seeds within them.
import type { Chance } from '../../simulate/chance.ts';
import { geometricMean, judgements, type Comparison } from '../compare.ts';

export interface SceneResult {
  readonly name: string;
  /** Of each seed: geometric mean over adaptive's settings of its violations in terms of the frontier's; undefined: no peer is as cheap. */
  readonly ratios: readonly number[];
  /** Settings above the frontier, with more actions than the peer, and all. */
  readonly above: number;
  readonly busier: number;
  readonly settings: number;
}

export function sceneResult(name: string, seeds: readonly Comparison[]): SceneResult {
  const all = seeds.map(judgements);
  const ratios = all.flatMap((found) => {
    const known = found.flatMap(({ ratio }) => (ratio === undefined ? [] : [ratio]));
    return known.length === 0 ? [] : [geometricMean(known)];
  });
  const points = all.flat();
  return {
    name,
    ratios,
    above: points.filter(({ ratio = 0 }) => ratio > 1).length,
    busier: points.filter(({ point, peer }) => peer !== undefined && point.actions > peer.actions).length,
    settings: points.length,
  };
}

export interface Summary {
  readonly scenes: number;
  readonly ratio: number;
  /** 95 % of the resamples lie between. */
  readonly interval: readonly [number, number];
  readonly worst: { readonly name: string; readonly ratio: number };
  /** Share of scenes on or below the frontier, and of settings with no more actions than the peer. */
  readonly scenesWon: number;
  readonly calm: number;
}

const RESAMPLES = 2_000;

/** Undefined where no scene has a ratio. */
export function summary(results: readonly SceneResult[], chance: Chance): Summary | undefined {
  const scenes = results.filter(({ ratios }) => ratios.length > 0);
  const [first] = scenes;
  if (first === undefined) return undefined;
  const one = <T>(from: readonly T[]): T => from[Math.floor(chance.uniform() * from.length)] as T;
  const means = Array.from({ length: RESAMPLES }, () =>
    geometricMean(
      scenes.map(() => {
        const { ratios } = one(scenes);
        return geometricMean(ratios.map(() => one(ratios)));
      }),
    ),
  ).sort((a, b) => a - b);
  const each = scenes.map(({ name, ratios }) => ({ name, ratio: geometricMean(ratios) }));
  const settings = results.reduce((sum, result) => sum + result.settings, 0);
  return {
    scenes: scenes.length,
    ratio: geometricMean(each.map(({ ratio }) => ratio)),
    interval: [means[Math.floor(0.025 * RESAMPLES)] ?? 0, means[Math.floor(0.975 * RESAMPLES)] ?? 0],
    worst: each.reduce((worst, scene) => (scene.ratio > worst.ratio ? scene : worst)),
    scenesWon: each.filter(({ ratio }) => ratio <= 1).length / each.length,
    calm: 1 - results.reduce((sum, { busier }) => sum + busier, 0) / Math.max(1, settings),
  };
}
