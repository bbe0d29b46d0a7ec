// Short forms of `npm run chaos:interruptions`: the whole system on an emulated EC2 whose spot market takes VMs away.
import { expect } from 'chai';
import { interrupted } from '../chaos/interruptions.ts';

describe('the whole system on an emulated EC2, some of whose VMs are taken away', function () {
  this.timeout(300_000);

  it('loses no request and no job, and does none twice, where notices are heard', async () => {
    const seen = await interrupted({ interruptions: 3, noticeMs: 12_000, silent: false, vms: 2 });
    expect(seen.interruptions).to.be.at.least(3);
    expect(seen).to.include({ lostQueries: 0, lostCaptures: 0, jobsLost: 0, jobsDoubled: 0 });
    expect(seen.requests).to.be.greaterThan(0);
    expect(seen.jobs).to.be.greaterThan(0);
  });

  it('loses only captures in flight where VMs just die', async () => {
    const seen = await interrupted({ interruptions: 1, noticeMs: 8_000, silent: true, vms: 2 });
    expect(seen).to.include({ lostQueries: 0, jobsLost: 0, jobsDoubled: 0 });
    expect(seen.lostCaptures, 'no more than there are clients that capture').to.be.at.most(2);
  });

  it('loses only what was in flight where all VMs were in one pool that goes without a word', async () => {
    const seen = await interrupted({ interruptions: 2, noticeMs: 8_000, silent: true, onePool: true, vms: 2 });
    expect(seen.interruptions, 'both at once').to.equal(2);
    expect(seen).to.include({ jobsLost: 0, jobsDoubled: 0 });
    expect(seen.lostCaptures, 'no more than there are clients that capture').to.be.at.most(2);
    expect(seen.lostQueries, 'nor than there are that ask').to.be.at.most(2);
    expect(seen.requests - seen.lostCaptures - seen.lostQueries, 'the others wait for a boot').to.be.greaterThan(0);
  });
});
