// What browsers and caches expect of the service, from a VM itself and through the gateway on both of its data planes.
import { expect } from 'chai';
import { once } from 'node:events';
import { gunzipSync, brotliDecompressSync, zstdDecompressSync } from 'node:zlib';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { ask, Bench, type Answer } from '../helpers/gateway.ts';
import { present } from '../helpers/present.ts';

const APP = 'https://app.example.org';
const DECODERS = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
const decoded = ({ headers, body }: Answer): string => {
  const encoding = headers['content-encoding'];
  return (encoding === undefined ? body : DECODERS[encoding as keyof typeof DECODERS](body)).toString();
};
const withoutTime = (text: string) => text.replace(/"creationDate":"[^"]*"/, '');

function event(n: number, more: object = {}): object {
  return {
    type: 'ObjectEvent',
    eventID: `urn:uuid:00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    eventTime: '2024-01-01T00:00:00Z',
    eventTimeZoneOffset: '+00:00',
    epcList: [`urn:epc:id:sgtin:0614141.107340.${n}`],
    action: 'OBSERVE',
    bizStep: 'shipping',
    ...more,
  };
}
const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';
const FIRST = '/events/urn:uuid:00000000-0000-4000-8000-000000000001';

const DOCUMENT =
  '<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:1" schemaVersion="1.2" creationDate="2024-01-01T00:00:00Z">' +
  '<EPCISBody><EventList>' +
  Array.from(
    { length: 500 },
    (_, n) =>
      '<ObjectEvent><eventTime>2024-01-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset><epcList>' +
      `<epc>urn:epc:id:sgtin:0614141.107341.${n}</epc></epcList><action>ADD</action></ObjectEvent>`,
  ).join('') +
  '</EventList></EPCISBody></e:EPCISDocument>';

const POLL =
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><q:Poll xmlns:q="urn:epcglobal:epcis-query:xsd:1">' +
  '<queryName>SimpleEventQuery</queryName><params/></q:Poll></s:Body></s:Envelope>';

describe('the service as browsers and caches use it', function () {
  this.timeout(60_000);
  const bench = new Bench();
  let vm: EpcisServer;
  let closed: EpcisServer;
  const doors = new Map<string, number>();

  before(async () => {
    const [, freshUrl] = present(KINDS[0]);
    const repository = { url: await freshUrl() };
    const log = { error: () => {}, warn: () => {}, info: () => {} };
    vm = await startEpcisServer({ repository, port: 0, log, corsOrigins: [APP, 'http://localhost:3000'] });
    closed = await startEpcisServer({ repository, port: 0, log });
    doors.set('a VM', vm.port);
    for (const dataPlane of ['builtin', 'haproxy'] as const) {
      const gateway = await bench.gatewayTo(vm, { dataPlane });
      doors.set(`the gateway (${dataPlane})`, gateway.address.port);
    }
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ '@context': CONTEXT, ...event(1) });
    expect((await ask(vm.port, '/events', { method: 'POST', headers }, body)).status).to.equal(201);
    const capture = { method: 'POST', headers: { 'Content-Type': 'text/xml' } };
    expect((await ask(vm.port, '/epcis/capture', capture, DOCUMENT)).status).to.equal(200);
  });
  after(async () => {
    await bench.close();
    await Promise.all([vm.close(), closed.close()]);
  });

  const everywhere = async (check: (port: number, where: string) => Promise<void>) => {
    for (const [where, port] of doors) await check(port, where);
  };
  const allowed = (headers: IncomingHttpHeaders) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  it('answers who would rather speak another protocol', () =>
    everywhere(async (port, where) => {
      const headers = { Connection: 'Upgrade, HTTP2-Settings', 'HTTP2-Settings': 'AAMAAABkAAQAAP__' };
      for (const Upgrade of ['h2c', 'TLS/1.0'])
        expect(
          (await ask(port, FIRST, { headers: { ...headers, Upgrade } })).status,
          `${Upgrade} at ${where}`,
        ).to.equal(200);
    }));

  describe('CORS', () => {
    it('answers a preflight with what a page may send', () =>
      everywhere(async (port, where) => {
        const headers = {
          Origin: APP,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'content-type,gs1-epcis-version',
        };
        for (const path of ['/capture', '/events', '/epcis/capture', '/epcis/query', '/queries/x']) {
          const answer = await ask(port, path, { method: 'OPTIONS', headers });
          expect(answer.status, where).to.equal(204);
          expect(answer.headers['access-control-allow-origin'], where).to.equal(APP);
          expect(answer.headers['access-control-allow-methods']).to.match(/\bPOST\b.*\bDELETE\b/);
          expect(answer.headers['access-control-allow-headers']?.toLowerCase())
            .to.match(/\bcontent-type\b/)
            .and.match(/\bgs1-epcis-version\b/)
            .and.match(/\bsoapaction\b/);
          expect(answer.headers['vary']).to.equal('Origin');
        }
      }));

    it('lets a page read the answer and the headers of EPCIS, faults and problems included', () =>
      everywhere(async (port, where) => {
        for (const path of ['/events', '/nothing', '/events?EQ_nothing=x', '/epcis/query?wsdl', '/epcis/query']) {
          const { headers } = await ask(port, path, { headers: { Origin: APP } });
          expect(headers['access-control-allow-origin'], `${path} from ${where}`).to.equal(APP);
          expect(headers['access-control-expose-headers']).to.match(/\bLink\b.*GS1-EPCIS-Version/);
          expect(headers['access-control-allow-credentials']).to.equal(undefined);
          expect(headers['vary']).to.match(/\bOrigin\b/);
        }
      }));

    for (const dataPlane of ['builtin', 'haproxy'] as const)
      it(`lets a page read what the gateway answers itself (${dataPlane})`, async () => {
        const gateway = await bench.gateway({ dataPlane, queue: { deadlineMs: 500 } }, { corsOrigins: [APP] });
        const { port } = gateway.address;
        const preflight = {
          Origin: APP,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'x-a',
        };
        const expectReadable = async (status: number) => {
          const { status: got, headers } = await ask(port, '/events', { headers: { Origin: APP } });
          expect([got, headers['access-control-allow-origin']]).to.deep.equal([status, APP]);
          expect(headers['access-control-expose-headers']).to.match(/retry-after/);
          expect(headers['vary']).to.match(/origin/i);
          const other = await ask(port, '/events', { headers: { Origin: 'https://evil.example.org' } });
          // a VM that speaks no HTTP is taken out for it, so that there may be none any more
          expect(other.status).to.be.oneOf([status, 503]);
          expect(allowed(other.headers)).to.deep.equal([]);
        };
        await expectReadable(503);
        const may = await ask(port, '/events', { method: 'OPTIONS', headers: preflight });
        expect([may.status, may.headers['access-control-allow-headers']]).to.deep.equal([204, 'x-a']);
        expect(may.headers['access-control-allow-methods']).to.match(/POST/);
        const plain = await ask(port, '/events', { method: 'OPTIONS', headers: { Origin: APP } });
        expect(plain.status).to.equal(503);
        const broken = await bench.vm((request) => request.socket.end('this is no HTTP\r\n\r\n'));
        await gateway.add('broken', { host: '127.0.0.1', port: broken.port });
        await expectReadable(502);
      });

    it('allows nothing to others, and never keeps them an answer that was for one', () =>
      everywhere(async (port, where) => {
        for (const origin of [
          undefined,
          'https://evil.example.org',
          'null',
          `${APP}.evil.example`,
          'http://app.example.org',
        ]) {
          const headers = { 'Access-Control-Request-Method': 'POST', ...(origin !== undefined && { Origin: origin }) };
          for (const method of ['OPTIONS', 'GET']) {
            const answer = await ask(port, '/events', { method, headers });
            expect(allowed(answer.headers), `${origin} at ${where}`).to.deep.equal([]);
            expect(answer.headers['vary']).to.match(/\bOrigin\b/);
          }
        }
      }));

    it('lets no page of another site send what a browser sends without asking, nor read by a WebSocket', () =>
      everywhere(async (port, where) => {
        const here = `http://127.0.0.1:${port}`;
        const sent = async (headers: Record<string, string>) => {
          const types = [
            'application/x-www-form-urlencoded',
            'multipart/form-data; boundary=x',
            'text/plain',
            undefined,
          ];
          const posts = types.flatMap((type) =>
            ['/epcis/capture', '/epcis/query'].map((path) => {
              const all = { ...headers, ...(type !== undefined && { 'Content-Type': type }) };
              return ask(port, path, { method: 'POST', headers: all }, 'event=nothing');
            }),
          );
          const socket = new WebSocket(`ws://127.0.0.1:${port}/queries/none/events?stream=true`, { headers });
          const [, refused] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
          socket.once('error', () => {}).terminate();
          return [...(await Promise.all(posts)).map(({ status }) => status), refused.statusCode];
        };
        const foreign: readonly Record<string, string>[] = [
          { Origin: 'https://evil.example.org' },
          { Origin: 'null' },
          { Origin: `${APP}.evil.example`, 'Sec-Fetch-Site': 'cross-site' },
          { Origin: here, 'Sec-Fetch-Site': 'same-site' },
        ];
        for (const headers of foreign)
          expect(new Set(await sent(headers)), `${JSON.stringify(headers)} at ${where}`).to.deep.equal(new Set([403]));
        const own: readonly Record<string, string>[] = [
          {},
          { Origin: here },
          { Origin: APP, 'Sec-Fetch-Site': 'cross-site' },
          // behind a proxy that names another host
          { Origin: 'https://epcis.example.org', 'Sec-Fetch-Site': 'same-origin' },
          // programs
          { Origin: 'file://' },
          { Origin: 'http://127.0.0.1' },
        ];
        for (const headers of own)
          expect(await sent(headers), `${JSON.stringify(headers)} at ${where}`).to.not.include(403);
      }));

    it('is off where no origin is set', async () => {
      const headers = { Origin: APP, 'Access-Control-Request-Method': 'POST' };
      const answer = await ask(closed.port, '/capture', { method: 'OPTIONS', headers });
      expect(allowed(answer.headers)).to.deep.equal([]);
      expect(answer.headers['allow']).to.equal('OPTIONS, GET, HEAD, POST');
      expect((await ask(closed.port, '/events')).headers['vary']).not.to.match(/Origin/);
    });
  });

  describe('compression', () => {
    it('gives each client the encoding it likes best, of whole and of streamed answers', () =>
      everywhere(async (port, where) => {
        const soap = { method: 'POST', headers: { 'Content-Type': 'text/xml' } };
        const plain = await ask(port, '/epcis/query', soap, POLL);
        expect(plain.headers['content-encoding']).to.equal(undefined);
        const page = await ask(port, '/events?perPage=100');
        for (const encoding of Object.keys(DECODERS)) {
          const asked = { 'Accept-Encoding': `${encoding}, identity;q=0.5` };
          const streamed = await ask(port, '/epcis/query', { ...soap, headers: { ...soap.headers, ...asked } }, POLL);
          expect(streamed.headers['content-encoding'], where).to.equal(encoding);
          expect(streamed.headers['vary']).to.match(/\bAccept-Encoding\b/);
          expect(decoded(streamed) === plain.text).to.equal(true);
          expect(streamed.body.length).to.be.below(plain.body.length / 4);
          const whole = await ask(port, '/events?perPage=100', { headers: asked });
          expect(whole.headers['content-encoding'], where).to.equal(encoding);
          expect(withoutTime(decoded(whole))).to.equal(withoutTime(page.text));
        }
      }));

    it('leaves small answers, problems and answers to HEAD as they are', () =>
      everywhere(async (port) => {
        const headers = { 'Accept-Encoding': 'gzip, br, zstd' };
        for (const path of ['/', '/nothing', '/ready']) {
          expect((await ask(port, path, { headers })).headers['content-encoding'], path).to.equal(undefined);
        }
        const head = await ask(port, '/events?perPage=100', { method: 'HEAD', headers });
        expect([head.status, head.body.length]).to.deep.equal([200, 0]);
        expect(head.headers['content-encoding']).to.equal('zstd');
      }));
  });

  describe('what does not change', () => {
    const TAGGED = [FIRST, '/', '/eventTypes', '/bizSteps', '/bizSteps/shipping', '/epcis/query?wsdl'];

    it('has a validator, and is not sent again', () =>
      everywhere(async (port, where) => {
        for (const path of TAGGED) {
          const first = await ask(port, path);
          const { etag = '' } = first.headers;
          expect(etag, `${path} from ${where}`).to.match(/^W\/"[\w-]{22}"$/);
          expect(first.headers['cache-control']).to.equal('no-cache');
          for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
            for (const method of ['GET', 'HEAD']) {
              const again = await ask(port, path, { method, headers: { 'If-None-Match': known } });
              expect([again.status, again.body.length], `${known} ${where}`).to.deep.equal([304, 0]);
              expect(again.headers['etag']).to.equal(etag);
              expect(again.headers['content-type']).to.equal(undefined);
              expect(again.headers['vary']).to.equal(first.headers['vary']);
            }
          }
          const other = await ask(port, path, { headers: { 'If-None-Match': '"other"' } });
          expect(other.status).to.equal(200);
          expect(withoutTime(other.text)).to.equal(withoutTime(first.text));
        }
      }));

    it('is another thing in another form, and the same in another encoding', () =>
      everywhere(async (port) => {
        const tag = async (headers: Record<string, string>) => (await ask(port, FIRST, { headers })).headers['etag'];
        const forms: Record<string, string>[] = [
          {},
          { Accept: 'application/xml' },
          { 'GS1-EPC-Format': 'Always_GS1_Digital_Link' },
        ];
        const tags = await Promise.all(forms.map(tag));
        expect(new Set(tags).size).to.equal(forms.length);
        expect(await tag({ 'Accept-Encoding': 'gzip, identity;q=0' })).to.equal(tags[0]);
      }));

    it('has a new validator when it has changed after all: an error declaration is a second event', async () => {
      const headers = { 'Content-Type': 'application/ld+json' };
      const { etag = '' } = (await ask(vm.port, FIRST)).headers;
      const declared = event(1, { errorDeclaration: { declarationTime: '2024-02-01T00:00:00Z' } });
      const declaration = JSON.stringify({ '@context': CONTEXT, ...declared });
      expect((await ask(vm.port, '/events', { method: 'POST', headers }, declaration)).status).to.equal(201);
      const now = await ask(vm.port, FIRST, { headers: { 'If-None-Match': etag } });
      expect(now.status).to.equal(200);
      expect(now.text.match(/"ObjectEvent"/g)).to.have.length(2);
    });

    it('is not what changes by the minute', async () => {
      const pages = await Promise.all(['/events', '/capture', '/queries'].map((path) => ask(vm.port, path)));
      expect(pages.map(({ headers }) => headers['etag'])).to.deep.equal([undefined, undefined, undefined]);
    });
  });
});
