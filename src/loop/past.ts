// The past in bounded space: each period as a point, and points of a minute, ten minutes and an hour, each kept so many times.
// A range is shown by the finest of them that reaches back far enough and has few enough points for a chart.
import { addCounts, percentile, type Counts } from '../histogram.ts';
import type { Action, ClassTraffic, Millis, Traffic } from '../model.ts';
import { defined } from './defined.ts';
import type { BoundRecord, Bounds } from './history.ts';

/** The fleet and its traffic in some time, in numbers. */
export interface Measured {
  readonly lp?: number;
  readonly tp?: number;
  readonly deltaTp?: number;
  readonly responseTime: number;
  readonly queueTime: number;
  readonly arrivalRate: number;
  readonly throughput: number;
  readonly lost: number;
}

/** What was seen in one period or many: means over its time, sums of what was lost and decided. */
export interface PastPoint extends Measured, Pick<Traffic, 'times' | 'causes' | 'classes'> {
  /** Its end, and how long it was. */
  readonly at: Millis;
  readonly span: Millis;
  /** Requests at VMs, and waiting for one, at its end; of several the mean. Absent where nobody kept it. */
  readonly inFlight?: number;
  readonly queued?: number;
  readonly ready: number;
  readonly vms: number;
  readonly bounds?: Bounds;
  /** VMs that decisions added and released, and the last few of those decisions. */
  readonly allocated: number;
  readonly released: number;
  readonly decisions?: readonly PastDecision[];
}

export interface PastDecision {
  readonly at: Millis;
  readonly action: Action;
  readonly count: number;
  readonly rule: string;
  readonly reason: string;
}

export interface Level {
  readonly every: Millis;
  readonly keep: number;
}

const MINUTE = 60_000;
/** A day, a week and 31 days: 3,192 points. */
export const LEVELS: readonly Level[] = [
  { every: MINUTE, keep: 1_440 },
  { every: 10 * MINUTE, keep: 1_008 },
  { every: 60 * MINUTE, keep: 744 },
];

/** Of those in one point. */
const MOST_DECISIONS = 5;
/** More than a chart is wide. */
const MOST_POINTS = 800;

export function pointOf({ at, observation, forecast, decision, bounds }: BoundRecord): PastPoint {
  const { traffic, vms } = observation;
  const { responseTime, queueTime, arrivalRate, throughput, lost, span = 0, times, causes, classes } = traffic;
  const { inFlight, queued } = traffic;
  const { lp, tp, deltaTp } = forecast;
  const { action, count, rule, reason } = decision;
  return {
    ...{ at, span, responseTime, queueTime, arrivalRate, throughput, lost, inFlight, queued },
    ...(lp !== undefined && { lp }),
    ...(tp !== undefined && { tp }),
    ...(deltaTp !== undefined && { deltaTp }),
    ...(times && { times }),
    ...(causes && { causes }),
    ...(classes && { classes }),
    ready: vms.filter(({ vm }) => vm.state === 'ready').length,
    vms: vms.length,
    ...(bounds && { bounds }),
    allocated: action === 'allocate' ? count : 0,
    released: action === 'release' ? count : 0,
    ...(action !== 'hold' && { decisions: [{ at, action, count, rule, reason }] }),
  };
}

/** As it is shown: percentiles in the place of counts. */
export interface ShownPoint extends Omit<PastPoint, 'times' | 'classes'>, Percentiles, ShownClasses {}

export interface ShownClasses {
  /** Of the times that requests of all classes waited. */
  readonly wait?: Percentiles;
  readonly classes?: readonly ShownClass[];
}

/** `p50` and so on are those of its response times. */
export interface ShownClass extends Omit<ClassTraffic, 'times' | 'waits'>, Percentiles {
  readonly wait?: Percentiles;
}

export interface Percentiles {
  /** Of the response times, in ms, within a tenth. */
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
}

export const pastView = ({ times, classes, ...point }: PastPoint): ShownPoint => ({
  ...point,
  ...percentilesOf(times),
  ...shownClasses(classes),
});

export function shownClasses(classes: PastPoint['classes']): ShownClasses {
  if (classes === undefined) return {};
  const wait = waitOf(classes.reduce<Counts>((all, { waits = [] }) => addCounts(all, waits), []));
  return {
    ...wait,
    classes: classes.map(({ times, waits, ...one }) => ({ ...one, ...percentilesOf(times), ...waitOf(waits) })),
  };
}

const waitOf = (waits: Counts = []): Pick<ShownClass, 'wait'> =>
  waits.length === 0 ? {} : { wait: percentilesOf(waits) };

export const percentilesOf = (times: PastPoint['times'] = []): Percentiles =>
  times.length === 0
    ? {}
    : defined({ p50: percentile(times, 0.5), p95: percentile(times, 0.95), p99: percentile(times, 0.99) });

