import { expect } from 'chai';
import { demoText, hasGrown, Part, type DemoOutcome } from '../../loadgen/demo-text.ts';

/** A hundred requests. */
const part = (ms: number, lost = 0): Part => {
  const all = new Part();
  for (let i = 0; i < 100; i++) all.add(ms, i < lost ? 'status 503' : undefined);
  return all;
};

/** A VM more each ten seconds from the tenth on, and at the 60th all but one go. */
const fleet = Array.from({ length: 13 }, (_, i) => {
  const ready = i >= 6 ? (i >= 8 ? 1 : 2) : Math.max(1, Math.min(4, i));
  return { at: i * 10_000, ready, allocated: ready };
});

const OUTCOME: DemoOutcome = {
  ...{ rate: 12.34, clients: 40, mostVms: 4, fleet, roseAt: 5_000, fellAt: 55_000 },
  ...{ calm: part(80), rise: part(410), high: part(1900), end: part(85) },
};

describe("the demo's five lines", () => {
  it('say how the fleet followed the load, and what it cost', () => {
    expect(demoText(OUTCOME).split('\n')).to.deep.equal([
      'A VM answers 12.3 requests a second; 40 clients came, and went again.',
      'The fleet grew from 1 to 4 of 4 VMs in 35 s, and shrank to 1 in 25 s.',
      'Mean response 80.0 ms, rising 410 ms, at the top 1.9 s, after it 85.0 ms.',
      '400 requests, nothing lost.',
      'It cost 3.8 VM-minutes; 4 VMs all the time would have cost 8.0.',
    ]);
  });

  it('have room in a terminal of 80 columns', () => {
    for (const line of demoText({ ...OUTCOME, rate: 1234, clients: 4000, calm: part(180), rise: part(999) }).split(
      '\n',
    ))
      expect(line).to.have.length.at.most(80);
  });

  it('say when the fleet stayed small, not when it was small in passing', () => {
    const counts = [1, 1, 2, 4, 4, 4, 1, 2, 2, 1, 1];
    const passing = counts.map((ready, i) => ({ at: i * 10_000, ready, allocated: ready }));
    expect(demoText({ ...OUTCOME, fleet: passing })).to.include('shrank to 1 in 35 s.');
  });

  it('say so where the fleet did not grow, or requests were lost', () => {
    const still = fleet.map((moment) => ({ ...moment, ready: 1 }));
    const text = demoText({ ...OUTCOME, fleet: still, rise: part(410, 5) });
    expect(text).to.include('The fleet did not grow: it stayed at 1 of 4 VMs.');
    expect(text).to.include('400 requests, 5 lost (1.3 %): status 503.');
  });
});

describe('the demo', () => {
  it('takes a fleet as grown once more VMs cost something than at first, also where they have left again', () => {
    const moments = (...allocated: readonly number[]) =>
      allocated.map((count, at) => ({ at, ready: 1, allocated: count }));
    expect(hasGrown(moments(1, 1, 1))).to.equal(false);
    expect(hasGrown(moments(1, 2, 1))).to.equal(true);
    expect(hasGrown([])).to.equal(false);
  });
});
