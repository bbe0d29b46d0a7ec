// Two companies and their observer share one repository. What beta gets of it is, answer by answer, what it would get of a repository that
// holds nothing but beta's view of it: nothing distinguishes "not there" from "not yours".
import { expect } from 'chai';
import { readRules } from '../../epcis/access/rules/read.ts';
import type { ClientIdentity } from '../../epcis/access/identity.ts';
import { applyRules } from '../../epcis/repository/access-rules.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import type { EpcisServer } from '../../epcis/server.ts';
import { as, startGuarded } from '../helpers/access.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import {
  ACME,
  acmeEpc,
  ALL,
  BETA,
  BETA_PARTY,
  betaEpc,
  comparable,
  DOCK,
  event,
  EVERYTHING,
  json,
  MASTER,
  NS,
  OBSERVER,
  PILOT,
  PLACES,
  poll,
  RULES,
  SITE,
  soap,
  STRANGER,
  type Shape,
  VIEW,
} from '../helpers/partners.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';

for (const [kind, freshUrl] of KINDS) {
  describe(`partners who share a repository on ${kind}`, function () {
    this.timeout(60_000);
    let shared: EpcisServer;
    let alone: EpcisServer;
    let database: Database;
    let receiver: Receiver;
    const opened: Database[] = [];

    const open = async (
      rules: unknown,
      places: string,
      events: readonly object[],
    ): Promise<[EpcisServer, Database]> => {
      const url = await freshUrl();
      const made = await openDatabase({ url });
      opened.push(made);
      await migrate(made);
      await apply(made, rules);
      const server = await startGuarded(url, { subscriptionTargets: ['127.0.0.0/8'] });
      const master = { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: places };
      expect((await as(server, OBSERVER, '/epcis/capture', master)).status).to.equal(200);
      for (const each of events) expect((await as(server, OBSERVER, '/events', json(each))).status).to.equal(201);
      return [server, made];
    };
    const apply = (to: Database, rules: unknown): Promise<number> => {
      readRules(rules);
      const text = JSON.stringify(rules);
      return applyRules(to, { source: text, rules: text, appliedBy: 'test', appliedFrom: 'here' });
    };

    before(async () => {
      receiver = await startReceiver();
      [shared, database] = await open(RULES, PLACES([DOCK, PILOT], true), ALL.map(event));
      [alone] = await open(EVERYTHING, PLACES([DOCK], false), VIEW);
      // of which beta may not know
      const named = json({ name: 'theirs', query: { EQ_bizStep: ['shipping'] } });
      expect((await as(shared, ACME, '/queries', named)).status).to.equal(201);
      const subscription = { ...SUBSCRIPTION, dest: receiver.url };
      expect((await as(shared, ACME, '/queries/theirs/subscriptions', json(subscription))).status).to.equal(201);
      const soapSubscription = subscribe('S-1', receiver.url);
      expect((await as(shared, ACME, '/epcis/query', soapSubscription)).status).to.equal(200);
      expect((await as(shared, ACME, '/capture', json(documentOf([])))).status).to.equal(202);
    });
    after(async () => {
      await Promise.all([shared.close(), alone.close()]);
      await Promise.all(opened.map((each) => each.close()));
      receiver.close();
    });

    const SUBSCRIPTION = { stream: true };
    const documentOf = (events: readonly unknown[]) => ({
      '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld'],
      type: 'EPCISDocument',
      schemaVersion: '2.0',
      creationDate: '2026-01-01T00:00:00Z',
      epcisBody: { eventList: events },
    });
    const subscribe = (id: string, to: string) =>
      soap(
        `<q:Subscribe><queryName>SimpleEventQuery</queryName><params/><dest>${to}</dest><controls>` +
          '<trigger>urn:x:captured</trigger><reportIfEmpty>false</reportIfEmpty></controls>' +
          `<subscriptionID>${id}</subscriptionID></q:Subscribe>`,
      );

    const answer = async (server: EpcisServer, who: ClientIdentity, path: string, init: RequestInit = {}) => {
      const response = await as(server, who, path, init);
      const link = response.headers.get('link');
      const text = comparable(await response.text());
      return { status: response.status, link: link && comparable(link), text, fields: fieldsOf(response.headers) };
    };
    /** Without what differs between any two answers; an event without its hidden fields is written anew, so its length may differ. */
    const fieldsOf = (headers: Headers) =>
      [...headers].filter(
        ([name]) => !['date', 'link', 'etag', 'content-length', 'gs1-next-page-token-expires'].includes(name),
      );
    const eventsOf = async (who: ClientIdentity, path = '/events'): Promise<string[]> => {
      const response = await as(shared, who, path);
      const body = (await response.json()) as {
        epcisBody: { queryResults: { resultsBody: { eventList: { eventID?: string }[] } } };
      };
      // what was captured without an ID has none where its hash would tell what is hidden
      return body.epcisBody.queryResults.resultsBody.eventList.map(({ eventID = '-' }) => eventID.slice(-1)).sort();
    };

    it('see what the rules let them see', async () => {
      expect(await eventsOf(OBSERVER)).to.deep.equal(['1', '2', '3', '4', '5', '6']);
      expect(await eventsOf(ACME)).to.deep.equal(['1', '2', '3', '4']);
      expect(await eventsOf(BETA)).to.deep.equal(['2', '5']);
      expect(await eventsOf(STRANGER)).to.deep.equal([]);
      const text = await (await as(shared, BETA, '/events')).text();
      expect(text).to.contain('acme:lot').and.not.contain('price').and.not.contain('sensor');
      expect(await (await as(shared, ACME, '/events')).text())
        .to.contain('acme:price')
        .and.contain('Temperature');
    });

    const dl = (epc: string) =>
      epc.replace(/urn:epc:id:sgtin:0614141.107346.(\d)/, 'https://id.gs1.org/01/10614141073464/21/$1');
    const ASKED: readonly string[] = [
      ...['/', '/events', '/events?perPage=1', '/eventTypes', '/epcs', '/epcs?perPage=1', '/bizSteps', '/bizLocations'],
      ...['/readPoints', '/readPoints?perPage=1', '/dispositions', '/capture', '/queries'],
      ...ALL.map(({ n }) => `/events/urn:uuid:00000000-0000-4000-8000-00000000000${n}`),
      ...ALL.map(({ epc }) => `/epcs/${epc}`),
      ...ALL.flatMap(({ epc }) =>
        ['events', 'trace', 'trace/graph', 'trace/picture'].map((below) => `/epcs/${epc}/${below}`),
      ),
      ...[DOCK, PILOT, SITE, 'urn:x:nowhere'].flatMap((place) => [
        `/readPoints/${place}`,
        `/readPoints/${place}/events`,
      ]),
      ...['damaged', 'in_transit', 'nothing'].flatMap((word) => [
        `/dispositions/${word}`,
        `/dispositions/${word}/events`,
      ]),
      ...[
        '/queries/theirs',
        '/queries/theirs/events',
        '/queries/theirs/subscriptions',
        '/queries/theirs/subscriptions/S-1',
      ],
      ...['/capture/00000000-0000-0000-0000-000000000000', '/queries/SimpleEventQuery/subscriptions'],
      // counts
      ...[1, 2, 3, 5].map((most) => `/events?maxEventCount=${most}`),
      // what is hidden: fields of the hidden, sorted by and filtered by
      ...[
        `EQ_acme:price=11`,
        `EXISTS_acme:price=true`,
        `GT_acme:price=1`,
        `orderBy=acme:price`,
        'EXISTS_acme:lot=true',
      ].map((query) => `/events?${query}`),
      ...['EXISTS_sensorElementList=true', 'EQ_type=Temperature', 'GE_value_CEL=1', 'EQ_INNER_acme:price=11'].map(
        (query) => `/events?${query}`,
      ),
      // by other ways to the same events
      ...[acmeEpc(1), acmeEpc(2), betaEpc(1)].flatMap((epc) => [
        `/events?MATCH_anyEPC=${epc}`,
        `/events?MATCH_epc=${dl(epc)}`,
      ]),
      '/events?MATCH_epc=urn:epc:idpat:sgtin:*.*.*',
      '/events?MATCH_epc=urn:epc:idpat:sgtin:0614141.107346.*',
      `/events?MATCH_epc=${acmeEpc(2).toUpperCase()}`,
      `/events?EQ_readPoint=${PILOT}|${DOCK}`,
      `/events?EQ_readPoint=${PILOT.toUpperCase()}`,
      `/events?WD_readPoint=${SITE}`,
      `/events?WD_readPoint=${DOCK}`,
      '/events?HASATTR_readPoint=urn:x:city',
      '/events?EQATTR_readPoint_urn:x:city=Porto',
      `/events?EQ_destination_owning_party=${BETA_PARTY}`,
      '/events?EQ_bizStep=shipping&orderBy=eventTime&orderDirection=ASC&eventCountLimit=1',
      '/events?orderBy=recordTime&eventCountLimit=2',
      '/events?EQ_eventID=urn:uuid:00000000-0000-4000-8000-000000000003|urn:uuid:00000000-0000-4000-8000-000000000002',
      '/events?wrong=1',
    ];

    it('get what a repository with nothing else would give, by REST', async () => {
      for (const type of ['application/json', 'application/xml'])
        // the forms have the service in common: some paths do for the second
        for (const path of type.endsWith('json') ? ASKED : ASKED.filter((_, n) => n % 4 === 0)) {
          const init = { headers: { Accept: type, 'GS1-Extensions': `acme=${NS}` } };
          const [theirs, ours] = [await answer(alone, BETA, path, init), await answer(shared, BETA, path, init)];
          expect(ours, `${type} ${path}`).to.deep.equal(theirs);
        }
    });

    it('get what a repository with nothing else would give, by other methods and under conditions', async () => {
      const asked = ['HEAD', 'OPTIONS', 'PUT', 'PATCH'].map((method): RequestInit => ({ method }));
      const conditions = ['*', '"x"', 'W/"x"'].map((tag): RequestInit => ({ headers: { 'If-None-Match': tag } }));
      const forms = ['Always_EPC_URN', 'Always_GS1_Digital_Link'].map((form): RequestInit => ({
        headers: { 'GS1-EPC-Format': form, 'Accept-Encoding': 'gzip' },
      }));
      const since = { headers: { 'If-Modified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT', Range: 'bytes=0-10' } };
      for (const path of ASKED.filter((_, n) => n % 3 === 0))
        for (const init of [...asked, ...conditions, ...forms, since]) {
          const [theirs, ours] = [await answer(alone, BETA, path, init), await answer(shared, BETA, path, init)];
          expect(ours, `${JSON.stringify(init)} ${path}`).to.deep.equal(theirs);
        }
    });

    it('get what a repository with nothing else would give, by SOAP', async () => {
      const asked = [
        poll('SimpleEventQuery'),
        poll('SimpleEventQuery', { maxEventCount: '1' }),
        poll('SimpleEventQuery', { maxEventCount: '2' }),
        poll('SimpleEventQuery', { [`EQ_${NS}price`]: '11' }),
        poll('SimpleEventQuery', { MATCH_epc: acmeEpc(2) }),
        poll('SimpleEventQuery', { WD_readPoint: SITE }),
        poll('theirs'),
        poll('SimpleMasterDataQuery', MASTER),
        poll('SimpleMasterDataQuery', { ...MASTER, WD_name: SITE }),
        poll('SimpleMasterDataQuery', { ...MASTER, EQ_name: PILOT }),
        poll('SimpleMasterDataQuery', { ...MASTER, HASATTR: 'urn:x:city' }),
        poll('SimpleMasterDataQuery', { ...MASTER, maxElementCount: '1' }),
        soap('<q:GetQueryNames/>'),
        soap('<q:GetSubscriptionIDs><queryName>SimpleEventQuery</queryName></q:GetSubscriptionIDs>'),
        soap('<q:GetSubscriptionIDs><queryName>theirs</queryName></q:GetSubscriptionIDs>'),
        soap('<q:Unsubscribe><subscriptionID>S-1</subscriptionID></q:Unsubscribe>'),
      ];
      for (const init of asked) {
        const [theirs, ours] = [
          await answer(alone, BETA, '/epcis/query', init),
          await answer(shared, BETA, '/epcis/query', init),
        ];
        expect(ours, JSON.stringify(init.body)).to.deep.equal(theirs);
      }
    });

    it('give names of their own, whatever names others gave', async () => {
      const own = json({ name: 'theirs', query: { EQ_bizStep: ['receiving'] } });
      expect((await as(shared, BETA, '/queries', own)).status).to.equal(201);
      expect((await as(shared, BETA, '/queries', own)).status).to.equal(409);
      expect(await eventsOf(BETA, '/queries/theirs/events')).to.deep.equal(['5']);
      expect(await eventsOf(ACME, '/queries/theirs/events')).to.deep.equal(['2', '3', '4']);
      expect((await as(shared, BETA, '/epcis/query', subscribe('S-1', receiver.url))).status).to.equal(200);
      const again = await as(shared, BETA, '/epcis/query', subscribe('S-1', receiver.url));
      expect(await again.text()).to.contain('DuplicateSubscriptionException');
      expect(
        (
          await as(
            shared,
            BETA,
            '/epcis/query',
            soap('<q:Unsubscribe><subscriptionID>S-1</subscriptionID></q:Unsubscribe>'),
          )
        ).status,
      ).to.equal(200);
      const ids = soap('<q:GetSubscriptionIDs><queryName>SimpleEventQuery</queryName></q:GetSubscriptionIDs>');
      expect(await (await as(shared, ACME, '/epcis/query', ids)).text()).to.contain('<string>S-1</string>');
      expect((await as(shared, BETA, '/queries/theirs', { method: 'DELETE' })).status).to.equal(204);
      expect((await as(shared, ACME, '/queries/theirs')).status).to.equal(200);
      // what an administrator makes is for all, and nobody else's to delete
      expect((await as(shared, OBSERVER, '/queries', json({ name: 'for all', query: {} }))).status).to.equal(201);
      expect(await eventsOf(BETA, '/queries/for%20all/events')).to.deep.equal(['2', '5']);
      expect((await as(shared, BETA, '/queries/for%20all', { method: 'DELETE' })).status).to.equal(403);
      expect((await as(shared, OBSERVER, '/queries/for%20all', { method: 'DELETE' })).status).to.equal(204);
    });

    it('are told by no number of a row how many events of others were captured between two of theirs', async () => {
      const numbers = await database.all('SELECT CAST(id AS CHAR(20)) AS id FROM event');
      expect(numbers).to.have.length.greaterThan(5);
      const parts: string[] = [];
      for (let next = '/events?perPage=1'; next !== '';) {
        next = /<([^>]+)>/.exec((await as(shared, ACME, next)).headers.get('link') ?? '')?.[1] ?? '';
        const [payload = ''] = (next.split('nextPageToken=')[1] ?? '').split('.');
        parts.push(Buffer.from(payload, 'base64url').toString());
      }
      expect(parts).to.have.length.greaterThan(3);
      const graph = await (await as(shared, ACME, `/epcs/${encodeURIComponent(acmeEpc(1))}/trace/graph`)).text();
      expect(graph).to.match(/"id":"event:[\w-]+"/);
      for (const { id } of numbers) expect([...parts, graph].join(' ')).to.not.contain(String(id));
    });

    it('cannot use each other’s page tokens', async () => {
      const link = (await as(shared, ACME, '/events?perPage=1')).headers.get('link') ?? '';
      const next = /<([^>]+)>/.exec(link)?.[1] ?? '';
      expect((await as(shared, ACME, next)).status).to.equal(200);
      const stolen = await as(shared, BETA, next);
      expect(stolen.status).to.equal(400);
      expect(await stolen.text()).to.contain('was not issued by this service');
    });

    it('capture what the rules let them capture', async () => {
      const fresh = (n: number, shape: Partial<Shape> = {}) =>
        event({ n, epc: betaEpc(n), bizStep: 'receiving', readPoint: 'urn:x:beta:gate', ...shape });
      expect((await as(shared, BETA, '/events', json(fresh(7)))).status).to.equal(201);
      const foreign = await as(shared, BETA, '/events', json(fresh(8, { epc: acmeEpc(8) })));
      expect(foreign.status).to.equal(403);
      expect(await foreign.text()).to.contain('SecurityException');
      // a URI that no pattern of a rule would find
      const noEpc = fresh(8, { epc: 'https://id.gs1.org/01/X9521141abcdef/21/8' });
      expect((await as(shared, BETA, '/events', json(noEpc))).status).to.equal(403);
      const mixed = { ...fresh(8), epcList: [betaEpc(8), acmeEpc(8)] };
      expect((await as(shared, BETA, '/events', json(mixed))).status).to.equal(403);
      expect((await as(shared, STRANGER, '/events', json(fresh(8)))).status).to.equal(403);
      const master = { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: PLACES([PILOT], false) };
      expect((await as(shared, BETA, '/epcis/capture', master)).status).to.equal(403);
      // a job: what is not permitted is told by it, and with proceed the rest stays
      const job = async (behaviour: string, events: readonly object[]) => {
        const init = json(documentOf(events));
        const headers = { ...init.headers, 'GS1-Capture-Error-Behaviour': behaviour };
        const at = (await as(shared, BETA, '/capture', { ...init, headers })).headers.get('location') ?? '';
        await until(
          'the job',
          async () => ((await (await as(shared, BETA, at)).json()) as { running: boolean }).running === false,
        );
        expect((await as(shared, ACME, at)).status).to.equal(404);
        return (await as(shared, BETA, at)).text();
      };
      expect(await job('rollback', [fresh(8), fresh(9, { epc: acmeEpc(9) })])).to.contain('SecurityException');
      expect(await eventsOf(BETA)).to.deep.equal(['2', '5', '7']);
      expect(await job('proceed', [fresh(9, { epc: acmeEpc(9) }), fresh(8)])).to.contain('SecurityException');
      expect(await eventsOf(BETA)).to.deep.equal(['2', '5', '7', '8']);
      expect(await eventsOf(ACME)).to.deep.equal(['1', '2', '3', '4']);
    });

    it('are not told whether others use the same ID, or captured the same', async () => {
      const other = { ...event({ n: 1, epc: betaEpc(3), bizStep: 'receiving', readPoint: 'urn:x:beta:gate' }) };
      expect((await as(shared, BETA, '/events', json(other))).status).to.equal(201);
      const [own] = ALL.filter(({ n }) => n === 6).map(event);
      // beta's own EPC at the pilot plant: there already, and not for beta to see
      expect((await as(shared, BETA, '/events', json(own))).status).to.equal(201);
      expect((await as(shared, BETA, '/events', json(event(ALL[4] as Shape)))).status).to.equal(409);
      const xml =
        '<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:1" schemaVersion="1.2" creationDate="2026-01-01T00:00:00Z"><EPCISBody><EventList>' +
        `<ObjectEvent><eventTime>2026-02-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset><epcList><epc>${betaEpc(9)}</epc></epcList>` +
        `<action>ADD</action><readPoint><id>${PILOT}</id></readPoint></ObjectEvent></EventList></EPCISBody></e:EPCISDocument>`;
      const capture = { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: xml };
      const first = await (await as(shared, BETA, '/epcis/capture', capture)).text();
      expect(await (await as(shared, BETA, '/epcis/capture', capture)).text()).to.equal(first);
    });

    it('put nothing below a place of their own that is not theirs: rules go by what is below it', async () => {
      const [own, gate] = ['urn:x:beta:site', 'urn:x:beta:gate'];
      const rules = [
        ...EVERYTHING.rules.map((rule) => ({ ...rule, for: 'client:observer' })),
        { name: 'beta sees what is at its site', for: 'client:beta', see: { location: own } },
        { name: 'beta describes its site', for: 'client:beta', capture: { masterData: { EQ_name: [own, gate] } } },
      ];
      const [server] = await open({ rules }, PLACES([DOCK], false), ALL.map(event));
      const below = (child: string) => ({
        method: 'POST',
        headers: { 'Content-Type': 'text/xml' },
        body: PLACES([own], false).replace('</attribute>', `</attribute><children><id>${child}</id></children>`),
      });
      const seen = async () => (await (await as(server, BETA, '/events')).text()).match(/urn:x:beta:gate|00001\.0/g);
      const statusOf = async (child: string) => (await as(server, BETA, '/epcis/capture', below(child))).status;
      expect([await statusOf(DOCK), await statusOf(gate)]).to.deep.equal([403, 200]);
      await until('its gate is below its site', async () => (await seen())?.includes(gate) === true);
      expect(await seen()).to.deep.equal([gate]);
      await server.close();
    });

    it('need no index that no rule asks for, however many hashes a question has', async () => {
      const rules = [{ name: 'see', for: 'everybody', see: 'everything', hide: [`${NS}price`] }];
      const url = await freshUrl();
      const made = await openDatabase({ url });
      opened.push(made);
      await migrate(made);
      await apply(made, { rules });
      const server = await startGuarded(url);
      const hashes = Array.from({ length: 20 }, (_, n) => `ni:///sha-256;${String(n).padStart(64, '0')}?ver=CBV2.0`);
      const { status } = await as(server, BETA, `/events?EQ_eventID=${hashes.map(encodeURIComponent).join('|')}`);
      await server.close();
      expect(status).to.equal(200);
    });

    it('are nowhere told the hash of an event of which a field is hidden: it says whether a guess is right', async () => {
      const { eventID, ...bare } = event({ ...(ALL[1] as Shape), epc: acmeEpc(77) });
      const unnamed = json({ ...bare, eventTime: '2026-02-02T00:00:00Z' });
      expect((await as(shared, OBSERVER, '/events', unnamed)).status, eventID).to.equal(201);
      const told = async (who: ClientIdentity, path: string, type = 'application/json') =>
        (await as(shared, who, path, { headers: { Accept: type } })).text();
      const hash = /ni:[^"]+/.exec(await told(OBSERVER, `/events?MATCH_epc=${acmeEpc(77)}`))?.[0] ?? '';
      expect((await as(shared, OBSERVER, `/events/${encodeURIComponent(hash)}`)).status).to.equal(200);
      expect((await as(shared, BETA, `/events/${encodeURIComponent(hash)}`)).status).to.equal(404);
      const paths = [
        `/events?MATCH_epc=${acmeEpc(77)}`,
        ...['events', 'trace', 'trace/graph', 'trace/picture'].map((below) => `/epcs/${acmeEpc(77)}/${below}`),
      ];
      for (const [n, path] of paths.entries())
        for (const type of n === 0 ? ['application/json', 'application/xml'] : ['*/*']) {
          const text = await told(BETA, path, type);
          expect(text, path).to.contain('0614141').and.not.contain('ni:').and.not.contain('sha-256');
        }
    });

    it('declare errors of what they see and might have captured themselves', async () => {
      const declared = (shape: Shape) => ({
        ...event(shape),
        errorDeclaration: { declarationTime: '2026-03-01T00:00:00Z' },
      });
      expect((await as(shared, BETA, '/events', json(declared(ALL[4] as Shape)))).status).to.equal(201);
      const texts = [];
      for (const n of [2, 6, 9]) {
        const wrong = declared({ n, epc: betaEpc(1), bizStep: 'receiving', readPoint: 'urn:x:beta:gate' });
        const refused = await as(shared, BETA, '/events', json(wrong));
        expect(refused.status, String(n)).to.equal(403);
        texts.push((await refused.text()).replaceAll(`00000${n}'`, "'"));
      }
      // seen but not its own, not seen, not there
      expect(new Set(texts).size).to.equal(1);
      // its own, under an ID that an event has which it does not see, and under one that nobody has
      for (const [n, own] of [
        [4, 41],
        [0, 42],
      ] as const) {
        const shape = { n, epc: betaEpc(own), bizStep: 'receiving', readPoint: 'urn:x:beta:gate' };
        const dated = { eventTime: '2026-02-02T00:00:00Z' };
        expect((await as(shared, BETA, '/events', json({ ...event(shape), ...dated }))).status).to.equal(201);
        const wrong = await as(shared, BETA, '/events', json({ ...declared(shape), ...dated }));
        expect(wrong.status, `${n}: ${await wrong.text()}`).to.equal(201);
      }
    });

    it('are told by their subscriptions of nothing that others capture', async () => {
      const named = json({ name: 'mine', query: {} });
      expect((await as(shared, BETA, '/queries', named)).status).to.equal(201);
      const made = await as(shared, BETA, '/queries/mine/subscriptions', json({ ...SUBSCRIPTION, dest: receiver.url }));
      const path = made.headers.get('location') ?? '';
      const told = async (): Promise<string> => {
        const options = await as(shared, BETA, path, { method: 'OPTIONS' });
        const list = await (await as(shared, BETA, '/queries/mine/subscriptions')).text();
        return `${await (await as(shared, BETA, path)).text()}${list}${options.headers.get('gs1-query-min-record-time')}`;
      };
      const before = await told();
      const theirs = event({ n: 1, epc: acmeEpc(8), bizStep: 'commissioning', readPoint: DOCK });
      expect((await as(shared, ACME, '/events', json({ ...theirs, eventID: 'urn:x:a8' }))).status).to.equal(201);
      await until('all runs are over', async () => {
        const open = 'SELECT COUNT(*) AS n FROM subscription WHERE position < (SELECT head FROM feed_counter)';
        const news = 'SELECT COUNT(*) AS n FROM feed_batch WHERE position IS NULL';
        const [behind, unnumbered] = [await database.all(open), await database.all(news)];
        return Number(behind[0]?.['n']) + Number(unnumbered[0]?.['n']) === 0;
      });
      expect(await told()).to.equal(before);
      expect((await as(shared, BETA, '/queries/mine', { method: 'DELETE' })).status).to.equal(204);
    });

    it('have their subscriptions answered by the rules of that moment', async () => {
      const ship = (n: number) =>
        event({ n, epc: acmeEpc(n), bizStep: 'shipping', readPoint: DOCK, to: BETA_PARTY, price: '99' });
      expect((await as(shared, BETA, '/epcis/query', subscribe('news', receiver.url))).status).to.equal(200);
      const news = () => receiver.requests.filter(({ body }) => body.includes('<subscriptionID>news<'));
      const all = { ...ship(1), eventID: 'urn:uuid:00000000-0000-4000-8000-0000000000a1' };
      expect((await as(shared, ACME, '/events', json(all))).status).to.equal(201);
      await until('what was shipped', () => news().length > 0);
      expect(news()[0]?.body).to.contain('lot').and.not.contain('price');
      // made before this rule
      const rules = [
        ...RULES.rules,
        { name: 'no more of it', for: 'client:beta', deny: { epc: 'urn:epc:idpat:sgtin:0614141.*.*' } },
      ];
      await apply(database, { rules });
      await until('the rule', async () => !(await eventsOf(BETA)).includes('2'));
      const before = news().length;
      expect(
        (
          await as(
            shared,
            ACME,
            '/events',
            json({
              ...all,
              eventID: 'urn:uuid:00000000-0000-4000-8000-0000000000a2',
              eventTime: '2026-04-01T00:00:00Z',
            }),
          )
        ).status,
      ).to.equal(201);
      const own = {
        ...event({ n: 5, epc: betaEpc(5), bizStep: 'receiving', readPoint: 'urn:x:beta:gate' }),
        eventID: 'urn:uuid:00000000-0000-4000-8000-0000000000b1',
      };
      expect((await as(shared, BETA, '/events', json(own))).status).to.equal(201);
      await until('its own', () => news().some(({ body }) => body.includes(betaEpc(5))));
      expect(
        news()
          .slice(before)
          .some(({ body }) => body.includes('0614141')),
      ).to.equal(false);
      // nor in any other spelling
      const link = '/01/10614141073464/21';
      const spellings = [
        ...[
          'URN:EPC:ID:SGTIN:0614141.107346.91',
          'urn:epc:id:sgtin:0614141.107346.%39%31',
          `HTTPS://ID.GS1.ORG${link}/91`,
        ],
        ...[`https://acme.example/gtin/10614141073464/ser/91`, `https://id.gs1.org${link}/%39%31`],
        ...[`https://id.gs1.org${link}/91?x=${'y'.repeat(3000)}`, `https://id.gs1.org/${'y/'.repeat(2000)}${link}/91`],
      ];
      for (const [n, epc] of spellings.entries()) {
        const shipped = { ...ship(1), epcList: [epc], eventID: `urn:x:spelling:${n}` };
        expect((await as(shared, OBSERVER, '/events', json(shipped))).status, epc.slice(0, 60)).to.equal(201);
        expect((await as(shared, BETA, `/events/urn:x:spelling:${n}`)).status, epc.slice(0, 60)).to.equal(404);
      }
    });
  });
}
