// Runs a load: sends each request at its time, whatever became of the earlier ones, and adds up what happens.
import { monitorEventLoopDelay, performance, type EventLoopUtilization } from 'node:perf_hooks';
import { setImmediate as yieldToIo, setTimeout as sleep } from 'node:timers/promises';
import { findBottleneck } from './bottleneck.ts';
import { arrivals, bursts, clients, think, type Drive, type Start } from './profiles/pacer.ts';
import type { Profile } from './profiles/index.ts';
import { Recorder, type Interval, type Totals } from './recorder.ts';
import { createSender, type SenderOptions } from './sender.ts';
import { createRequest, pickClass, type Mix, type WorkloadOptions } from './workload/mix.ts';
import { createRandom, type Random } from './workload/random.ts';

export interface RunOptions extends SenderOptions {
  readonly profile: Profile;
  /** How long requests are sent, ms; the run ends when the last one has its answer. */
  readonly duration: number;
  readonly drive: Drive;
  readonly mix: Mix;
  readonly workload: WorkloadOptions;
  readonly seed: number;
  /** So many requests may be open at once; what comes on top is not sent and counted as such. */
  readonly maxOpen: number;
  /** Latencies (ms) up to which answers are counted in each interval: see Interval. Default none. */
  readonly bounds?: readonly number[];
  /** Called once a second, and at the end with what is left. */
  readonly onProgress?: (progress: Progress) => void;
  /** Every request: when it is sent, and when it has ended; with how many are open then. */
  readonly onEvent?: (event: RunEvent, open: number) => void;
  /** Ends the run early: requests still open are cut off and counted as stopped. */
  readonly signal?: AbortSignal;
}

/** Sent: how late (ms). Ended: null, its class, its latency (ms), why it was lost, which VM answered, what it said of why. */
export type RunEvent = readonly [
  late: number | null,
  ofClass?: string,
  latency?: number,
  cause?: string | null,
  vm?: string | null,
  said?: string | undefined,
];

export interface Progress extends Interval {
  /** ms since the start. */
  readonly elapsed: number;
  /** How long requests are sent. */
  readonly duration: number;
  /** load(t): requests a burst, clients, or arrivals a second. */
  readonly load: number;
  readonly open: number;
  readonly totalLost: number;
}

export interface RunResult extends Totals {
  readonly sent: number;
  /** Requests that the generator itself could not send. */
  readonly notSent: number;
  /** ms, the wait for the last answers included. */
  readonly elapsed: number;
  /** One sentence when the generator, not the system, limited the load. */
  readonly bottleneck?: string;
}

export async function run(options: RunOptions): Promise<RunResult> {
  const state = new Run(options);
  try {
    return await state.run();
  } finally {
    await state.close();
  }
}

class Run {
  readonly #options: RunOptions;
  readonly #sender;
  readonly #recorder: Recorder;
  readonly #content: Random;
  readonly #pace: Random;
  readonly #delay = monitorEventLoopDelay({ resolution: 10 });
  readonly #start = performance.now();
  #sent = 0;
  #notSent = 0;
  #open = 0;
  #yielded = 0;
  #busiest = 0;
  #idle?: () => void;
  #utilization: EventLoopUtilization = performance.eventLoopUtilization();

  constructor(options: RunOptions) {
    this.#options = options;
    this.#sender = createSender(options);
    this.#recorder = new Recorder(options.bounds);
    this.#content = createRandom(options.seed);
    this.#pace = createRandom(options.seed + 1);
  }

