// In which order a run of a subscription asks for its events, and how many may be ordered in memory.
import { expect } from 'chai';
import { EpcisException } from '../../../epcis/domain/exceptions.ts';
import type { EventQuery } from '../../../epcis/service/criteria.ts';
import { createQueryService } from '../../../epcis/service/query.ts';
import type { EventRepository, EventRow } from '../../../epcis/service/repository.ts';
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

describe('an order by an extension field', () => {
  it('is refused beyond so many events, of which no more are read', async () => {
    let read = 0;
    const endless: Partial<EventRepository> = {
      async *events({ limit = Infinity }) {
        for (; read < limit; read++) yield { event: { extensions: [] } } as unknown as EventRow;
      },
    };
    const service = createQueryService(endless as EventRepository, { maxSorted: 20 });
    const parameters = [{ name: 'orderBy', values: ['http://a.example/#weight'] }];
    for (const ask of [() => service.events(parameters), () => service.eventPage(parameters, { perPage: 5 })]) {
      read = 0;
      const refused: unknown = await ask().catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(EpcisException).with.property('name', 'QueryTooComplexException');
      expect(read).to.equal(21);
    }
  });

  it('goes on behind the event that was given last, whatever is captured or pruned before it from page to page', async () => {
    const row = (id: number, weight: number) =>
      ({
        hash: String(id),
        event: { extensions: [{ namespace: 'http://a.example/', name: 'weight', value: String(weight) }] },
        position: { time: id, id: String(id) },
      }) as unknown as EventRow;
    let rows = [row(1, 30), row(2, 20), row(3, 20), row(4, 10)];
    const repository: Partial<EventRepository> = {
      events: async function* () {
        yield* rows;
      },
    };
    const service = createQueryService(repository as EventRepository);
    const ask = async (after?: string, more: readonly QueryParameter[] = []) => {
      const parameters = [{ name: 'orderBy', values: ['http://a.example/weight'] }, ...more];
      const page = await service.eventPage(parameters, { perPage: 2, ...(after !== undefined && { after }) });
      const hashes: string[] = [];
      for await (const { hash } of page.events) hashes.push(hash);
      return { hashes, next: page.next() };
    };
    const limit = [{ name: 'eventCountLimit', values: ['3'] }];
    const most = [{ name: 'maxEventCount', values: ['4'] }];
    for (const more of [[], limit, most]) expect((await ask(undefined, more)).hashes).to.deep.equal(['1', '2']);
    const next = (await ask()).next;
    rows = [row(5, 40), ...rows, row(6, 5)];
    expect(await ask(next)).to.deep.include({ hashes: ['3', '4'] });
    expect((await ask((await ask(next)).next)).hashes).to.deep.equal(['6']);
    expect(await ask(next, limit)).to.deep.equal({ hashes: ['3'], next: undefined });
    expect((await ask(next, most)).hashes).to.deep.equal(['3', '4']);
    // the last one given is gone: as many on as were given
    rows = rows.filter(({ hash }) => hash !== '2');
    expect((await ask(next)).hashes).to.deep.equal(['3', '4']);
  });
});

describe('a page', () => {
  const MB = 1024 * 1024;

  /** The pages that are given of events of these sizes, from the first to the last. */
  async function pagesOf(sizes: readonly number[], parameters: readonly QueryParameter[] = []): Promise<number[][]> {
    const events: Partial<EventRepository> = {
      async *events({ after, limit = Infinity }) {
        const from = after === undefined ? 0 : Number(after.id) + 1;
        for (const [i, size] of sizes.slice(from, from + limit).entries())
          yield {
            size,
            event: { extensions: [] },
            position: { time: from + i, id: String(from + i) },
          } as unknown as EventRow;
      },
    };
    const service = createQueryService(events as EventRepository);
    const pages: number[][] = [];
    let after: string | undefined;
    do {
      const page = await service.eventPage(parameters, { perPage: 4, ...(after !== undefined && { after }) });
      const ids: number[] = [];
      for await (const event of page.events) ids.push(Number((event as EventRow).position.id));
      pages.push(ids);
      after = page.next();
    } while (after !== undefined);
    return pages;
  }

  it('ends with the event that makes it large, in every order, and the next one begins behind it', async () => {
    for (const parameters of [[], [{ name: 'orderBy', values: ['http://a.example/#weight'] }]]) {
      expect(await pagesOf([1, 1, 1, 1, 1], parameters)).to.deep.equal([[0, 1, 2, 3], [4]]);
      expect(await pagesOf([1, 8 * MB, 1, 8 * MB, 8 * MB], parameters)).to.deep.equal([[0, 1], [2, 3], [4]]);
      expect(await pagesOf([4 * MB, 4 * MB, 7 * MB], parameters)).to.deep.equal([[0, 1], [2]]);
    }
    const limit = [
      { name: 'eventCountLimit', values: ['2'] },
      { name: 'orderBy', values: ['eventTime'] },
    ];
    expect(await pagesOf([8 * MB, 8 * MB, 8 * MB], limit)).to.deep.equal([[0], [1]]);
  });
});
