import { expect } from 'chai';
import { costOf, median, slopeOf } from './measure.ts';

describe('what a fault cost', () => {
  const at = (ended: number, answered = true) => ({ began: ended - 5, ended, answered });

  it('follows the worked example: a gap of 390 ms, recovery of 90', () => {
    const outcomes = [at(0), at(10), at(390, false), at(400), at(410)];
    expect(costOf(outcomes, { began: 0, over: 300, until: 410 })).to.deep.equal({
      ...{ requests: 5, failed: 1, longestGap: 390, recovery: 90 },
    });
  });

  it('counts nothing before it and after it, and the wait for the first answer', () => {
    const outcomes = [at(5, false), at(500), at(900, false)];
    expect(costOf(outcomes, { began: 10, over: 20, until: 600 })).to.deep.equal({
      ...{ requests: 1, failed: 0, longestGap: 490, recovery: 0 },
    });
  });

  it('knows medians and slopes', () => {
    expect(median([3, 1, 2])).to.equal(2);
    expect(slopeOf([1, 2, 3].map((value, i) => ({ at: 10 * i, value })))).to.be.closeTo(0.1, 1e-9);
  });
});
