// TLS towards clients, on both planes and the admin page: what is spoken, what is refused, certificates that change, clients
// that show one. The checks are those of testssl, by openssl.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { Agent, createServer, request as httpsRequest, type RequestOptions } from 'node:https';
import { connect as connectByTls, type TLSSocket } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startAdminServer } from '../../src/admin/server.ts';
import { digestOf } from '../../src/access/keys.ts';
import { startControlServer } from '../../src/balance/remote/control-server.ts';
import { readPair } from '../../src/tls/certificate.ts';
import { Authority, type Issued } from '../helpers/certificates.ts';
import { accessOf, keyOf, NO_AUDIT, NO_KEYS } from '../helpers/gatekeeper.ts';
import { ask, Bench, connectGateway, deps, raw, startHaproxy } from '../helpers/gateway.ts';
import { listening } from '../helpers/listening.ts';
import { until } from '../helpers/until.ts';
import { ScriptedSource } from '../src/admin/scripted-source.ts';

const HOST = '127.0.0.1';

/** What `openssl s_client` says of a handshake; empty: there was none. */
function handshake(port: number, ...args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile('openssl', ['s_client', '-connect', `${HOST}:${port}`, ...args], (_, out) => {
      resolve(/^New, (.*)$/m.exec(out)?.[1]?.startsWith('(NONE)') === false ? out : '');
    });
    child.stdin?.end();
  });
}

interface Paths {
  readonly uploadPort: number;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly serial: string;
}

