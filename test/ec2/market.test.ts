import { expect } from 'chai';
import { Market } from '../../ec2/emulator/market.ts';

describe('the spot prices of the emulated EC2', () => {
  const HOUR = 3_600_000;
  const traces = new Map([
    [
      'a/m',
      [
        { at: 0, price: 0.01 },
        { at: 10 * HOUR, price: 0.02 },
        { at: 11 * HOUR, price: 0.03 },
      ],
    ],
    [
      'b/m',
      [
        { at: 10 * HOUR, price: 0.04 },
        { at: 12 * HOUR, price: 0.05 },
      ],
    ],
  ]);

  it('are those of one time in all pools, from when the last of them has one', () => {
    const market = new Market({ traces, speed: 60 }, 1_000);
    const at = (minutes: number) => ['a/m', 'b/m'].map((pool) => market.price(pool, 1, 1_000 + minutes * 60_000));
    expect(at(0)).to.deep.equal([0.02, 0.04]);
    expect(at(1)).to.deep.equal([0.03, 0.04]);
    expect(at(2)).to.deep.equal([0.03, 0.05]);
    expect(at(999)).to.deep.equal([0.03, 0.05]);
  });

  it('are a part of the price on demand in a pool without a record, and what was said where it was', () => {
    const market = new Market({ traces }, 0);
    expect(market.price('c/m', 0.1, 0)).to.be.closeTo(0.03, 1e-9);
    market.set('a/m', 0.5);
    expect(market.price('a/m', 1, 0)).to.equal(0.5);
  });
});
