import { expect } from 'chai';
import fc from 'fast-check';
import { arrivals, bursts, clients, think } from '../../../loadgen/profiles/pacer.ts';
import { createProfile } from '../../../loadgen/profiles/index.ts';
import { createRandom } from '../../../loadgen/workload/random.ts';

const ascending = createProfile('ascending', { max: 210, duration: 210_000 });

describe('pacer', () => {
  it('bursts: k requests at each step, k from 1 to 210 as in the paper', () => {
    const starts = [...bursts(ascending, 210_000, 1000)];
    expect(starts).to.have.length(210);
    expect(starts[0]).to.eql({ at: 0, count: 1 });
    expect(starts.at(-1)).to.eql({ at: 209_000, count: 209 });
    expect(starts.every(({ count }, i) => i === 0 || count - (starts[i - 1]?.count ?? 0) <= 1)).to.equal(true);
  });

  it('bursts: a step without a request is no burst', () => {
    const profile = createProfile('descending', { max: 1, duration: 4000 });
    expect([...bursts(profile, 4000, 1000)]).to.eql([1, 1, 1].map((count, i) => ({ at: i * 1000, count })));
  });

  it('open loop: even arrivals keep their distance', () => {
    const profile = createProfile('constant', { max: 4, duration: 2000 });
    const at = [...arrivals(profile, 2000, 'even', createRandom(1))].map((start) => Math.round(start.at));
    expect(at).to.eql([250, 500, 750, 1000, 1250, 1500, 1750, 2000]);
  });

  it('open loop: Poisson arrivals come at the rate asked for, with gaps as variable as their mean', () => {
    const profile = createProfile('constant', { max: 50, duration: 200_000 });
    const at = [...arrivals(profile, 200_000, 'poisson', createRandom(7))].map((start) => start.at);
    const gaps = at.slice(1).map((t, i) => t - (at[i] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
    expect(at.length).to.be.within(9_700, 10_300);
    expect(deviation / mean).to.be.within(0.95, 1.05);
  });

  it('open loop: the number of even arrivals is the integral of any load, in order and inside of the run', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 100, max: 20_000 }), (max, duration) => {
        const profile = createProfile('descending', { max, duration });
        const at = [...arrivals(profile, duration, 'even', createRandom(1))].map((start) => start.at);
        expect(at.length).to.be.closeTo((max * duration) / 2000, 2 + max / 100);
        expect(at.every((t, i) => t <= duration && t >= (at[i - 1] ?? 0))).to.equal(true);
      }),
    );
  });

  it('open loop: no load, no arrival', () => {
    expect([...arrivals(() => 0, 5000, 'poisson', createRandom(1))]).to.eql([]);
  });

  it('closed loop: as many clients as the profile says, thinking the given mean', () => {
    expect(clients(ascending, 105_000)).to.equal(106);
    const random = createRandom(3);
    const thoughts = Array.from({ length: 10_000 }, () => think(500, random));
    expect(thoughts.reduce((sum, t) => sum + t, 0) / thoughts.length).to.be.within(480, 520);
    expect(think(0, random)).to.equal(0);
  });
});
