import { expect } from 'chai';
import { LIMIT_START, newLimit, nextLimit, observeAnswer } from '../../../../src/balance/core/concurrency-limit.ts';
import { seeded } from '../../../../src/random.ts';

/** ms of work of a request that starts at this time. */
type Work = (random: () => number, now: number) => number;

interface Vm {
  /** How many requests it works on at once: the others wait in it, or (shared) all of them go on, more slowly. */
  readonly workers: number;
  readonly shared?: boolean;
  readonly work: Work;
  /** How many there are to send, at most, at this time; else always as many as it takes. */
  readonly asked?: (now: number) => number;
}

/** What a VM answers that always gets as many requests as its limit says: answers a second and mean ms, by second. */
function overloaded(vm: Vm, seconds: number, seed = 1): { rate: number; ms: number; limit: number }[] {
  const random = seeded(seed);
  const state = newLimit(0);
  const at: { left: number; since: number }[] = [];
  const told = Array.from({ length: seconds }, () => ({ rate: 0, ms: 0, limit: 0 }));
  for (let now = 0; now < seconds * 1000;) {
    while (at.length < Math.min(state.limit, vm.asked?.(now) ?? Infinity))
      at.push({ left: vm.work(random, now), since: now });
    const active = vm.shared === true ? at : at.slice(0, vm.workers);
    const speed = Math.min(1, vm.workers / active.length);
    const step = Math.min(...active.map((one) => one.left)) / speed;
    now += step;
    for (const one of active) one.left -= step * speed;
    const second = told[Math.floor(now / 1000)];
    for (const one of active.filter(({ left }) => left < 1e-9)) {
      observeAnswer(state, now - one.since, at.length, now);
      at.splice(at.indexOf(one), 1);
      if (second === undefined) continue;
      second.rate++;
      second.ms += now - one.since;
      second.limit = state.limit;
    }
  }
  return told.map(({ rate, ms, limit }) => ({ rate, ms: ms / rate, limit }));
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const exponential =
  (ms: number): Work =>
  (random) =>
    -ms * Math.log(1 - random());

describe('concurrency limit', () => {
  it('follows the share of time that is not waiting', () => {
    expect(nextLimit(32, 10, 14)).to.equal(29);
    expect(nextLimit(32, 10, 10)).to.equal(36);
    expect(nextLimit(6, 80, 120), 'a tenth and one above what the VM works on').to.equal(6);
    expect(nextLimit(1, 10, 100), 'not below the least').to.equal(1);
    expect(nextLimit(512, 10, 10), 'nor above the most').to.equal(512);
  });

  it('lets a VM be that was not asked to its limit', () => {
    const seconds = overloaded({ workers: 4, work: () => 20, asked: () => LIMIT_START - 1 }, 5);
    expect(seconds.at(-1)?.limit).to.equal(LIMIT_START);
  });

  const vms: Record<string, Vm> = {
    'with four workers': { workers: 4, work: () => 80 },
    'with forty workers': { workers: 40, work: () => 40 },
    'with one worker and work of all sizes': { workers: 1, work: exponential(20) },
    'whose requests share one core': { workers: 1, shared: true, work: exponential(20) },
  };
  for (const [name, vm] of Object.entries(vms)) {
    it(`keeps a VM ${name} at work and its queue short, for as long as there is too much`, () => {
      const calm = overloaded({ ...vm, asked: () => vm.workers }, 40);
      const seconds = overloaded(vm, 120);
      for (const from of [20, 60, 100]) {
        const now = seconds.slice(from, from + 20);
        expect(mean(now.map(({ rate }) => rate))).to.be.above(0.93 * mean(calm.map(({ rate }) => rate)));
        expect(mean(now.map(({ ms }) => ms))).to.be.below((vm.workers > 1 ? 1.6 : 4) * mean(calm.map(({ ms }) => ms)));
      }
    });
  }

  it('keeps a VM at work whose requests take from some ms to seconds', () => {
    const work: Work = (random, now) => exponential(random() < 0.8 ? 50 : 1000)(random, now);
    for (const seed of [1, 2, 3]) {
      const seconds = overloaded({ workers: 16, work }, 90, seed).map(({ rate }) => rate);
      expect(mean(seconds)).to.be.above((0.7 * 16_000) / 240);
    }
  });

  it('keeps a VM with four workers and work of all sizes at work', () => {
    const rates = [1, 2, 3, 4, 5, 6].flatMap((seed) =>
      overloaded({ workers: 4, work: exponential(80) }, 60, seed).map(({ rate }) => rate),
    );
    expect(mean(rates)).to.be.above(0.9 * 50);
  });

  const fromTenSeconds = (now: number) => (now < 10_000 ? 2 : Infinity);

  it('goes by what it has seen in quiet times as soon as there is too much', () => {
    const seconds = overloaded({ workers: 4, work: () => 80, asked: fromTenSeconds }, 20);
    expect(seconds[12]?.limit).to.be.below(8);
    expect(mean(seconds.slice(10).map(({ rate }) => rate))).to.be.above(0.95 * 50);
  });

  it('takes requests that are heavier than those of quiet times for what they are', () => {
    const work: Work = (_, now) => (now < 10_000 ? 5 : 80);
    const seconds = overloaded({ workers: 4, work, asked: fromTenSeconds }, 40).slice(15);
    expect(mean(seconds.map(({ rate }) => rate))).to.be.above(0.93 * 50);
    expect(mean(seconds.map(({ ms }) => ms))).to.be.below(1.6 * 80);
  });

  it('finds a new limit when the VM becomes slower, or faster', () => {
    const slower = overloaded({ workers: 4, work: (_, now) => (now < 30_000 ? 80 : 240) }, 90).slice(70);
    expect(mean(slower.map(({ rate }) => rate))).to.be.above(0.85 * (4000 / 240));
    const faster = overloaded({ workers: 8, work: (_, now) => (now < 30_000 ? 80 : 20) }, 60).slice(45);
    expect(mean(faster.map(({ rate }) => rate))).to.be.above(0.93 * 400);
    expect(mean(faster.map(({ ms }) => ms))).to.be.below(2 * 20);
  });
});
