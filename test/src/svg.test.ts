import { expect } from 'chai';
import fc from 'fast-check';
import { ticks } from '../../src/svg.ts';

describe('the ticks of an axis', () => {
  it('are round and cover the range', () => {
    expect(ticks(0, 337)).to.deep.equal([0, 100, 200, 300, 400]);
    fc.assert(
      fc.property(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }), (low, width) => {
        const found = ticks(low, low + width);
        expect(found[0]).to.be.at.most(low);
        expect(found.at(-1)).to.be.at.least(low + width);
        expect(found.length).to.be.within(2, 8);
      }),
    );
  });
});
