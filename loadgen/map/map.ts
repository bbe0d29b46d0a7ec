// The map of MMEliot against Eliot, simulated: see points.ts for what is varied and verdict.ts for what is said of it.
import { simulate, type VmModel } from '../../src/simulate/simulate.ts';
import { pointsOf, runAt, type MapPlane, type MapPoint } from './points.ts';
import { cellOf, type MapCell, type Outcome } from './verdict.ts';

/** 100 ms of work for a request, one at a time, as different as exponential ones are. */
const MAP_VM: VmModel = { serviceMs: 100, parallel: 1, variation: 1 };

interface MapOptions {
  readonly plane: MapPlane;
  readonly vm?: VmModel;
  /** See SimulationOptions. */
  readonly quiet: () => Promise<unknown>;
  readonly onCell?: (done: number, of: number) => void;
}

export async function drawMap({ plane, vm = MAP_VM, quiet, onCell }: MapOptions): Promise<readonly MapCell[]> {
  const cells: MapCell[] = [];
  const points = pointsOf(plane);
  // eliot knows neither the sample nor the target: one run for all of them
  const known = new Map<string, Outcome>();
  const run = async (point: MapPoint, policy: 'eliot' | 'mmeliot', seed: number): Promise<Outcome> => {
    const key = JSON.stringify(policy === 'eliot' ? { ...point, sample: '', target: 0, seed } : { ...point, seed });
    const outcome = policy === 'mmeliot' ? undefined : known.get(key);
    if (outcome !== undefined) return outcome;
    const { measures, timeline } = await simulate({ ...runAt(point, policy, vm, seed), quiet });
    const decidedByTime = timeline.filter(({ decision }) => BY_TIME.has(decision.rule)).length;
    const made = { responseMs: measures.responseMs, energy: measures.energy, decidedByTime };
    if (policy === 'eliot') known.set(key, made);
    return made;
  };
  for (const point of points) {
    const pairs = [];
    for (let seed = 1; seed <= plane.seeds; seed++)
      pairs.push({ eliot: await run(point, 'eliot', seed), mmeliot: await run(point, 'mmeliot', seed) });
    cells.push(cellOf(point, pairs));
    onCell?.(cells.length, points.length);
  }
  return cells;
}

const BY_TIME = new Set(['slowing', 'easing']);
