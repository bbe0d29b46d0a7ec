// The REST door of a whole service, over its repository.
import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { WebSocket } from 'ws';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { KINDS } from '../helpers/fresh-repository.ts';

const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';
const EX = 'http://ns.example.com/epcis/';

interface Event {
  readonly eventID: string;
  readonly [name: string]: unknown;
}

interface QueryDocument {
  readonly epcisBody: {
    readonly queryResults: { readonly queryName: string; readonly resultsBody: { readonly eventList: Event[] } };
  };
}

function objectEvent(n: number, more: object = {}): Event {
  return {
    eventID: `urn:uuid:00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    type: 'ObjectEvent',
    eventTime: `2024-01-0${n < 100 ? 1 : 2}T00:00:${String(n % 60).padStart(2, '0')}.000+02:00`,
    eventTimeZoneOffset: '+02:00',
    epcList: [`urn:epc:id:sgtin:0614141.107346.${n}`],
    action: 'OBSERVE',
    bizStep: 'shipping',
    disposition: 'in_transit',
    readPoint: { id: 'urn:epc:id:sgln:0614141.07346.1234' },
    ...more,
  };
}

function document(events: readonly object[]): object {
  return {
    '@context': [CONTEXT, { ex: EX }],
    type: 'EPCISDocument',
    schemaVersion: '2.0',
    creationDate: '2024-01-01T00:00:00Z',
    epcisBody: { eventList: events },
  };
}

for (const [kind, freshUrl] of KINDS)
  describe(`the REST door on ${kind}`, function () {
    this.timeout(60_000);
    let server: EpcisServer;
    let other: EpcisServer;

    const start = (url: string) =>
      startEpcisServer({
        repository: { url },
        port: 0,
        subscriptionTargets: ['127.0.0.1'],
        log: { error: (fields) => process.stderr.write(`${inspect(fields)}\n`), warn: () => {}, info: () => {} },
      });

    before(async () => {
      const url = await freshUrl();
      server = await start(url);
      other = await start(url);
      const events = Array.from({ length: 7 }, (_, n) => objectEvent(n, { 'ex:batch': n }));
      const receiving = objectEvent(7, {
        bizStep: 'receiving',
        bizLocation: { id: 'urn:epc:id:sgln:0614141.00777.0' },
      });
      await capture(document([...events, receiving]));
    });

    after(() => Promise.all([server.close(), other.close()]));

    const request = (path: string, init: RequestInit = {}, at = server) => fetch(`${at.address}${path}`, init);

    const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
      request(path, {
        method: 'POST',
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', ...headers },
      });

    const get = async <T>(path: string, headers: Record<string, string> = {}): Promise<T> => {
      const response = await request(path, { headers });
      const text = await response.text();
      expect(response.status, `GET ${path}: ${text}`).to.equal(200);
      return JSON.parse(text) as T;
    };

    const eventsAt = async (path: string, headers: Record<string, string> = {}) =>
      (await get<QueryDocument>(path, headers)).epcisBody.queryResults.resultsBody.eventList;

    interface Job {
      readonly running: boolean;
      readonly success: boolean;
      readonly errors: { readonly type: string; readonly detail: string }[];
    }

    async function finished(location: string): Promise<Job> {
      for (const end = Date.now() + 30_000; Date.now() < end;) {
        const job = await get<Job>(location);
        if (!job.running) return job;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error('the capture job did not finish');
    }

    async function capture(body: unknown, headers: Record<string, string> = {}): Promise<Job> {
      const response = await post('/capture', body, headers);
      expect(response.status, await response.clone().text()).to.equal(202);
      return finished(response.headers.get('location') ?? '');
    }

    const problem = async (response: Response) => {
      const { type } = (await response.json()) as { type: string };
      return [response.status, type.replace('epcisException:', '')];
    };

    describe('capture', () => {
      it('answers 202 with a job that any VM reports on', async () => {
        const response = await post('/capture', document([objectEvent(100)]));
        expect(response.status).to.equal(202);
        const location = response.headers.get('location') ?? '';
        expect(location).to.match(/^\/capture\/[^/]+$/);
        expect(await finished(location)).to.include({ success: true, captureErrorBehaviour: 'rollback' });
        const seen = await fetch(`${other.address}${location}`, { headers: { Accept: 'application/xml' } });
        expect(await seen.text()).to.match(/<epcis:EPCISCaptureJob [^>]*running="false" success="true"/);
      });

      it('rolls back by default and proceeds when asked to', async () => {
        const wrong = { ...objectEvent(111), action: 'CREATE' };
        const back = await capture(document([objectEvent(110), wrong]));
        expect(back.success).to.equal(false);
        expect(back.errors[0]?.type).to.equal('epcisException:ValidationException');
        expect((await request(`/events/${objectEvent(110).eventID}`)).status).to.equal(404);
        const on = await capture(document([objectEvent(110), wrong]), { 'GS1-Capture-Error-Behaviour': 'proceed' });
        expect([on.success, on.errors.length]).to.deep.equal([false, 1]);
        expect(on.errors[0]).to.deep.equal(back.errors[0]);
        expect((await request(`/events/${objectEvent(110).eventID}`)).status).to.equal(200);
      });

      it('refuses a media type or an error behaviour that it does not know', async () => {
        const pdf = await post('/capture', 'x', { 'Content-Type': 'application/pdf' });
        expect(await problem(pdf)).to.deep.equal([415, 'UnsupportedMediaTypeException']);
        const behaviour = await post('/capture', document([]), { 'GS1-Capture-Error-Behaviour': 'maybe' });
        expect(await problem(behaviour)).to.deep.equal([400, 'ValidationException']);
      });

      it('refuses at once what is no document, and reports by the job what is wrong inside', async () => {
        for (const [body, type] of [
          ['', 'application/json'],
          [' \n', 'application/xml'],
          ['<xml/>', 'application/json'],
          ['{}', 'text/xml'],
          ['hello', 'application/ld+json'],
        ] as const) {
          expect(await problem(await post('/capture', body, { 'Content-Type': type })), body).to.deep.equal([
            400,
            'ValidationException',
          ]);
        }
        for (const broken of ['{"type":', '{"type":"EPCISDocument"}}', Buffer.from('{"type":"\u00e9"}', 'latin1')])
          expect(await problem(await post('/capture', broken))).to.deep.equal([400, 'ValidationException']);
        const { success, errors } = await capture('{}');
        expect([success, errors[0]?.type]).to.deep.equal([false, 'epcisException:ValidationException']);
      });

      it('captures one event at once and knows it when it comes again', async () => {
        const event = { '@context': [CONTEXT, { ex: EX }], ...objectEvent(120, { 'ex:color': 'red' }) };
        const created = await post('/events', event);
        expect(created.status, await created.clone().text()).to.equal(201);
        const location = created.headers.get('location') ?? '';
        expect(location).to.equal(`/events/${encodeURIComponent(event.eventID)}`);
        expect(await created.json())
          .to.include({ eventID: event.eventID, 'ex:color': 'red' })
          .and.have.property('recordTime');
        const [stored] = await eventsAt(location);
        expect(stored).to.include({ eventID: event.eventID, 'ex:color': 'red', bizStep: 'shipping' });
        expect(await problem(await post('/events', event))).to.deep.equal([409, 'ResourceAlreadyExistsException']);
      });

      it('answers with the event that was posted, also when it declares another one an error', async () => {
        const event = { '@context': [CONTEXT], ...objectEvent(121) };
        expect((await post('/events', event)).status).to.equal(201);
        for (const reason of ['incorrect_data', 'did_not_occur']) {
          const declared = { ...event, errorDeclaration: { declarationTime: '2030-01-01T00:00:00Z', reason } };
          const created = await post('/events', declared);
          expect(created.status, await created.clone().text()).to.equal(201);
          expect(await created.json()).to.have.nested.property('errorDeclaration.reason', reason);
          expect(await problem(await post('/events', declared))).to.deep.equal([409, 'ResourceAlreadyExistsException']);
        }
        expect(await eventsAt(`/events/${encodeURIComponent(event.eventID)}`)).to.have.length(3);
      });

      it('refuses another event under an ID that is taken, also of two at once', async () => {
        const event = { '@context': [CONTEXT], ...objectEvent(122) };
        const others = ['packing', 'shipping', 'loading', 'storing'].map((bizStep) => ({ ...event, bizStep }));
        const statuses = (await Promise.all(others.map((other) => post('/events', other)))).map(({ status }) => status);
        expect(statuses.sort()).to.deep.equal([201, 409, 409, 409]);
        expect(await eventsAt(`/events/${encodeURIComponent(event.eventID)}`)).to.have.length(1);
        const hashed = { ...objectEvent(123), '@context': [CONTEXT], eventID: undefined };
        const created = await post('/events', hashed);
        const { eventID } = (await created.json()) as { eventID: string };
        const taken = { ...objectEvent(124), '@context': [CONTEXT], eventID };
        expect(await problem(await post('/events', taken))).to.deep.equal([409, 'ResourceAlreadyExistsException']);
      });

      it('captures one event in XML', async () => {
        const xml =
          '<ObjectEvent><eventTime>2024-02-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>' +
          '<eventID>urn:uuid:00000000-0000-4000-8000-000000000130</eventID><epcList><epc>urn:epc:id:sgtin:0614141.107346.130</epc></epcList>' +
          '<action>OBSERVE</action></ObjectEvent>';
        const response = await post('/events', xml, { 'Content-Type': 'application/xml' });
        expect(response.status, await response.clone().text()).to.equal(201);
        expect(await eventsAt(response.headers.get('location') ?? '')).to.have.length(1);
      });

      it('refuses an event that is none', async () => {
        for (const body of ['{', '[]', '{}', JSON.stringify({ ...objectEvent(131), action: 'CREATE' })]) {
          expect(await problem(await post('/events', body)), body).to.deep.equal([400, 'ValidationException']);
        }
      });
    });

    describe('queries', () => {
      it('finds events by any parameter, lists by the pipe, CBV words and their URIs alike', async () => {
        expect(await eventsAt('/events?EQ_bizStep=receiving')).to.have.length(1);
        const uri = encodeURIComponent('https://ref.gs1.org/cbv/BizStep-receiving');
        expect(await eventsAt(`/events?EQ_bizStep=${uri}`)).to.have.length(1);
        expect(
          await eventsAt('/events?EQ_bizStep=receiving|shipping&LT_eventTime=2024-01-01T00:00:01%2B02:00'),
        ).to.have.length(1);
        const one = await eventsAt('/events?EQ_ex:batch=3', { 'GS1-Extensions': `ex=${EX}` });
        expect(one.map(({ eventID }) => eventID)).to.deep.equal([objectEvent(3).eventID]);
      });

      it('gives pages that link to the next one, which any VM serves, and no event twice', async () => {
        const seen: string[] = [];
        let path = '/events?perPage=3&EQ_bizStep=shipping&LT_eventTime=2024-01-01T00:00:07%2B02:00';
        for (let page = 0; path !== ''; page++) {
          const response = await request(path, {}, page % 2 === 0 ? server : other);
          const { epcisBody } = (await response.json()) as QueryDocument;
          const { eventList } = epcisBody.queryResults.resultsBody;
          expect(eventList.length).to.be.at.most(3);
          seen.push(...eventList.map(({ eventID }) => eventID));
          const link = response.headers.get('link');
          path = /^<([^>]+)>; rel="next"$/.exec(link ?? '')?.[1] ?? '';
          if (link !== null)
            expect(Date.parse(response.headers.get('gs1-next-page-token-expires') ?? '')).to.be.above(Date.now());
        }
        const wanted = Array.from({ length: 7 }, (_, n) => objectEvent(n).eventID);
        expect(seen.filter((id) => wanted.includes(id)).sort()).to.deep.equal(wanted.sort());
        expect(new Set(seen).size).to.equal(seen.length);
      });

      it('refuses a page token that was changed or belongs elsewhere, and has nothing to release for a good one', async () => {
        const link = (await request('/events?perPage=1')).headers.get('link') ?? '';
        const token = /nextPageToken=([^&>]+)/.exec(link)?.[1] ?? '';
        for (const path of [
          `/epcs?nextPageToken=${token}`,
          `/events?nextPageToken=x${token}`,
          `/events?EQ_action=ADD&nextPageToken=${token}`,
        ]) {
          expect(await problem(await request(path)), path).to.deep.equal([400, 'QueryParameterException']);
        }
        expect((await request(`/nextPageToken/${token}`, { method: 'DELETE' })).status).to.equal(204);
        expect((await request('/nextPageToken/nonsense', { method: 'DELETE' })).status).to.equal(400);
      });

      it('refuses wrong parameters by name', async () => {
        for (const query of [
          'EQ_abcd=x',
          'GE_eventTime=yesterday',
          'EQ_action=ADD&EQ_action=OBSERVE',
          'perPage=0',
          'perPage=x',
        ]) {
          expect(await problem(await request(`/events?${query}`)), query).to.deep.equal([
            400,
            'QueryParameterException',
          ]);
        }
        expect(await problem(await request('/events?maxEventCount=2'))).to.deep.equal([413, 'QueryTooLargeException']);
      });

      it('finds an event by its ID, escaped or not', async () => {
        const unnamed: Record<string, unknown> = { ...objectEvent(140) };
        delete unnamed['eventID'];
        const location = (await post('/events', { '@context': CONTEXT, ...unnamed })).headers.get('location') ?? '';
        const id = decodeURIComponent(location.slice('/events/'.length));
        expect(id).to.match(/^ni:\/\/\/sha-256;[0-9a-f]{64}\?ver=CBV2\.0$/);
        for (const path of [location, `/events/${id}`]) {
          expect(
            (await eventsAt(path)).map(({ eventID }) => eventID),
            path,
          ).to.deep.equal([id]);
        }
        expect(await problem(await request('/events/urn:uuid:none'))).to.deep.equal([404, 'NoSuchResourceException']);
      });
    });

    it('meets a CURIE by the header, whatever the prefixes, in JSON and XML', async () => {
      const ns = 'https://curie.example.org/';
      const event = {
        '@context': [CONTEXT, { a: ns }],
        ...objectEvent(140),
        ...{ bizStep: 'a:painting', epcList: ['a:thing'], eventID: 'a:event-140', 'a:colour': 'a:red' },
        bizTransactionList: [{ type: 'a:job', bizTransaction: 'a:job-1' }],
      };
      expect((await post('/events', event)).status).to.equal(201);
      const xml =
        `<ObjectEvent xmlns:b="${ns}"><eventTime>2024-02-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>` +
        '<epcList><epc>b:thing</epc></epcList><action>OBSERVE</action><bizStep>b:painting</bizStep></ObjectEvent>';
      expect((await post('/events', xml, { 'Content-Type': 'application/xml' })).status).to.equal(201);
      const found = async (path: string): Promise<number> => {
        const answer = await request(path, { headers: { 'GS1-Extensions': `c=${ns}` } });
        const { epcisBody } = (await answer.json()) as {
          epcisBody: { queryResults: { resultsBody: { eventList: [] } } };
        };
        return epcisBody.queryResults.resultsBody.eventList.length;
      };
      expect(await found('/events?EQ_bizStep=c:painting')).to.equal(2);
      expect(await found('/bizSteps/c:painting/events')).to.equal(2);
      expect(await found('/events?MATCH_anyEPC=c:thing')).to.equal(2);
      expect(await found('/events?EQ_bizTransaction_c:job=c:job-1')).to.equal(1);
      expect(await found('/events?EQ_c:colour=a:red')).to.equal(1);
      expect(await found('/events/c:event-140')).to.equal(1);
      expect(await eventsAt(`/events?EQ_bizStep=${encodeURIComponent(`${ns}painting`)}`)).to.have.length(2);
      const [back] = await eventsAt(`/events/${encodeURIComponent(`${ns}event-140`)}`);
      expect(back).to.include({ eventID: 'a:event-140', bizStep: 'a:painting', 'a:colour': 'a:red' });
    });

    describe('top-level resources', () => {
      interface Collection {
        readonly member: string[];
      }

      it('are listed at the root', async () => {
        const { member } = await get<Collection>('/');
        expect(member).to.have.members([
          'capture',
          'events',
          'eventTypes',
          'epcs',
          'bizSteps',
          'bizLocations',
          'readPoints',
          'dispositions',
          'queries',
        ]);
      });

      const examples: Readonly<Record<string, string>> = {
        eventTypes: 'ObjectEvent',
        epcs: 'urn:epc:id:sgtin:0614141.107346.7',
        bizSteps: 'receiving',
        bizLocations: 'urn:epc:id:sgln:0614141.00777.0',
        readPoints: 'urn:epc:id:sgln:0614141.07346.1234',
        dispositions: 'in_transit',
      };
      for (const [name, value] of Object.entries(examples)) {
        it(`list ${name} and lead to the events of each`, async () => {
          expect((await get<Collection>(`/${name}?perPage=1000`)).member).to.include(value);
          const path = `/${name}/${encodeURIComponent(value)}`;
          expect((await get<Collection>(path)).member).to.deep.equal(['events']);
          const all = await eventsAt(`${path}/events?perPage=1000`);
          expect(all.length).to.be.above(0);
          expect(await eventsAt(`${path}/events?EQ_eventID=${objectEvent(7).eventID}`)).to.have.length.at.most(1);
          expect(await problem(await request(`/${name}?EQ_action=ADD`))).to.deep.equal([
            400,
            'QueryParameterException',
          ]);
          expect(await problem(await request(`/${name}/urn:example:none`))).to.deep.equal([
            404,
            'NoSuchResourceException',
          ]);
        });
      }

      it("list the standard's own values, whether an event has them or not", async () => {
        for (const [name, value] of [
          ['eventTypes', 'AssociationEvent'],
          ['bizSteps', 'void_shipping'],
          ['dispositions', 'mismatch_quantity'],
        ] as const) {
          expect((await get<Collection>(`/${name}?perPage=1000`)).member).to.include(value);
          expect((await get<Collection>(`/${name}/${value}`)).member).to.deep.equal(['events']);
          expect(await eventsAt(`/${name}/${value}/events`)).to.deep.equal([]);
        }
        expect(await problem(await request('/bizSteps/own_word'))).to.deep.equal([404, 'NoSuchResourceException']);
      });

      it('come in pages', async () => {
        const response = await request('/epcs?perPage=2');
        const first = ((await response.json()) as Collection).member;
        const next = /^<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1] ?? '';
        const second = (await get<Collection>(next)).member;
        expect([first.length, second.length]).to.deep.equal([2, 2]);
        expect(second).not.to.have.members(first);
      });

      it('take a digital link in the path, its slashes escaped or not', async () => {
        const link = 'https://id.gs1.org/01/10614141073464/21/7';
        for (const path of [`/epcs/${encodeURIComponent(link)}/events`, `/epcs/${link}/events`]) {
          expect(
            (await eventsAt(path)).map(({ eventID }) => eventID),
            path,
          ).to.deep.equal([objectEvent(7).eventID]);
        }
      });

      it('take and give values with the prefixes of GS1-Extensions', async () => {
        await capture(document([objectEvent(150, { bizStep: `${EX}painting` })]));
        const headers = { 'GS1-Extensions': `ex=${EX}` };
        expect((await get<Collection>('/bizSteps?perPage=1000', headers)).member).to.include('ex:painting');
        expect(await eventsAt('/bizSteps/ex:painting/events', headers)).to.have.length(1);
        const { '@context': context } = await get<{ '@context': unknown[] }>('/bizSteps', headers);
        expect(context[1]).to.deep.equal({ ex: EX });
      });

      it('write EPCs in the format asked for', async () => {
        const points = await get<Collection>('/readPoints', { 'GS1-EPC-Format': 'Always_GS1_Digital_Link' });
        expect(points.member).to.include('https://id.gs1.org/414/0614141073467/254/1234');
        const { member } = await get<Collection>('/epcs?perPage=1000', { 'GS1-EPC-Format': 'Always_GS1_Digital_Link' });
        expect(member).to.include('https://id.gs1.org/01/10614141073464/21/7');
      });
    });

    describe('every resource', () => {
      const readable = [
        '/',
        '/capture',
        '/events',
        '/eventTypes',
        '/epcs',
        '/bizSteps',
        '/bizLocations',
        '/readPoints',
        '/dispositions',
        '/queries',
      ];
      for (const path of readable) {
        it(`gives ${path} in JSON, JSON-LD and XML`, async () => {
          for (const type of ['application/json', 'application/ld+json', 'application/xml', 'text/xml']) {
            const response = await request(path, { headers: { Accept: type } });
            expect([response.status, response.headers.get('content-type')]).to.deep.equal([
              200,
              `${type}; charset=utf-8`,
            ]);
            expect((await response.text())[0]).to.match(type.endsWith('json') ? /[{[]/ : /</);
            expect(response.headers.get('gs1-epcis-version')).to.equal('2.0.0');
          }
          expect(await problem(await request(path, { headers: { Accept: 'image/png' } }))).to.deep.equal([
            406,
            'NotAcceptableException',
          ]);
        });
      }

      it('tells its methods by OPTIONS, and refuses others with 405', async () => {
        await post('/queries', { name: 'options', query: {} });
        const allowed: Readonly<Record<string, string>> = {
          '/': 'OPTIONS, GET',
          '/capture': 'OPTIONS, GET, POST',
          '/capture/x': 'OPTIONS, GET',
          '/events': 'OPTIONS, GET, POST',
          '/events/x': 'OPTIONS, GET',
          '/epcs': 'OPTIONS, GET',
          '/epcs/x': 'OPTIONS, GET',
          '/epcs/x/events': 'OPTIONS, GET',
          '/queries': 'OPTIONS, GET, POST',
          '/queries/options': 'OPTIONS, GET, DELETE',
          '/queries/options/events': 'OPTIONS, GET',
          '/queries/options/subscriptions': 'OPTIONS, GET, POST',
          '/queries/options/subscriptions/x': 'OPTIONS, GET, DELETE',
          '/nextPageToken/x': 'OPTIONS, DELETE',
        };
        for (const [path, allow] of Object.entries(allowed)) {
          const response = await request(path, { method: 'OPTIONS' });
          expect([path, response.status, response.headers.get('allow')]).to.deep.equal([path, 204, allow]);
          expect(response.headers.get('gs1-epcis-min')).to.equal('1.0.0');
          expect(response.headers.get('gs1-vendor-version')).to.match(/^mmeliot /);
          expect(response.headers.get('gs1-extensions')).to.match(/^gs1=https:\/\/gs1\.org\/voc\/, cbvmda=/);
          const put = await request(path, { method: 'PUT' });
          expect([path, put.status, put.headers.get('allow')]).to.deep.equal([path, 405, allow]);
        }
        const own = { 'GS1-Extensions': 'ex=https://e.example.org/' };
        const discovered = await request('/events', { method: 'OPTIONS', headers: own });
        expect(discovered.headers.get('gs1-extensions')).to.match(/, ex=https:\/\/e\.example\.org\/$/);
        const body = {
          dest: 'http://127.0.0.1:9/',
          schedule: { month: '1' },
          initialRecordTime: '2024-01-02T03:04:05Z',
        };
        const path = (await post('/queries/options/subscriptions', body)).headers.get('location') ?? '';
        const subscription = await request(path, { method: 'OPTIONS' });
        const { minRecordTime } = await get<{ minRecordTime: string }>(path);
        expect(subscription.headers.get('gs1-query-min-record-time')).to.equal(minRecordTime);
        const limits = await request('/capture', { method: 'OPTIONS' });
        expect(Number(limits.headers.get('gs1-epcis-capture-limit'))).to.be.above(0);
        expect(Number(limits.headers.get('gs1-epcis-capture-file-size-limit'))).to.be.above(0);
      });

      it('answers HEAD with the headers of GET', async () => {
        for (const path of ['/events?perPage=1', '/epcs?perPage=1', '/']) {
          const head = await request(path, { method: 'HEAD' });
          const full = await request(path);
          expect([head.status, await head.text()], path).to.deep.equal([200, '']);
          expect(head.headers.get('content-type')).to.equal(full.headers.get('content-type'));
          expect(head.headers.has('link')).to.equal(full.headers.has('link'));
        }
      });

      it('takes hostile names for what they are', async () => {
        for (const query of ['__proto__=x', 'constructor=x', 'EQ___proto__=x', "EQ_action='; DROP TABLE event; --"]) {
          expect((await request(`/events?${query}`)).status, query).to.be.oneOf([200, 400]);
        }
        const body = '{"name":"hostile","query":{"__proto__":{"EQ_bizStep":["shipping"]}}}';
        expect((await post('/queries', body)).status).to.equal(400);
        expect(
          (await post('/queries/none/subscriptions', '{"__proto__":{"dest":"http://127.0.0.1/"}}')).status,
        ).to.equal(400);
        expect(({} as Record<string, unknown>)['EQ_bizStep']).to.equal(undefined);
        expect(await eventsAt('/events?perPage=1')).to.have.length(1);
      });

      it('writes problems in XML for those who read XML', async () => {
        const response = await request('/events/none', { headers: { Accept: 'application/xml' } });
        expect([response.status, response.headers.get('content-type')]).to.deep.equal([404, 'application/problem+xml']);
        expect(await response.text()).to.contain('<type>epcisException:NoSuchResourceException</type>');
      });

      it('knows paths in their own case only, and tells it', async () => {
        for (const [path, right] of [
          ['/Capture', '/capture'],
          ['/EVENTS?perPage=1', '/events'],
          ['/BizSteps/shipping/events', '/bizSteps/{bizStep}/events'],
          ['/Epcis-Repository/capture', '/epcis-repository/capture'],
          ['/epcis/Query', '/epcis/query'],
        ] as const) {
          const response = await request(path, { method: 'POST', body: 'x' });
          expect(response.status, path).to.equal(404);
          expect(((await response.json()) as { detail: string }).detail).to.contain(`write ${right}:`);
        }
        expect((await request('/READY')).status).to.equal(404);
        expect(await (await request('/events/%zz')).text()).not.to.contain('write');
      });

      it('knows nothing of anything else', async () => {
        for (const path of ['/.well-known/gs1resolver', '/none', '/queries/a/b/c', '/%zz', '/..%2f..%2fetc/passwd']) {
          expect(await problem(await request(path)), path).to.deep.equal([404, 'NoSuchResourceException']);
        }
      });
    });

    describe('named queries', () => {
      it('are created, listed, run, narrowed and deleted', async () => {
        const query = {
          eventType: ['ObjectEvent'],
          EQ_bizStep: ['receiving', 'https://ref.gs1.org/cbv/BizStep-shipping'],
        };
        const created = await post('/queries', { name: 'my query', query });
        expect([created.status, created.headers.get('location')]).to.deep.equal([201, '/queries/my%20query']);
        expect(await get('/queries/my%20query')).to.deep.include({ name: 'my query', query });
        expect((await get<{ name: string }[]>('/queries')).map(({ name }) => name)).to.include('my query');
        const narrowed = await get<QueryDocument>(
          '/queries/my%20query/events?EQ_bizLocation=urn:epc:id:sgln:0614141.00777.0',
        );
        expect(narrowed.epcisBody.queryResults.queryName).to.equal('my query');
        expect(narrowed.epcisBody.queryResults.resultsBody.eventList).to.have.length(1);
        expect(await problem(await post('/queries', { name: 'my query', query }))).to.deep.equal([
          409,
          'ResourceAlreadyExistsException',
        ]);
        expect((await request('/queries/my%20query', { method: 'DELETE' })).status).to.equal(204);
        expect(await problem(await request('/queries/my%20query/events'))).to.deep.equal([404, 'NoSuchNameException']);
      });

      it('have an XML form with their parameters, which are master data for one of them', async () => {
        await post('/queries', { name: 'in xml', query: { EQ_bizStep: ['storing', '<&>'], maxEventCount: 5 } });
        const response = await request('/queries/in%20xml', { headers: { Accept: 'application/xml' } });
        expect(await response.text()).to.contain(
          '<queryName>in xml</queryName><params><param><name>EQ_bizStep</name><value><string>storing</string>' +
            '<string>&lt;&amp;&gt;</string></value></param><param><name>maxEventCount</name><value><string>5</string></value></param></params>',
        );
        expect(await problem(await request('/queries/SimpleMasterDataQuery/events'))).to.deep.equal([
          400,
          'QueryValidationException',
        ]);
        expect(await problem(await request('/queries/SimpleEventQuery', { method: 'DELETE' }))).to.deep.equal([
          403,
          'SecurityException',
        ]);
      });

      it('are found and deleted under names that clients take for steps of a path', async () => {
        for (const name of ['.', '..', '%2E%2E', '..%']) {
          const created = await post('/queries', { name, query: { EQ_bizStep: ['receiving'] } });
          const at = created.headers.get('location') ?? '';
          expect((await get<{ name: string }>(at)).name, at).to.equal(name);
          expect(await eventsAt(`${at}/events`)).to.have.length(1);
          expect((await request(at, { method: 'DELETE' })).status, at).to.equal(204);
          expect((await request(at)).status, at).to.equal(404);
        }
      });

      it('are deleted by clients that send dots as they are, too', async () => {
        for (const path of ['/queries/%2E%2E', '/queries/..']) {
          await post('/queries', { name: '..', query: {} });
          const asked = send({ host: '127.0.0.1', port: new URL(server.address).port, path, method: 'DELETE' }).end();
          const [answer] = (await once(asked, 'response')) as [IncomingMessage];
          answer.resume();
          expect(answer.statusCode, path).to.equal(204);
        }
      });

      it('are refused with a wrong definition', async () => {
        const wrong: readonly (readonly [unknown, string])[] = [
          [{ name: 'x', query: { EQ_nothing: ['y'] } }, 'QueryParameterException'],
          [{ query: {} }, 'ValidationException'],
          [{ name: 'x' }, 'ValidationException'],
          ['{', 'ValidationException'],
        ];
        for (const [body, name] of wrong) {
          expect(await problem(await post('/queries', body)), JSON.stringify(body)).to.deep.equal([400, name]);
        }
      });
    });

    describe('subscriptions', () => {
      it('deliver to a webhook, signed, as events are captured', async () => {
        const received: { body: string; signature: string | undefined }[] = [];
        const receiver = createServer((incoming, response) => {
          const chunks: Uint8Array[] = [];
          incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk));
          incoming.on('end', () => {
            received.push({
              body: Buffer.concat(chunks).toString(),
              signature: String(incoming.headers['gs1-signature']),
            });
            response.end();
          });
        });
        receiver.listen(0, '127.0.0.1');
        await once(receiver, 'listening');
        const dest = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
        try {
          await post('/queries', { name: 'packing', query: { EQ_bizStep: ['packing'] } });
          const created = await post('/queries/packing/subscriptions', { dest, stream: true, signatureToken: 'key' });
          expect(created.status, await created.clone().text()).to.equal(201);
          const location = created.headers.get('location') ?? '';
          const shown = (await created.json()) as Record<string, unknown>;
          expect(shown)
            .to.include({ dest, stream: true, queryName: 'packing' })
            .and.not.have.property('signatureToken');
          expect(await get<unknown[]>('/queries/packing/subscriptions')).to.have.length(1);
          expect(await get(location)).to.include({ subscriptionID: shown['subscriptionID'] });

          const event = objectEvent(200, { bizStep: 'packing' });
          await capture(document([event]));
          await eventually(() => received.some(({ body }) => body.includes(event.eventID)));
          const delivery = received.find(({ body }) => body.includes(event.eventID));
          const hmac = createHmac('sha256', 'key').update(delivery?.body ?? '');
          expect(delivery?.signature).to.contain(hmac.digest('hex'));

          expect((await request(location, { method: 'DELETE' })).status).to.equal(204);
          expect(await problem(await request(location))).to.deep.equal([404, 'NoSuchSubscriptionException']);
        } finally {
          receiver.close();
          receiver.closeAllConnections();
        }
      });

      it('deliver to a WebSocket', async () => {
        await post('/queries', { name: 'loading', query: { EQ_bizStep: ['loading'] } });
        const socket = new WebSocket(`${server.address.replace('http', 'ws')}/queries/loading/events?stream=true`);
        const messages: string[] = [];
        socket.on('message', (data: Buffer) => messages.push(data.toString()));
        await once(socket, 'open');
        await eventually(async () => (await get<unknown[]>('/queries/loading/subscriptions')).length === 1);
        const event = objectEvent(210, { bizStep: 'loading' });
        await capture(document([event]));
        await eventually(() => messages.some((message) => message.includes(event.eventID)));
        socket.close();
        await eventually(async () => (await get<unknown[]>('/queries/loading/subscriptions')).length === 0);
      });

      it('have an XML form, too', async () => {
        await post('/queries', { name: 'daily', query: {} });
        const schedule = { hour: '3', minute: '[0-9]' };
        const body = JSON.stringify({ dest: 'http://127.0.0.1:9/', schedule, reportIfEmpty: true });
        const created = await request('/queries/daily/subscriptions', {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            Accept: 'application/xml',
            'GS1-EPC-Format': 'Always_EPC_URN',
          },
          body,
        });
        const text = await created.text();
        expect([created.status, text].join()).to.match(/^201,<\?xml.*<epcisq:Subscription /s);
        expect(text).to.contain('<schedule><hour>3</hour><minute>[0-9]</minute></schedule>');
        expect(text).to.contain('<reportIfEmpty>true</reportIfEmpty><epcFormat>Always_EPC_URN</epcFormat>');
        const list = await request('/queries/daily/subscriptions', { headers: { Accept: 'application/xml' } });
        expect((await list.text()).match(/<epcisq:Subscription /g)).to.have.length(1);
      });

      it('are scheduled by the query string of a WebSocket', async () => {
        await post('/queries', { name: 'ticking', query: { EQ_bizStep: ['nothing:ever'] } });
        const seconds = Array.from({ length: 60 }, (_, n) => n).join(',');
        const path = `/queries/ticking/events?second=${seconds}&reportIfEmpty=true`;
        const socket = new WebSocket(server.address.replace('http', 'ws') + path);
        const [data] = (await once(socket, 'message')) as [Buffer];
        expect(data.toString()).to.contain('"eventList":[]');
        socket.close();
      });

      it('are refused before the WebSocket handshake', async () => {
        await post('/queries', { name: 'sockets', query: {} });
        const wrong: Readonly<Record<string, readonly [number, string]>> = {
          'none/events?stream=true': [404, 'NoSuchNameException'],
          'sockets/events': [400, 'SubscriptionControlsException'],
          'sockets/events?stream=false': [400, 'SubscriptionControlsException'],
          'sockets/events?stream=true&second=0': [400, 'SubscriptionControlsException'],
          'sockets/events?second=61': [400, 'SubscriptionControlsException'],
          'sockets/events?stream=yes': [400, 'QueryParameterException'],
          'sockets/events?second=0&reportIfEmpty=1': [400, 'QueryParameterException'],
          'sockets/events?stream=true&initialRecordTime=yesterday': [400, 'SubscriptionControlsException'],
          'sockets/events?stream=true&EQ_colour=red': [400, 'QueryParameterException'],
          'sockets/events?stream=true&GE_eventTime=yesterday': [400, 'QueryParameterException'],
        };
        for (const [path, [status, name]] of Object.entries(wrong)) {
          const socket = new WebSocket(`${server.address.replace('http', 'ws')}/queries/${path}`);
          const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
          expect([path, response.statusCode, await text(response)].join()).to.include(
            `${path},${status},{"type":"epcisException:${name}"`,
          );
          socket.on('error', () => {});
          socket.terminate();
        }
        expect(await get('/queries/sockets/subscriptions')).to.deep.equal([]);
      });

      it('leave nothing behind when the WebSocket handshake fails', async () => {
        await post('/queries', { name: 'halfway', query: {} });
        const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
        const asked = send(`${server.address}/queries/halfway/events?stream=true`, { headers }).end();
        const [response] = (await once(asked, 'response')) as [IncomingMessage];
        expect([response.statusCode, await text(response)].join()).to.match(/^400,.*Sec-WebSocket-Key/);
        await eventually(async () => (await get<unknown[]>('/queries/halfway/subscriptions')).length === 0);
      });

      it('are refused without a time to run, with two, and to nowhere', async () => {
        await post('/queries', { name: 'picking', query: { EQ_bizStep: ['picking'] } });
        const dest = 'http://127.0.0.1:9/';
        const wrong: readonly (readonly [object, string])[] = [
          [{ dest }, 'SubscriptionControlsException'],
          [{ dest, stream: true, schedule: { second: '0' } }, 'SubscriptionControlsException'],
          [{ dest, schedule: { second: '61' } }, 'SubscriptionControlsException'],
          [{ dest, schedule: { century: '20' } }, 'SubscriptionControlsException'],
          [{ dest: 'htto://x', stream: true }, 'InvalidURIException'],
          [{ stream: true }, 'ValidationException'],
        ];
        for (const [body, name] of wrong) {
          expect(await problem(await post('/queries/picking/subscriptions', body)), JSON.stringify(body)).to.deep.equal(
            [400, name],
          );
        }
      });
    });
  });

async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the condition did not come true in time');
}
