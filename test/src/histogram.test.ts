import { expect } from 'chai';
import fc from 'fast-check';
import { addCounts, BUCKETS, bucketOf, countsBetween, percentile } from '../../src/histogram.ts';

const countsOf = (times: readonly number[]) => {
  const buckets = new Array<number>(BUCKETS).fill(0);
  for (const ms of times) buckets[bucketOf(ms)] = (buckets[bucketOf(ms)] ?? 0) + 1;
  return countsBetween([], buckets);
};

describe('histogram of times', () => {
  it('gives percentiles within a tenth, of two spans put together as of one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1, max: 3_600_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 0, max: 200 }),
        fc.constantFrom(0.5, 0.95, 0.99),
        (times, at, share) => {
          const sorted = times.toSorted((a, b) => a - b);
          const exact = sorted[Math.max(0, Math.ceil(share * times.length) - 1)] ?? 0;
          const whole = countsOf(times);
          expect(percentile(whole, share)).to.be.within(exact * 0.9, exact * 1.1);
          expect(addCounts(countsOf(times.slice(0, at)), countsOf(times.slice(at)))).to.deep.equal(whole);
        },
      ),
    );
  });

  it('is of what came between two readings, also where the earlier one knows none', () => {
    expect(countsBetween([1, 2], [1, 5, 1])).to.deep.equal([
      [1, 3],
      [2, 1],
    ]);
    expect(percentile([], 0.5)).to.equal(undefined);
    expect([bucketOf(0), bucketOf(0.99), bucketOf(1), bucketOf(1e12)]).to.deep.equal([0, 0, 1, BUCKETS - 1]);
  });
});
