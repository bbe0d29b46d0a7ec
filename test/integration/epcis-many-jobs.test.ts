// What very many capture jobs cost who asks for one, and how many a client may have, with its named queries.
import { expect } from 'chai';
import type { Database, Row } from '../../epcis/repository/database/database.ts';
import { applyRules } from '../../epcis/repository/access-rules.ts';
import { createJobStore } from '../../epcis/repository/jobs.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createStepStore } from '../../epcis/repository/steps.ts';
import type { EpcisServer } from '../../epcis/server.ts';
import { prospectsOf } from '../../epcis/service/jobs.ts';
import { as, client, startGuarded } from '../helpers/access.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { present } from '../helpers/present.ts';

const RULES = '{"rules":[{"name":"all","for":"everybody","see":"everything"}]}';
/** As many as a recursive table of MariaDB has in two of its steps. */
const SIDE = 80;
const JOBS = SIDE * SIDE;
const [acme, beta] = [client('acme'), client('beta')];
const about = { mediaType: 'application/json', errorBehaviour: 'rollback', headers: {} } as const;
const document = (n: number) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ '@context': [], type: 'EPCISDocument', schemaVersion: '2.0', n }),
});
const named = (name: string) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ name, query: { EQ_bizStep: ['shipping'] } }),
});

