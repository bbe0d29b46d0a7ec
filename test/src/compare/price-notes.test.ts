import { expect } from 'chai';
import { notesOn, regionsOf } from '../../../src/compare/price-notes.ts';

const HOUR = 3_600_000;

describe('notes on recorded prices', () => {
  it('tell who bounds the time, and where nothing was recorded', () => {
    const day = (n: number) => ({ at: Date.UTC(2015, 2, n), price: 0.01 });
    const prices = [
      { pool: 'a', points: [day(1), day(2), day(20)] },
      { pool: 'b', points: [day(2), day(5), day(12), day(13)] },
    ];
    expect(notesOn(prices)).to.deep.equal([
      'Prices from 2015-03-02 to 2015-03-13, which all pools have: b begins last, b ends first. ' +
        'Nothing was recorded of a for 18 days from 2015-03-02 on: the price before is taken to have held.',
    ]);
    expect(notesOn(prices, 36 * HOUR)[0]).to.include('Of these the first 1.5 days were played.');
  });

  it('tell of pools that no fleet has together', () => {
    const points = [{ at: 0, price: 0.01 }];
    const pools = ['us-east-1a/m', 'us-west-2-lax-1a/m', 'us-gov-west-1b/m', 'us-east-1b/m', 'rack-7/m'];
    const prices = pools.map((pool) => ({ pool, points }));
    expect(regionsOf(prices)).to.deep.equal(['us-east-1', 'us-west-2', 'us-gov-west-1']);
    expect(notesOn(prices)[1]).to.equal(
      'The pools are of several regions, us-east-1, us-west-2, us-gov-west-1: a fleet on EC2 has one.',
    );
    expect(notesOn(prices.slice(3))).to.have.length(1);
  });
});
