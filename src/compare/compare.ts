// Policies compared on one scene: each peer swept over its own target or thresholds, the frontier of violations against
// VM-hours that they draw together, where `adaptive` stands to it, and what perfect foresight would reach.
import type { Objective } from '../queueing/queueing.ts';
import type { Millis } from '../model.ts';
import type { Contender } from './contenders.ts';
import { withForesight } from './foresight.ts';
import { measure, type Measures } from '../simulate/measures.ts';
import { simulateBare } from '../simulate/bare-loop.ts';
import { SIMULATION_DEFAULTS } from '../simulate/simulate.ts';
import type { VmModel } from '../simulate/vm-model.ts';

/** A load on VMs that boot so long, under one objective. */
export interface Scene {
  readonly name: string;
  readonly bootMs: Millis;
  readonly objective: Objective;
  readonly vm: VmModel;
  readonly max: number;
  /** Arrivals a second. */
  readonly at: (t: Millis) => number;
  readonly duration: Millis;
  /** The beginning, in which every policy still has to find its size, isn't counted. */
  readonly skip: Millis;
  readonly seed: number;
}

export interface Point extends Standing {
  readonly policy: Contender['policy'] | 'foresight';
  readonly label: string;
  readonly measures?: Measures;
}

export interface Comparison {
  readonly scene: Scene;
  readonly points: readonly Point[];
}

/** Shares of requests that meet the objective, for perfect foresight; 1: by all VMs that there may be, as dear as it gets. */
const FORESEEN = [0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9995, 1];

export const compareOn = (scene: Scene, chosen: readonly Contender[]): Comparison => ({
  scene,
  points: [...chosen.map((contender) => pointOf(scene, contender)), ...foreseenOn(scene)],
});

export function foreseenOn(scene: Scene): readonly Point[] {
  const { at, duration, skip, bootMs, objective, vm, max } = scene;
  const load = { kind: 'open', at } as const;
  const traffic = { ...SIMULATION_DEFAULTS, vm, load, objectiveMs: objective.ms, apdexMs: objective.ms };
  return FORESEEN.map((share) => {
    const standing = withForesight({ traffic, duration, skip, bootMs, max }, { ms: objective.ms, share });
    return { policy: 'foresight', label: `${share * 100} %`, ...standing };
  });
}

export function pointOf(scene: Scene, { policy, label, parameters }: Contender): Point {
  const { intervals, parameters: used } = simulateBare({ ...scene, parameters: { max: scene.max, ...parameters } });
  const counted = intervals.filter(({ at }) => at >= scene.skip);
  const measures = measure(counted, used.high);
  const { vmHours, violationsPercent, actions } = measures;
  return { policy, label, vmHours, violationsPercent, actions, measures };
}

/** Where one setting of `adaptive` stands to the peers. */
export interface Judgement {
  readonly point: Point;
  /** Violations that the peers' frontier has at its VM-hours; undefined: no peer does with so few. */
  readonly frontier: number | undefined;
  /** Its violations in terms of the frontier's; right of the frontier's last point no win, so 1 at least. */
  readonly ratio: number | undefined;
  /** The frontier's peer that it is compared with: the best one with as many VM-hours or fewer, else the cheapest. */
  readonly peer: Point | undefined;
  /** Violations with perfect foresight at its VM-hours, and the changes of the fleet that it makes for them. */
  readonly foresight: number | undefined;
  readonly foresightActions: number | undefined;
}

export function judgements({ points }: Comparison): readonly Judgement[] {
  const peers = points.filter(({ policy }) => policy !== 'adaptive' && policy !== 'foresight');
  const foreseen = points.filter(({ policy }) => policy === 'foresight');
  const line = frontier(peers);
  return points
    .filter(({ policy }) => policy === 'adaptive')
    .map((point) => {
      const there = frontierAt(peers, point.vmHours);
      const plain = exact(
        Math.max(LEAST_PERCENT, point.violationsPercent) / Math.max(LEAST_PERCENT, there ?? Infinity),
      );
      const beyond = point.vmHours > (line.at(-1)?.vmHours ?? Infinity);
      const ratio = there === undefined ? undefined : beyond ? Math.max(1, plain) : plain;
      const foresight = frontierAt(foreseen, point.vmHours);
      const foresightActions = nextTo(frontier(foreseen), point)?.actions;
      return { point, frontier: there, ratio, peer: nextTo(line, point), foresight, foresightActions };
    });
}

/** Of a frontier the best one with as many VM-hours or fewer, else the cheapest. */
const nextTo = (line: readonly Point[], { vmHours }: Point): Point | undefined =>
  line.filter((other) => other.vmHours <= vmHours).at(-1) ?? line[0];

/** The same misses, added up in another order (a policy of another period), are a draw. */
const exact = (ratio: number): number => (Math.abs(ratio - 1) < 1e-9 ? 1 : ratio);

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