for (const [kind, freshUrl] of KINDS) {
  describe(`very many capture jobs on ${kind}`, function () {
    this.timeout(60_000);
    let database: Database;
    let server: EpcisServer;
    before(async () => {
      const url = await freshUrl();
      database = await openDatabase({ url });
      await migrate(database);
      await applyRules(database, { source: RULES, rules: RULES, appliedBy: 'test', appliedFrom: 'here' });
      // it captures nothing, so that jobs stay as they are
      server = await startGuarded(url, { role: 'query', work: { unfinishedJobs: 2, namedQueries: 2 } });
    });
    after(async () => {
      await server.close();
      await database.close();
    });
    beforeEach(() => database.run('DELETE FROM capture_job'));

    const fill = async (): Promise<void> => {
      await createJobStore(database, acme).create({ id: '0', ...about }, empty());
      const columns =
        'media_type, headers, error_behaviour, events, success, errors, attempt, lease_until, client, client_key, kind'.split(
          ', ',
        );
      const numbers =
        `WITH RECURSIVE a (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM a WHERE i < ${SIDE}), ` +
        `n (i) AS (SELECT (a.i - 1) * ${SIDE} + b.i FROM a, a b)`;
      // one in four waits
      const from = `SELECT CONCAT('job ', i), CASE WHEN i % 4 = 0 THEN 1 ELSE 2 END, created_at + i, ${columns.join(', ')} FROM capture_job, n`;
      const into = `INSERT INTO capture_job (id, state, created_at, ${columns.join(', ')})`;
      await database.run(kind === 'mysql' ? `${into} ${numbers} ${from}` : `${numbers} ${into} ${from}`);
      if (kind === 'mysql') await database.all('ANALYZE TABLE capture_job');
      else await database.run('ANALYZE');
    };

    it('tell the last of them that it has some place behind the thousandth, and no time', async () => {
      await fill();
      const jobs = createJobStore(database, acme);
      expect(prospectsOf(await jobs.ahead('job 20'))).to.deep.equal({ place: 6 });
      expect(prospectsOf(await jobs.ahead(`job ${JOBS}`))).to.deep.equal({ place: 1001, bounded: true });
      const told = await as(server, acme, `/capture/job%20${JOBS}`);
      expect(await told.json()).to.include({ running: true, place: 1001, bounded: true });
      const inXml = await as(server, acme, `/capture/job%20${JOBS}`, { headers: { Accept: 'application/xml' } });
      expect(await inXml.text()).to.include(
        '<mmeliot:place>1001</mmeliot:place><mmeliot:bounded>true</mmeliot:bounded>',
      );
    });

    it('are passed over by an index, whoever asks for its own', async () => {
      await fill();
      const statements: (readonly [sql: string, values: Parameters<Database['all']>[1]])[] = [];
      const watched: Database = {
        dialect: database.dialect,
        all: (sql, values) => (statements.push([sql, values]), database.all(sql, values)),
        run: (sql, values) => database.run(sql, values),
        stream: (sql, values, options) => database.stream(sql, values, options),
        transaction: (work) => database.transaction(work),
        close: () => database.close(),
      };
      const jobs = createJobStore(watched, beta);
      const page = { perPage: 30 };
      expect(await jobs.list(page)).to.deep.equal({ jobs: [] });
      expect(await jobs.list({ ...page, after: `${Date.now()}/x` })).to.deep.equal({ jobs: [] });
      expect(await jobs.unfinished(10)).to.equal(0);
      expect(await createJobStore(watched).unfinished(10)).to.equal(10);
      expect(await createJobStore(watched).list({ perPage: 2 }))
        .to.have.property('jobs')
        .with.lengthOf(2);
      await jobs.ahead(`job ${JOBS}`);
      await jobs.claim('a VM', 60);
      expect(await jobs.first(2)).to.have.lengthOf(2);
      for (const store of [createStepStore(watched, 'export', beta), createStepStore(watched, 'export')])
        expect([await store.count(), (await store.list(page)).jobs]).to.deep.equal([0, []]);
      for (const [sql, values] of statements.filter(([each]) => /^SELECT/.test(each))) {
        const plan = await database.all(`EXPLAIN ${kind === 'mysql' ? '' : 'QUERY PLAN '}${sql}`, values);
        expect(plan.flatMap(kind === 'mysql' ? mysqlScan : sqliteScan), sql).to.deep.equal([]);
      }
    });

    it('are refused where a client has as many as it may have, and others have theirs', async () => {
      for (const [who, status] of [
        [acme, 202],
        [acme, 202],
        [acme, 429],
        [beta, 202],
      ] as const)
        expect((await as(server, who, '/capture', document(1))).status).to.equal(status);
      const refused = await as(server, acme, '/capture', document(2));
      expect(Number(refused.headers.get('Retry-After'))).to.be.within(1, 60);
      expect(await refused.json()).to.deep.include({ type: 'epcisException:SecurityException', status: 429 });
      expect(await (await as(server, acme, '/capture')).json()).to.have.lengthOf(2);
      expect(await (await as(server, beta, '/capture')).json()).to.have.lengthOf(1);
      const jobs = createJobStore(database);
      const claim = present(await jobs.claim('a VM', 60));
      await jobs.finish(claim, { success: true, errors: [], captured: 0 });
      expect((await as(server, acme, '/capture', document(3))).status).to.equal(202);
      expect(await (await as(server, acme, '/capture?perPage=2')).json()).to.have.lengthOf(2);
    });

    it('are no matter to named queries, of which a client may have so many, too', async () => {
      const statuses: number[] = [];
      for (const [who, name] of [
        [acme, 'one'],
        [acme, 'two'],
        [acme, 'three'],
        [beta, 'one'],
      ] as const)
        statuses.push((await as(server, who, '/queries', named(name))).status);
      expect(statuses).to.deep.equal([201, 201, 429, 201]);
      expect((await as(server, acme, '/queries/one', { method: 'DELETE' })).status).to.equal(204);
      expect((await as(server, acme, '/queries', named('three'))).status).to.equal(201);
      const operator = client('operator', { roles: ['query', 'administer'] });
      const shared: number[] = [];
      for (const name of ['a', 'b', 'c']) shared.push((await as(server, operator, '/queries', named(name))).status);
      expect(shared).to.deep.equal([201, 201, 429]);
    });
  });
}

async function* empty(): AsyncGenerator<never> {}

/** What reads the table, or a whole index where no limit ends it, or sorts what it reads. */
const mysqlScan = ({ table, type, key, Extra }: Row): string[] =>
  table === 'capture_job' &&
  (type === 'ALL' || (type === 'index' && key !== 'capture_job_newest') || String(Extra).includes('filesort'))
    ? [`${String(type)} ${String(key)}`]
    : [];
const sqliteScan = ({ detail }: Row): string[] =>
  /^SCAN capture_job(?! USING INDEX capture_job_newest$)/.test(String(detail)) ? [String(detail)] : [];
