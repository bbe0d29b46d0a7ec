// Counts and latency histograms of a run, in constant memory however long it is.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { STOPPED, type Outcome } from './sender.ts';

/** All times in ms. */
export interface Latency {
  readonly mean: number;
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export interface GroupSummary {
  readonly ok: number;
  readonly lost: number;
  /** Successful requests, from the intended start to the last byte. */
  readonly latency: Latency;
}

export interface Totals extends GroupSummary {
  readonly lossByCause: Readonly<Record<string, number>>;
  /** What the first answer with each of those causes said, where it said anything. */
  readonly saidByCause: Readonly<Record<string, string>>;
  /** Cut off because the run was stopped: neither ok nor lost. */
  readonly stopped: number;
  readonly classes: Readonly<Record<string, GroupSummary>>;
  /** By the VM that answered, where the gateway names it. */
  readonly vms: Readonly<Record<string, GroupSummary>>;
  /** How long after its intended start a request was really sent. */
  readonly late: Latency;
  /** ms within which 1 %, 2 % … 100 % of the successful requests were answered; empty where none was. */
  readonly distribution: readonly number[];
}

/** What happened since the last look. */
export interface Interval {
  readonly sent: number;
  readonly ok: number;
  readonly lost: number;
  readonly latency: Latency;
  /** Of the successful ones, those that took at most each of the recorder's bounds. */
  readonly within: readonly number[];
  readonly vms: Readonly<Record<string, number>>;
}

export class Recorder {
  readonly #all = new Group();
  readonly #classes = new Groups();
  readonly #vms = new Groups();
  readonly #causes = new Map<string, number>();
  readonly #said = new Map<string, string>();
  readonly #late = new Latencies();
  #stopped = 0;
  #interval = new Group();
  #intervalSent = 0;
  #intervalWithin: number[];
  #intervalVms = new Map<string, number>();
  readonly #bounds: readonly number[];

  /** Latencies (ms) up to which answers are counted, interval by interval. */
  constructor(bounds: readonly number[] = []) {
    this.#bounds = bounds;
    this.#intervalWithin = bounds.map(() => 0);
  }

  sent(late: number): void {
    this.#intervalSent++;
    this.#late.record(late);
  }

  ended(ofClass: string, outcome: Outcome, latency: number): void {
    if (outcome.cause === STOPPED) {
      this.#stopped++;
      return;
    }
    const ok = outcome.cause === undefined;
    for (const group of [this.#all, this.#interval, this.#classes.of(ofClass)]) group.add(ok, latency);
    if (ok) this.#intervalWithin = this.#intervalWithin.map((n, i) => n + (latency <= (this.#bounds[i] ?? 0) ? 1 : 0));
    else if (outcome.cause !== undefined) this.#lost(outcome.cause, outcome.said);
    if (outcome.vm !== undefined) {
      this.#vms.of(outcome.vm).add(ok, latency);
      count(this.#intervalVms, outcome.vm);
    }
  }

  #lost(cause: string, said: string | undefined): void {
    count(this.#causes, cause);
    if (said !== undefined && this.#causes.has(cause) && !this.#said.has(cause)) this.#said.set(cause, said);
  }

  get failed(): number {
    return this.#all.lost;
  }

  takeInterval(): Interval {
    const counts = { sent: this.#intervalSent, within: this.#intervalWithin, vms: sorted(this.#intervalVms) };
    const interval = { ...this.#interval.summary(), ...counts };
    this.#interval.reset();
    this.#intervalSent = 0;
    this.#intervalWithin = this.#bounds.map(() => 0);
    this.#intervalVms.clear();
    return interval;
  }

  totals(): Totals {
    return {
      ...this.#all.summary(),
      lossByCause: sorted(this.#causes),
      saidByCause: Object.fromEntries(this.#said),
      stopped: this.#stopped,
      classes: this.#classes.summaries(),
      vms: this.#vms.summaries(),
      late: this.#late.summary(),
      distribution: this.#all.distribution(),
    };
  }
}

/** Microseconds up to an hour, three figures: 0.2 MB each. */
class Latencies {
  readonly #histogram: RecordableHistogram = createHistogram({ lowest: 1, highest: HOUR, figures: 3 });

  record(ms: number): void {
    this.#histogram.record(Math.min(HOUR, Math.max(1, Math.round(ms * 1000))));
  }

  reset(): void {
    this.#histogram.reset();
  }

  distribution(): readonly number[] {
    const h = this.#histogram;
    return h.count === 0 ? [] : Array.from({ length: 100 }, (_, i) => h.percentile(i + 1) / 1000);
  }

  summary(): Latency {
    const h = this.#histogram;
    if (h.count === 0) return { mean: 0, p10: 0, p50: 0, p90: 0, p95: 0, p99: 0, max: 0 };
    const at = (percentile: number): number => h.percentile(percentile) / 1000;
    return { mean: h.mean / 1000, p10: at(10), p50: at(50), p90: at(90), p95: at(95), p99: at(99), max: h.max / 1000 };
  }
}
const HOUR = 3.6e9;

class Group {
  ok = 0;
  lost = 0;
  readonly #latencies = new Latencies();

  add(ok: boolean, latency: number): void {
    if (!ok) {
      this.lost++;
      return;
    }
    this.ok++;
    this.#latencies.record(latency);
  }

  reset(): void {
    this.ok = this.lost = 0;
    this.#latencies.reset();
  }

  distribution(): readonly number[] {
    return this.#latencies.distribution();
  }

  summary(): GroupSummary {
    return { ok: this.ok, lost: this.lost, latency: this.#latencies.summary() };
  }
}

/** Groups by name. Names come from outside (a response header), so past a limit they share one group. */
class Groups {
  readonly #groups = new Map<string, Group>();

  of(name: string): Group {
    const key = this.#groups.has(name) || this.#groups.size < MOST_GROUPS ? name : 'others';
    let group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, (group = new Group()));
    return group;
  }

  summaries(): Record<string, GroupSummary> {
    return Object.fromEntries([...this.#groups].sort(byName).map(([name, group]) => [name, group.summary()]));
  }
}
const MOST_GROUPS = 200;

function count(counts: Map<string, number>, name: string): void {
  const key = counts.has(name) || counts.size < MOST_GROUPS ? name : 'others';
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => a.localeCompare(b, 'en', { numeric: true });
const sorted = (counts: Map<string, number>): Record<string, number> => Object.fromEntries([...counts].sort(byName));
