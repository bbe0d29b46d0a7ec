import { expect } from 'chai';
import fc from 'fast-check';
import { ranked } from '../../../../src/decide/common/ranked.ts';

describe('the value at a place', () => {
  it('is the one that sorting would put there, whatever the values are', () => {
    const value = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true }));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 60 }), fc.nat(), (values, any) => {
        const place = any % values.length;
        expect(ranked(new Float64Array(values), place)).to.equal(new Float64Array(values).sort()[place]);
      }),
    );
  });
});
