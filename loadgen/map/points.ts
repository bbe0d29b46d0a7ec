// Where MMEliot may differ from Eliot: the points of the map, each one a load, a fleet and a way to take samples.
// A run is a ramp; what matters of it is r·b: r = load added in a period, in VM capacities; b = boot time, in periods.
// So r·b is by how many VMs the load grows while one boots. Worked: a ramp to 2.8 VMs (70 % of 4) in 28 periods has r = 0.1;
// with boots of 3 periods r·b = 0.3.
import type { Millis, ResponseSample } from '../../src/model.ts';
import type { Load, SimulationOptions, VmModel } from '../../src/simulate/simulate.ts';

export interface MapPoint {
  readonly growth: number;
  readonly drive: 'bursts' | 'open' | 'batch';
  readonly sample: ResponseSample;
  readonly direction: 'ascending' | 'descending';
  /** VMs of the largest fleet. */
  readonly max: number;
  /** Per cent of delta TP that counts as a trend. */
  readonly target: number;
  /** Boot time in periods. */
  readonly boot: number;
  /** From one burst or batch to the next, in periods; without meaning in an open load. */
  readonly step: number;
}

export interface MapPlane {
  readonly growth: readonly number[];
  readonly drives: readonly MapPoint['drive'][];
  readonly samples: readonly ResponseSample[];
  readonly directions: readonly MapPoint['direction'][];
  readonly max: readonly number[];
  readonly targets: readonly number[];
  readonly boots: readonly number[];
  readonly steps: readonly number[];
  readonly seeds: number;
}

export const PLANE: MapPlane = {
  growth: [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 1, 1.5],
  drives: ['bursts', 'open', 'batch'],
  samples: ['mean', 'last'],
  directions: ['ascending', 'descending'],
  max: [2, 4, 8],
  targets: [10, 20, 40],
  boots: [1, 3, 6],
  steps: [0.02, 0.1, 1],
  seeds: 5,
};

/** Every growth, drive, sample and direction; VM count, target, boot time and step each varied alone around 4 VMs, 20 %, 3 periods, 0.1 periods. */
export function pointsOf(plane: MapPlane): readonly MapPoint[] {
  const middle = {
    max: middleOf(plane.max),
    target: middleOf(plane.targets),
    boot: middleOf(plane.boots),
    step: middleOf(plane.steps),
  };
  const around = [
    middle,
    ...others(plane.max, middle.max).map((max) => ({ ...middle, max })),
    ...others(plane.targets, middle.target).map((target) => ({ ...middle, target })),
    ...others(plane.boots, middle.boot).map((boot) => ({ ...middle, boot })),
    ...others(plane.steps, middle.step).map((step) => ({ ...middle, step })),
  ];
  return around.flatMap((fleet) =>
    plane.drives
      .filter((drive) => drive !== 'open' || fleet.step === middle.step)
      .flatMap((drive) =>
        plane.samples.flatMap((sample) =>
          plane.directions.flatMap((direction) =>
            plane.growth.map((growth): MapPoint => ({ ...fleet, drive, sample, direction, growth })),
          ),
        ),
      ),
  );
}

const middleOf = (values: readonly number[]): number => values[Math.floor((values.length - 1) / 2)] ?? 0;
const others = (values: readonly number[], not: number): readonly number[] => values.filter((value) => value !== not);

export const PERIOD_MS: Millis = 10_000;
/** The top of the ramp, as a share of what the largest fleet answers: beyond it every policy just has all VMs. */
export const TOP = 0.7;
const LEAST_PERIODS = 6;

/** How long the ramp takes, in periods. Worked: to 2.8 VMs, r·b 0.5, b 3: 2.8 / (0.5 / 3) = 16.8, so 17. */
export const periodsOf = ({ growth, boot, max }: MapPoint): number =>
  Math.max(LEAST_PERIODS, Math.round((TOP * max * boot) / growth));

/** One run at a point. The queue is without bounds, so that waiting shows as response time and not as loss. */
export function runAt(
  point: MapPoint,
  policy: 'eliot' | 'mmeliot',
  vm: VmModel,
  seed: number,
): Omit<SimulationOptions, 'quiet'> {
  const duration = periodsOf(point) * PERIOD_MS;
  const { max, target, sample, boot, direction } = point;
  return {
    load: loadOf(point, (vm.parallel * 1000) / vm.serviceMs, (t) => {
      const share = Math.min(1, Math.max(0, t / duration));
      return TOP * max * (direction === 'ascending' ? share : 1 - share);
    }),
    duration,
    vm,
    seed,
    bootMs: boot * PERIOD_MS,
    bootSpread: 0,
    perVm: BOUNDLESS,
    queueCapacity: BOUNDLESS,
    queueDeadlineMs: BOUNDLESS * 1000,
    parameters: { policy, max, target, period: PERIOD_MS, responseSample: sample },
  };
}
const BOUNDLESS = 1_000_000;

/** `level`: the load in VM capacities. */
function loadOf({ drive, step }: MapPoint, rate: number, level: (t: Millis) => number): Load {
  if (drive === 'open') return { kind: 'open', at: (t) => rate * level(t) };
  const stepMs = step * PERIOD_MS;
  return { kind: drive, at: (t) => (rate * level(t) * stepMs) / 1000, stepMs };
}
