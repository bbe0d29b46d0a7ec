// Whatever the rules and the events: what a client gets is what a naive filter over all events says, on both databases.
import { expect } from 'chai';
import fc from 'fast-check';
import { readRules } from '../../epcis/access/rules/read.ts';
import { restrict } from '../../epcis/access/rules/restrict.ts';
import { rightsOf } from '../../epcis/access/rules/rights.ts';
import { indexForRules } from '../../epcis/repository/access-rules.ts';
import type { Criterion } from '../../epcis/service/criteria.ts';
import type { EpcisEvent } from '../../epcis/domain/event.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import { gather } from '../../epcis/service/gather.ts';
import type { EventRepository } from '../../epcis/service/repository.ts';
import type { QueryService, StoredEvent } from '../../epcis/service/services.ts';
import { anyEvent, captured, itemsOf, masterDataItems, NAMES, PLACES } from '../helpers/epcis-samples.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { NAIVE, type NaiveParameter } from '../helpers/naive-query.ts';
import { runs } from '../helpers/runs.ts';

const EVENTS = 120;
const CLIENTS = 30;
const ME = { client: 'me', groups: ['us'], roles: ['query' as const] };

interface Asked {
  readonly naive: NaiveParameter;
  readonly values: readonly string[];
}

const asked = fc.constantFrom(...NAIVE).chain((naive) => naive.values.map((values): Asked => ({ naive, values })));
const filter = fc.uniqueArray(asked, { minLength: 1, maxLength: 2, selector: ({ naive }) => naive.name });
const holds = (conditions: readonly Asked[], event: EpcisEvent): boolean =>
  conditions.every(({ naive, values }) => naive.holds(event, values));

const HIDEABLE = [
  'sensorElementList',
  'ilmd',
  'bizLocation',
  'bizStep',
  ...['readPoint', 'disposition', 'persistentDisposition', 'sourceList', 'destinationList', 'certificationInfo'],
  'bizTransactionList',
  NAMES[0] ?? '',
  'http://a.example/ns#*',
];

const rule = fc.record({
  effect: fc.constantFrom('see', 'see', 'see', 'deny', 'hide', 'sees partly'),
  party: fc.constantFrom('client:me', 'group:us', 'everybody', 'client:other'),
  filter,
  isLong: fc.boolean(),
  hide: fc.uniqueArray(fc.constantFrom(...HIDEABLE), { minLength: 1, maxLength: 2 }),
});
type RandomRule = typeof rule extends fc.Arbitrary<infer R> ? R : never;
const world = fc.record({
  rules: fc.array(rule, { minLength: 0, maxLength: 6 }),
  everything: fc.boolean(),
  masterData: fc.boolean(),
  questions: fc.array(filter, { minLength: 2, maxLength: 4 }),
});
type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

function documentOf({ rules, everything, masterData }: World): unknown {
  return {
    rules: [
      ...(everything ? [{ name: 'all', for: 'everybody', see: 'everything' }] : []),
      ...(masterData ? [{ name: 'places', for: 'client:me', masterData: 'everything' }] : []),
      ...rules.map(({ effect, party, filter: conditions, hide, isLong }, n) => {
        const events = Object.fromEntries(
          conditions.map(({ naive: { name }, values }) => [
            name,
            values.length === 0 ? true : [...values, ...(isLong ? moreOf(name) : [])],
          ]),
        );
        const base = { name: `rule ${n}`, for: party };
        if (effect === 'hide') return { ...base, hide, where: events };
        return effect === 'sees partly' ? { ...base, see: events, hide } : { ...base, [effect]: events };
      }),
    ],
  };
}

/** So many values that are met by nothing that the database looks for them as a list. */
function moreOf(name: string): readonly string[] {
  const numbers = Array.from({ length: 12 }, (_, n) => 9000000 + n);
  if (/^MATCH_.*Class$/.test(name)) return numbers.map((n) => `urn:epc:idpat:lgtin:${n}.*.*`);
  if (name.startsWith('MATCH_'))
    return numbers.flatMap((n) =>
      ['sgtin', 'sscc', 'grai'].map((scheme) => `urn:epc:idpat:${scheme}:${n}.*${scheme === 'sscc' ? '' : '.*'}`),
    );
  const isList = /^(?:WD|EQ)_(?:bizStep|readPoint|bizLocation|bizTransaction|source|destination)/.test(name);
  return isList ? numbers.map((n) => `urn:x:nowhere:${n}`) : [];
}

