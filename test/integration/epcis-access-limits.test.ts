// What one client may take of all VMs together: events a second, open subscriptions; by both doors.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { applyRules } from '../../epcis/repository/access-rules.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import type { EpcisServer } from '../../epcis/server.ts';
import { as, client, startGuarded, vouchedFor } from '../helpers/access.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { accessOf, keyOf } from '../helpers/gatekeeper.ts';
import { ask, Bench } from '../helpers/gateway.ts';
import { until } from '../helpers/until.ts';

const RULES = JSON.stringify({
  rules: [
    { name: 'see', for: 'everybody', see: 'everything' },
    { name: 'capture', for: 'everybody', capture: 'everything' },
  ],
});
const event = (n: number) => ({
  '@context': [],
  type: 'ObjectEvent',
  eventTime: '2026-01-01T00:00:00Z',
  eventTimeZoneOffset: '+00:00',
  action: 'OBSERVE',
  epcList: [`urn:x:limits:${n}`],
});
const xml = (n: number | string) =>
  '<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:1" schemaVersion="1.2" creationDate="2026-01-01T00:00:00Z"><EPCISBody><EventList>' +
  `<ObjectEvent><eventTime>2026-02-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset><epcList><epc>urn:x:xml:${n}</epc></epcList>` +
  '<action>ADD</action></ObjectEvent></EventList></EPCISBody></e:EPCISDocument>';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const json = (body: object) => ({
  method: 'POST',
  headers: JSON_TYPE,
  body: JSON.stringify(body),
});
const byXml = (body: string) => ({ method: 'POST', headers: { 'Content-Type': 'text/xml' }, body });
const subscribe = (id: string) =>
  byXml(
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:q="urn:epcglobal:epcis-query:xsd:1"><s:Body>' +
      '<q:Subscribe><queryName>SimpleEventQuery</queryName><params/><dest>http://127.0.0.1:9/</dest><controls>' +
      '<schedule><minute>0</minute></schedule><reportIfEmpty>false</reportIfEmpty></controls>' +
      `<subscriptionID>${id}</subscriptionID></q:Subscribe></s:Body></s:Envelope>`,
  );

