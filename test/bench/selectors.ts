// Which selector serves best when one VM is half as fast as the others: the gateway's own admission (queue, limits, slow
// start, peak times) on virtual time, so that the numbers are the same on every machine.
//
//   node test/bench/selectors.ts
//
// A VM works on up to four requests at once, the rest wait inside it; service is exponential, 10 ms on average (20 ms on
// the slow VM); arrivals are Poisson at a share of what the fleet can do. Loads are reported each 10 s, as the manager does.
// In the last scene a VM works on one request at once, 0.25 ms on average, on a fifth of a core: once it has used 20 ms of 100 (and what it
// had saved up, 20 ms at most), it stands still until the next 100 ms begin.
import { Admission } from '../../src/balance/core/admission.ts';
import type { Guest } from '../../src/balance/core/admission.ts';
import { GATEWAY_DEFAULTS } from '../../src/balance/core/options.ts';
import { SELECTORS } from '../../src/balance/core/selectors/index.ts';
import type { SelectorName } from '../../src/balance/core/selectors/index.ts';
import type { PoolVm } from '../../src/balance/core/vm-pool.ts';
import { seeded } from '../../src/random.ts';

const SCENES = [
  { name: 'one VM half as fast', meanMs: [10, 10, 10, 20], heavy: 0, workers: 4, cores: Infinity },
  { name: 'a heavy request now and then', meanMs: [10, 10, 10, 10], heavy: 1 / 5_000, workers: 4, cores: Infinity },
  { name: 'small VMs, short requests', meanMs: [0.25, 0.25], heavy: 1 / 5_000, workers: 1, cores: 0.2 },
] as const;
/** Times of a mean one. */
const HEAVY = 300;
const PERIOD_MS = 100;
const REQUESTS = 200_000;
const REPORT_MS = 10_000;

interface Job extends Guest<Machine> {
  workMs: number;
  startedAt: number;
}

interface Machine {
  readonly meanMs: number;
  readonly waiting: Job[];
  working: number;
  busyMs: number;
  /** What it may still use of the period that began last. */
  left: number;
  period: number;
}

class Run {
  readonly times: number[] = [];
  now = 0;
  readonly #workers: number;
  readonly #cores: number;
  readonly #events: [at: number, action: () => void][] = [];

  constructor(
    { meanMs: means, heavy, workers, cores }: (typeof SCENES)[number],
    selector: SelectorName,
    load: number,
    seed: number,
  ) {
    this.#workers = workers;
    this.#cores = cores;
    const random = seeded(seed);
    const admission = new Admission<Machine>(
      { ...GATEWAY_DEFAULTS, queue: { ...GATEWAY_DEFAULTS.queue, capacity: Infinity, deadlineMs: Infinity } },
      { now: () => this.now, random, selector: SELECTORS[selector] },
    );
    means.forEach((meanMs, i) => {
      admission.add(
        `vm-${i}`,
        { host: 'vm', port: i },
        { meanMs, waiting: [], working: 0, busyMs: 0, left: 0, period: -1 },
      );
    });
    const perMs = means.reduce((sum, mean) => sum + Math.min(workers, cores) / mean, 0) * load;
    const arrive = () => {
      const workMs = random() < heavy ? HEAVY : -Math.log(1 - random());
      admission.enter(this.#job(admission, workMs), this.now);
      this.#at(this.now - Math.log(1 - random()) / perMs, arrive);
    };
    const report = () => {
      for (const vm of admission.pool.all()) {
        vm.load = (vm.handle.busyMs / (Math.min(workers, cores) * REPORT_MS)) * 100;
        vm.handle.busyMs = 0;
      }
      this.#at(this.now + REPORT_MS, report);
    };
    this.#at(0, arrive);
    this.#at(REPORT_MS, report);
    // slow start and the search for the limits are over after the first fifth
    while (this.times.length < REQUESTS) this.#next();
    this.times.splice(0, REQUESTS / 5);
    this.times.sort((a, b) => a - b);
  }

  #job(admission: Admission<Machine>, workMs: number): Job {
    const job: Job = {
      level: 0,
      sender: '',
      tenant: '',
      arrivedAt: this.now,
      deadline: Infinity,
      avoid: undefined,
      ticket: undefined,
      workMs,
      startedAt: 0,
      turnAway: () => {
        throw new Error('nothing is turned away here');
      },
      place: (vm) => {
        job.startedAt = this.now;
        vm.handle.waiting.push(job);
        this.#work(admission, vm);
      },
    };
    return job;
  }

  #work(admission: Admission<Machine>, vm: PoolVm<Machine>): void {
    const machine = vm.handle;
    while (machine.working < this.#workers) {
      const job = machine.waiting.shift();
      if (job === undefined) return;
      machine.working++;
      const work = job.workMs * machine.meanMs;
      machine.busyMs += work;
      const ms = this.#lasts(machine, work);
      this.#at(this.now + ms, () => {
        machine.working--;
        this.times.push(this.now - job.arrivedAt);
        admission.leave(job, vm, { responseMs: this.now - job.startedAt, error: false }, this.now);
        this.#work(admission, vm);
      });
    }
  }

  /** Of a VM with one worker, where cores are limited. */
  #lasts(machine: Machine, work: number): number {
    if (this.#cores === Infinity) return work;
    const quota = this.#cores * PERIOD_MS;
    let at = this.now;
    for (let todo = work; ;) {
      const period = Math.floor(at / PERIOD_MS);
      machine.left = Math.min(2 * quota, machine.left + (period - machine.period) * quota);
      machine.period = period;
      const done = Math.min(todo, machine.left);
      machine.left -= done;
      todo -= done;
      if (todo <= 0) return at + done - this.now;
      at = (period + 1) * PERIOD_MS;
    }
  }

  #at(at: number, action: () => void): void {
    const events = this.#events;
    let i = events.push([at, action]) - 1;
    // few events are ever pending: insertion keeps them in order, the soonest last
    for (; i > 0 && (events[i - 1]?.[0] ?? 0) < at; i--) events[i] = events[i - 1] as [number, () => void];
    events[i] = [at, action];
  }

  #next(): void {
    const [at, action] = this.#events.pop() as [number, () => void];
    this.now = at;
    action();
  }
}

for (const scene of SCENES)
  for (const load of [0.5, 0.7, 0.85, 0.95]) {
    process.stdout.write(`\n${scene.name}, at ${load * 100} % of what the fleet can do\n`);
    process.stdout.write(
      `${['p50', 'p95', 'p99']
        .map((name) => name.padStart(12))
        .join('')
        .padStart(57)}\n`,
    );
    for (const selector of Object.keys(SELECTORS) as SelectorName[]) {
      const { times } = new Run(scene, selector, load, 11);
      const at = (share: number) => `${(times[Math.floor(times.length * share)] ?? NaN).toFixed(1)} ms`.padStart(12);
      process.stdout.write(`${selector.padEnd(21)}${at(0.5)}${at(0.95)}${at(0.99)}\n`);
    }
  }
