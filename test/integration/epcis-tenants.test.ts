// Several repositories behind the same VMs: what is one tenant's is not there for another's clients, nor for those of none.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { urlOfTenant } from '../../epcis/tenants.ts';
import { applyRules } from '../../epcis/repository/access-rules.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { as, client, startGuarded } from '../helpers/access.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { until } from '../helpers/until.ts';
import { KINDS } from '../helpers/fresh-repository.ts';

const RULES = JSON.stringify({
  rules: [
    { name: 'see', for: 'everybody', see: 'everything' },
    { name: 'capture', for: 'everybody', capture: 'everything' },
  ],
});
const event = (place: string) => ({
  '@context': [],
  type: 'ObjectEvent',
  eventID: 'urn:x:the-same',
  eventTime: '2026-01-01T00:00:00Z',
  eventTimeZoneOffset: '+00:00',
  epcList: ['urn:x:1'],
  action: 'OBSERVE',
  readPoint: { id: place },
});

for (const [kind, freshUrl] of KINDS) {
  describe(`tenants on ${kind}`, function () {
    this.timeout(60_000);
    let server: EpcisServer;
    const of = (tenant: string) => client('acme', { tenant });

    before(async () => {
      const url = await freshUrl();
      for (const tenant of ['north', 'south']) {
        const database = await openDatabase({ url: urlOfTenant(url, tenant) });
        await migrate(database);
        await applyRules(database, { source: RULES, rules: RULES, appliedBy: 'test', appliedFrom: 'here' });
        await database.close();
      }
      server = await startGuarded(url, { tenants: ['north', 'south'] });
    });
    after(() => server.close());

    it('have events, queries and page tokens of their own', async () => {
      for (const tenant of ['north', 'south']) {
        const posted = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
        const one = { ...posted, body: JSON.stringify(event(`urn:x:${tenant}`)) };
        expect((await as(server, of(tenant), '/events', one)).status).to.equal(201);
        const two = { ...posted, body: JSON.stringify({ ...event(`urn:x:${tenant}`), eventID: 'urn:x:second' }) };
        expect((await as(server, of(tenant), '/events', two)).status).to.equal(201);
        const query = {
          ...posted,
          body: JSON.stringify({ name: 'mine', query: { EQ_readPoint: [`urn:x:${tenant}`] } }),
        };
        expect((await as(server, of(tenant), '/queries', query)).status).to.equal(201);
      }
      for (const [tenant, other] of [
        ['north', 'south'],
        ['south', 'north'],
      ] as const) {
        for (const path of ['/events', '/events/urn:x:the-same', '/queries/mine/events', '/readPoints'])
          expect(await (await as(server, of(tenant), path)).text(), path)
            .to.contain(tenant)
            .and.not.contain(other);
      }
      const link = (await as(server, of('north'), '/events?perPage=1')).headers.get('link') ?? '';
      const next = /<([^>]+)>/.exec(link)?.[1] ?? '';
      expect((await as(server, of('north'), next)).status).to.equal(200);
      expect((await as(server, of('south'), next)).status).to.equal(400);
    });

    it('are nothing to clients of none, and one that there is not has nothing', async () => {
      const main = await as(server, client('acme'), '/events');
      expect(main.status).to.equal(200);
      expect(await main.text()).to.contain('"eventList":[]');
      for (const tenant of ['west', '', 'toString', '__proto__'])
        expect((await as(server, of(tenant), '/events')).status, tenant).to.equal(403);
    });

    it('are answered while a document of another is captured', async () => {
      const events = Array.from({ length: 1_000 }, (_, n) => ({ ...event('urn:x:south'), eventID: `urn:x:bulk-${n}` }));
      const document = {
        '@context': [],
        type: 'EPCISDocument',
        schemaVersion: '2.0',
        creationDate: '2026-01-01T00:00:00Z',
        epcisBody: { eventList: events },
      };
      const init = {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(document),
      };
      await as(server, of('north'), '/events');
      const captured = as(server, of('south'), '/capture', init).then(async ({ headers }) => {
        const job = headers.get('location') ?? '';
        await until('it is captured', async () =>
          (await (await as(server, of('south'), job)).text()).includes('"running":false'),
        );
      });
      let isOver = false;
      void captured.then(() => (isOver = true));
      let answered = 0;
      for (; !isOver; answered++) expect((await as(server, of('north'), '/events?perPage=1')).status).to.equal(200);
      await captured;
      expect(answered, 'requests answered').to.be.above(25);
    });

    it('need access', async () => {
      const started = startEpcisServer({ repository: { url: await freshUrl() }, port: 0, tenants: ['north'] }).then(
        () => 'started',
        (error: Error) => error.message,
      );
      expect(await started).to.match(/^There are tenants, and access is off/);
    });
  });
}

describe('the repository of a tenant', () => {
  it('that cannot be opened ends the start, and nothing runs on', async () => {
    const url = `sqlite://${join(temporaryFolder().path, 'epcis.db')}`;
    mkdirSync(urlOfTenant(url, 'south').replace('sqlite://', ''), { recursive: true });
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    await new Promise(setImmediate); // mocha's own timer is set
    const before = timers();
    await startGuarded(url, { tenants: ['north', 'south'] }).then(
      () => expect.fail('it started'),
      (error: Error) => expect(error.message).to.match(/-south/),
    );
    await until('no timer is left', () => timers() <= before, 5_000);
  });

  it('stands beside the main one', () => {
    expect(urlOfTenant('sqlite:///data.d/epcis.db', 'north')).to.equal('sqlite:///data.d/epcis-north.db');
    expect(urlOfTenant('sqlite:epcis', 'north')).to.equal('sqlite:epcis-north');
    expect(urlOfTenant('sqlite:///data.d/epcis', 'north')).to.equal('sqlite:///data.d/epcis-north');
    expect(urlOfTenant('mysql://u:p@db/epcis', 'north')).to.equal('mysql://u:p@db/epcis_north');
  });
});
