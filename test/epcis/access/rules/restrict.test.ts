import { expect } from 'chai';
import { restrict } from '../../../../epcis/access/rules/restrict.ts';
import type { Rights } from '../../../../epcis/access/rules/rights.ts';
import type { EventRepository, EventRow } from '../../../../epcis/service/repository.ts';

const SOME: Rights = { see: [{ kind: 'eventID', values: ['a'] }], hidden: [], masterData: [], capture: [] };
const ALL: Rights = { ...SOME, see: [] };
const BY_TIME = { criteria: [], order: { by: 'eventTime', direction: 'DESC' } } as const;

/** With so many events; how often a client with these rights was kept waiting for nothing. */
async function waits(rights: Rights, events: number): Promise<number> {
  let waited = 0;
  const repository: EventRepository = {
    write: () => Promise.reject(new Error('nobody writes')),
    async *events() {
      for (let n = 0; n < events; n++) yield { marks: [] as readonly boolean[] } as EventRow;
    },
    count: async () => events,
    async *vocabulary() {},
    values: async () => ({ values: Array.from({ length: events }, String) }),
  };
  const seen = restrict(
    repository,
    () => rights,
    () => async () => void waited++,
  );
  for await (const row of seen.events(BY_TIME)) void row;
  await seen.count(BY_TIME, 1);
  await seen.values('epc', 1, undefined);
  return waited;
}

describe('the repository as a client has it', () => {
  it('takes its time where there is nothing for a client that does not see all', async () => {
    expect(await waits(SOME, 0)).to.equal(3);
    expect(await waits(SOME, 2)).to.equal(0);
    expect(await waits(ALL, 0)).to.equal(0);
  });
});
