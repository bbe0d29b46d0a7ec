// Counters of several gateways, or of one before and after its restart, as one.
import { sumBuckets } from './counters.ts';
import type { ClassCounters, Counters, LossCause, Mean, VmCounters } from './counters.ts';

export function sumCounters(all: readonly Counters[]): Counters {
  const total = (of: (counters: Counters) => number) => all.reduce((sum, counters) => sum + of(counters), 0);
  const totalMean = (of: (counters: Counters) => Mean): Mean => ({
    sum: total((counters) => of(counters).sum),
    count: total((counters) => of(counters).count),
  });
  return {
    at: Math.max(...all.map(({ at }) => at)),
    arrived: total(({ arrived }) => arrived),
    answered: total(({ answered }) => answered),
    retried: total(({ retried }) => retried),
    refused: total(({ refused }) => refused),
    inFlight: total(({ inFlight }) => inFlight),
    queued: total(({ queued }) => queued),
    queueTime: totalMean(({ queueTime }) => queueTime),
    responseTime: totalMean(({ responseTime }) => responseTime),
    times: sumBuckets(all.map(({ times }) => times)),
    lost: sumLost(all),
    vms: merge(
      all.map(({ vms }) => vms),
      sumVms,
    ),
    classes: [
      ...merge(
        all.map(({ classes }) => new Map(classes.map((one) => [one.name, one]))),
        sumClasses,
      ).values(),
    ],
  };
}

/** What was counted, without what is only so now. */
export const withoutGauges = (counters: Counters): Counters => ({
  ...counters,
  inFlight: 0,
  queued: 0,
  classes: counters.classes.map((one) => ({ ...one, queued: 0 })),
});

/** To sum with later ones of the same gateway: what it has counted since. */
export const negative = (counters: Counters): Counters => negated(counters) as Counters;

function negated(value: unknown): unknown {
  if (typeof value === 'number') return -value;
  if (Array.isArray(value)) return value.map(negated);
  if (value instanceof Map) return new Map(Array.from(value, ([key, each]) => [key, negated(each)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, negated(each)]));
}

function sumLost(all: readonly Counters[]): Record<LossCause, number> {
  const lost: Partial<Record<LossCause, number>> = {};
  for (const { lost: one } of all) {
    for (const [cause, count] of Object.entries(one) as [LossCause, number][]) lost[cause] = (lost[cause] ?? 0) + count;
  }
  return lost as Record<LossCause, number>;
}

const sumMeans = (a: Mean, b: Mean): Mean => ({ sum: a.sum + b.sum, count: a.count + b.count });

const sumVms = (a: Readonly<VmCounters>, b: Readonly<VmCounters>): VmCounters => {
  const last = (b.last?.at ?? -Infinity) > (a.last?.at ?? -Infinity) ? b.last : a.last;
  return {
    responseTime: sumMeans(a.responseTime, b.responseTime),
    ...(last !== undefined && { last }),
    sent: a.sent + b.sent,
    errors: a.errors + b.errors,
    failed: a.failed + b.failed,
  };
};

const sumClasses = (a: Readonly<ClassCounters>, b: Readonly<ClassCounters>): ClassCounters => ({
  name: a.name,
  arrived: a.arrived + b.arrived,
  answered: a.answered + b.answered,
  lost: a.lost + b.lost,
  queueTime: sumMeans(a.queueTime, b.queueTime),
  serviceTime: sumMeans(a.serviceTime, b.serviceTime),
  waits: sumBuckets([a.waits, b.waits]),
  times: sumBuckets([a.times, b.times]),
  queued: a.queued + b.queued,
});

function merge<T>(maps: readonly ReadonlyMap<string, T>[], sum: (a: T, b: T) => T): Map<string, T> {
  const merged = new Map<string, T>();
  for (const [key, value] of maps.flatMap((map) => [...map])) {
    const other = merged.get(key);
    merged.set(key, other === undefined ? value : sum(other, value));
  }
  return merged;
}
