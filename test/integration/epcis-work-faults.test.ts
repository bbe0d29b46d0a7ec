// VMs as processes that are killed over their work, on both databases at the same time. test/bench/work-faults.ts repeats
// this ten times.
import { expect } from 'chai';
import { KINDS } from '../helpers/fresh-repository.ts';
import { dieOverAJob, JOBS } from '../helpers/work-faults.ts';
import { dieOverARun } from '../helpers/work-faults-runs.ts';

/** Each fault mostly waits for a lease to run out: so one wait for both. */
async function onBoth<T>(run: (url: string) => Promise<T>): Promise<readonly (readonly [kind: string, counts: T])[]> {
  return Promise.all(KINDS.map(async ([kind, freshUrl]) => [kind, await run(await freshUrl())] as const));
}

describe('a VM that dies over a capture job', function () {
  this.timeout(240_000);

  for (const [fault, what, behaviour] of [
    ['before', 'before the work', 'rollback'],
    ['middle', 'in the middle, all or nothing', 'rollback'],
    ['middle', 'in the middle, with part of it committed', 'proceed'],
    ['middle', 'in the middle of a part, which others capture beside it', 'proceed in parts'],
    ['after', 'after the commit, before the acknowledgement', 'rollback'],
  ] as const) {
    it(`${what}: no event is lost and none is there twice`, async () => {
      for (const [kind, counts] of await onBoth((url) => dieOverAJob(url, fault, behaviour))) {
        const { submitted, takenOver, ...rest } = counts;
        expect(rest, kind).to.deep.equal({
          stored: submitted,
          lost: 0,
          twice: 0,
          succeeded: behaviour === 'proceed in parts' ? 1 : JOBS,
        });
        expect(takenOver, kind).to.be.at.least(1);
      }
    });
  }
});

describe("a VM that dies over a subscription's run", function () {
  this.timeout(240_000);

  for (const [when, page, isAnswered] of [
    ['before the receiver answers the first page', 1, false],
    ['in the middle, before the second page is answered', 2, false],
    ['right after the receiver accepted a page', 2, true],
  ] as const) {
    it(`${when}: another goes on, nothing is lost or twice`, async () => {
      for (const [kind, counts] of await onBoth((url) => dieOverARun(url, { page, isAnswered }))) {
        const { repeatedPages, ...rest } = counts;
        expect(rest, kind).to.deep.equal({ captured: 8, lost: 0, twice: 0, isInOrder: true });
        // a page whose 2xx nobody stored in time comes again, under its key
        expect(repeatedPages, kind).to.be.at.most(1);
      }
    });
  }
});