  async run(): Promise<RunResult> {
    const { drive, profile, duration, onProgress, signal } = this.#options;
    const stop = (): void => void this.#sender.close();
    signal?.addEventListener('abort', stop, { once: true });
    this.#delay.enable();
    const ticker = setInterval(() => {
      this.#watchItself();
      onProgress?.(this.#progress());
    }, 1000);
    try {
      if (drive.kind === 'bursts') await this.#drive(bursts(profile, duration, drive.step));
      else if (drive.kind === 'batch') await this.#driveBatches(drive.step);
      else if (drive.kind === 'open') await this.#drive(arrivals(profile, duration, drive.arrivals, this.#pace));
      else await this.#driveClients(drive.thinkTime);
      if (this.#open > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
    } finally {
      signal?.removeEventListener('abort', stop);
      clearInterval(ticker);
      this.#watchItself();
      this.#delay.disable();
    }
    onProgress?.(this.#progress());
    return this.#result();
  }

  close(): Promise<void> {
    return this.#sender.close();
  }

  /** Sends what the pacer says when it says so; behind time, everything that is due at once. */
  async #drive(starts: Iterable<Start>): Promise<void> {
    for (const { at, count } of starts) {
      if (!(await this.#until(at))) return;
      for (let i = 0; i < count; i++) this.#sendOne(at);
    }
    await this.#until(this.#options.duration);
  }

  async #driveBatches(step: number): Promise<void> {
    const { profile, duration } = this.#options;
    for (let at = 0; at < duration && (await this.#until(at)); at = Math.max(at + step, this.#now())) {
      const meant = at;
      await Promise.all(Array.from({ length: Math.round(profile(at)) }, () => this.#request(meant)));
    }
    await this.#until(duration);
  }

  async #driveClients(thinkTime: number): Promise<void> {
    const { profile, duration } = this.#options;
    const active = new Map<number, Promise<void>>();
    for (let t = 0; t < duration && (await this.#until(t)); t += CLIENT_TICK) {
      for (let index = 0; index < clients(profile, t); index++) {
        if (!active.has(index))
          active.set(
            index,
            this.#client(index, thinkTime).finally(() => active.delete(index)),
          );
      }
    }
    await Promise.all(active.values());
  }

  /** One client: thinks, asks, waits for the answer, until the profile has no place for it any more. */
  async #client(index: number, thinkTime: number): Promise<void> {
    const { profile, duration } = this.#options;
    let pause = 0;
    for (;;) {
      const at = this.#now() + Math.max(pause, think(thinkTime, this.#pace));
      if (!(await this.#until(Math.min(at, duration)))) return;
      if (at >= duration || clients(profile, this.#now()) <= index) return;
      const ok = await this.#request(at);
      pause = ok ? 0 : PAUSE_AFTER_LOSS;
    }
  }

  /** Sends one and resolves when it has ended, with whether it was answered. */
  #request(intended: number): Promise<boolean> {
    return new Promise((ended) => this.#sendOne(intended, ended));
  }

  #sendOne(intended: number, ended?: (ok: boolean) => void): void {
    const { mix, workload, maxOpen } = this.#options;
    if (this.#open >= maxOpen) {
      this.#notSent++;
      ended?.(false);
      return;
    }
    const ofClass = pickClass(mix, this.#content);
    const request = createRequest(ofClass, workload, this.#content, Date.now());
    this.#open++;
    this.#sent++;
    const late = this.#now() - intended;
    this.#recorder.sent(late);
    this.#options.onEvent?.([late], this.#open);
    this.#sender.send(request, (outcome) => {
      this.#open--;
      const latency = this.#now() - intended;
      this.#recorder.ended(ofClass, outcome, latency);
      const { cause = null, vm = null, said } = outcome;
      this.#options.onEvent?.([null, ofClass, latency, cause, vm, said], this.#open);
      ended?.(outcome.cause === undefined);
      if (this.#open === 0) this.#idle?.();
    });
  }

  /** Resolves at this time of the run; false when the run was stopped before. */
  async #until(at: number): Promise<boolean> {
    const { signal } = this.#options;
    const wait = at - this.#now();
    // Whole ms upwards: a request that starts before its time would look faster than it was.
    if (wait > 0) await sleep(Math.ceil(wait), undefined, signal && { signal }).catch(() => {});
    // Behind time there is nothing to wait for, and without this no answer would be read any more.
    else if (performance.now() - this.#yielded > 10) await yieldToIo();
    else return signal?.aborted !== true;
    this.#yielded = performance.now();
    return signal?.aborted !== true;
  }

  #now(): number {
    return performance.now() - this.#start;
  }

  #watchItself(): void {
    const now = performance.eventLoopUtilization();
    this.#busiest = Math.max(this.#busiest, performance.eventLoopUtilization(now, this.#utilization).utilization);
    this.#utilization = now;
  }

  #progress(): Progress {
    const elapsed = this.#now();
    return {
      ...this.#recorder.takeInterval(),
      elapsed,
      duration: this.#options.duration,
      load: this.#options.profile(elapsed),
      open: this.#open,
      totalLost: this.#recorder.failed,
    };
  }

  #result(): RunResult {
    const totals = this.#recorder.totals();
    const bottleneck = findBottleneck({
      notSent: this.#notSent,
      maxOpen: this.#options.maxOpen,
      late: totals.late.p99,
      latency: totals.latency.mean,
      longestStall: this.#delay.max / 1e6,
      busiest: this.#busiest,
      outOfSockets: totals.lossByCause['generator out of sockets'] ?? 0,
    });
    return {
      ...totals,
      sent: this.#sent,
      notSent: this.#notSent,
      elapsed: this.#now(),
      ...(bottleneck !== undefined && { bottleneck }),
    };
  }
}

/** How often the number of clients is brought in line with the profile, ms. */
const CLIENT_TICK = 100;
/** A client whose request was lost waits at least so long, ms, so that a system that is down is not stormed. */
const PAUSE_AFTER_LOSS = 100;
