import { expect } from 'chai';
import { Money, showPrice } from '../../../src/fleet/money.ts';
import { toyOffer } from '../../helpers/toy-market.ts';

const HOUR = 3_600_000;
const onDemand = toyOffer('a', 'on-demand', 0.067);
const cheap = toyOffer('a', 'interruptible', 0.009);

describe('money', () => {
  it('is price × hours, and saves what the same would have cost on demand', () => {
    const money = new Money();
    money.paid([cheap], [onDemand, cheap], 0);
    money.paid([cheap, onDemand], [onDemand, cheap], 10 * HOUR);
    expect(money.rate).to.be.closeTo(0.076, 1e-9);
    expect(money.upTo(10 * HOUR).cost).to.be.closeTo(0.09, 1e-9);
    expect(money.upTo(10 * HOUR).saved).to.be.closeTo(0.58, 1e-9);
    expect(money.upTo(11 * HOUR).cost).to.be.closeTo(0.166, 1e-9);
  });

  it('saves nothing when the price is as on demand, and loses when it is above', () => {
    const money = new Money();
    money.paid([{ ...cheap, price: 0.1 }], [onDemand], 0);
    expect(money.upTo(HOUR).saved).to.be.closeTo(-0.033, 1e-9);
  });

  it('is shown in three digits', () => {
    expect([0.41234, 0.0049, 12.345, 1234.5, 0].map(showPrice)).to.deep.equal(['0.412', '0.0049', '12.3', '1230', '0']);
  });
});
