// Who tries what at a gateway whose clients have to be known, and what they get: both planes, REST and SOAP, a real VM behind.
import { createHmac } from 'node:crypto';
import { Agent } from 'node:http';
import { expect } from 'chai';
import type { EpcisServer } from '../../epcis/server.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import { client, vouchedFor } from '../helpers/access.ts';
import { keyOf } from '../helpers/gatekeeper.ts';
import { ask, raw, type Answer } from '../helpers/gateway.ts';
import { GuardedGateway } from '../helpers/guarded-gateway.ts';
import { until } from '../helpers/until.ts';

const POLL =
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:q="urn:epcglobal:epcis-query:xsd:1"><s:Body>' +
  '<q:Poll><queryName>SimpleEventQuery</queryName><params/></q:Poll></s:Body></s:Envelope>';
const b64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

for (const dataPlane of ['builtin', 'haproxy'] as const) {
  describe(`attacks on a gateway whose clients are known (${dataPlane})`, function () {
    this.timeout(60_000);
    const guarded = new GuardedGateway(dataPlane);
    const { bench, issuer } = guarded;
    const [acme, reader, revoked, expired] = [
      keyOf('acme'),
      keyOf('reader', { roles: ['query'] }),
      keyOf('revoked'),
      keyOf('expired', { expiresAt: '2026-01-01T00:00:00Z' }),
    ];
    let vm: EpcisServer;
    let gateway: Gateway;

    before(async () => {
      await guarded.start([acme.record, reader.record, revoked.record]);
      ({ vm, gateway } = guarded);
      // it was good once, and is remembered
      await until('the VM answers', async () => (await rest(`Bearer ${revoked.key}`)).status === 200);
      await gateway.setKeys([acme.record, reader.record, expired.record]);
    });
    after(() => guarded.close());

    type Fields = Record<string, string | string[]>;
    const withCredentials = (authorization?: string, more: Fields = {}): Fields => ({
      ...more,
      ...(authorization !== undefined && { authorization }),
    });
    const rest = (authorization?: string, more: Fields = {}, path = '/events') =>
      ask(gateway.address.port, path, { headers: withCredentials(authorization, more) });
    const soap = (authorization?: string, more: Fields = {}) => {
      const headers = { ...withCredentials(authorization, more), 'content-type': 'text/xml' };
      return ask(gateway.address.port, '/epcis/query', { method: 'POST', headers }, POLL);
    };
    const basic = (name: string, key: string) => `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`;
    const isRefused = ({ status, headers, text }: Answer, who: string) => {
      expect([status, headers['www-authenticate']?.includes('Basic realm="mmeliot"')], who).to.deep.equal([401, true]);
      expect(JSON.parse(text), who).to.include({ title: 'Unauthorized', status: 401 });
    };

    it('lets in who shows a key or a token, by REST and by SOAP, over and over', async () => {
      const good = [`Bearer ${acme.key}`, basic('acme', acme.key), `Bearer ${await issuer.token()}`];
      for (const authorization of [...good, ...good]) {
        expect((await rest(authorization)).status).to.equal(200);
        const polled = await soap(authorization);
        expect(polled.status, polled.text).to.equal(200);
        expect(polled.text).to.include('QueryResults');
      }
    });

    it('refuses all others, by REST and by SOAP', async () => {
      const [, payload = ''] = (await issuer.token()).split('.');
      const hs256 = `${b64({ alg: 'HS256', kid: 'one' })}.${payload}`;
      const confused = `${hs256}.${createHmac('sha256', JSON.stringify(issuer.public)).update(hs256).digest('base64url')}`;
      const attacks: Readonly<Record<string, string | undefined>> = {
        'no token': undefined,
        'a wrong key': `Bearer ${acme.key.slice(0, -4)}AAAA`,
        'a revoked key': `Bearer ${revoked.key}`,
        'a revoked key by Basic': basic('revoked', revoked.key),
        'an expired key': `Bearer ${expired.key}`,
        "another's name": basic('reader', acme.key),
        'the hash of a key': `Bearer ${acme.record.hash}`,
        'an expired token': `Bearer ${await issuer.token({}, Math.floor(Date.now() / 1000) - 60)}`,
        'a token for another audience': `Bearer ${await issuer.token({ aud: 'another' })}`,
        'a token of another issuer': `Bearer ${await issuer.token({ iss: 'https://evil.example.org' })}`,
        'alg: none': `Bearer ${b64({ alg: 'none' })}.${payload}.`,
        'key confusion': `Bearer ${confused}`,
      };
      for (const [who, authorization] of Object.entries(attacks)) {
        isRefused(await rest(authorization), who);
        isRefused(await soap(authorization), who);
      }
    });

    it('takes nobody’s own word for who they are', async () => {
      const forged = client('admin', { roles: ['administer', 'capture', 'query', 'subscribe'] });
      const own = vouchedFor(forged, 'GET', '/capture')['Mmeliot-Client'] ?? '';
      // even one that was stolen from a gateway: it is taken away, and the client's own is told
      for (const name of ['Mmeliot-Client', 'mmeliot-client', 'MMELIOT-CLIENT']) {
        isRefused(await rest(undefined, { [name]: own }, '/capture'), name);
        expect((await rest(`Bearer ${reader.key}`, { [name]: own }, '/capture')).status).to.equal(403);
        expect((await rest(`Bearer ${reader.key}`, { [name]: [own, own] }, '/capture')).status).to.equal(403);
      }
    });

    it('is not to be gone round: a VM answers nobody whom no gateway vouches for', async () => {
      for (const authorization of [undefined, `Bearer ${acme.key}`, basic('acme', acme.key)]) {
        const headers = withCredentials(authorization);
        expect((await ask(vm.port, '/events', { headers })).status).to.equal(401);
        const options = { method: 'POST', headers: { ...headers, 'content-type': 'text/xml' } };
        expect((await ask(vm.port, '/epcis/query', options, POLL)).text).to.include('SecurityException');
      }
    });

    it('lets each do what its roles allow', async () => {
      const document = '{"type": "EPCISDocument"}';
      const captured = (key: string) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/ld+json' };
        return ask(gateway.address.port, '/capture', { method: 'POST', headers }, document);
      };
      expect((await captured(reader.key)).status).to.equal(403);
      expect((await captured(acme.key)).status).to.equal(202);
    });

    it('vouches for each request as the VM reads it, however its address is written', async () => {
      const paths = [
        '/events?eventType=ObjectEvent&perPage=1',
        '/events?EQ_bizStep=a%20b%2Fc',
        '/epcs/?x=%7E~',
        '/',
        '/nothing/%zz',
      ];
      const { port } = gateway.address;
      const say = (path: string) =>
        raw(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.key}\r\nConnection: close\r\n\r\n`);
      await guarded.vouchesByItself(`Bearer ${acme.key}`);
      for (const path of [...paths, `http://x/events`, ...paths])
        expect(await say(path), path).not.to.match(/^HTTP\/1.1 401/);
      // two hosts: with tenants it matters which one is meant
      expect(await say(`http://127.0.0.1:${port}/events`)).to.match(/^HTTP\/1.1 400/);
    });

    it('takes each request of a connection for whose it is, whoever asked before on it', async () => {
      await guarded.vouchesByItself(`Bearer ${acme.key}`);
      await guarded.vouchesByItself(`Bearer ${reader.key}`);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      bench.atEnd(async () => agent.destroy());
      const who: [name: string, authorization: string | undefined, captures: number, queries: number][] = [
        ['acme', `Bearer ${acme.key}`, 200, 200],
        ['reader', `Bearer ${reader.key}`, 403, 200],
        ['a revoked key', `Bearer ${revoked.key}`, 401, 401],
        ['nobody', undefined, 401, 401],
        ['an empty field', '', 401, 401],
      ];
      // each after each, by both paths
      const ways = who.flatMap(([name, authorization, ...statuses]) =>
        ['/capture', '/events'].map((path, i) => ({ name, authorization, path, status: statuses[i] })),
      );
      for (const before of ways)
        for (const one of [before, ...ways])
          for (const { name, authorization, path, status } of [before, one]) {
            const answer = await ask(gateway.address.port, path, { agent, headers: withCredentials(authorization) });
            expect([name, path, answer.status]).to.deep.equal([name, path, status]);
          }
    });

    it('goes by nothing but the one field, as it is spelt, and by the first of several', async () => {
      await guarded.vouchesByItself(`Bearer ${acme.key}`);
      await guarded.vouchesByItself(`Bearer ${reader.key}`);
      const stolen = vouchedFor(client('admin', { roles: ['capture'] }), 'GET', '/capture')['Mmeliot-Client'] ?? '';
      const by = (key: string) => `Authorization: Bearer ${key}`;
      const wrong = by(acme.key.slice(0, -1));
      const status = async (path: string, ...fields: string[]) => {
        const head = [`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...fields].join('\r\n');
        return Number((await raw(gateway.address.port, `${head}\r\n\r\n`)).slice(9, 12));
      };
      const latin = Buffer.from(`acm\u00e9:${acme.key}`, 'latin1').toString('base64');
      const tries: readonly (readonly [expected: number, path: string, ...fields: string[]])[] = [
        [401, '/capture', wrong, by(acme.key)],
        [403, '/capture', by(reader.key), by(acme.key)],
        [200, '/capture', by(acme.key), wrong],
        [401, `/capture?access_token=${acme.key}&key=${acme.key}&Authorization=Bearer%20${acme.key}`],
        [401, '/capture', `X-Api-Key: ${acme.key}`, `Cookie: session=${acme.key}`],
        [401, '/capture', `Proxy-${by(acme.key)}`],
        [401, '/capture', `Mmeliot_Client: ${stolen}`],
        [403, '/capture', by(reader.key), `Mmeliot_Client: ${stolen}`],
        // what ends at this hop takes nothing away that the gateway says, and leaves nothing that a client does
        [
          403,
          '/capture',
          by(reader.key),
          'Connection: close, Mmeliot-Client, Authorization',
          `mmeliot-client: ${stolen}`,
        ],
        [200, '/capture', by(acme.key), 'Connection: close, Mmeliot-Client, Authorization'],
        [400, '/capture', `Mmeliot-Client : ${stolen}`],
        // HAProxy takes it for more of the field before
        [dataPlane === 'builtin' ? 400 : 401, '/capture', by(reader.key), ` Mmeliot-Client: ${stolen}`],
        [401, '/capture', `Authorization: Basic ${latin}`],
        [401, '/capture', 'Authorization: Basic ////////'],
        [401, '/capture', 'Authorization: Bearer'],
        [401, '/capture', `Authorization: ${acme.key}`],
        [401, '/capture', `Authorization: Bearer ${acme.key}, Bearer ${acme.key}`],
        [401, '/capture', `Authorization: Bearer \u00ff${acme.key}`],
      ];
      const got = [];
      for (const [, path, ...fields] of tries) got.push([await status(path, ...fields), path, ...fields]);
      expect(got).to.deep.equal(tries);
    });

    it('opens no WebSocket for strangers, and one for who may subscribe', async () => {
      const head = (more: string) =>
        `GET /queries/SimpleEventQuery/events?stream=true HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`;
      const { port } = gateway.address;
      expect(await raw(port, head(''))).to.match(/^HTTP\/1.1 401 /);
      expect(await raw(port, head(`Authorization: Bearer ${reader.key}\r\n`))).to.match(/^HTTP\/1.1 403 /);
      expect(await raw(port, head(`Authorization: Bearer ${acme.key}\r\n`))).to.match(/^HTTP\/1.1 101 /);
    });

    it('refuses an upload by its head', async () => {
      const headers = { 'content-type': 'application/xml', 'transfer-encoding': 'chunked' };
      const body = '<a>'.repeat(50_000);
      isRefused(await ask(gateway.address.port, '/capture', { method: 'POST', headers }, body), 'an upload');
      const known = { ...headers, authorization: `Bearer ${reader.key}` };
      expect((await ask(gateway.address.port, '/capture', { method: 'POST', headers: known }, body)).status).to.equal(
        403,
      );
    });

    it('holds a client to its limit, whoever carries its requests', async () => {
      const slow = keyOf('slow', { requestsPerSecond: 1 });
      await gateway.setKeys([acme.record, reader.record, slow.record]);
      const answers: Answer[] = [];
      await until('it is too fast', async () => {
        answers.push(await rest(`Bearer ${slow.key}`));
        return answers.at(-1)?.status === 429;
      });
      expect(answers.at(-1)?.headers['retry-after']).to.equal('1');
      expect(answers.length).to.be.below(20);
    });

    it('ends a key at once', async () => {
      const brief = keyOf('brief');
      await gateway.setKeys([acme.record, reader.record, brief.record]);
      for (let i = 0; i < 3; i++) expect((await rest(`Bearer ${brief.key}`)).status).to.equal(200);
      await gateway.setKeys([acme.record, reader.record]);
      isRefused(await rest(`Bearer ${brief.key}`), 'revoked');
      expect((await rest(`Bearer ${acme.key}`)).status).to.equal(200);
    });
  });
}
