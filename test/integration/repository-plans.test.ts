// No common question scans the events, on either database: each table is entered through an index, and with a condition on
// it, or read in the index's order up to a limit. And a question costs one statement, however many events it finds.
import { expect } from 'chai';
import type { Database, Row } from '../../epcis/repository/database/database.ts';
import { askedBy } from '../../epcis/access/rules/client-rights.ts';
import { readRules } from '../../epcis/access/rules/read.ts';
import { rightsOf } from '../../epcis/access/rules/rights.ts';
import { indexForRules } from '../../epcis/repository/access-rules.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { countSql, eventsSql } from '../../epcis/repository/sql/event-sql.ts';
import { keys } from '../../epcis/repository/keys.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import type { Fragment } from '../../epcis/repository/sql/sql.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { planEvents } from '../../epcis/service/parameters.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import fc from 'fast-check';
import { anyEvent, itemsOf, masterDataItems } from '../helpers/epcis-samples.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { NAIVE } from '../helpers/naive-query.ts';

const EVENTS = 600;

/** One parameter of each family, with a value that is not there and one that often is; alone, and with others. */
const QUESTIONS: readonly Readonly<Record<string, string>>[] = [
  ...NAIVE.filter(({ name }) => !/#(weight|plain)$/.test(name)).map(({ name, values }) => ({
    [name]: fc.sample(values, { numRuns: 1, seed: 5 })[0]?.join('|') ?? '',
  })),
  { GE_recordTime: '2024-01-01T00:00:00Z' },
  { EQ_bizStep: 'shipping', GE_eventTime: '2024-01-02T00:00:00Z', orderBy: 'eventTime', eventCountLimit: '10' },
  { EQ_bizStep: 'shipping|receiving', eventType: 'ObjectEvent', orderBy: 'eventTime', eventCountLimit: '10' },
  { MATCH_anyEPC: 'urn:epc:id:sgtin:0614141.107346.1', EQ_action: 'ADD', WD_bizLocation: 'urn:x:region:1' },
  { MATCH_epc: 'urn:epc:idpat:sgtin:0614141.107346.*', EQ_bizTransaction_po: 'urn:x:1' },
  { 'EQ_http://a.example/ns#color': 'red', 'GE_http://a.example/ns#weight': '5' },
  { HASATTR_bizLocation: 'urn:x:mda#city', EQ_disposition: 'active' },
  { orderBy: 'eventTime', eventCountLimit: '10' },
  { WD_readPoint: 'urn:x:region:1', EQ_bizStep: 'packing', orderBy: 'eventTime', eventCountLimit: '10' },
  // what a trace asks (service/trace.ts)
  {
    MATCH_anyEPC: 'urn:epc:id:sgtin:0614141.107346.1',
    GE_eventTime: '2024-01-01T00:00:00Z',
    LT_eventTime: '2024-01-03T00:00:00Z',
    orderBy: 'eventTime',
    eventCountLimit: '10',
  },
  { EQ_transformationID: 'urn:x:1', orderBy: 'eventTime', eventCountLimit: '10' },
  { orderBy: 'recordTime', eventCountLimit: '10', EQ_readPoint: 'urn:x:place:3' },
];

const TABLES = new Set(['e', 'd', 't', 'n', 'p', 'event', 'event_epc', 'event_text', 'event_number']);

/** The steps of MySQL's plan that read a whole table, or an index without a limit. */
function mysqlScans(plan: readonly Row[]): readonly string[] {
  return plan
    .filter(({ table, type }) => TABLES.has(String(table)) && (type === 'ALL' || type === 'index'))
    .map(({ table, type, key }) => `${String(type)} of ${String(table)} by ${String(key)}`);
}

/** The steps of SQLite's plan that begin with SCAN: SEARCH goes by a condition. */
function sqliteScans(plan: readonly Row[]): readonly string[] {
  return plan
    .map(({ detail }) => String(detail))
    .filter((detail) => detail.startsWith('SCAN') && TABLES.has(detail.split(' ')[1] ?? ''));
}