// ---- the same once more, naively -----------------------------------------------------------------------------------

const mine = ({ party }: RandomRule): boolean => party !== 'client:other';

function isSeen({ rules, everything }: World, event: EpcisEvent): boolean {
  const own = rules.filter(mine).filter((each) => holds(each.filter, event));
  if (own.some(({ effect }) => effect === 'deny')) return false;
  return everything || own.some(({ effect }) => effect === 'see' || effect === 'sees partly');
}

const hiddenIn = ({ rules }: World, event: EpcisEvent): readonly string[] =>
  rules
    .filter(mine)
    .filter(
      ({ effect, filter: conditions }) => (effect === 'hide' || effect === 'sees partly') && holds(conditions, event),
    )
    .flatMap(({ hide }) => hide);

function without(event: EpcisEvent, hidden: readonly string[]): EpcisEvent {
  const extensions = hidden.filter((each) => each.includes('#'));
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((item) => !isHiddenField(item, extensions)).map(clean);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, each]): [string, unknown] => [name, clean(each)]);
    const emptied = (name: string, each: unknown): boolean =>
      (name === 'extensions' || name === 'ilmd') && Array.isArray(each) && each.length === 0;
    return Object.fromEntries(entries.filter(([name, each]) => !emptied(name, each)));
  };
  const parts = Object.entries(event).filter(([name]) => !hidden.includes(name));
  return clean(Object.fromEntries(parts)) as EpcisEvent;
}

function isHiddenField(item: unknown, hidden: readonly string[]): boolean {
  if (typeof item !== 'object' || item === null || !('namespace' in item) || !('name' in item)) return false;
  const [namespace, name] = [String(item.namespace), String(item.name)];
  return hidden.includes(`${namespace}#${name}`) || hidden.includes(`${namespace}#*`);
}

/** What is inside of something may be inside of what is hidden: it is not found then, as README says. */
function answers({ naive, values }: Asked, event: EpcisEvent, hidden: readonly string[], masterData: boolean): boolean {
  if (naive.name.includes('INNER_') && hidden.some((each) => each.includes('#'))) return false;
  if (!masterData && /^(?:HASATTR|EQATTR)_/.test(naive.name)) return false;
  const shown = without(event, hidden);
  if (!masterData && naive.name.startsWith('WD_')) {
    const place = naive.name === 'WD_readPoint' ? shown.readPoint : shown.bizLocation;
    return place !== undefined && values.includes(place.id);
  }
  return naive.holds(shown, values);
}

const plain = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

