import { expect } from 'chai';
import fc from 'fast-check';
import { createChance } from '../../../src/simulate/chance.ts';
import { EventQueue } from '../../../src/simulate/event-queue.ts';
import { ProcessorSharing, type Request } from '../../../src/simulate/processor-sharing.ts';
import { VirtualClock } from '../../../src/simulate/virtual-clock.ts';
import { completionRate, DEFAULT_VM, fromMeasured, speedAfter, utilization } from '../../../src/simulate/vm-model.ts';

describe('simulation parts', () => {
  const chance = createChance(1);

  it('gives events by time, and those of one time in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (times) => {
        const queue = new EventQueue<number>();
        times.forEach((at, i) => queue.add(at, i));
        const taken = times.map(() => queue.take() ?? -1);
        expect(taken).to.deep.equal([...times.keys()].sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b));
        expect([queue.size, queue.nextAt, queue.take()]).to.deep.equal([0, Infinity, undefined]);
      }),
    );
  });

  it('wakes sleepers in order, and those whose signal ends at once', async () => {
    const clock = new VirtualClock(0);
    const woken: string[] = [];
    const stop = new AbortController();
    const sleeps = [
      clock.sleep(20).then(() => woken.push('20')),
      clock.sleep(10).then(() => woken.push('10')),
      clock.sleep(5, stop.signal).then(() => woken.push('stopped')),
    ];
    stop.abort();
    expect(clock.advanceTo(9)).to.equal(false);
    expect(clock.advanceTo(30)).to.equal(true);
    await Promise.all(sleeps);
    expect(woken).to.deep.equal(['stopped', '10', '20']);
    expect(clock.now()).to.equal(30);
  });

  it('draws chances with the means they should have, the same for the same seed', () => {
    const chance = createChance(7);
    const mean = (of: () => number) => Array.from({ length: 20_000 }, of).reduce((sum, x) => sum + x, 0) / 20_000;
    expect(mean(chance.uniform)).to.be.closeTo(0.5, 0.02);
    expect(mean(() => chance.exponential(3))).to.be.closeTo(3, 0.1);
    expect(mean(() => chance.poisson(2.5))).to.be.closeTo(2.5, 0.05);
    expect(mean(() => chance.poisson(80))).to.be.closeTo(80, 0.3);
    expect(mean(() => chance.work(1))).to.be.closeTo(1, 0.04);
    expect(chance.work(0)).to.equal(1);
    expect(createChance(7).uniform()).to.equal(createChance(7).uniform());
    expect(createChance(7).uniform()).not.to.equal(createChance(8).uniform());
  });

  it('shares a VM equally among its requests', () => {
    const vm = new ProcessorSharing({ serviceMs: 100, parallel: 1, variation: 0 }, chance, 0);
    const request = (work: number): Request => ({ work });
    vm.add(request(1), 0);
    vm.add(request(2), 0);
    expect(vm.nextEnd(0)).to.be.closeTo(200, 1e-9);
    expect(vm.end(200)?.work).to.equal(1);
    expect(vm.nextEnd(200)).to.be.closeTo(300, 1e-9);
    expect(vm.busyMs(250)).to.be.closeTo(250, 1e-9);
    expect(vm.all()).to.have.length(1);
  });

  it('serves requests one after the other where the VM does', () => {
    const vm = new ProcessorSharing({ serviceMs: 100, parallel: 1, variation: 0, inTurn: true }, chance, 0);
    vm.add({ work: 2 }, 0);
    vm.add({ work: 1 }, 50);
    expect(vm.nextEnd(50)).to.be.closeTo(200, 1e-9);
    expect(vm.end(200)?.work).to.equal(2);
    expect(vm.nextEnd(200)).to.be.closeTo(300, 1e-9);
    vm.end(300);
    vm.add({ work: 1 }, 1000);
    expect(vm.nextEnd(1000)).to.be.closeTo(1100, 1e-9);
    expect(vm.busyMs(1000)).to.be.closeTo(300, 1e-9);
  });

  it('is slower while it is new, and as busy as one at full speed', () => {
    const warming = { speed: 0.5, requests: 2 };
    expect([0, 1, 2, 3].map((n) => speedAfter(n, warming))).to.deep.equal([0.5, 0.75, 1, 1]);
    expect(speedAfter(0, undefined)).to.equal(1);
    const vm = new ProcessorSharing({ serviceMs: 100, parallel: 1, variation: 0, warming }, chance, 0);
    const ends: number[] = [];
    for (let now = 0; ends.length < 4;) {
      vm.add({ work: 1 }, now);
      now = vm.nextEnd(now);
      vm.end(now);
      ends.push(Math.round(now));
    }
    expect(ends).to.deep.equal([200, 333, 433, 533]);
    expect(vm.busyMs(533)).to.be.closeTo(533, 1);
  });

  it('follows a measured curve', () => {
    const curve = [
      { concurrency: 4, throughput: 30, responseMs: 133 },
      { concurrency: 1, throughput: 10, responseMs: 100 },
      { concurrency: 8, throughput: 24, responseMs: 333 },
    ];
    const model = fromMeasured({ curve });
    expect(model.serviceMs).to.equal(100);
    expect(model.parallel).to.equal(3);
    expect([0, 0.5, 1, 2.5, 4, 6, 8, 50].map((k) => completionRate(model, k))).to.deep.equal([
      0, 5, 10, 20, 30, 27, 24, 24,
    ]);
    expect([0, 1, 4, 8, 50].map((k) => utilization(model, k))).to.deep.equal([0, 1 / 3, 1, 1, 1]);
    expect(completionRate(DEFAULT_VM, 5)).to.equal(10);
    expect(utilization(DEFAULT_VM, 5)).to.equal(1);
    expect(() => fromMeasured({ curve: [] })).to.throw(RangeError);
  });
});
