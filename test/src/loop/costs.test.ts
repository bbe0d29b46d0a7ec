import { expect } from 'chai';
import {
  costSentence,
  noticeSentences,
  purchaseSentence,
  reliefSentences,
  type Bill,
} from '../../../src/loop/costs.ts';
import type { Vm } from '../../../src/model.ts';
import { toyOffer } from '../../helpers/toy-market.ts';
import { vm } from '../admin/scripted-source.ts';

const BILL: Bill = { rate: 0.41, cost: 3.2, saved: 11, prices: { 'vm-9': 0.12 }, isPriced: true };
const FLEET: readonly Vm[] = [
  { ...vm('vm-7', 'ready'), interruptAt: 90_000 },
  { ...vm('vm-9', 'pending'), inPlaceOf: 'vm-7' },
  { ...vm('vm-10', 'pending'), relieves: 'vm-9' },
];

describe('costs in words', () => {
  it('say what the fleet costs, and which part of it is for the time being', () => {
    expect(costSentence('hold', FLEET, BILL)).to.equal(
      'Holding costs 0.41 an hour, of which 0.12 is the stand-in for vm-7. It has cost 3.2 so far, and saved 11.',
    );
    expect(costSentence('allocate', [], { ...BILL, saved: 0 })).to.equal(
      'The fleet costs 0.41 an hour. It has cost 3.2 so far.',
    );
    expect(costSentence('hold', FLEET, { ...BILL, isPriced: false })).to.equal('');
  });

  it('say who will be taken, and what is done about it', () => {
    expect(noticeSentences(FLEET, 30_000)).to.deep.equal([
      'vm-7 will be taken in 60 s; vm-9 stands in for it (pending), until vm-10 serves (pending).',
    ]);
    expect(noticeSentences([{ ...vm('vm-7', 'draining'), interruptAt: 90_000 }], 0)).to.deep.equal([]);
  });

  it('say who takes the place of whom, at which prices, and nothing of the successor of a stand-in', () => {
    const cheap = { ...vm('vm-2', 'pending'), relieves: 'vm-1', offer: toyOffer('b', 'interruptible', 0.009) };
    const dear = { ...vm('vm-1', 'ready'), offer: toyOffer('a', 'interruptible', 0.01) };
    expect(reliefSentences([...FLEET, dear, cheap], { ...BILL, prices: { 'vm-1': 0.03 } })).to.deep.equal([
      'vm-2 (b/interruptible at 0.009 an hour) takes the place of vm-1 (a/interruptible at 0.03 an hour) when it serves.',
    ]);
  });

  it('say what is bought, and why of that kind', () => {
    const cheap = { offer: toyOffer('a', 'interruptible', 0.009), why: '2 of 3 VMs are to be interruptible.' };
    const dear = { offer: toyOffer('a', 'on-demand', 0.067), why: 'No pool has an interruptible VM to be had.' };
    expect(purchaseSentence([cheap, cheap, dear])).to.equal(
      'It buys 2 × a/interruptible at 0.009 an hour, 1 × a/on-demand at 0.067 an hour. No pool has an interruptible VM to be had.',
    );
  });
});
