import { expect } from 'chai';
import { lasting, timeLeft } from '../../src/time-left.ts';

describe('the time that is left', () => {
  it('goes by what is done', () => {
    expect(timeLeft(10_000, 1, 5)).to.equal(', about 40 s left');
    expect(timeLeft(60_000, 3, 9)).to.equal(', about 2 min left');
    expect(timeLeft(10_000, 0, 5), 'nothing is known yet').to.equal('');
    expect(timeLeft(10_000, 5, 5), 'it is over').to.equal('');
  });

  it('is said in units that one can wait by', () => {
    expect([200, 89_000, 91_000, 5_399_000, 5_400_001].map(lasting)).to.deep.equal([
      ...['1 s', '89 s', '2 min', '1 h 30 min', '1 h 31 min'],
    ]);
  });
});