/** One point of two that follow each other. */
export function merge(a: PastPoint, b: PastPoint): PastPoint {
  const span = a.span + b.span;
  const share = span === 0 ? 0.5 : a.span / span;
  const mix = (one: number, other: number, part = share): number => one * part + other * (1 - part);
  const known = (one: number | undefined, other: number | undefined): number | undefined =>
    one === undefined ? other : other === undefined ? one : mix(one, other);
  const answered = a.throughput * a.span + b.throughput * b.span;
  const ofAnswers = answered === 0 ? share : (a.throughput * a.span) / answered;
  const [inFlight, queued] = [known(a.inFlight, b.inFlight), known(a.queued, b.queued)];
  const [lp, tp, deltaTp] = [known(a.lp, b.lp), known(a.tp, b.tp), known(a.deltaTp, b.deltaTp)];
  const bounds = b.bounds ?? a.bounds;
  const decisions = [...(a.decisions ?? []), ...(b.decisions ?? [])].slice(-MOST_DECISIONS);
  return {
    ...{ at: b.at, span },
    ...(lp !== undefined && { lp }),
    ...(tp !== undefined && { tp }),
    ...(deltaTp !== undefined && { deltaTp }),
    responseTime: mix(a.responseTime, b.responseTime, ofAnswers),
    queueTime: mix(a.queueTime, b.queueTime, ofAnswers),
    arrivalRate: mix(a.arrivalRate, b.arrivalRate),
    throughput: mix(a.throughput, b.throughput),
    lost: a.lost + b.lost,
    ...(inFlight !== undefined && { inFlight }),
    ...(queued !== undefined && { queued }),
    ready: mix(a.ready, b.ready),
    vms: mix(a.vms, b.vms),
    ...(bounds && { bounds }),
    allocated: a.allocated + b.allocated,
    released: a.released + b.released,
    ...(decisions.length > 0 && { decisions }),
    ...((a.times || b.times) && { times: addCounts(a.times ?? [], b.times ?? []) }),
    ...((a.causes || b.causes) && { causes: addCauses(a.causes ?? {}, b.causes ?? {}) }),
    ...((a.classes || b.classes) && { classes: addClasses(a.classes ?? [], b.classes ?? []) }),
  };
}

function addCauses(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const sums: Record<string, number> = { ...a };
  for (const [cause, count] of Object.entries(b)) sums[cause] = (sums[cause] ?? 0) + count;
  return sums;
}

function addClasses(a: readonly ClassTraffic[], b: readonly ClassTraffic[]): readonly ClassTraffic[] {
  const sums = new Map(a.map((one) => [one.name, one]));
  for (const one of b) {
    const other = sums.get(one.name);
    sums.set(one.name, other === undefined ? one : addClass(other, one));
  }
  return [...sums.values()];
}

function addClass(a: ClassTraffic, b: ClassTraffic): ClassTraffic {
  const answered = a.answered + b.answered;
  const share = answered === 0 ? 0.5 : a.answered / answered;
  return {
    ...{ name: a.name, arrived: a.arrived + b.arrived, answered, lost: a.lost + b.lost },
    queueTime: a.queueTime * share + b.queueTime * (1 - share),
    responseTime: a.responseTime * share + b.responseTime * (1 - share),
    ...((a.waits || b.waits) && { waits: addCounts(a.waits ?? [], b.waits ?? []) }),
    ...((a.times || b.times) && { times: addCounts(a.times ?? [], b.times ?? []) }),
  };
}

interface Ring {
  readonly level: Level;
  points: PastPoint[];
  /** Being filled. */
  open: PastPoint | undefined;
}

/** A point that is complete now, to be kept on disk. */
export interface Closed {
  readonly level: number;
  readonly point: PastPoint;
}

export class Past {
  readonly #rings: readonly Ring[];

  /** What was kept, by level, oldest first. What a coarser level lacks of late is made of the finer one. */
  constructor(kept: readonly (readonly PastPoint[])[] = [], levels: readonly Level[] = LEVELS) {
    this.#rings = levels.map((level, i) => ({ level, points: (kept[i] ?? []).slice(-level.keep), open: undefined }));
    for (const [i, ring] of this.#rings.entries()) {
      const since = ring.points.at(-1)?.at ?? -Infinity;
      for (const point of this.#rings[i - 1]?.points ?? []) if (point.at > since) this.#put(ring, point);
    }
  }

  /** The end of the last point of the finest level: periods after it are to be added again after a restart. */
  get keptUpTo(): Millis {
    return this.#rings[0]?.points.at(-1)?.at ?? -Infinity;
  }

  add(point: PastPoint): readonly Closed[] {
    return this.#rings.flatMap((ring, level) => {
      const closed = this.#put(ring, point);
      return closed === undefined ? [] : [{ level, point: closed }];
    });
  }

  #put(ring: Ring, point: PastPoint): PastPoint | undefined {
    const { level, open } = ring;
    if (open === undefined || bucketIn(level, open) === bucketIn(level, point)) {
      ring.open = open === undefined ? point : merge(open, point);
      return undefined;
    }
    ring.points.push(open);
    if (ring.points.length > level.keep) ring.points.shift();
    ring.open = point;
    return open;
  }

  /** `periods`: those that are remembered one by one, oldest first. */
  read(from: Millis, until: Millis, periods: readonly PastPoint[]): readonly PastPoint[] {
    const candidates = [
      periods,
      ...this.#rings.map(({ points, open }) => (open === undefined ? points : [...points, open])),
    ];
    const oldest = Math.min(...candidates.map(startOf));
    const wanted = Math.max(from, oldest);
    let best: readonly PastPoint[] = [];
    for (const points of candidates) {
      const inside = points.filter(({ at, span }) => at > from && at - span < until);
      if (inside.length <= MOST_POINTS) best = inside;
      // the finest that reaches back
      if (inside.length <= MOST_POINTS && startOf(points) <= wanted + (points[0]?.span ?? 0)) return inside;
    }
    return best;
  }
}

const startOf = ([first]: readonly PastPoint[]): Millis => (first === undefined ? Infinity : first.at - first.span);

const bucketIn = ({ every }: Level, { at }: PastPoint): number => Math.floor((at - 1) / every);
