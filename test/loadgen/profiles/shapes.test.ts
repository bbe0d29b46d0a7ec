import { expect } from 'chai';
import fc from 'fast-check';
import { createProfile, createTraceProfile, isProfileName, PROFILE_NAMES } from '../../../loadgen/profiles/index.ts';

const at = (name: string, t: number, options = {}): number => {
  if (!isProfileName(name)) throw new Error(name);
  return createProfile(name, { max: 61, duration: 60_000, ...options })(t);
};

describe('profiles', () => {
  it('ascend from 1 to max and descend from max to 0 in straight lines', () => {
    expect(at('ascending', 0)).to.equal(1);
    expect(at('ascending', 30_000)).to.equal(31);
    expect(at('ascending', 59_999)).to.be.closeTo(61, 0.01);
    expect(at('descending', 0)).to.equal(61);
    expect(at('descending', 59_999)).to.be.closeTo(0, 0.01);
  });

  it('climb a staircase of four', () => {
    expect([0, 14_999, 15_000, 30_000, 59_999].map((t) => at('step', t, { max: 40 }))).to.eql([10, 10, 20, 30, 40]);
  });

  it('grow exponentially by the same factor in equal times', () => {
    expect(at('exponential', 30_000, { max: 100 })).to.be.closeTo(10, 1e-9);
    expect(at('exponential', 45_000, { max: 100 }) / at('exponential', 30_000, { max: 100 })).to.be.closeTo(
      3.162,
      1e-3,
    );
  });

  it('wave between a tenth of max and max, twice', () => {
    expect([0, 15_000, 30_000, 45_000].map((t) => Math.round(at('wave', t, { max: 100 })))).to.eql([10, 100, 10, 100]);
  });

  it('spike once in each third of the run, a twentieth of it long, at places that follow the seed', () => {
    const seconds = Array.from({ length: 600 }, (_, i) => i * 100);
    const high = (seed: number): number[] => seconds.filter((t) => at('spike', t, { seed }) === 61);
    expect(high(1)).to.have.length.within(87, 93);
    for (const third of [0, 1, 2]) {
      expect(high(1).filter((t) => Math.floor(t / 20_000) === third)).to.have.length.within(29, 31);
    }
    expect(high(1)).to.eql(high(1)).and.not.to.eql(high(2));
  });

  it('play a trace stretched over the run with its peak at max', () => {
    const profile = createTraceProfile({ interval: 60_000, counts: [10, 0, 40, 20] }, { max: 100, duration: 4000 });
    expect([0, 999, 1000, 2000, 3000, 3999].map(profile)).to.eql([25, 25, 0, 100, 50, 50]);
  });

  it('stay between 0 and max at any time, are 0 outside of the run, and depend on their arguments only', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PROFILE_NAMES),
        fc.record({
          max: fc.double({ min: 0.1, max: 1e5, noNaN: true }),
          duration: fc.integer({ min: 1, max: 1e8 }),
          seed: fc.nat(),
          noise: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        fc.double({ min: -1, max: 2, noNaN: true }),
        (name, options, share) => {
          const t = share * options.duration;
          const load = createProfile(name, options)(t);
          expect(load).to.be.within(0, options.max);
          if (t < 0 || t >= options.duration) expect(load).to.equal(0);
          expect(createProfile(name, options)(t)).to.equal(load);
        },
      ),
    );
  });

  it('vary by the given noise, the same way for the same seed', () => {
    const loads = (seed: number): number[] =>
      Array.from({ length: 60 }, (_, s) => at('constant', s * 1000, { noise: 0.5, seed }));
    expect(Math.min(...loads(1))).to.be.within(30.5, 40);
    expect(loads(1)).to.eql(loads(1)).and.not.to.eql(loads(2));
  });
});
