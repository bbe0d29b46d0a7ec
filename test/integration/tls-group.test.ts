// Links between the parts of one group: by certificates that come from its secret, and closed to who does not have it.
import { execFile, execFileSync } from 'node:child_process';
import type { KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectByTls } from 'node:tls';
import { expect } from 'chai';
import { clientKey } from '../../epcis/access/client-token.ts';
import { acceptTls } from '../../epcis/bindings/http/tls.ts';
import { applyRules } from '../../epcis/repository/access-rules.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import type { EpcisServer } from '../../epcis/server.ts';
import { startControlServer } from '../../src/balance/remote/control-server.ts';
import { whyNotBy } from '../../src/balance/remote/remote-gateway.ts';
import {
  connectionOf,
  GATEWAY_NAME,
  groupCertificate,
  groupRoot,
  trustIn,
  trustInAll,
  VM_NAME,
} from '../../src/tls/group.ts';
import { GROUP_SECRET, startGuarded } from '../helpers/access.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { accessOf, keyOf, signer } from '../helpers/gatekeeper.ts';
import { ask, Bench, connectGateway, deps, raw } from '../helpers/gateway.ts';
import { listening } from '../helpers/listening.ts';
import { until } from '../helpers/until.ts';

const [[, freshUrl]] = KINDS as [(typeof KINDS)[number]];
const HOST = '127.0.0.1';
const TRUST = trustIn(GROUP_SECRET, VM_NAME);
const certificateOf = (secret: string, name = VM_NAME) => groupCertificate(secret, name, Date.now());

/** What went over the wire to a server, by a stranger in between. */
async function overhear(bench: Bench, vmPort: number): Promise<{ port: number; heard: () => string }> {
  const bytes: Buffer[] = [];
  const server = createServer((client) => {
    const vm = connect(vmPort, HOST);
    for (const [from, to] of [
      [client, vm],
      [vm, client],
    ] as const) {
      from.on('data', (chunk) => bytes.push(chunk)).pipe(to);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
  });
  const port = await listening(server);
  bench.atEnd(async () => void server.close());
  return { port, heard: () => Buffer.concat(bytes).toString('latin1') };
}

/** A repository in which everybody sees and captures everything. */
async function sharedUrl(): Promise<string> {
  const url = await freshUrl();
  const database = await openDatabase({ url });
  await migrate(database);
  const all = ['see', 'capture'].map((effect) => ({ name: effect, for: 'everybody', [effect]: 'everything' }));
  const rules = JSON.stringify({ rules: all });
  await applyRules(database, { source: rules, rules, appliedBy: 'test', appliedFrom: 'here' });
  await database.close();
  return url;
}

const event = (n: string) => ({
  '@context': [],
  type: 'ObjectEvent',
  eventTime: '2026-01-01T00:00:00Z',
  eventTimeZoneOffset: '+00:00',
  action: 'OBSERVE',
  epcList: [`urn:x:overheard:${n}`],
});
const documentOf = (padding: number) =>
  JSON.stringify({
    '@context': [],
    type: 'EPCISDocument',
    schemaVersion: '2.0',
    creationDate: '2026-01-01T00:00:00Z',
    epcisBody: { eventList: [{ ...event('job'), 'https://x.example/#pad': 'x'.repeat(padding) }] },
  });

describe('the certificates of a group', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-group-'));
  after(() => rmSync(folder, { recursive: true }));

  it('are sound by the strictest check there is, and good in their group only', () => {
    const file = (name: string, content: string) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const verify = (root: string) =>
      execFileSync(
        'openssl',
        ['verify', '-x509_strict', '-purpose', 'sslserver', '-verify_hostname', VM_NAME, '-CAfile', root, leaf],
        { encoding: 'utf8', stdio: 'pipe' },
      );
    const leaf = file('leaf.pem', certificateOf('one').cert);
    expect(verify(file('root.pem', groupRoot('one')))).to.include('OK');
    expect(groupRoot('one')).to.equal(groupRoot('one'));
    expect(() => verify(file('other.pem', groupRoot('another')))).to.throw('verification failed');
  });

  it('show nothing of the secret', () => {
    for (const secret of ['a secret of a group', 'x'.repeat(40)]) {
      const all = [groupRoot(secret), certificateOf(secret).cert].map((pem) =>
        Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64').toString('latin1'),
      );
      for (const der of all) expect(der).not.to.include(secret);
    }
  });
});

