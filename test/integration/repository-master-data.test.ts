// Master data on both databases: SimpleMasterDataQuery, and what is said about an element at different times.
import { expect } from 'chai';
import { readRules } from '../../epcis/access/rules/read.ts';
import { restrict } from '../../epcis/access/rules/restrict.ts';
import { rightsOf } from '../../epcis/access/rules/rights.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import type { EventRepository } from '../../epcis/service/repository.ts';
import { gather } from '../../epcis/service/gather.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import type { CaptureService, QueryParameter, QueryService } from '../../epcis/service/services.ts';
import { itemsOf, masterDataItems, MASTER_DATA, PLACES } from '../helpers/epcis-samples.ts';
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
    let repository: EventRepository;

    before(async () => {
      database = await openDatabase({ url: await freshUrl() });
      await migrate(database);
      repository = createEventRepository(database, { now: () => Date.UTC(2024, 5, 1) });
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

    it('goes by the attributes of the element itself, not of another vocabulary’s of the same name', async () => {
      const id = 'urn:epc:id:sgln:0614141.00009.0';
      const of = (vocabulary: string, attributes: readonly string[]) => ({
        vocabulary: `urn:epcglobal:epcis:vtype:${vocabulary}`,
        id,
        attributes: attributes.map((name) => ({ id: `urn:x:twin#${name}`, value: 'Braga' })),
        children: [],
      });
      await capture.capture(
        (async function* () {
          for (const element of [of('BusinessLocation', ['city']), of('ReadPoint', ['gate'])])
            yield { kind: 'vocabulary' as const, element, at: '' };
        })(),
        { errorBehaviour: 'rollback' },
      );
      const found = async (by: Record<string, string>): Promise<string[]> => {
        const asked = given({ includeAttributes: 'false', includeChildren: 'false', EQ_name: id, ...by });
        return (await gather(await query.vocabularies(asked))).map(({ vocabulary }) => vocabulary.replace(/^.*:/, ''));
      };
      expect(await found({ HASATTR: 'urn:x:twin#city' })).to.deep.equal(['BusinessLocation']);
      expect(await found({ 'EQATTR_urn:x:twin#gate': 'Braga' })).to.deep.equal(['ReadPoint']);
      expect(await found({ HASATTR: 'urn:x:twin#city', 'EQATTR_urn:x:twin#gate': 'Braga' })).to.deep.equal([]);
    });

    it('tells a client nothing by an element of the same name that it may not see', async () => {
      const id = 'urn:x:twin:2';
      const item = async function* () {
        for (const vocabulary of ['BusinessLocation', 'ReadPoint'])
          yield {
            kind: 'vocabulary' as const,
            element: {
              vocabulary: `urn:epcglobal:epcis:vtype:${vocabulary}`,
              id,
              attributes: [{ id: `urn:x:of${vocabulary}`, value: 'secret' }],
              children: [],
            },
            at: '',
          };
        yield* itemsOf([
          {
            type: 'ObjectEvent',
            eventTime: '2024-01-01T00:00:00Z',
            eventTimeZoneOffset: '+00:00',
            readPoint: { id },
          },
        ]);
      };
      await capture.capture(item(), { errorBehaviour: 'rollback' });
      const rules = readRules({
        rules: [
          { name: 'events', for: 'everybody', see: 'everything' },
          {
            name: 'gates',
            for: 'everybody',
            masterData: { vocabularyName: ['urn:epcglobal:epcis:vtype:ReadPoint'] },
          },
        ],
      });
      const me = { client: 'me', groups: [], roles: ['query' as const] };
      const mine = createQueryService(restrict(repository, () => rightsOf(rules, me, Date.UTC(2024, 5, 2))));
      const found = async (parameters: Record<string, string>): Promise<number> =>
        (await gather(await mine.events(given(parameters)))).length;
      expect(await found({ HASATTR_readPoint: 'urn:x:ofReadPoint' })).to.equal(1);
      expect(await found({ HASATTR_readPoint: 'urn:x:ofBusinessLocation' })).to.equal(0);
      expect(await found({ 'EQATTR_readPoint_urn:x:ofBusinessLocation': 'secret' })).to.equal(0);
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