describe('TLS', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot tls-'));
  const authority = new Authority(folder);
  after(() => rmSync(folder, { recursive: true }));

  function get(port: number, path: string, options: RequestOptions = {}, body?: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const all = { host: HOST, port, path, ca: authority.pem, agent: false as const, ...options };
      const request = httpsRequest(all, (response) => {
        let text = '';
        const { serialNumber: serial } = (response.socket as TLSSocket).getPeerCertificate();
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers, serial }),
        );
      });
      request.on('error', reject).end(body);
    });
  }

  async function speaksNothingOld(port: number): Promise<void> {
    const weak = ['-cipher', 'ALL:COMPLEMENTOFALL:@SECLEVEL=0'];
    for (const protocol of ['-tls1', '-tls1_1'])
      expect(await handshake(port, protocol, ...weak), protocol).to.equal('');
    for (const protocol of ['-tls1_2', '-tls1_3'])
      expect(await handshake(port, protocol), protocol).to.include('Cipher is');
    for (const cipher of ['eNULL', 'aNULL', 'PSK'])
      expect(await handshake(port, '-tls1_2', '-cipher', `${cipher}:@SECLEVEL=0`), cipher).to.equal('');
    const best = await handshake(port, '-tls1_2');
    expect(best).to.include('Compression: NONE').and.include('Secure Renegotiation IS supported');
    expect(best).to.match(/Server Temp Key: (X25519|ECDH)/);
  }

  for (const dataPlane of ['builtin', 'haproxy'] as const) {
    describe(`towards clients (${dataPlane})`, () => {
      const bench = new Bench();
      let issued: Issued;
      let port: number;
      let warned: string[];
      beforeEach(async () => {
        warned = [];
        const log = { info: () => {}, warn: (_: object, message: string) => void warned.push(message) };
        issued = authority.issue('gateway');
        const limits = { connections: 100, connectionsPerClient: 5 };
        const vm = await bench.vm((request, response) => {
          let size = 0;
          request.on('data', (chunk: Buffer) => (size += chunk.length));
          request.on('end', () => response.end(JSON.stringify({ ...request.headers, url: request.url, size })));
        });
        const gateway = await bench.gatewayTo(vm, { dataPlane, tls: { ...issued, clientCa: '' }, limits }, { log });
        ({ port } = gateway.address);
        expect(gateway.secure).to.equal(true);
        await until('it answers', async () => (await get(port, '/')).status === 200);
      });
      afterEach(() => bench.close());

      it('carries requests, small and large, and says so to the VM', async () => {
        for (const body of ['x', 'x'.repeat(300_000)]) {
          const { text } = await get(port, '/', { method: 'POST' }, body);
          const seen = JSON.parse(text) as Record<string, unknown>;
          expect(seen).to.include({ 'x-forwarded-proto': 'https', size: body.length });
          expect(seen['forwarded']).to.include('proto=https');
        }
      });

      it('speaks nothing old or weak, and no plain HTTP', async () => {
        await speaksNothingOld(port);
        expect(await raw(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).not.to.match(/^HTTP\/1.1 200/);
      });

      it('offers HTTP/1.1', async () => {
        expect(await handshake(port, '-alpn', 'h2,http/1.1')).to.include('ALPN protocol: http/1.1');
        expect(await handshake(port, '-alpn', 'h2')).not.to.include('ALPN protocol');
        // nor to who speaks it all the same
        const createConnection = () => connectByTls({ host: HOST, port, ca: authority.pem });
        const session = connect(`https://${HOST}:${port}`, { createConnection });
        const [error] = (await once(session, 'error')) as [Error];
        expect(error).to.include({ code: 'ERR_HTTP2_ERROR' });
      });

      it('counts connections whose handshake never comes, and has room for others beside them', async () => {
        const silent = Array.from({ length: 200 }, () => connectTcp({ host: HOST, port, localAddress: '127.0.0.2' }));
        let open = silent.length;
        for (const socket of silent) socket.on('error', () => {}).on('close', () => open--);
        await until('those that are too many are closed', () => open <= 70, 5_000);
        expect((await get(port, '/')).status).to.equal(200);
        for (const socket of silent) socket.destroy();
        await until('they count no more', async () => {
          const many = Array.from({ length: 40 }, () => get(port, '/', { localAddress: '127.0.0.2' }));
          const told = await Promise.all(many.map((one) => one.catch(() => undefined)));
          return told.every((one) => one?.status === 200);
        });
      });

      it('shakes hands with one client only so often, and with others beside it', async () => {
        const other = await bench.gateway({ dataPlane, tls: issued, limits: { connectionsPerSecond: 20 } });
        const vm = await bench.vm((_, response) => response.end());
        await other.add('vm', { host: HOST, port: vm.port });
        const { port } = other.address;
        const shake = () => {
          const socket = connectTcp({ host: HOST, port, localAddress: '127.0.0.2' }).on('error', () => {});
          return connectByTls({ socket, rejectUnauthorized: false });
        };
        const sockets = Array.from({ length: 40 }, shake);
        let cut = 0;
        for (const socket of sockets) socket.on('error', () => {}).on('close', () => cut++);
        await until('those that are too many are closed', () => cut >= 10);
        expect((await get(port, '/events')).status).to.equal(200);
        for (const socket of sockets) socket.destroy();
      });

      it('takes a new certificate as it is written, and goes on with what it had where that is none', async () => {
        const kept = new Agent({ keepAlive: true, maxSockets: 1 });
        const first = await get(port, '/', { agent: kept });
        authority.issue('gateway');
        await until('new connections get it', async () => (await get(port, '/')).serial !== first.serial);
        const { serial } = await get(port, '/');
        expect((await get(port, '/', { agent: kept })).serial).to.equal(first.serial);
        writeFileSync(issued.key, 'no key\n');
        await until('it was seen', () => warned.some((line) => line.startsWith('The certificate stays as it was: ')));
        expect((await get(port, '/')).serial).to.equal(serial);
        kept.destroy();
      });
    });

    describe(`by which clients say who they are (${dataPlane})`, () => {
      const bench = new Bench();
      const others = new Authority(folder, 'others');
      after(() => bench.close());

      it('knows a certificate by its subject, where it is signed by a root that was named', async () => {
        const roles = ['query'] as const;
        const certificates = [
          { subject: 'CN=scanner\\, 1,O=Acme', client: 'acme', roles },
          // as openssl prints it, and as people write it; two values in one part
          { subject: 'CN=K\\C3\\BCche,O=Acme', client: 'escaped', roles },
          { subject: 'CN=Ação,UID=7+OU=Läger,O=Acme', client: 'plain', roles },
        ];
        const access = accessOf([], { certificates });
        const tls = { ...authority.issue('mutual'), clientCa: authority.file };
        const haproxy = { folder: mkdtempSync(join(folder, 'haproxy-')), start: startHaproxy };
        const vm = await bench.vm((request, response) => response.end(request.headers['mmeliot-client']));
        const gateway = await bench.gatewayTo(vm, { dataPlane, tls }, { access, haproxy });
        const by = async (shown?: Issued, headers: Record<string, string> = {}) => {
          const own = shown && { cert: readFileSync(shown.certificate), key: readFileSync(shown.key) };
          const { status, text } = await get(gateway.address.port, '/events', { ...own, headers });
          return status === 200 ? Buffer.from(text.split('.')[0] ?? '', 'base64url').toString() : status;
        };
        const scanner = authority.issue('scanner', '/O=Acme/CN=scanner, 1');
        await until('it is let in', async () => (await by(scanner)) !== 503);
        for (let i = 0; i < 2; i++) expect(await by(scanner)).to.include('"client":"acme"');
        expect(await by(authority.issue('kitchen', '/O=Acme/CN=Küche'))).to.include('"client":"escaped"');
        const lager = authority.issue('lager', '/O=Acme/OU=Läger+UID=7/CN=Ação');
        expect(await by(lager)).to.include('"client":"plain"');
        expect(await by()).to.equal(401);
        expect(await by(authority.issue('stranger', '/CN=scanner'))).to.equal(401);
        // what is written out is no escape
        expect(await by(authority.issue('written', '/O=Acme/CN=K\\\\C3\\\\BCche'))).to.equal(401);
        expect(await by(others.issue('forger', '/O=Acme/CN=scanner, 1'))).to.equal(401);
        const subject = 'CN=scanner\\, 1,O=Acme';
        expect(await by(authority.issue('late', '/O=Acme/CN=scanner, 1', -1))).to.equal(401);
        expect(await by(undefined, { 'x-mmeliot-certificate': subject })).to.equal(401);
        expect(await by(undefined, { authorization: subject })).to.equal(401);
        expect(await by(scanner, { authorization: 'Bearer wrong' })).to.equal(401);
        if (dataPlane === 'builtin') return;
        // whoever is on this machine finds the door by which HAProxy tells the built-in plane what it has seen of a client
        const { uploadPort } = JSON.parse(readFileSync(join(haproxy.folder, 'haproxy.json'), 'utf8')) as Paths;
        const headers = {
          'x-mmeliot-certificate': subject,
          'x-mmeliot-client': '10.0.0.1',
          'x-mmeliot-front': 'a guess',
        };
        expect((await ask(uploadPort, '/events', { headers })).status).to.equal(403);
      });
    });
  }

  it('offers HTTP/2 where that is asked for (haproxy)', async () => {
    const bench = new Bench();
    const tls = { ...authority.issue('gateway'), clientCa: '' };
    const vm = await bench.vm((request, response) =>
      response.end(JSON.stringify({ ...request.headers, url: request.url })),
    );
    const gateway = await bench.gatewayTo(vm, { dataPlane: 'haproxy', http2: true, tls });
    const { port } = gateway.address;
    await until('it answers', async () => (await get(port, '/')).status === 200);
    const session = connect(`https://${HOST}:${port}`, { ca: authority.pem });
    await new Promise((resolve) => session.once('remoteSettings', resolve));
    // one connection has no more than that taken back at once
    expect(session.remoteSettings.maxConcurrentStreams).to.equal(32);
    const stream = session.request({ ':path': '/events?x=1' }).setEncoding('utf8');
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    expect(JSON.parse(text)).to.include({ url: '/events?x=1', 'x-forwarded-proto': 'https' });
    session.close();
    await bench.close();
  });

  it('would be seen to speak what is old, if it did', async () => {
    const { cert, key } = readPair(authority.issue('old'));
    const server = createServer({ cert, key, minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' });
    const port = await listening(server);
    for (const protocol of ['-tls1', '-tls1_1'])
      expect(await handshake(port, protocol, '-cipher', 'ALL:@SECLEVEL=0'), protocol).to.include('Cipher is');
    expect(await handshake(port, '-tls1_2', '-cipher', 'aNULL:@SECLEVEL=0')).to.include('Cipher is');
    await new Promise((resolve) => server.close(resolve));
  });

  it('carries what a manager tells a gateway elsewhere, keys among it', async () => {
    const bench = new Bench();
    const gateway = await bench.gatewayTo((_, response) => response.end('here'), {}, { access: accessOf([]) });
    const tls = authority.issue('control');
    const control = await startControlServer(gateway, { host: HOST, port: 0, secrets: () => ['hush'], tls }, deps.log);
    bench.atEnd(() => control.close());
    const url = `https://${HOST}:${control.address.port}`;
    const stranger = connectGateway({ url, secrets: () => ['hush'] }, deps.log);
    expect(await stranger.catch((error: Error) => error.message)).to.include('does not answer');
    const remote = await connectGateway({ url, secrets: () => ['hush'], ca: authority.pem }, deps.log);
    bench.atEnd(() => remote.close());

    const { key, record } = keyOf('acme');
    const asked = async () => {
      const headers = { authorization: `Bearer ${key}` };
      return (await ask(gateway.address.port, '/', { headers })).status;
    };
    expect(await asked()).to.equal(401);
    await remote.setKeys([record]);
    expect([await asked(), remote.keys]).to.deep.equal([200, digestOf([record])]);
    await remote.setKeys([]);
    expect(await asked()).to.equal(401);
    await bench.close();
  });

  it('protects the admin page, whose sessions stay on it', async () => {
    const issued = authority.issue('admin');
    const admin = await startAdminServer(
      { host: HOST, port: 0, token: 'operate', viewerToken: '', tls: issued },
      {
        ...{ source: new ScriptedSource(), keys: NO_KEYS, audit: NO_AUDIT, log: { error: () => undefined } },
        metrics: { contentType: 'text/plain', text: async () => '' },
      },
    );
    try {
      expect(admin.url).to.match(/^https:/);
      const port = Number(new URL(admin.url).port);
      const headers = { 'content-type': 'application/json' };
      const answer = await get(port, '/api/session', { method: 'POST', headers }, '{"token": "operate"}');
      expect(String(answer.headers['set-cookie'])).to.match(/; HttpOnly; SameSite=Strict; Secure$/);
      await speaksNothingOld(port);
      const { serial } = await get(port, '/health');
      authority.issue('admin');
      await until('the new certificate is used', async () => (await get(port, '/health')).serial !== serial);
    } finally {
      await admin.close();
    }
  });

  it('is not begun with files that do not fit', () => {
    const [one, other] = [authority.issue('one'), authority.issue('other')];
    expect(() => readPair({ ...one, key: other.key })).to.throw('is not that of the certificate');
    expect(() => readPair({ ...one, key: one.certificate })).to.throw('holds nothing of the kind in PEM');
    expect(() => readPair({ ...one, certificate: join(folder, 'missing') })).to.throw('cannot be read (ENOENT)');
  });
});
