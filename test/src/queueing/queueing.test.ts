import { expect } from 'chai';
import fc from 'fast-check';
import {
  crowding,
  inSystem,
  normalShare,
  ratePerVm,
  slowShare,
  stationOf,
  tail,
  varianceOf,
  vmsNeeded,
} from '../../../src/queueing/queueing.ts';

const CAPACITY = { serviceMs: 100, parallel: 1, variation: 1 };
const OBJECTIVE = { ms: 500, share: 0.95 };

describe('queueing', () => {
  it('is exact for one server, near Erlang for several, and has longer waits where each VM has its own', () => {
    expect(inSystem(0.5, stationOf(1, 1))).to.be.closeTo(1, 1e-12);
    expect(inSystem(0.9, stationOf(1, 1))).to.be.closeTo(9, 1e-9);
    // M/M/4 at 0.8: Erlang C gives L = 3.2 + 2.386
    expect(inSystem(0.8, stationOf(1, 4))).to.be.closeTo(5.586, 0.1);
    // request by request: 1.96 times the work
    expect(inSystem(0.8, stationOf(4, 1))).to.be.closeTo(3.2 * 1.96, 0.1);
  });

  it('has the more requests in the system the higher the load is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 16 }), (vms, parallel) => {
        const station = stationOf(vms, parallel);
        const all = Array.from({ length: 999 }, (_, i) => inSystem((i + 1) / 1000, station));
        for (const [i, each] of all.entries()) expect(each).to.be.greaterThan(all[i - 1] ?? 0);
      }),
      { numRuns: 30 },
    );
  });

  it('knows what a VM can do', () => {
    expect(ratePerVm({ serviceMs: 100, parallel: 2, variation: 0 })).to.equal(20);
    expect(slowShare(20, 2, CAPACITY, 500)).to.equal(1);
    expect(slowShare(5, 1, CAPACITY, 500)).to.be.closeTo(tail(2.5, varianceOf(1) + crowding(2)), 1e-12);
  });

  it('knows the tails of the normal and the lognormal distribution', () => {
    expect(normalShare(1.96)).to.be.closeTo(0.975, 1e-4);
    expect(normalShare(-1.96)).to.be.closeTo(0.025, 1e-4);
    // median of a lognormal with mean 1 and variation 1: 1 / √2
    expect(tail(Math.SQRT1_2, varianceOf(1))).to.be.closeTo(0.5, 1e-6);
    expect([tail(0.99, 0), tail(1, 0)]).to.deep.equal([1, 0]);
  });

  it('finds the fewest VMs that meet the objective', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 5_000, noNaN: true }), fc.constantFrom(0, 0.5, 1, 2), (rate, variation) => {
        const capacity = { ...CAPACITY, variation };
        const vms = vmsNeeded(rate, capacity, OBJECTIVE);
        const allowed = Math.max(0.05, 1.1 * slowShare(0, 1, capacity, OBJECTIVE.ms));
        expect(slowShare(rate, vms, capacity, OBJECTIVE.ms)).to.be.at.most(allowed);
        if (vms > 1) expect(slowShare(rate, vms - 1, capacity, OBJECTIVE.ms)).to.be.greaterThan(allowed);
      }),
    );
  });
});
