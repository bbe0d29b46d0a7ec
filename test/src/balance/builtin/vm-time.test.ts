import { expect } from 'chai';
import { VmTime } from '../../../../src/balance/builtin/vm-time.ts';

describe('the time that a VM has a request', () => {
  it('is without that in which it waited for the client, and begins anew with another VM', () => {
    const time = new VmTime();
    time.begin(0);
    time.rest(10);
    expect(time.rests).to.equal(true);
    expect(time.took(25)).to.equal(10);
    time.goOn(40);
    expect(time.rests).to.equal(false);
    expect(time.took(50)).to.equal(20);
    time.begin(60);
    expect(time.took(65)).to.equal(5);
  });
});
