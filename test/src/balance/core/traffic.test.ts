import { expect } from 'chai';
import { Tally } from '../../../../src/balance/core/counters.ts';
import { sumCounters } from '../../../../src/balance/core/sum-counters.ts';
import { responseTimesBetween } from '../../../../src/balance/core/traffic.ts';

const read = (tally: Tally, at: number) => tally.read(at, () => 0);

describe('response times of a period', () => {
  it("are the mean over a VM's answers, or the last one's, and none of a VM that answered nothing", () => {
    const tally = new Tally(['all']);
    tally.addVm('a');
    tally.addVm('b');
    tally.answeredBy('b', 0, 900, 500);
    const before = read(tally, 1_000);
    tally.answeredBy('a', 0, 100, 1_100);
    tally.answeredBy('a', 0, 300, 1_300);
    const after = read(tally, 2_000);
    expect([...responseTimesBetween(before, after, 'mean')]).to.deep.equal([['a', 200]]);
    expect([...responseTimesBetween(before, after, 'last')]).to.deep.equal([['a', 300]]);
  });

  it('of several gateways: the last answer of all', () => {
    const [one, other] = [new Tally(['all']), new Tally(['all'])];
    for (const tally of [one, other]) tally.addVm('a');
    const before = sumCounters([read(one, 0), read(other, 0)]);
    other.answeredBy('a', 0, 50, 900);
    one.answeredBy('a', 0, 70, 400);
    const after = sumCounters([read(one, 1_000), read(other, 1_000)]);
    expect(responseTimesBetween(before, after, 'last').get('a')).to.equal(50);
    expect(responseTimesBetween(before, after, 'mean').get('a')).to.equal(60);
  });
});
