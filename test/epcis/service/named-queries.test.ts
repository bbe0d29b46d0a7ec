import { expect } from 'chai';
import { EpcisException, LimitReachedException } from '../../../epcis/domain/exceptions.ts';
import {
  createNamedQueryService,
  type NamedQuery,
  type NamedQueryService,
} from '../../../epcis/service/named-queries.ts';

function service(): NamedQueryService {
  const kept = new Map<string, NamedQuery>();
  const behind = (after: string): NamedQuery[] =>
    [...kept.values()].filter(({ name }) => name > after).sort((a, b) => (a.name < b.name ? -1 : 1));
  return createNamedQueryService({
    store: {
      create: async (query) => {
        if (kept.has(query.name)) return false;
        kept.set(query.name, { ...query, createdAt: '2026-01-01T00:00:00.000Z' });
        return true;
      },
      find: async (name) => kept.get(name),
      list: async (after, limit) => {
        const all = behind(after);
        return { queries: all.slice(0, limit), isMore: all.length > limit };
      },
      names: async (after, limit) =>
        behind(after)
          .slice(0, limit)
          .map(({ name }) => name),
      count: async (most) => Math.min(most, kept.size),
      delete: async (name) => kept.delete(name),
    },
    most: 3,
    checkParameters: (parameters) => {
      if (parameters.some(({ name }) => name === 'wrong')) {
        throw new EpcisException('QueryParameterException', 'no such parameter');
      }
    },
  });
}

const refusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: EpcisException) => error.name,
  );

describe('named queries', () => {
  const query = (name: string, parameter = 'eventType') => ({
    name,
    parameters: [{ name: parameter, values: ['ObjectEvent'] }],
    definition: '{}',
  });

  it('are found again by name, the predefined ones too', async () => {
    const queries = service();
    await queries.create(query('mine'));
    expect(await queries.get('mine')).to.deep.include({ ...query('mine'), kind: 'events' });
    expect(await queries.get('SimpleMasterDataQuery')).to.include({ kind: 'vocabularies' });
    expect(await refusal(queries.get('other'))).to.equal('NoSuchNameException');
  });

  it('are refused when the name or a parameter is no good', async () => {
    const queries = service();
    await queries.create(query('taken'));
    const outcomes = await Promise.all(
      [query('taken'), query('SimpleEventQuery'), query(''), query('a/b'), query('\ud800'), query('x'.repeat(256))]
        .concat(query('fine', 'wrong'))
        .map((each) => refusal(queries.create(each))),
    );
    expect(outcomes).to.deep.equal([
      ...['ResourceAlreadyExistsException', 'ResourceAlreadyExistsException'],
      ...['ValidationException', 'ValidationException', 'ValidationException', 'ValidationException'],
      'QueryParameterException',
    ]);
  });

  it('are no more than a client may have, until one is deleted', async () => {
    const queries = service();
    for (const name of ['a', 'b', 'c']) await queries.create(query(name));
    const refused: unknown = await queries.create(query('d')).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(LimitReachedException).and.have.property('message').that.includes('3 named');
    await queries.delete('b');
    await queries.create(query('d'));
    expect(await queries.get('d')).to.include({ name: 'd' });
  });

  it('are deleted, except the predefined ones', async () => {
    const queries = service();
    await queries.create(query('mine'));
    await queries.delete('mine');
    expect(await refusal(queries.delete('mine'))).to.equal('NoSuchNameException');
    expect(await refusal(queries.delete('SimpleEventQuery'))).to.equal('SecurityException');
  });

  for (const perPage of [1, 2, 3, 10]) {
    it(`are listed in pages of ${perPage}, each once`, async () => {
      const queries = service();
      for (const name of ['c', 'a', 'b']) await queries.create(query(name));
      const names: string[] = [];
      let after: string | undefined;
      do {
        const page = await queries.list({ perPage, ...(after !== undefined && { after }) });
        expect(page.queries.length).to.be.within(1, perPage);
        names.push(...page.queries.map(({ name }) => name));
        after = page.next;
      } while (after !== undefined);
      expect(names).to.deep.equal(['SimpleEventQuery', 'SimpleMasterDataQuery', 'a', 'b', 'c']);
      expect(await queries.names()).to.deep.equal(names);
    });
  }
});
