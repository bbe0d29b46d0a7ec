// VMs as processes that are killed over their work, on both databases. The bench of the same name repeats this ten times.
import { expect } from 'chai';
import { KINDS } from '../helpers/fresh-repository.ts';
import { dieOverAJob, JOBS } from '../helpers/work-faults.ts';
import { dieOverARun } from '../helpers/work-faults-runs.ts';

for (const [kind, freshUrl] of KINDS) {
  describe(`a VM that dies over a capture job, on ${kind}`, function () {
    this.timeout(240_000);

    for (const [fault, what, behaviour] of [
      ['before', 'before the work', 'rollback'],
      ['middle', 'in the middle, all or nothing', 'rollback'],
      ['middle', 'in the middle, with part of it committed', 'proceed'],
      ['after', 'after the commit, before the acknowledgement', 'rollback'],
    ] as const) {
      it(`${what}: no event is lost and none is there twice`, async () => {
        const { submitted, ...counts } = await dieOverAJob(await freshUrl(), fault, behaviour);
        const { takenOver } = counts;
        expect(counts).to.deep.equal({ stored: submitted, lost: 0, twice: 0, succeeded: JOBS, takenOver });
        expect(takenOver).to.be.at.least(1);
      });
    }
  });

  describe(`a VM that dies over a subscription's run, on ${kind}`, function () {
    this.timeout(120_000);

    for (const [when, page, isAnswered] of [
      ['before the receiver answers the first page', 1, false],
      ['in the middle, before the second page is answered', 2, false],
      ['right after the receiver accepted a page', 2, true],
    ] as const) {
      it(`${when}: another goes on, nothing is lost or twice`, async () => {
        const { repeatedPages, ...counts } = await dieOverARun(await freshUrl(), { page, isAnswered });
        expect(counts).to.deep.equal({ captured: 8, lost: 0, twice: 0, isInOrder: true });
        // only a page whose 2xx nobody lived to store can come again
        expect(repeatedPages).to.be.at.most(isAnswered ? 1 : 0);
      });
    }
  });
}
