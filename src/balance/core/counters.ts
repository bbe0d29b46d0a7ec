// What the gateway counts. Everything but the gauges only ever grows, so that any number of readers can each take
// the difference of two readings of their own (see traffic.ts) without disturbing one another.
import { BUCKETS, bucketOf } from '../../histogram.ts';
import type { Millis } from '../../model.ts';

/** Why a request got no successful answer. */
export type LossCause =
  /** the queue was full */
  | 'queue-full'
  /** it waited for a VM until its deadline */
  | 'deadline'
  /** every VM was out of the rotation */
  | 'all-out'
  /** the VM was unreachable or broke off before it answered, and the request could not be repeated */
  | 'vm-failed'
  /** the VM did not answer in time */
  | 'timeout'
  /** the VM broke off in the middle of its answer */
  | 'cut'
  /** the VM answered with a server error */
  | 'error-answer'
  /** the VM said that the repository, which all VMs stand on, does not answer or takes no writes */
  | 'repository'
  /** the client hung up before it had its answer */
  | 'client-gone'
  /** the gateway was closed, or its HAProxy died */
  | 'closed';

/** Sum and count; the mean over a period is the difference of sums over the difference of counts. */
export interface Mean {
  sum: number;
  count: number;
}

export interface VmCounters {
  /** Times in ms from choosing the VM to the last byte, successful requests only. */
  readonly responseTime: Mean;
  /** The last of those times, and when its answer ended. */
  last?: { readonly ms: number; readonly at: Millis };
  /** Requests sent to it, answers with a server error, requests that got no answer from it. */
  sent: number;
  errors: number;
  failed: number;
}

export interface ClassCounters {
  readonly name: string;
  arrived: number;
  answered: number;
  lost: number;
  /** ms from arrival to choosing the (last) VM: every request that got one. */
  readonly queueTime: Mean;
  /** ms from choosing the VM to the last byte: successful requests. */
  readonly serviceTime: Mean;
  /** Both by buckets; absent where an older gateway counts. */
  readonly waits?: number[];
  readonly times?: number[];
  /** Gauge: waiting now. */
  queued: number;
}

export interface Counters {
  /** When this was read. */
  readonly at: Millis;
  readonly arrived: number;
  /** Successful answers (below 500). */
  readonly answered: number;
  readonly retried: number;
  /** Malformed requests, answered 4xx or 501 before they counted as arrived. */
  readonly refused: number;
  readonly lost: Readonly<Record<LossCause, number>>;
  readonly queueTime: Readonly<Mean>;
  readonly responseTime: Readonly<Mean>;
  /** Those times by buckets (src/histogram.ts); absent where an older gateway counts. */
  readonly times?: readonly number[];
  /** Gauges. */
  readonly inFlight: number;
  readonly queued: number;
  readonly vms: ReadonlyMap<string, Readonly<VmCounters>>;
  readonly classes: readonly Readonly<ClassCounters>[];
}

const mean = (): Mean => ({ sum: 0, count: 0 });
const buckets = (): number[] => new Array<number>(BUCKETS).fill(0);

/** The counting side. VMs that are gone are forgotten: their last sums stay in the totals. */
export class Tally {
  arrived = 0;
  answered = 0;
  retried = 0;
  refused = 0;
  /** Requests on their way, waiting ones included. */
  inFlight = 0;
  readonly lost: Record<LossCause, number> = {
    'queue-full': 0,
    'all-out': 0,
    deadline: 0,
    'vm-failed': 0,
    timeout: 0,
    cut: 0,
    'error-answer': 0,
    repository: 0,
    'client-gone': 0,
    closed: 0,
  };
  readonly queueTime = mean();
  readonly responseTime = mean();
  readonly vms = new Map<string, VmCounters>();
  readonly classes: Required<ClassCounters>[];

  constructor(classNames: readonly string[]) {
    this.classes = classNames.map((name) => ({
      name,
      arrived: 0,
      answered: 0,
      lost: 0,
      queueTime: mean(),
      serviceTime: mean(),
      waits: buckets(),
      times: buckets(),
      queued: 0,
    }));
  }

  addVm(id: string): void {
    if (!this.vms.has(id)) this.vms.set(id, { responseTime: mean(), sent: 0, errors: 0, failed: 0 });
  }

  arrivedIn(level: number): void {
    this.arrived++;
    this.inFlight++;
    this.#class(level).arrived++;
  }

  /** Answered or lost: its way is over. */
  ended(): void {
    this.inFlight--;
  }

  sentTo(vm: string): void {
    const counters = this.vms.get(vm);
    if (counters !== undefined) counters.sent++;
  }

  errorFrom(vm: string): void {
    const counters = this.vms.get(vm);
    if (counters !== undefined) counters.errors++;
  }

  failedAt(vm: string): void {
    const counters = this.vms.get(vm);
    if (counters !== undefined) counters.failed++;
  }

  waited(level: number, ms: number): void {
    add(this.queueTime, ms);
    const { queueTime, waits } = this.#class(level);
    add(queueTime, ms);
    count(waits, ms);
  }

  answeredBy(vm: string, level: number, ms: number, at: Millis): void {
    this.answered++;
    add(this.responseTime, ms);
    const counters = this.vms.get(vm);
    if (counters !== undefined) {
      add(counters.responseTime, ms);
      counters.last = { ms, at };
    }
    const ofClass = this.#class(level);
    ofClass.answered++;
    add(ofClass.serviceTime, ms);
    count(ofClass.times, ms);
  }

  lose(level: number, cause: LossCause): void {
    this.lost[cause]++;
    this.#class(level).lost++;
  }

  /** A copy that stays as it is. */
  read(at: Millis, queuedOf: (level: number) => number): Counters {
    const vms = new Map<string, VmCounters>();
    for (const [id, vm] of this.vms) vms.set(id, { ...vm, responseTime: { ...vm.responseTime } });
    const classes = this.classes.map((one, level) => ({
      ...one,
      queueTime: { ...one.queueTime },
      serviceTime: { ...one.serviceTime },
      waits: [...one.waits],
      times: [...one.times],
      queued: queuedOf(level),
    }));
    const queued = classes.reduce((sum, one) => sum + one.queued, 0);
    return {
      at,
      arrived: this.arrived,
      answered: this.answered,
      retried: this.retried,
      refused: this.refused,
      lost: { ...this.lost },
      queueTime: { ...this.queueTime },
      responseTime: { ...this.responseTime },
      times: sumBuckets(this.classes.map(({ times }) => times)),
      inFlight: Math.max(0, this.inFlight - queued),
      queued,
      vms,
      classes,
    };
  }

  #class(level: number): Required<ClassCounters> {
    return this.classes[level] as Required<ClassCounters>;
  }
}

function count(counts: number[], ms: number): void {
  const bucket = bucketOf(ms);
  counts[bucket] = (counts[bucket] ?? 0) + 1;
}

/** Those of several together. */
export const sumBuckets = (all: readonly (readonly number[] | undefined)[]): number[] =>
  buckets().map((_, bucket) => all.reduce((sum, one) => sum + (one?.[bucket] ?? 0), 0));

function add(mean: Mean, value: number): void {
  mean.sum += value;
  mean.count++;
}
