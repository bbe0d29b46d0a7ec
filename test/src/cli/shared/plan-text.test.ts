import { expect } from 'chai';
import { planText } from '../../../../src/cli/shared/plan-text.ts';
import { DEFAULT_PARAMETERS } from '../../../../src/decide/parameters.ts';
import { toyOffer, TWO_POOLS } from '../../../helpers/toy-market.ts';

describe('mmeliot plan', () => {
  it('shows what is on offer, and what fleets of each size would be bought and cost', () => {
    const text = planText(TWO_POOLS.offers, { ...DEFAULT_PARAMETERS, base: 1, spotShare: 80, maxPrice: 0.15 });
    expect(text).to.match(/^ {2}a {2}interruptible {2}0\.1 {2}a, 1 vCPU$/m);
    expect(text).to.match(/^ {2}b {2}interruptible {2}0\.2 {2}b, 1 vCPU {2}above 0\.15$/m);
    expect(text).to.contain('The mix: base 1, 80 % of the rest interruptible, over 3 pools');
    expect(text).to.match(/^ {2}1 {4}1 {8}1 {10}0 % {4}1 × a\/on-demand$/m);
    expect(text).to.match(/^ {2}4 {4}2\.2 {6}4 {10}45 % {3}2 × a\/on-demand, 2 × a\/interruptible$/m);
  });

  it('shows sizes up to the maximum in few rows, or the one that was asked for', () => {
    const rows = (text: string) => text.split('\n').filter((line) => / × /.test(line)).length;
    expect(rows(planText(TWO_POOLS.offers, { ...DEFAULT_PARAMETERS, max: 1000 }))).to.be.within(10, 13);
    expect(rows(planText(TWO_POOLS.offers, DEFAULT_PARAMETERS, 7))).to.equal(1);
  });

  it('says where there is nothing to choose, and where nothing fits', () => {
    const text = planText([toyOffer('local', 'on-demand', 1)], { ...DEFAULT_PARAMETERS, vcpu: 9 });
    expect(text).to.contain('There is nothing to choose').and.contain('does not fit').and.contain('nothing fits');
  });
});