for (const dataPlane of ['builtin', 'haproxy'] as const) {
  describe(`TLS between gateway and VM (${dataPlane})`, function () {
    this.timeout(60_000);
    const bench = new Bench();
    const acme = keyOf('acme');
    let vm: EpcisServer;
    let port: number;
    let wire: { port: number; heard: () => string };
    const bearer = { authorization: `Bearer ${acme.key}` };

    before(async () => {
      vm = await startGuarded(await sharedUrl(), { certificate: certificateOf(GROUP_SECRET) });
      wire = await overhear(bench, vm.port);
      const access = accessOf([acme.record]);
      const gateway = await bench.gatewayTo(wire, { dataPlane, vmTls: 'always' }, { access, vmTrust: TRUST });
      ({ port } = gateway.address);
      await until('the VM answers', async () => (await ask(port, '/events', { headers: bearer })).status === 200);
    });
    after(async () => {
      await bench.close();
      await vm.close();
    });

    it('carries requests, uploads and WebSockets, and tells who listens nothing', async () => {
      const headers = { ...bearer, 'content-type': 'application/json' };
      const posted = await ask(port, '/events', { method: 'POST', headers }, JSON.stringify(event('one')));
      expect(posted.status, posted.text).to.equal(201);
      for (const padding of [10, 300_000]) {
        const chunked = { ...headers, 'transfer-encoding': 'chunked' };
        const job = await ask(port, '/capture', { method: 'POST', headers: chunked }, documentOf(padding));
        expect(job.status, job.text).to.equal(202);
      }
      const path = '/events?EQ_action=OBSERVE';
      const answered = async () => (await ask(port, path, { headers: bearer })).text.includes('overheard:job');
      await until('the jobs are done', answered);
      const upgrade =
        `GET /queries/SimpleEventQuery/events?stream=true HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: ${bearer.authorization}\r\n\r\n`;
      expect(await raw(port, upgrade)).to.match(/^HTTP\/1.1 101 /);
      const heard = wire.heard();
      expect(heard.length).to.be.above(300_000);
      for (const word of ['overheard', 'HTTP/1.1', 'mmeliot-client', 'Mmeliot-Client', '/events'])
        expect(heard.includes(word), word).to.equal(false);
    });

    it('knows VMs of the secret before and of the next one while that is changed', async () => {
      const own = new Bench();
      const next = 'the next secret';
      let secrets: readonly string[] = [GROUP_SECRET];
      let keys: readonly KeyObject[] = [clientKey(GROUP_SECRET)];
      const access = accessOf([acme.record], { signer: { ...signer, keys: () => keys } });
      const vmTrust = trustInAll(() => secrets, VM_NAME);
      const later = await startGuarded(await sharedUrl(), { certificate: certificateOf(next), groupSecret: next });
      try {
        const gateway = await own.gateway({ dataPlane, vmTls: 'always' }, { access, vmTrust });
        const status = async (body?: string) => {
          const headers = { ...bearer, 'content-type': 'application/json' };
          const options = body === undefined ? { headers } : { method: 'POST', headers };
          return (await ask(gateway.address.port, body === undefined ? '/events' : '/capture', options, body)).status;
        };
        const serves = async (what: string) => {
          await until(what, async () => (await status()) === 200);
          for (let i = 0; i < 5; i++)
            expect([await status(), await status(documentOf(20_000))]).to.deep.equal([200, 202]);
        };
        await gateway.add('before', { host: HOST, port: vm.port });
        await serves('the VM of before serves');
        secrets = [next, GROUP_SECRET];
        keys = secrets.toReversed().map(clientKey);
        await gateway.add('later', { host: HOST, port: later.port });
        const ready = () => gateway.fleet().every(({ state }) => state === 'ready');
        await until('both are ready', ready);
        await serves('both serve');
        await gateway.remove('before');
        await serves('the later one serves alone');
        secrets = [next];
        keys = [clientKey(next)];
        await serves('it does with its secret only');
      } finally {
        await own.close();
        await later.close();
      }
    });

    it('brings a refusal of an upload that has not ended', async () => {
      const reader = keyOf('reader', { roles: ['query'] });
      const own = new Bench();
      try {
        const access = accessOf([reader.record]);
        const gateway = await own.gatewayTo(vm, { dataPlane, vmTls: 'always' }, { access, vmTrust: TRUST });
        const headers = { authorization: `Bearer ${reader.key}`, 'content-type': 'application/json' };
        const ready = async () => (await ask(gateway.address.port, '/events', { headers })).status === 200;
        await until('the VM answers', ready);
        const refused = () => ask(gateway.address.port, '/capture', { method: 'POST', headers }, documentOf(4_000_000));
        for (let i = 0; i < 5; i++) {
          const { status, text } = await refused();
          expect(status, text).to.equal(403);
        }
      } finally {
        await own.close();
      }
    });

    it('tells nothing to who stands in a VM’s place without a certificate of its group', async () => {
      const standIns = {
        'another group': certificateOf('another group'),
        'a gateway of the group': certificateOf(GROUP_SECRET, GATEWAY_NAME),
        'nothing but plain HTTP': undefined,
      };
      for (const [who, certificate] of Object.entries(standIns)) {
        const own = new Bench();
        try {
          const standIn = createHttpServer((_, response) => response.end('yours'));
          const door = certificate && acceptTls(standIn, certificate);
          const port = await listening(standIn);
          own.atEnd(async () => {
            door?.close();
            standIn.close();
          });
          const between = await overhear(own, port);
          const health = { fall: 1, timeoutMs: 200 };
          const changes = { dataPlane, vmTls: 'always', health, queue: { deadlineMs: 300 } } as const;
          const gateway = await own.gatewayTo(between, changes, { access: accessOf([acme.record]), vmTrust: TRUST });
          const answer = await ask(gateway.address.port, '/events', { headers: bearer });
          expect(answer.status, who).to.be.oneOf([502, 503]);
          await until(`${who} is out`, () => gateway.fleet()[0]?.state === 'out');
          expect(between.heard(), who).not.to.match(/mmeliot-client|GET \/events/i);
        } finally {
          await own.close();
        }
      }
    });
  });
}

