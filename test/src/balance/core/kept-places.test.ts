import { expect } from 'chai';
import { KeptPlaces } from '../../../../src/balance/core/kept-places.ts';

describe('places kept for what is more important', () => {
  /** So many at once, for this part of each 100 ms, from then on. */
  function asked(kept: KeptPlaces, count: number, part: number, from: number, ms: number): void {
    for (let now = from; now < from + ms; now += 100) {
      kept.counts(count, now);
      kept.counts(0, now + 100 * part);
    }
  }

  it('are as many as are in use nearly all the time', () => {
    const kept = new KeptPlaces(0);
    expect(kept.of(8, 0), 'nobody came yet').to.equal(0);
    asked(kept, 1, 0.95, 0, 5_000);
    expect(kept.of(8, 5_000)).to.equal(1);
    asked(kept, 3, 0.95, 5_000, 60_000);
    expect(kept.of(8, 65_000)).to.equal(3);
  });

  it('are few where they would stand empty, and more where there are many places', () => {
    const kept = new KeptPlaces(0);
    asked(kept, 1, 0.1, 0, 20_000);
    expect(kept.of(8, 20_000)).to.equal(0);
    expect(kept.of(20, 20_000), 'for 0.9 of one').to.equal(1);
  });

  it('leave half to the others', () => {
    const kept = new KeptPlaces(0);
    kept.counts(100, 0);
    expect(kept.of(8, 10_000)).to.equal(4);
    expect(kept.of(1, 10_000)).to.equal(0);
  });

  it('are given back when nobody comes any more', () => {
    const kept = new KeptPlaces(0);
    asked(kept, 1, 0.95, 0, 60_000);
    expect(kept.of(8, 60_000)).to.equal(1);
    expect(kept.of(8, 80_000)).to.equal(0);
  });
});
