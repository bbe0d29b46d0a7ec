import { expect } from 'chai';
import { Energy } from '../../../src/loop/energy.ts';

describe('energy', () => {
  it('of 1 min with 1 VM, 2 min with 2 and 3 min with 1 is 8', () => {
    const energy = new Energy();
    energy.allocated(1, 0);
    energy.allocated(2, 60_000);
    energy.allocated(1, 180_000);
    expect(energy.upTo(360_000)).to.equal(8);
  });

  it('is 0 before anything was allocated', () => {
    expect(new Energy().upTo(1e9)).to.equal(0);
  });
});
