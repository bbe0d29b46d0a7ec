// In which order a run of a subscription asks for its events.
import { expect } from 'chai';
import type { EventQuery } from '../../../epcis/service/criteria.ts';
import { createQueryService } from '../../../epcis/service/query.ts';
import type { EventRepository } from '../../../epcis/service/repository.ts';
import type { QueryParameter } from '../../../epcis/service/services.ts';

async function askedFor(after?: string, parameters: readonly QueryParameter[] = []): Promise<EventQuery | undefined> {
  let asked: EventQuery | undefined;
  const repository: Partial<EventRepository> = {
    async *events(query) {
      asked = query;
    },
  };
  const service = createQueryService(repository as EventRepository);
  const page = { perPage: 3, ...(after !== undefined && { after }) };
  const { events } = await service.page(parameters, { after: 4, upTo: 9 }, page);
  for await (const event of events) expect.fail(`no event was to come, ${event.hash} did`);
  return asked;
}

describe('the order of a run', () => {
  const window = { kind: 'feed', after: 4, upTo: 9 };

  it('is that of the feed, from page to page', async () => {
    expect(await askedFor()).to.deep.include({ criteria: [window], order: { by: 'feed', direction: 'ASC' } });
    const next = await askedFor('f7.1042.3');
    expect(next).to.deep.include({ order: { by: 'feed', direction: 'ASC' }, after: { time: 7, id: '1042' } });
  });

  it('stays by record time where an earlier version began so', async () => {
    const next = await askedFor('1790000000000000.1042.3');
    expect(next?.order).to.deep.equal({ by: 'recordTime', direction: 'ASC' });
  });

  it('is the one the client asks for', async () => {
    const asked = await askedFor(undefined, [{ name: 'orderBy', values: ['eventTime'] }]);
    expect(asked?.order).to.deep.equal({ by: 'eventTime', direction: 'DESC' });
  });
});
