import { expect } from 'chai';
import { backOff } from '../../../epcis/domain/back-off.ts';

describe('the pause after failures', () => {
  it('is longer and longer, but not for ever', () => {
    expect([0, 1, 2, 3, 9, 5_000].map((failures) => backOff(failures, 1, 60))).to.deep.equal([0, 1, 2, 4, 60, 60]);
    expect([-1, 1, 4].map((failures) => backOff(failures, 100, 5_000))).to.deep.equal([0, 100, 800]);
  });
});
