// Master data on both databases: SimpleMasterDataQuery, and what is said about an element at different times.
import { expect } from 'chai';
import type { Database } from '../../epcis/repository/database/database.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { gather } from '../../epcis/service/gather.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import type { CaptureService, QueryParameter, QueryService } from '../../epcis/service/services.ts';
import { masterDataItems, MASTER_DATA, PLACES } from '../helpers/epcis-samples.ts';
import { KINDS } from '../helpers/fresh-repository.ts';

const given = (parameters: Readonly<Record<string, string>>): readonly QueryParameter[] =>
  Object.entries(parameters).map(([name, value]) => ({ name, values: [value] }));

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

for (const [kind, freshUrl] of KINDS) {
  describe(`master data on ${kind}`, function () {
    this.timeout(60_000);
    let database: Database;
    let capture: CaptureService;
    let query: QueryService;

    before(async () => {
      database = await openDatabase({ url: await freshUrl() });
      await migrate(database);
      const repository = createEventRepository(database, { now: () => Date.UTC(2024, 5, 1) });
      capture = createCaptureService(repository);
      query = createQueryService(repository);
      await capture.capture(masterDataItems(), { errorBehaviour: 'rollback' });
    });
    after(() => database.close());

    it('answers SimpleMasterDataQuery', async () => {
      const all = { includeAttributes: 'true', includeChildren: 'true' };
      const names = async (parameters: Record<string, string>): Promise<string[]> =>
        (await gather(await query.vocabularies(given({ ...all, ...parameters })))).map(({ id }) => id).sort();
      expect(await gather(await query.vocabularies(given(all)))).to.have.deep.members([...MASTER_DATA]);
      expect(await names({ WD_name: 'urn:x:region:2' })).to.have.length(4);
      expect(await names({ EQ_name: PLACES[0] ?? '' })).to.deep.equal([PLACES[0]]);
      expect(await names({ HASATTR: 'urn:x:mda#kind' })).to.deep.equal(['urn:x:region:1', 'urn:x:region:2']);
      expect(await names({ 'EQATTR_urn:x:mda#city': 'Porto' })).to.deep.equal([PLACES[0]]);
      expect(await names({ vocabularyName: 'urn:x:none' })).to.deep.equal([]);
      const bare = await gather(
        await query.vocabularies(given({ includeAttributes: 'false', includeChildren: 'false' })),
      );
      expect(bare.every(({ attributes, children }) => attributes.length + children.length === 0)).to.equal(true);
      expect(await failureOf(names({ maxElementCount: '3' }))).to.have.property('name', 'QueryTooLargeException');
      expect(await failureOf(query.vocabularies([]))).to.have.property('name', 'QueryParameterException');
    });

    it('merges what is said about an element later', async () => {
      const said = (id: string, value: string, children: readonly string[]) => ({
        vocabulary: 'urn:x:merge',
        id: 'urn:x:m',
        attributes: [{ id, value }],
        children,
      });
      for (const element of [
        said('urn:x:a', '1', ['urn:x:c1']),
        said('urn:x:b', '2', ['urn:x:c2']),
        said('urn:x:a', '3', []),
      ])
        await capture.capture(
          (async function* () {
            yield { kind: 'vocabulary' as const, element, at: '' };
          })(),
          { errorBehaviour: 'rollback' },
        );
      const [element] = await gather(
        await query.vocabularies(given({ includeAttributes: 'true', includeChildren: 'true', EQ_name: 'urn:x:m' })),
      );
      expect(element?.attributes).to.deep.equal([
        { id: 'urn:x:b', value: '2' },
        { id: 'urn:x:a', value: '3' },
      ]);
      expect(element?.children).to.deep.equal(['urn:x:c1', 'urn:x:c2']);
    });
  });
}
