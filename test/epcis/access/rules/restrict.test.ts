import { expect } from 'chai';
import { restrict } from '../../../../epcis/access/rules/restrict.ts';
import type { Rights } from '../../../../epcis/access/rules/rights.ts';
import { gather } from '../../../../epcis/service/gather.ts';
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

  it('gives an element those children that the client may see, however they are spelt', async () => {
    const element = (id: string, children: readonly string[] = []) => ({
      vocabulary: 'urn:v',
      id,
      attributes: [],
      children,
    });
    const [dock, gate] = ['urn:epc:id:sgln:9521141.00001.0', 'urn:x:gate'];
    const parent = element('urn:x:site', ['https://example.com/414/9521141000014', gate, 'urn:x:hidden']);
    const repository: Pick<EventRepository, 'vocabulary'> = {
      // as a repository does it: one spelling finds the other
      async *vocabulary({ names }) {
        yield* names === undefined ? [parent] : [element(dock), element(gate)];
      },
    };
    const rights = { ...SOME, masterData: [{ names: [parent.id, dock, gate] }] };
    const [found] = await gather(restrict(repository as EventRepository, () => rights).vocabulary({}));
    expect(found?.children).to.deep.equal(parent.children.slice(0, 2));
  });
});
