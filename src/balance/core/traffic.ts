// What happened between two readings of the gateway's counters.
import { countsBetween } from '../../histogram.ts';
import type { ClassTraffic, ResponseSample, Traffic } from '../../model.ts';
import type { ClassCounters, Counters, Mean } from './counters.ts';

/** The traffic of a period. Example: 500 → 700 answered in 10 s is a throughput of 20 requests a second. */
export function trafficBetween(before: Counters, after: Counters): Traffic {
  const seconds = Math.max(1e-3, (after.at - before.at) / 1000);
  return {
    arrivalRate: (after.arrived - before.arrived) / seconds,
    throughput: (after.answered - before.answered) / seconds,
    inFlight: after.inFlight,
    queued: after.queued,
    queueTime: meanBetween(before.queueTime, after.queueTime) ?? 0,
    responseTime: meanBetween(before.responseTime, after.responseTime) ?? 0,
    lost: lostIn(after) - lostIn(before),
    span: after.at - before.at,
    ...detailsBetween(before, after),
  };
}

/** What is told only where there was any. */
function detailsBetween(before: Counters, after: Counters): Pick<Traffic, 'times' | 'causes' | 'classes' | 'refused'> {
  const refused = after.refused - before.refused;
  const times = countsBetween(before.times ?? [], after.times ?? []);
  const earlier: Readonly<Record<string, number>> = before.lost;
  const causes = Object.entries(after.lost)
    .map(([cause, count]) => [cause, count - (earlier[cause] ?? 0)] as const)
    .filter(([, count]) => count > 0);
  const classes = after.classes
    .map((one) => classBetween(before.classes.find(({ name }) => name === one.name) ?? { ...one, ...NOTHING }, one))
    .filter(({ arrived, answered, lost }) => arrived + answered + lost > 0);
  return {
    ...(refused > 0 && { refused }),
    ...(times.length > 0 && { times }),
    ...(causes.length > 0 && { causes: Object.fromEntries(causes) }),
    ...(classes.length > 0 && { classes }),
  };
}

const NOTHING = {
  ...{ waits: [], times: [] },
  ...{ arrived: 0, answered: 0, lost: 0 },
  ...{ queueTime: { sum: 0, count: 0 }, serviceTime: { sum: 0, count: 0 } },
};

function classBetween(before: Readonly<ClassCounters>, after: Readonly<ClassCounters>): ClassTraffic {
  const waits = countsBetween(before.waits ?? [], after.waits ?? []);
  const times = countsBetween(before.times ?? [], after.times ?? []);
  return {
    name: after.name,
    arrived: after.arrived - before.arrived,
    answered: after.answered - before.answered,
    lost: after.lost - before.lost,
    queueTime: meanBetween(before.queueTime, after.queueTime) ?? 0,
    responseTime: meanBetween(before.serviceTime, after.serviceTime) ?? 0,
    ...(waits.length > 0 && { waits }),
    ...(times.length > 0 && { times }),
  };
}

/** Mean (or last) response time in ms of each VM's successful requests in the period; no entry: it had none. */
export function responseTimesBetween(
  before: Counters,
  after: Counters,
  sample: ResponseSample = 'mean',
): Map<string, number> {
  const times = new Map<string, number>();
  for (const [id, vm] of after.vms) {
    const earlier = before.vms.get(id)?.responseTime;
    // a VM that left and came back under its name counts from zero again
    const from = earlier !== undefined && earlier.count <= vm.responseTime.count ? earlier : { sum: 0, count: 0 };
    const time = meanBetween(from, vm.responseTime);
    if (time !== undefined) times.set(id, sample === 'last' ? (vm.last?.ms ?? time) : time);
  }
  return times;
}

export function lostIn(counters: Counters): number {
  return Object.values(counters.lost).reduce((sum, count) => sum + count, 0);
}

function meanBetween(before: Readonly<Mean>, after: Readonly<Mean>): number | undefined {
  const count = after.count - before.count;
  return count <= 0 ? undefined : (after.sum - before.sum) / count;
}
