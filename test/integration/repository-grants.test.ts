// The service's user of the database reads and writes rows, and can do no more; another one makes the schema.
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { pino } from 'pino';
import { askedBy } from '../../epcis/access/rules/client-rights.ts';
import { readRules } from '../../epcis/access/rules/read.ts';
import { applyRules, indexForRules } from '../../epcis/repository/access-rules.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { CONTEXT, json2, objectJson } from '../helpers/epcis-documents.ts';
import { as, client, startGuarded } from '../helpers/access.ts';
import { freshMariaDb } from '../helpers/mariadb.ts';

const log = pino({ level: 'silent' });
const JSON_TYPE = { 'content-type': 'application/ld+json' };

describe('repository: a user who may read and write rows only', function () {
  this.timeout(60_000);
  let owner = '';
  let service = '';
  let server: EpcisServer | undefined;

  beforeEach(async () => {
    owner = await freshMariaDb();
    const { host, pathname } = new URL(owner);
    await (await openDatabase({ url: owner })).close();
    const root = await createConnection(owner);
    await root.query("CREATE OR REPLACE USER rows_only@'%' IDENTIFIED BY 'secret'");
    await root.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON \`${pathname.slice(1)}\`.* TO rows_only@'%'`);
    await root.end();
    service = `mysql://rows_only:secret@${host}${pathname}`;
  });
  afterEach(() => server?.close());

  const serve = () =>
    startEpcisServer({ repository: { url: service }, subscriptionTargets: ['192.0.2.0/24'], port: 0, log });

  it('serves captures, jobs, queries and subscriptions once the schema is there', async () => {
    const database = await openDatabase({ url: owner });
    await migrate(database);
    await database.close();
    server = await serve();
    const { address } = server;
    const post = (path: string, body: string) =>
      fetch(`${address}${path}`, { method: 'POST', headers: JSON_TYPE, body });
    expect((await post('/events', objectJson({ '@context': CONTEXT }))).status).to.equal(201);
    expect((await post('/capture', json2(objectJson({ action: 'ADD' })))).status).to.equal(202);
    expect((await post('/queries', JSON.stringify({ name: 'q', query: { EQ_action: ['ADD'] } }))).status).to.equal(201);
    const subscription = JSON.stringify({
      dest: 'https://192.0.2.1/',
      stream: true,
      signatureToken: 'sixteen characters',
    });
    const subscribed = await post('/queries/q/subscriptions', subscription);
    expect(subscribed.status, await subscribed.text()).to.equal(201);
    const found = (await (await fetch(`${address}/events?EQ_action=OBSERVE`)).json()) as {
      epcisBody: { queryResults: { resultsBody: { eventList: unknown[] } } };
    };
    expect(found.epcisBody.queryResults.resultsBody.eventList).to.have.length(1);
    const connection = await createConnection(service);
    for (const sql of ['DROP TABLE event', 'CREATE TABLE a (b INT)', "CREATE USER c@'%'", 'SELECT * FROM mysql.user'])
      expect(await connection.query(sql).catch((error: Error) => error.message), sql).to.match(/denied/);
    await connection.end();
  });

  it('goes by rules for which another user has made the index, and says so where nobody has', async () => {
    const database = await openDatabase({ url: owner });
    await migrate(database);
    const rules = JSON.stringify({
      rules: [{ name: 'own', for: 'client:a', see: { epc: 'urn:epc:idpat:sgtin:0614141.*.*' } }],
    });
    await applyRules(database, { source: '', rules, appliedBy: '', appliedFrom: '' });
    const guarded = () => startGuarded(service);
    expect(
      await guarded().then(
        () => 'started',
        (error: Error) => error.message,
      ),
    ).to.match(
      /^These rules need the index event_epc_of .* run "mmeliot access rules apply" with the URL of one who may/,
    );
    await indexForRules(database, askedBy(readRules(JSON.parse(rules))));
    await database.close();
    server = await guarded();
    expect((await as(server, client('a'), '/events')).status).to.equal(200);
  });

  it('says what to do where the schema is not as it should be', async () => {
    const refused = await serve().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(String(refused)).to.match(/schema has version 0 .* run "mmeliot repository migrate"/);
  });
});
