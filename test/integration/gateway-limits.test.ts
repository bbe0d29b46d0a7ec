import { once } from 'node:events';
import { Agent } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect as http2, constants } from 'node:http2';
import type { ClientHttp2Session, IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { connect } from 'node:net';
import { expect } from 'chai';
import WebSocket, { WebSocketServer } from 'ws';
import { accessOf, keyOf } from '../helpers/gatekeeper.ts';
import { ask, Bench, raw } from '../helpers/gateway.ts';
import { until } from '../helpers/until.ts';

const GET = 'GET /events HTTP/1.1\r\nHost: a\r\n\r\n';

describe('gateway: limits of a client', () => {
  const bench = new Bench();
  afterEach(() => bench.close());

  it('bounds the connections of a client (429) where they are scarce, and of all (503), and says when to come again', async () => {
    const limits = { connectionsPerClient: 2, connections: 4 };
    const gateway = await bench.gatewayTo((_, response) => response.end('answer'), { limits });
    const { port } = gateway.address;
    for (let i = 0; i < 2; i++) bench.other(port).write(GET);
    await until('both are served', () => gateway.counters().answered === 2);
    const refused = bench.other(port);
    let said = '';
    refused.on('data', (chunk) => (said += chunk.toString()));
    await until('the third is refused', () => /^HTTP\/1\.1 429 [^]*Retry-After: 1/.test(said));
    expect(said).to.include('Connections are scarce');
    expect(gateway.counters().refused, 'the operator is told').to.equal(1);
    refused.destroy();
    const agent = new Agent({ keepAlive: true });
    const both = await Promise.all([1, 2].map(() => ask(port, '/', { agent })));
    expect(both.map(({ text }) => text)).to.deep.equal(['answer', 'answer']);
    expect(await raw(port, GET)).to.match(/^HTTP\/1\.1 429 /);
    agent.destroy();
    await until('others are served again', async () => (await ask(port, '/')).status === 200);
  });

  it('lets who connects all the time wait, not the others', async () => {
    const gateway = await bench.gatewayTo((_, response) => response.end('answer'), {
      limits: { connectionsPerSecond: 10 },
    });
    const { port } = gateway.address;
    let served = 0;
    for (let i = 0; i < 15; i++)
      bench
        .other(port)
        .on('data', () => served++)
        .write(GET);
    await until('those of a second are served', () => served >= 10);
    expect((await ask(port)).text).to.equal('answer');
    await until('the others are as well', () => served === 15);
  });

  for (const dataPlane of ['builtin', 'haproxy'] as const) {
    it(`lets one client open only so many WebSockets, and says when to come again (${dataPlane})`, async () => {
      const most = 10;
      const vm = await bench.vm((_, response) => response.end('answer'));
      const server = new WebSocketServer({ server: vm.server });
      const gateway = await bench.gatewayTo(vm, { dataPlane, limits: { upgradesPerSecond: most / 10 } });
      await until('it is served', async () => (await ask(gateway.address.port)).status === 200);
      const open = (localAddress: string) => openSocket(gateway.address.port, localAddress);
      const statuses: number[] = [];
      for (let i = 0; i < most; i++) statuses.push((await open('127.0.0.2')).status);
      expect(statuses).to.deep.equal(Array<number>(most).fill(101));
      const refused: Awaited<ReturnType<typeof open>>[] = [];
      await until('it is told that these are too many', async () => {
        const more = await Promise.all(Array.from({ length: 2 * most }, () => open('127.0.0.2')));
        refused.push(...more.filter(({ status }) => status === 429));
        return refused.length > 0;
      });
      for (const { headers } of refused) expect(headers).to.include({ 'retry-after': '1' });
      expect((await open('127.0.0.3')).status).to.equal(101);
      expect((await ask(gateway.address.port, '/', { localAddress: '127.0.0.2' })).text).to.equal('answer');
      await until('the operator is told', () => gateway.counters().refused === refused.length);
      server.close();
      for (const one of server.clients) one.terminate();
    });
  }

  for (const dataPlane of ['builtin', 'haproxy'] as const) {
    it(`answers who shows wrong keys all the time later and later, not who shows a good one (${dataPlane})`, async () => {
      const { key, record } = keyOf('acme');
      const limits = { strangersPerSecond: 1 };
      const vm = await bench.vm((_, response) => response.end('answer'));
      const gateway = await bench.gatewayTo(vm, { dataPlane, limits }, { access: accessOf([record]) });
      const agent = new Agent({ keepAlive: true });
      bench.atEnd(async () => agent.destroy());
      const by = async (authorization: string) =>
        (await ask(gateway.address.port, '/', { agent, headers: { authorization } })).status;
      await until('it is served', async () => (await by(`Bearer ${key}`)) === 200);
      const answered: number[] = [];
      const since = performance.now();
      for (let i = 0; i < 30; i++) {
        by('Basic YWNtZTpndWVzcw==').then(
          (status) => answered.push(status),
          () => {},
        );
      }
      // ten seconds' worth is saved up
      await until('those are answered that may be', () => answered.length >= 10);
      expect(await by(`Bearer ${key}`)).to.equal(200);
      const seconds = (performance.now() - since) / 1_000;
      expect(answered).to.deep.equal(Array(answered.length).fill(401));
      expect(answered.length).to.be.below(11 + seconds);
    });
  }

  it('refuses who abandons request after request, and goes on serving others and who abandons some (builtin)', async () => {
    let abandoned = 0;
    const gateway = await bench.gatewayTo((request, response) => {
      if (request.url !== '/long') response.end('answer');
    });
    const { port } = gateway.address;
    const abandon = async (count: number) => {
      const leaving = Array.from({ length: count }, () => bench.other(port));
      for (const one of leaving) one.write(GET.replace('/events', '/long'));
      await until('they are here', () => gateway.counters().inFlight + gateway.counters().queued >= count);
      for (const one of leaving) one.destroy();
      abandoned += count;
      await until('they have gone', () => gateway.counters().lost['client-gone'] === abandoned);
    };
    const asks = (localAddress: string) => ask(port, '/', { localAddress });
    await abandon(100);
    expect((await asks('127.0.0.2')).text).to.equal('answer');
    let refused = await asks('127.0.0.2');
    while (refused.status === 200) {
      await abandon(100);
      refused = await asks('127.0.0.2');
    }
    expect(refused).to.include({ status: 429 });
    expect(refused.headers).to.include({ 'retry-after': '1' });
    expect(refused.text).to.include('abandon');
    expect((await asks('127.0.0.3')).text).to.equal('answer');
  });

  it('refuses who takes back request after request by HTTP/2, ends its connections, and serves others and who takes back some', async () => {
    const gateway = await bench.gatewayTo(
      (request, response) => (request.url === '/long' ? undefined : response.end('answer')),
      {
        dataPlane: 'haproxy',
        http2: true,
      },
    );
    const { port } = gateway.address;
    await until('it is served', async () => (await ask(port)).status === 200);
    const from = (localAddress: string) => {
      const createConnection = () => connect({ host: '127.0.0.1', port, localAddress });
      const session = http2(`http://127.0.0.1:${port}`, { createConnection }).on('error', () => {});
      bench.atEnd(async () => session.destroy());
      return session;
    };
    const takeBack = (session: ClientHttp2Session) => {
      for (let i = 0; i < 30; i++) {
        const stream = session.request({ ':path': '/long' }).on('error', () => {});
        setImmediate(() => stream.close(constants.NGHTTP2_CANCEL));
      }
    };
    const session = from('127.0.0.2');
    for (let i = 0; i < 10; i++) {
      takeBack(session);
      expect((await askBy(session)).status).to.equal(200);
    }
    // many, so that they are quick enough on a busy machine
    const sessions = Array.from({ length: 20 }, () => from('127.0.0.2'));
    const refused = await until('it is refused', async () => {
      for (const one of sessions) takeBack(one);
      const told = await askBy(session);
      return told.status === 429 && told;
    });
    expect(refused).to.include({ status: 429, again: '10' });
    expect(refused.text).to.include('abandon');
    expect((await ask(port)).text).to.equal('answer');
    await until('its connection is ended', async () => {
      const all = [session, ...sessions];
      await Promise.allSettled(all.flatMap((one) => Array.from({ length: 30 }, () => askBy(one))));
      return all.every(({ destroyed }) => destroyed);
    });
    const again = from('127.0.0.2');
    expect(await askBy(again).catch(() => 'ended')).to.equal('ended');
    expect((await askBy(from('127.0.0.3'))).text).to.equal('answer');
  });

  it('answers a head that is too large with 431, and one that comes too slowly with 408', async () => {
    const gateway = await bench.gatewayTo((_, response) => response.end('answer'), {
      limits: { headBytes: 2_048 },
      timeouts: { headMs: 300 },
    });
    const { port } = gateway.address;
    expect(await raw(port, GET.replace('\r\n\r\n', `\r\nX: ${'x'.repeat(3_000)}\r\n\r\n`))).to.match(
      /^HTTP\/1\.1 431 /,
    );
    expect(await raw(port, 'GET /events HTTP/1.1\r\nHost:', 5_000)).to.match(/^HTTP\/1\.1 408 /);
  });
});

/** What a client gets that asks for a WebSocket; it stays open. */
function openSocket(
  port: number,
  localAddress: string,
): Promise<Pick<IncomingMessage, 'headers'> & { status: number }> {
  const client = new WebSocket(`ws://127.0.0.1:${port}/`, { localAddress });
  const told = ({ statusCode: status = 0, headers }: IncomingMessage) => ({ status, headers });
  return new Promise((resolve, reject) => {
    client.on('upgrade', (answer) => resolve(told(answer))).on('error', reject);
    client.on('unexpected-response', (_, answer) => resolve(told(answer.resume())));
  });
}

async function askBy(session: ClientHttp2Session): Promise<{ status: number; again: unknown; text: string }> {
  const stream = session.request({ ':path': '/events' }).setEncoding('utf8');
  const headed = once(stream, 'response') as Promise<[IncomingHttpHeaders & IncomingHttpStatusHeader]>;
  let text = '';
  stream.on('data', (piece: string) => (text += piece));
  const [headers] = await headed;
  if (!stream.readableEnded) await once(stream, 'end');
  return { status: Number(headers[':status']), again: headers['retry-after'], text };
}
