import { expect } from 'chai';
import { difference, estimate, signed, text } from '../../../loadgen/report/statistics.ts';

describe('statistics of a report', () => {
  it('gives the mean and the 95 % confidence interval', () => {
    expect(estimate([10, 12, 14])?.half).to.be.closeTo(4.97, 0.005);
    expect(text(estimate([10, 12, 14]))).to.equal('12.0 ± 5.0');
    expect(text(estimate([337]))).to.equal('337');
    expect(text(estimate([]))).to.equal('–');
  });

  it('gives the difference of two means and how far it may be chance', () => {
    const found = difference([10, 12, 14], [20, 22, 24]);
    expect(found?.mean).to.equal(10);
    expect(found?.half).to.be.closeTo(4.53, 0.005);
    expect(difference([1], [2])).to.deep.equal({ mean: 1 });
    expect(difference([], [2])).to.equal(undefined);
    expect([signed(0.424), signed(-12.34)]).to.deep.equal(['+0.42', '−12.3']);
  });
});