for (const [kind, freshUrl] of KINDS) {
  describe(`query plans on ${kind}`, function () {
    this.timeout(120_000);
    let database: Database;

    before(async () => {
      database = await openDatabase({ url: await freshUrl() });
      await migrate(database);
      const capture = createCaptureService(createEventRepository(database, { now: () => Date.UTC(2024, 5, 1) }));
      await capture.capture(masterDataItems(), { errorBehaviour: 'rollback' });
      await capture.capture(itemsOf(fc.sample(anyEvent, { numRuns: EVENTS, seed: 8 })), { errorBehaviour: 'rollback' });
      // the optimizer knows the tables, as it does in production
      if (kind === 'mysql') await database.all('ANALYZE TABLE event, event_epc, event_text, event_number');
      else await database.run('ANALYZE');
    });
    after(() => database.close());

    const scansOf = async ({ sql, values }: Fragment): Promise<readonly string[]> =>
      kind === 'mysql'
        ? mysqlScans(await database.all(`EXPLAIN ${sql}`, values))
        : sqliteScans(await database.all(`EXPLAIN QUERY PLAN ${sql}`, values));

    it('go by an index, whatever is asked', async () => {
      const context = { dialect: database.dialect, keys };
      for (const question of QUESTIONS) {
        const parameters = Object.entries(question).map(([name, value]) => ({ name, values: value.split('|') }));
        const { criteria, orderBy, eventCountLimit } = planEvents(parameters);
        const by = orderBy === 'recordTime' ? 'recordTime' : 'eventTime';
        const query = { criteria, order: { by, direction: 'DESC' } } as const;
        const limited = { ...query, limit: eventCountLimit ?? 30 };
        // without a condition the newest come in the order of an index, up to the limit
        const statements = [eventsSql(limited, context), countSql(limited, context)];
        if (criteria.length > 0) statements.push(eventsSql(query, context));
        for (const statement of statements) {
          const scans = await scansOf(statement);
          const allowed = criteria.length === 0 ? 1 : 0;
          expect(scans.length, `${JSON.stringify(question)}: ${scans.join(', ')} in ${statement.sql}`).to.be.at.most(
            allowed,
          );
        }
      }
    });

    // SQLite reads no row before it has to
    if (kind === 'mysql')
      it('read the rows of those events only that have the number asked for, where rules go by the row', async () => {
        const rule = { name: 'some', for: 'everybody', see: { EQ_bizStep: 'shipping', EQ_disposition: 'active' } };
        const { see } = rightsOf(readRules({ rules: [rule] }), { client: 'me', groups: [], roles: [] }, 0);
        const parameters = { EQ_bizLocation: 'urn:x:place:1', GE_value_CEL: '2', LT_value_CEL: '3' };
        const asked = planEvents(Object.entries(parameters).map(([name, value]) => ({ name, values: [value] })));
        const order = { by: 'eventTime', direction: 'DESC' } as const;
        const statement = eventsSql(
          { criteria: [...asked.criteria, ...see], order, limit: 30 },
          { dialect: database.dialect, keys },
        );
        const plan = await database.all(`EXPLAIN ${statement.sql}`, statement.values);
        const first = plan.find((row) => row['key'] === 'event_biz_location');
        expect(first?.['Extra'], statement.sql).to.match(/Using index/);
        expect(plan.map((row) => row['Extra']).join('; ')).not.to.include('Using temporary');
      });

    it('go by an index where rules of every kind say what is seen, each of which is asked of one event after the other', async () => {
      const [place, party, epc] = ['urn:x:place', 'urn:epc:id:pgln:0614141', 'urn:epc:idpat:sgtin:0614141'];
      const rules = readRules({
        rules: Array.from({ length: 40 }, (_, n) => [
          { name: `place ${n}`, for: 'everybody', see: { EQ_bizLocation: `${place}:${n}` } },
          { name: `owner ${n}`, for: 'everybody', see: { EQ_bizStep: 'shipping', owner: `${party}.${10000 + n}` } },
          { name: `epc ${n}`, for: 'everybody', see: { epc: `${epc}.${100000 + n}.*` } },
          { name: `not ${n}`, for: 'everybody', deny: { party: `${party}.${20000 + n}` } },
        ]).flat(),
      });
      await indexForRules(database, askedBy(rules));
      const { see } = rightsOf(rules, { client: 'me', groups: [], roles: [] }, 0);
      for (const asked of [[], planEvents([{ name: 'EQ_bizTransaction_po', values: ['urn:x:1'] }]).criteria]) {
        const query = {
          criteria: [...asked, ...see],
          order: { by: 'eventTime', direction: 'DESC' },
          limit: 30,
        } as const;
        const statement = eventsSql(query, { dialect: database.dialect, keys });
        const scans = await scansOf(statement);
        expect(scans.length, `${scans.join(', ')} in ${statement.sql}`).to.be.at.most(asked.length === 0 ? 1 : 0);
        // MariaDB would first look up all that the rules are about
        if (kind === 'mysql') {
          const plan = await database.all(`EXPLAIN ${statement.sql}`, statement.values);
          expect(plan.map((row) => row['select_type'])).not.to.include('MATERIALIZED');
        }
        // what the rules name is not sent with each question
        expect(statement.values.length).to.be.below(20);
      }
    });

    if (kind === 'sqlite')
      it('probe one condition after the other: a join of them all would be planned for seconds', async () => {
        const parameters = Array.from({ length: 100 }, (_, i) => ({
          name: `EQ_https://e.example.org/#f${i}`,
          values: ['a'],
        }));
        const { criteria } = planEvents(parameters);
        const { sql, values } = eventsSql(
          { criteria, order: { by: 'eventTime', direction: 'DESC' } },
          { dialect: database.dialect, keys },
        );
        const plan = await database.all(`EXPLAIN QUERY PLAN ${sql}`, values);
        const probes = plan.filter((row) => String(row['detail']).startsWith('CORRELATED SCALAR SUBQUERY'));
        expect(probes).to.have.length(99);
      });

    it('would be noticed if they scanned', async () => {
      for (const sql of [
        'SELECT e.id FROM event e WHERE e.payload = ?',
        'SELECT e.id FROM event e WHERE EXISTS (SELECT 1 FROM event_text t WHERE t.event_id = e.id AND t.event_time > ?)',
        'SELECT d.event_id FROM event_epc d WHERE d.roles = ?',
      ])
        expect(await scansOf({ sql, values: [1] }), sql).not.to.deep.equal([]);
    });

    it('cost one statement each, however many events they find; places below others may cost one more', async () => {
      const statements: string[] = [];
      const watched: Database = {
        dialect: database.dialect,
        all: (sql, values) => (statements.push(sql), database.all(sql, values)),
        run: (sql, values) => (statements.push(sql), database.run(sql, values)),
        stream: (sql, values, options) => (statements.push(sql), database.stream(sql, values, options)),
        transaction: (work) => database.transaction(work),
        close: () => database.close(),
      };
      const query = createQueryService(createEventRepository(watched, { now: () => 0 }));
      for (const question of QUESTIONS) {
        statements.length = 0;
        const parameters = Object.entries(question).map(([name, value]) => ({ name, values: value.split('|') }));
        for await (const { source } of await query.events(parameters)) expect(source.text).not.to.equal('');
        const isBelow = 'eventCountLimit' in question && Object.keys(question).some((name) => name.startsWith('WD_'));
        expect(statements, JSON.stringify(question)).to.have.length(isBelow ? 2 : 1);
      }
    });
  });
}