for (const [kind, freshUrl] of KINDS) {
  describe(`rights on ${kind}`, function () {
    this.timeout(process.env.PROPERTY_RUNS === undefined ? 120_000 : 0);
    let database: Database;
    let repository: EventRepository;
    const events = fc.sample(anyEvent, { numRuns: EVENTS, seed: 21 });
    const stored = [
      ...new Map(
        events.map((event) => [JSON.stringify([captured(event).hash, event.eventID, event.errorDeclaration]), event]),
      ).values(),
    ];

    before(async () => {
      database = await openDatabase({ url: await freshUrl() });
      await migrate(database);
      repository = createEventRepository(database, { now: () => Date.UTC(2024, 5, 1) });
      const capture = createCaptureService(repository);
      await capture.capture(masterDataItems(), { errorBehaviour: 'rollback' });
      await capture.capture(itemsOf(events), { errorBehaviour: 'rollback' });
      const texts = moreOf('EQ_source_x').map((value): Criterion => ({ kind: 'text', name: 'x', values: [value] }));
      await indexForRules(database, [[texts, [{ kind: 'epc', roles: 1, patterns: [] }]]]);
    });
    after(() => database.close());

    /** EPC → the events that have it, as the service says without any rule. */
    const eventsWith = new Map<string, readonly string[]>();
    before(async () => {
      const everything = createQueryService(repository);
      for (const epc of (await everything.values('epcs', { perPage: 1000 })).values) {
        const found = await gather(await everything.events([{ name: 'MATCH_anyEPC', values: [epc] }]));
        eventsWith.set(
          epc,
          found.map(({ event }) => plain(event)),
        );
      }
    });

    const queryOf = (document: unknown): QueryService => {
      const rules = readRules(document);
      return createQueryService(restrict(repository, () => rightsOf(rules, ME, Date.UTC(2024, 5, 2))));
    };

    it('give what a naive filter over all events gives: events, pages, counts, fields, values', async () => {
      const seen = { nothing: 0, some: 0, all: 0, partly: 0, found: 0 };
      await fc.assert(
        fc.asyncProperty(world, async (drawn) => {
          const query = queryOf(documentOf(drawn));
          const visible = stored
            .filter((event) => isSeen(drawn, event))
            .map((event) => ({ event, hidden: hiddenIn(drawn, event) }));
          seen[visible.length === 0 ? 'nothing' : visible.length === stored.length ? 'all' : 'some'] += 1;
          if (visible.some(({ hidden }) => hidden.length > 0)) seen.partly += 1;
          for (const question of [[], ...drawn.questions]) {
            const expected = visible.filter(({ event, hidden }) =>
              question.every((each) => answers(each, event, hidden, drawn.masterData)),
            );
            const texts = expected.map(({ event, hidden }) => plain(without(event, hidden))).sort();
            const parameters = question.map(({ naive: { name }, values }) => ({ name, values }));
            const found = await gather(await query.events(parameters));
            const about = JSON.stringify([documentOf(drawn), parameters]);
            expect(found.map(({ event }) => plain(event)).sort(), about).to.deep.equal(texts);
            expect(await pages(query, parameters), about).to.deep.equal(found.length);
            expect(await tooMany(query, parameters, texts.length), about).to.equal(false);
            if (texts.length > 1) expect(await tooMany(query, parameters, texts.length - 1), about).to.equal(true);
            if (question.length > 0) seen.found += texts.length > 0 ? 1 : 0;
          }
          const shown = visible.map(({ event, hidden }) => without(event, hidden));
          const values = async (of: 'bizLocations' | 'readPoints' | 'epcs') =>
            (await query.values(of, { perPage: 1000 })).values;
          expect(await values('bizLocations')).to.deep.equal(placesOf(shown.map(({ bizLocation }) => bizLocation?.id)));
          expect(await values('readPoints')).to.deep.equal(placesOf(shown.map(({ readPoint }) => readPoint?.id)));
          const own = new Set(visible.map(({ event }) => plain(event)));
          const epcs = [...eventsWith].filter(([, having]) => having.some((each) => own.has(each)));
          expect((await values('epcs')).length).to.equal(epcs.length);
        }),
        runs(CLIENTS, 5),
      );
      // the worlds tell something
      for (const [what, times] of Object.entries(seen)) expect(times, what).to.be.greaterThan(2);
    });

    const placesOf = (places: readonly (string | undefined)[]): string[] =>
      PLACES.filter((place) => places.includes(place)).sort();

    async function pages(query: QueryService, parameters: Parameters<QueryService['events']>[0]): Promise<number> {
      const met = new Set<StoredEvent>();
      for (let after: string | undefined, last = false; !last;) {
        const page = await query.eventPage(parameters, { perPage: 40, ...(after !== undefined && { after }) });
        for await (const event of page.events) met.add(event);
        after = page.next();
        last = after === undefined;
      }
      return met.size;
    }

    const tooMany = (
      query: QueryService,
      parameters: Parameters<QueryService['events']>[0],
      most: number,
    ): Promise<boolean> =>
      query.events([...parameters, { name: 'maxEventCount', values: [String(Math.max(1, most))] }]).then(
        () => false,
        () => true,
      );
  });
}
