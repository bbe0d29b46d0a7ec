import { expect } from 'chai';
import fc from 'fast-check';
import { estimatedEnd, rateOf } from '../../../epcis/service/jobs-estimate.ts';

const stretch = (worker: string, from: number, to: number, events: number) => ({ worker, from, to, events });

describe('how fast jobs are captured', () => {
  it('is what a worker does while it has jobs, however many at a time', () => {
    expect(rateOf([stretch('a', 0, 4000, 1000), stretch('a', 2000, 6000, 500)])).to.equal(250);
    expect(rateOf([stretch('a', 0, 1000, 100), stretch('a', 9000, 10_000, 100)])).to.equal(100);
    expect(rateOf([stretch('a', 0, 1000, 100), stretch('b', 0, 1000, 300)])).to.equal(200);
  });

  it('is not known without evidence', () => {
    expect(rateOf([])).to.equal(undefined);
    expect(rateOf([stretch('a', 5, 5, 1000)])).to.equal(undefined);
    expect(rateOf([stretch('a', 0, 1000, 0)])).to.equal(undefined);
    // 3 events at a VM that had just begun: 6 a second, and 30,000 would take more than an hour
    expect(rateOf([stretch('a', 0, 500, 3)])).to.equal(undefined);
    expect(rateOf(Array.from({ length: 50 }, (_, n) => stretch('a', n * 10, n * 10 + 10, 3)))).to.equal(300);
  });

  it('is the same in whatever order it is told, and doubles with the events', () => {
    const one = fc.tuple(fc.constantFrom('a', 'b'), fc.nat(1000), fc.integer({ min: 1, max: 1000 }), fc.nat(100));
    const some = one.map(([worker, from, length, events]) => stretch(worker, from, from + length, events));
    fc.assert(
      fc.property(fc.array(some, { minLength: 1 }), (done) => {
        const rate = rateOf(done);
        expect(rateOf([...done].reverse())).to.equal(rate);
        const twice = rateOf(done.map((each) => ({ ...each, events: each.events * 2 })));
        if (rate !== undefined) expect(twice).to.be.closeTo(rate * 2, 1e-6);
      }),
    );
  });

  it('tells when a job will be finished: 3,000 events, 250 a second, two workers: in 6 s', () => {
    const lately = [stretch('a', 0, 4000, 1000)];
    expect(estimatedEnd({ now: 10_000, events: 3000, workers: 2, lately })).to.equal(16_000);
    expect(estimatedEnd({ now: 10_000, events: 3000, workers: 0, lately })).to.equal(22_000);
    expect(estimatedEnd({ now: 10_000, events: 3000, workers: 2, lately: [] })).to.equal(undefined);
  });
});
