import { expect } from 'chai';
import { workerOffers } from '../../../src/packing/offers.ts';
import { onlyOffer } from '../../../src/act/provider.ts';
import { toyOffer } from '../../helpers/toy-market.ts';

describe('what workers are sold as', () => {
  const size = { cpu: 0.5, memoryBytes: 0 };

  it('is their part of a full node', () => {
    const large = { size: { name: 'large', vcpu: 2 } };
    const nodes = [toyOffer('a', 'on-demand', 2, large), toyOffer('a', 'interruptible', 0.4, large)];
    expect(workerOffers(nodes, size).map(({ id, price }) => [id, price])).to.deep.equal([
      ['worker', 0.5],
      ['worker/a', 0.1],
    ]);
  });

  it('is no price where nodes have none', () => {
    const node = { ...onlyOffer('machine'), size: { name: 'machine', vcpu: 2 } };
    expect(workerOffers([node], size).map(({ price }) => price)).to.deep.equal([1]);
  });
});
