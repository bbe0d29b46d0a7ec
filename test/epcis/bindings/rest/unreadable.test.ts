import { expect } from 'chai';
import fc from 'fast-check';
import { readable, rowName, unreadable } from '../../../../epcis/bindings/rest/unreadable.ts';

describe('a place that its client cannot read', () => {
  it('is read again by who knows the secret, and another text each time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (place) => {
        const [one, other] = [unreadable(place, 'secret'), unreadable(place, 'secret')];
        expect(readable(one, 'secret')).to.equal(place);
        expect(one)
          .to.match(/^~[\w-]+$/)
          .and.not.equal(other);
      }),
    );
  });

  it('may be one that was given out before there were such', () => {
    expect(readable('1777593609000000.911465955581599253.1', 'secret')).to.equal(
      '1777593609000000.911465955581599253.1',
    );
  });

  it('of a row is the same each time, and another one for another row or client', () => {
    const names = [rowName('7', 'a'), rowName('8', 'a'), rowName('7', 'b')];
    expect(new Set(names).size).to.equal(3);
    expect(rowName('7', 'a'))
      .to.equal(names[0])
      .and.to.match(/^[\w-]{22}$/);
  });
});