for (const [kind, freshUrl] of KINDS) {
  describe(`limits of clients on ${kind}`, function () {
    this.timeout(60_000);
    const bench = new Bench();
    let server: EpcisServer;
    let another: EpcisServer;
    before(async () => {
      const url = await freshUrl();
      const database = await openDatabase({ url });
      await migrate(database);
      await applyRules(database, { source: RULES, rules: RULES, appliedBy: 'test', appliedFrom: 'here' });
      await database.close();
      server = await startGuarded(url, { subscriptionTargets: ['127.0.0.0/8'] });
      another = await startGuarded(url);
    });
    after(async () => {
      await bench.close();
      await server.close();
      await another.close();
    });

    it('let no client capture more events than its rate, at any VM, by any door, and others go on', async () => {
      const slow = client('slow', { eventsPerSecond: 0.01 });
      expect((await as(server, slow, '/events', json(event(1)))).status).to.equal(201);
      const refused = await as(server, slow, '/events', json(event(2)));
      expect([refused.status, Number(refused.headers.get('retry-after'))]).to.satisfy(
        ([status, wait]: [number, number]) => status === 429 && wait >= 1 && wait <= 100,
      );
      expect((await as(another, slow, '/events', json(event(2)))).status).to.equal(429);
      expect(((await refused.json()) as { detail: string }).detail).to.match(/^slow may capture 0.01 events a second/);
      expect((await as(server, slow, '/capture', json({ type: 'EPCISDocument' }))).status).to.equal(429);
      const old = await as(server, slow, '/epcis/capture', byXml(xml(1)));
      expect([old.status, await old.text()]).to.satisfy(
        ([status, text]: [number, string]) => status === 429 && text.includes('more: the next in'),
      );
      expect((await as(server, slow, '/events')).status).to.equal(200);
      expect((await as(server, client('fast'), '/epcis/capture', byXml(xml(2)))).status).to.equal(200);
    });

    it('count what jobs are to capture, as soon as they are taken', async () => {
      const busy = client('busy', { eventsPerSecond: 0.01 });
      const job = {
        ...{ '@context': [], type: 'EPCISDocument', schemaVersion: '2.0', creationDate: '2026-01-01T00:00:00Z' },
        epcisBody: { eventList: [event(11), event(12)] },
      };
      expect((await as(server, busy, '/capture', json(job))).status).to.equal(202);
      expect((await as(server, busy, '/capture', json(job))).status).to.equal(429);
      expect((await as(another, busy, '/events', json(event(13)))).status).to.equal(429);
    });

    it('are counted rightly where several VMs count at once', async () => {
      const many = client('many', { eventsPerSecond: 0.01 });
      const captured = await Promise.all(
        [server, another, server, another, server, another].map((vm, i) =>
          as(vm, many, '/epcis/capture', byXml(xml(`many-${i}`))),
        ),
      );
      const taken = captured.filter(({ status }) => status === 200).length;
      const { status, headers } = await as(server, many, '/events', json(event(14)));
      // a hundred seconds for each, less those that have passed
      expect([status, Math.ceil(Number(headers.get('retry-after')) / 100)]).to.deep.equal([429, taken]);
    });

    for (const dataPlane of ['builtin', 'haproxy'] as const)
      it(`hold for all VMs behind a gateway together (${dataPlane})`, async () => {
        const slow = keyOf(`slow-${dataPlane}`, { eventsPerSecond: 0.01 });
        const gateway = await bench.gateway(
          { dataPlane, selector: 'round-robin' },
          { access: accessOf([slow.record]) },
        );
        for (const [i, { port }] of [server, another].entries())
          await gateway.add(`vm-${i}`, { host: '127.0.0.1', port });
        const capture = async (n: number) => {
          const options = {
            ...json({ ...event(n), bizStep: dataPlane === 'builtin' ? 'packing' : 'shipping' }),
            headers: { ...JSON_TYPE, authorization: `Bearer ${slow.key}` },
          };
          return ask(gateway.address.port, '/events', options, options.body);
        };
        await until('it has captured', async () => (await capture(15)).status === 201);
        const later = [];
        for (let i = 0; i < 6; i++) later.push(await capture(16 + i));
        expect(new Set(later.map(({ headers }) => headers['x-mmeliot-vm']))).to.deep.equal(new Set(['vm-0', 'vm-1']));
        for (const { status, headers } of later)
          expect([status, Number(headers['retry-after']) > 1]).to.deep.equal([429, true]);
      });

    it('let no client have more subscriptions than it may, by any door, also of those that come at once', async () => {
      const few = client('few', { subscriptions: 2 });
      expect((await as(server, few, '/epcis/query', subscribe('one'))).status).to.equal(200);
      const path = '/queries/SimpleEventQuery/events?stream=true';
      const open = () =>
        new WebSocket(server.address.replace('http', 'ws') + path, { headers: vouchedFor(few, 'GET', path) });
      const first = open();
      await once(first, 'open');
      const ids = '<q:GetSubscriptionIDs><queryName>SimpleEventQuery</queryName></q:GetSubscriptionIDs>';
      const listed = subscribe('').body.replace(/<q:Subscribe>.*<\/q:Subscribe>/, ids);
      const count = async () =>
        [...(await (await as(server, few, '/epcis/query', byXml(listed))).text()).matchAll(/<string>/g)].length;
      await until('the socket is subscribed', async () => (await count()) === 2);
      const answers = await Promise.all(
        ['two', 'three', 'four'].map(async (id) => (await as(server, few, '/epcis/query', subscribe(id))).text()),
      );
      for (const text of answers) expect(text).to.include('SecurityException').and.include('2 subscriptions open');
      const second = open();
      const [, refused] = (await once(second, 'unexpected-response')) as [unknown, IncomingMessage];
      expect(refused.statusCode).to.equal(429);
      refused.destroy();
      expect(await count()).to.equal(2);
      expect((await as(server, client('other'), '/epcis/query', subscribe('one'))).status).to.equal(200);
      first.close();
      await until('one may be opened again', async () =>
        (await (await as(server, few, '/epcis/query', subscribe('two'))).text()).includes('SubscribeResult'),
      );
    });
  });
}