describe('a VM by TLS', function () {
  this.timeout(60_000);
  let vm: EpcisServer;
  beforeEach(async () => {
    vm = await startGuarded(await freshUrl(), { certificate: certificateOf(GROUP_SECRET) });
  });
  afterEach(() => vm.close());

  const serial = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connectByTls({ host: HOST, port: vm.port, ...connectionOf(TRUST) }, () => {
        resolve(socket.getPeerCertificate().serialNumber);
        socket.destroy();
      });
      socket.on('error', reject);
    });

  it('shows a new certificate when it has one, without an end of what is under way', async () => {
    const open = connectByTls({ host: HOST, port: vm.port, ...connectionOf(TRUST) });
    const before = await serial();
    vm.useCertificate(certificateOf(GROUP_SECRET));
    expect(await serial()).not.to.equal(before);
    const answered = new Promise((resolve) => open.once('data', (data: Buffer) => resolve(data.toString())));
    open.write('GET /ready HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await answered).to.match(/^HTTP\/1.1 200/);
    open.destroy();
  });

  it('speaks no older TLS, answers plain HTTP, and is not held up by who says nothing or nonsense', async () => {
    const began = (version: string) =>
      new Promise<boolean>((resolve) => {
        const args = ['s_client', '-connect', `${HOST}:${vm.port}`, version];
        execFile('openssl', args, (_, out) => resolve(/^New, TLSv1/m.test(out))).stdin?.end();
      });
    expect([await began('-tls1_3'), await began('-tls1_2')]).to.deep.equal([true, false]);
    expect(await raw(vm.port, 'GET /ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).to.match(/ 200 OK/);
    const closed: Promise<unknown>[] = [];
    const strangers: Socket[] = [];
    for (const first of ['', '\x16', '\x16\x03\x01\x00\x05hello world', '\0\0\0']) {
      const socket = connect(vm.port, HOST);
      strangers.push(socket);
      closed.push(new Promise((resolve) => socket.on('error', () => {}).once('close', resolve)));
      await new Promise<void>((resolve) => socket.once('connect', resolve));
      if (first !== '') socket.write(first, 'latin1');
      socket.resume();
    }
    expect(await serial()).not.to.equal('');
    await vm.close();
    await Promise.all(closed);
  });
});

describe('the control door of a gateway that others reach', function () {
  this.timeout(60_000);
  const NO_TLS = { certificate: '', key: '' };

  it('has a certificate of the group, and is told the secret by no manager that it does not convince', async () => {
    const bench = new Bench();
    try {
      const gateway = await bench.gateway({}, { access: accessOf([]) });
      const options = { host: '0.0.0.0', port: 0, secrets: () => ['hush'], tls: NO_TLS };
      const control = await startControlServer(gateway, options, deps.log);
      bench.atEnd(() => control.close());
      expect(control.secure).to.equal(true);
      const connected = (to: string, group: string) =>
        connectGateway({ url: to, secrets: () => ['hush'], group: trustIn(group, GATEWAY_NAME) }, deps.log);
      const url = `https://${HOST}:${control.address.port}`;
      const remote = await connected(url, 'hush');
      bench.atEnd(() => remote.close());
      expect(remote.address.port).to.equal(gateway.address.port);
      const imposter = await startControlServer(gateway, { ...options, secrets: () => ['another'] }, deps.log);
      bench.atEnd(() => imposter.close());
      const refused = connected(`https://${HOST}:${imposter.address.port}`, 'hush');
      expect(await refused.catch((error: Error) => error.message)).to.include('does not answer (');
      // nor is a VM of the group taken for a gateway
      const { url: vmsUrl, close } = await vmOf('hush');
      bench.atEnd(close);
      expect(await connected(vmsUrl, 'hush').catch((error: Error) => error.message)).to.include('does not answer (');
    } finally {
      await bench.close();
    }
  });

  it('follows the secret of the group, and lets go of that of before', async () => {
    const bench = new Bench();
    try {
      const gateway = await bench.gateway({}, { access: accessOf([]) });
      let secrets: readonly string[] = ['before'];
      const all = () => secrets;
      const control = await startControlServer(
        gateway,
        { host: '0.0.0.0', port: 0, secrets: all, tls: NO_TLS },
        deps.log,
      );
      bench.atEnd(() => control.close());
      const to = { url: `https://${HOST}:${control.address.port}`, secrets: all };
      const remote = await connectGateway({ ...to, group: trustInAll(all, GATEWAY_NAME) }, deps.log);
      bench.atEnd(() => remote.close());
      const by = (secret: string) => whyNotBy(secret, { ...to, group: trustIn(secret, GATEWAY_NAME) });
      expect([await by('before'), typeof (await by('next'))]).to.deep.equal([undefined, 'string']);
      for (const now of [['next', 'before'], ['next']]) {
        secrets = now;
        await until('who knows the next one alone is let in', async () => (await by('next')) === undefined);
        await remote.add('vm', { host: HOST, port: 9 });
        expect(await remote.drain('vm', 1_000), 'by a connection of its own').to.equal(true);
        await remote.remove('vm');
      }
      expect(await by('before')).to.be.a('string');
      expect(remote.problems).to.deep.equal([]);
    } finally {
      await bench.close();
    }
  });

  async function vmOf(secret: string): Promise<{ url: string; close: () => Promise<void> }> {
    const vm = await startGuarded(await freshUrl(), { certificate: certificateOf(secret) });
    return { url: `https://${HOST}:${vm.port}`, close: () => vm.close() };
  }
});
