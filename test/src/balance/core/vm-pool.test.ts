import { expect } from 'chai';
import { GATEWAY_DEFAULTS } from '../../../../src/balance/core/options.ts';
import { RetryBudget } from '../../../../src/balance/core/retry-budget.ts';
import { canTake, peakAverage, VmPool } from '../../../../src/balance/core/vm-pool.ts';

const ADDRESS = { host: 'vm', port: 80 };

describe('VM pool', () => {
  const pool = () => new VmPool<null>({ ...GATEWAY_DEFAULTS.health, errorsAtLeast: 4, errorShare: 0.5 });

  it('has one predicate: a VM takes a request when it is well, not draining, and has room', () => {
    const vms = pool();
    const vm = vms.add('a', ADDRESS, null, 2, 0);
    expect(canTake(vm)).to.equal(true);
    vm.inFlight = 2;
    expect(canTake(vm)).to.equal(false);
    vm.inFlight = 1;
    vms.takeOut(vm, 'refused', 10);
    expect(canTake(vm)).to.equal(false);
    vms.takeBack(vm, 20);
    expect(canTake(vm)).to.equal(true);
    vm.draining = true;
    expect(canTake(vm)).to.equal(false);
    expect(vms.candidates()).to.deep.equal([]);
  });

  it('takes a VM out by its share of errors within the window', () => {
    const vms = pool();
    const vm = vms.add('a', ADDRESS, null, 9, 0);
    vms.add('b', ADDRESS, null, 9, 0);
    for (let i = 0; i < 3; i++) expect(vms.answered(vm, 5, true, 100)).to.equal(false);
    // three errors of the old window don't count in the new one
    for (let i = 0; i < 4; i++) expect(vms.answered(vm, 5, false, 20_000)).to.equal(false);
    for (let i = 0; i < 3; i++) expect(vms.answered(vm, 5, true, 20_001)).to.equal(false);
    expect(vms.answered(vm, 5, true, 20_002)).to.equal(true);
    expect(vm.out).to.equal('4 of its last 8 answers were errors');
  });

  it('gives a VM that came a tenth of its share, then more', () => {
    const vms = pool();
    const vm = vms.add('a', ADDRESS, null, 9, 1_000);
    expect([1_000, 3_500, 6_000].map((now) => vms.shareOf(vm, now))).to.deep.equal([0.1, 0.5, 1]);
  });

  it('averages with peaks first: 100 ms, then 20 ms after 10 s is 49.4 ms', () => {
    expect(peakAverage(100, 20, 10_000)).to.be.closeTo(49.43, 0.01);
    expect(peakAverage(20, 100, 1)).to.equal(100);
  });

  it('takes one slow answer for that of a heavy request, two for a slow VM, and an upload for neither', () => {
    const vms = pool();
    const vm = vms.add('a', ADDRESS, null, 9, 0);
    const peakAfter = (ms: number | undefined) => (vms.answered(vm, ms, false, 0), vm.peak);
    expect([5, 3_000, 5, undefined, 2_000, 3_000].map(peakAfter)).to.deep.equal([5, 5, 5, 5, 5, 2_000]);
  });
});

describe('retry budget', () => {
  it('spends what there is and earns by requests', () => {
    const budget = new RetryBudget(2, 0.5);
    expect([budget.spend(), budget.spend(), budget.spend()]).to.deep.equal([true, true, false]);
    budget.earn();
    expect(budget.spend()).to.equal(false);
    budget.earn();
    expect(budget.spend()).to.equal(true);
  });
});
