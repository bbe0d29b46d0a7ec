// VMs as processes that are killed over their work, on both databases. The bench of the same name repeats this ten times.
import { expect } from 'chai';
import { KINDS } from '../helpers/fresh-repository.ts';
import { dieOverAJob, JOBS } from '../helpers/work-faults.ts';

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
}
