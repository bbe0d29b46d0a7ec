// What every repository does, on both databases: answers agree with a naive evaluation of every parameter, whatever the
// events; nothing is captured twice, changed or lost; pages, orders and limits.
import { expect } from 'chai';
import fc from 'fast-check';
import type { EpcisEvent } from '../../epcis/domain/event.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { createEventRepository, repositorySecret } from '../../epcis/repository/event-repository.ts';
import { check } from '../../epcis/repository/check.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { gather } from '../../epcis/service/gather.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import type { CaptureService, QueryParameter, QueryService, StoredEvent } from '../../epcis/service/services.ts';
import { anyEvent, captured, EPCS, itemsOf, masterDataItems, PLACES } from '../helpers/epcis-samples.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { NAIVE } from '../helpers/naive-query.ts';
import { runs } from '../helpers/runs.ts';

const EVENTS = 250;
const QUESTIONS = 500;

const given = (parameters: Readonly<Record<string, string | readonly string[]>>): readonly QueryParameter[] =>
  Object.entries(parameters).map(([name, value]) => ({ name, values: typeof value === 'string' ? [value] : value }));

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const textsOf = (events: readonly StoredEvent[]): string[] => events.map(({ source }) => source.text);

for (const [kind, freshUrl] of KINDS) {
  describe(`event repository on ${kind}`, function () {
    this.timeout(process.env.PROPERTY_RUNS === undefined ? 120_000 : 0);
    let database: Database;
    let capture: CaptureService;
    let query: QueryService;
    let now = Date.UTC(2024, 5, 1);
    // the same in every run
    const events = fc.sample(anyEvent, { ...runs(EVENTS, 7), numRuns: EVENTS });
    const distinct = new Map(
      events.map((event) => [JSON.stringify([captured(event).hash, event.eventID, event.errorDeclaration]), event]),
    );
    const stored = [...distinct.values()];

    before(async () => {
      database = await openDatabase({ url: await freshUrl() });
      await migrate(database);
      const repository = createEventRepository(database, { now: () => (now += 1) });
      capture = createCaptureService(repository);
      query = createQueryService(repository);
      await capture.capture(masterDataItems(), { errorBehaviour: 'rollback' });
      const result = await capture.capture(itemsOf(events), { errorBehaviour: 'rollback' });
      expect(result.captured).to.equal(stored.length);
      expect(result.duplicates).to.equal(events.length - stored.length);
    });
    after(() => database.close());

    const ask = async (parameters: readonly QueryParameter[]): Promise<StoredEvent[]> =>
      gather(await query.events(parameters));

    it('agrees with a naive evaluation of every parameter', async () => {
      let answered = 0;
      for (const { name, values, holds } of NAIVE)
        for (const each of fc.sample(values, { numRuns: 2, seed: 3 })) {
          const expected = stored.filter((event) => holds(event, each)).map((event) => JSON.stringify(event));
          const found = textsOf(await ask([{ name, values: each }]));
          expect(found.sort(), `${name} = ${each.join('|')}`).to.deep.equal(expected.sort());
          if (found.length > 0 && found.length < stored.length) answered += 1;
        }
      // most questions tell some events from others
      expect(answered).to.be.greaterThan(NAIVE.length * 1.5);
    });

    it('agrees with a naive evaluation of any parameters together, in any order', async () => {
      const parameters = fc.uniqueArray(
        fc.constantFrom(...NAIVE).chain((naive) => naive.values.map((values) => ({ naive, values }))),
        { minLength: 1, maxLength: 3, selector: ({ naive }) => naive.name },
      );
      const orders: readonly Record<string, string>[] = [
        {},
        { orderBy: 'eventTime' },
        { orderBy: 'recordTime', orderDirection: 'ASC' },
        { orderBy: 'eventTime', eventCountLimit: '1' },
        { orderBy: 'recordTime', orderDirection: 'ASC', eventCountLimit: '3' },
        { orderBy: 'eventTime', eventCountLimit: '20' },
      ];
      await fc.assert(
        fc.asyncProperty(parameters, fc.constantFrom(...orders), async (asked, control) => {
          const names = asked.map(({ naive: { name }, values }) => ({ name, values }));
          const found = await ask([...names, ...given(control)]);
          const expected = stored.filter((event) => asked.every(({ naive, values }) => naive.holds(event, values)));
          const texts = new Set(expected.map((event) => JSON.stringify(event)));
          expect(textsOf(found).every((text) => texts.has(text))).to.equal(true);
          expect(new Set(textsOf(found)).size).to.equal(found.length);
          const limit = Number(control['eventCountLimit'] ?? Infinity);
          expect(found).to.have.length(Math.min(limit, expected.length));
          if (control['orderBy']) expectOrder(found, expected, control['orderBy']);
        }),
        runs(QUESTIONS, 11),
      );
    });

    function expectOrder(found: readonly StoredEvent[], expected: readonly EpcisEvent[], by: string): void {
      const times = found.map((each) => Date.parse(by === 'eventTime' ? each.event.eventTime : each.recordTime));
      const ascending = by === 'recordTime' ? times : times.toReversed();
      expect(ascending).to.deep.equal([...ascending].sort((a, b) => a - b));
      if (by !== 'eventTime' || found.length === 0) return;
      const newest = Math.max(...expected.map(({ eventTime }) => Date.parse(eventTime)));
      expect(times[0]).to.equal(newest);
    }

    it('gives back what was captured, with its hash and a record time', async () => {
      const found = await ask([]);
      const sources = new Map(stored.map((event) => [JSON.stringify(event), event]));
      for (const each of found) {
        const event = sources.get(each.source.text);
        expect(each.event).to.deep.equal(event);
        if (event) expect(each.hash).to.equal(captured(event).hash);
        expect(each.recordTime).to.match(/^2024-06-01T.*Z$/);
      }
      expect(found).to.have.length(stored.length);
    });

    it('finds an event without an ID by its hash, and none that has an ID', async () => {
      const hashes = new Map(stored.map((event) => [event, captured(event).hash]));
      for (const event of stored.slice(0, 40)) {
        const hash = hashes.get(event) ?? '';
        const expected = stored.filter((each) => each.eventID === undefined && hashes.get(each) === hash);
        expect(await query.eventsById(hash)).to.have.length(expected.length);
        expect(await ask(given({ EQ_eventID: [hash, 'urn:x:none'] }))).to.have.length(expected.length);
      }
    });

    it('changes nothing when the same events come again, in one document or two at once', async () => {
      const again = (): Promise<unknown> =>
        capture.capture(itemsOf(events.slice(0, 40)), { errorBehaviour: 'rollback' });
      expect(await again()).to.deep.include({ captured: 0, duplicates: 40 });
      const fresh = fc
        .sample(anyEvent, { numRuns: 30, seed: 99 })
        .map((event, n) => ({ ...event, eventID: `urn:x:twice:${n}` }));
      const both = await Promise.all(
        [0, 1, 2].map(() => capture.capture(itemsOf(fresh), { errorBehaviour: 'rollback' })),
      );
      expect(both.reduce((sum, { captured: count }) => sum + count, 0)).to.equal(30);
      for (const { eventID } of fresh) expect(await query.eventsById(eventID)).to.have.length(1);
    });

    it('takes as duplicates what another VM captures at the same moment', async () => {
      const made = fc
        .sample(anyEvent, { numRuns: 230, seed: 41 })
        .map((event, n) => ({ ...event, eventID: `urn:x:race:${n}` }));
      await capture.capture(itemsOf(made.filter((_, n) => n % 3 === 0)), { errorBehaviour: 'rollback' });
      // what the other VM has captured is not seen when it is looked for first
      let blind = true;
      const late: Database = {
        dialect: database.dialect,
        all: (sql, values) => database.all(sql, values),
        run: (sql, values) => database.run(sql, values),
        stream: (sql, values, options) => database.stream(sql, values, options),
        close: () => database.close(),
        transaction: (work) =>
          database.transaction((connection) =>
            work({
              ...connection,
              all: async (sql, values) => {
                const rows = await connection.all(sql, values);
                if (!blind || !sql.startsWith('SELECT hash')) return rows;
                blind = false;
                return [];
              },
            }),
          ),
      };
      const other = createCaptureService(createEventRepository(late, { now: () => (now += 1) }));
      const result = await other.capture(itemsOf(made), { errorBehaviour: 'rollback' });
      expect(result).to.deep.include({ captured: 153, duplicates: 77 });
      expect((await check(database)).faults).to.deep.equal([]);
    });

    it('keeps an error declaration beside the event it declares wrong', async () => {
      const event = {
        type: 'ObjectEvent',
        eventID: 'urn:x:declared',
        eventTime: '2024-01-01T00:00:00Z',
        eventTimeZoneOffset: '+00:00',
      };
      const declared = { ...event, errorDeclaration: { declarationTime: '2024-02-01T00:00:00Z' } };
      await capture.capture(itemsOf([event]), { errorBehaviour: 'rollback' });
      await capture.capture(itemsOf([declared]), { errorBehaviour: 'rollback' });
      expect(textsOf(await query.eventsById('urn:x:declared'))).to.deep.equal(
        [event, declared].map((each) => JSON.stringify(each)),
      );
    });

    it('captures all of a document or, with proceed, what comes before and after its faults', async () => {
      const document = (id: string, count: number) => ({
        [Symbol.asyncIterator]: () => {
          let n = 0;
          return {
            next: async () => {
              n += 1;
              if (n === count - 1) throw new Error(`fault in ${id}`);
              if (n > count) return { done: true as const, value: undefined };
              const event = {
                type: 'ObjectEvent',
                eventID: `${id}:${n}`,
                eventTime: '2020-01-01T00:00:00Z',
                eventTimeZoneOffset: '+00:00',
              };
              return { done: false as const, value: { kind: 'event' as const, captured: captured(event), at: '' } };
            },
          };
        },
      });
      const failure = await failureOf(capture.capture(document('urn:x:long', 1200), { errorBehaviour: 'rollback' }));
      expect(failure).to.have.property('message', 'fault in urn:x:long');
      expect(await query.eventsById('urn:x:long:1')).to.have.length(0);
      await failureOf(capture.capture(document('urn:x:some', 1200), { errorBehaviour: 'proceed' }));
      expect(await query.eventsById('urn:x:some:1')).to.have.length(1);
    });

    it('pages through everything once, whatever is captured meanwhile', async () => {
      const seen: string[] = [];
      const all = await ask(given({ eventType: 'ObjectEvent' }));
      let after: string | undefined;
      do {
        const page = await query.eventPage(given({ eventType: 'ObjectEvent' }), {
          perPage: 7,
          ...(after && { after }),
        });
        for await (const event of page.events) seen.push(event.source.text);
        after = page.next();
        if (seen.length === 14)
          await capture.capture(
            itemsOf([{ type: 'ObjectEvent', eventTime: '2030-01-01T00:00:00Z', eventTimeZoneOffset: '+00:00' }]),
            { errorBehaviour: 'rollback' },
          );
      } while (after !== undefined);
      expect(seen.sort()).to.deep.equal(textsOf(all).sort());
      const bad = await failureOf(query.eventPage([], { perPage: 7, after: 'x' }));
      expect(bad).to.have.property('name', 'QueryParameterException');
    });

    it('says too large above maxEventCount, not at it', async () => {
      const parameters = { EQ_bizStep: 'packing' };
      const count = (await ask(given(parameters))).length;
      expect(await ask(given({ ...parameters, maxEventCount: String(count) }))).to.have.length(count);
      const failure = await failureOf(ask(given({ ...parameters, maxEventCount: String(count - 1) })));
      expect(failure).to.have.property('name', 'QueryTooLargeException');
      const page = await failureOf(query.eventPage(given({ ...parameters, maxEventCount: '1' }), { perPage: 5 }));
      expect(page).to.have.property('name', 'QueryTooLargeException');
    });

    it('finds the same where as many values are asked for as a question may have', async () => {
      const company = (i: number) => `urn:epc:idpat:sgtin:${9_990_000 + i}.*.*`;
      const asked = [
        ['MATCH_anyEPC', 'urn:epc:idpat:sgtin:0614141.*.*', company],
        ['MATCH_anyEPC', 'urn:epc:idpat:sgtin:*.*.*', company],
        ['MATCH_anyEPC', 'urn:epc:idpat:sscc:0614141.*', company],
        ['WD_bizLocation', PLACES[0] ?? '', (i: number) => `urn:x:nowhere:${i}`],
      ] as const;
      for (const [name, wanted, unknown] of asked) {
        const found = textsOf(await ask(given({ [name]: wanted })));
        expect(found, wanted).not.to.have.length(0);
        const others = Array.from({ length: 1_999 }, (_, i) => unknown(i));
        expect(textsOf(await ask(given({ [name]: [...others, wanted] }))), wanted).to.have.members(found);
      }
    });

    it('orders by an extension field', async () => {
      const found = await ask(
        given({ 'GT_http://a.example/ns#weight': '0', orderBy: 'http://a.example/ns#weight', orderDirection: 'ASC' }),
      );
      const weights = found.map(({ event }) => Number(event.extensions?.find(({ name }) => name === 'weight')?.value));
      const numbers = weights.filter((weight) => !Number.isNaN(weight));
      expect(numbers.length).to.be.greaterThan(3);
      expect(numbers).to.deep.equal([...numbers].sort((a, b) => a - b));
    });

    it('lists distinct values page by page, as they were written', async () => {
      const places = await query.values('bizLocations', { perPage: 2 });
      const rest = await query.values('bizLocations', { perPage: 2, ...(places.next && { after: places.next }) });
      expect([...places.values, ...rest.values].sort()).to.deep.equal([...PLACES].sort());
      expect(rest.next).to.equal(undefined);
      const epcs = await query.values('epcs', { perPage: 100 });
      expect(epcs.values).to.have.length(EPCS.length);
      expect(epcs.values).to.include('https://example.com/own/1');
    });

    it('keeps events of any year, finds them by time and pages over them', async () => {
      // what programs write for "no date", "never" and what was dug up; the last two are a microsecond apart, for which doubles are too coarse
      const times = [
        '0001-01-01T00:00:00Z',
        '1234-05-06T07:08:09.123456Z',
        '2300-01-01T00:00:00.000001Z',
        '9999-12-31T23:59:59.999998Z',
        '9999-12-31T23:59:59.999999Z',
      ];
      const epc = 'urn:x:of-any-year';
      const events = times.map((eventTime, n): EpcisEvent => {
        const epcList = [epc, `urn:x:of-a-year:${n}`];
        return { type: 'ObjectEvent', eventTime, eventTimeZoneOffset: '+00:00', epcList };
      });
      const { captured } = await capture.capture(itemsOf(events), { errorBehaviour: 'rollback' });
      expect(captured).to.equal(times.length);
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const asked = given({ MATCH_epc: epc, orderBy: 'eventTime', orderDirection: 'ASC' });
        const page = await query.eventPage(asked, { perPage: 1, ...(after && { after }) });
        for await (const { event } of page.events) seen.push(event.eventTime);
        after = page.next();
      } while (after !== undefined);
      expect(seen.slice(0, 3)).to.deep.equal(times.slice(0, 3));
      expect(seen.sort()).to.deep.equal(times);
      const found = async (parameters: Readonly<Record<string, string>>): Promise<string[]> =>
        (await ask(given({ MATCH_epc: epc, ...parameters }))).map(({ event }) => event.eventTime).sort();
      expect(await found({ GE_eventTime: '2300-01-01T00:00:00.000001Z' })).to.deep.equal(times.slice(2));
      expect(await found({ LT_eventTime: '2300-01-01T00:00:00.000001Z' })).to.deep.equal(times.slice(0, 2));
      expect(await found({ LT_eventTime: '1234-05-06T07:08:09.1234Z' })).to.deep.equal(times.slice(0, 1));
      expect((await check(database)).faults).to.deep.equal([]);
    });

    it('has one secret for all VMs', async () => {
      expect(await repositorySecret(database))
        .to.equal(await repositorySecret(database))
        .and.to.match(/^[\w-]{43}$/);
    });
  });
}
