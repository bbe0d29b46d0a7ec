import type { ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { ask, Bench } from '../helpers/gateway.ts';
import { listening } from '../helpers/listening.ts';
import { until } from '../helpers/until.ts';

const HOST = '127.0.0.1';
const POLL =
  '<soap:Envelope><soap:Body><epcisq:Poll><queryName>SimpleEventQuery</queryName></epcisq:Poll></soap:Body></soap:Envelope>';
const SUBSCRIBE = POLL.replaceAll('Poll', 'Subscribe');
const post = { method: 'POST', headers: { 'content-type': 'text/xml' } };

describe('gateway: VMs that fail', () => {
  const bench = new Bench();
  const tcpServers: (() => void)[] = [];
  afterEach(async () => {
    await bench.close();
    for (const close of tcpServers.splice(0)) close();
  });

  /** A VM that treats each connection as it likes. */
  async function tcpVm(onSocket: (socket: Socket) => void): Promise<number> {
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      onSocket(socket);
    });
    const port = await listening(server);
    tcpServers.push(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return port;
  }

  /** A VM that is ready, until it has sent this answer and closed: then it is silent to probes. */
  async function brokenOffVm(answer: string): Promise<number> {
    let gone = false;
    return tcpVm((socket) =>
      socket.on('data', (data) => {
        if (!data.toString().startsWith('GET /ready')) {
          gone = true;
          socket.end(answer);
        } else if (!gone) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      }),
    );
  }

  /** A port where nobody listens. */
  async function deadPort(): Promise<number> {
    const vm = await bench.vm(() => {});
    await vm.close();
    return vm.port;
  }

  it('sends a request that never reached a VM to another one, whatever it is, and leaves the dead VM out', async () => {
    const gateway = await bench.gateway({ selector: 'round-robin', health: { intervalMs: 60_000 } });
    const good = await bench.vm((request, response) => request.pipe(response));
    await gateway.add('dead', { host: HOST, port: await deadPort() });
    await gateway.add('good', { host: HOST, port: good.port });
    const small = '<capture/>';
    const large = 'x'.repeat(100_000);
    for (const body of [small, large, small]) {
      const answer = await ask(gateway.address.port, '/capture', post, body);
      expect([answer.status, answer.text === body]).to.deep.equal([200, true]);
    }
    expect(gateway.fleet().find((vm) => vm.id === 'dead')).to.include({ state: 'out' });
    expect(gateway.counters().retried).to.equal(1);
  });

  it('goes on until it reaches a VM, though more than it may ask are gone at once', async () => {
    const gateway = await bench.gateway({ selector: 'round-robin', health: { intervalMs: 60_000 } });
    for (const id of ['a', 'b', 'c', 'd']) await gateway.add(id, { host: HOST, port: await deadPort() });
    const waiting = [ask(gateway.address.port, '/events'), ask(gateway.address.port, '/capture', post, '<capture/>')];
    await until('all are out', () => gateway.fleet().every(({ state }) => state === 'out'));
    const good = await bench.vm((_, response) => response.end('good'));
    await gateway.add('good', { host: HOST, port: good.port });
    expect((await Promise.all(waiting)).map(({ status }) => status)).to.deep.equal([200, 200]);
  });

  it('repeats a query whose VM broke off, and answers 502 with the reason for a capture', async () => {
    const gateway = await bench.gateway({ selector: 'round-robin', health: { path: '/probe', fall: 1_000 } });
    const broken = await tcpVm((socket) => {
      socket.once('data', (data) => {
        if (data.toString().startsWith('GET /probe')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        else socket.destroy();
      });
    });
    const good = await bench.vm((_, response) => response.end('good'));
    await gateway.add('broken', { host: HOST, port: broken });
    await gateway.add('good', { host: HOST, port: good.port });
    const statusOf = async (path: string, request: object, body?: string) => {
      await until('both take requests', () => gateway.fleet().every((vm) => vm.state === 'ready'));
      const [one, two] = [
        await ask(gateway.address.port, path, request, body),
        await ask(gateway.address.port, path, request, body),
      ];
      return [one.status, two.status].sort().join(' ');
    };
    expect(await statusOf('/events', {})).to.equal('200 200');
    expect(await statusOf('/epcis-repository/query', post, POLL)).to.equal('200 200');
    expect(await statusOf('/epcis-repository/query', post, SUBSCRIBE)).to.equal('200 502');
    expect(await statusOf('/epcis-repository/capture', post, '<x/>')).to.equal('200 502');
    const { lost } = gateway.counters();
    expect(lost['vm-failed']).to.equal(2);
  });

  it('answers 504 when the VM is silent, and cuts the connection when it goes silent in the middle', async () => {
    const gateway = await bench.gateway({ timeouts: { responseMs: 300 } });
    const silent = await bench.vm((request, response) => {
      if (request.url === '/half') response.writeHead(200, { 'content-length': 1_000_000 }).write('half');
    });
    await gateway.add('silent', { host: HOST, port: silent.port });
    const answer = await ask(gateway.address.port, '/capture', post, '<x/>');
    expect(answer.status).to.equal(504);
    expect(answer.text).to.include('did not answer in time');
    await until('it takes requests again', () => gateway.fleet()[0]?.state === 'ready');
    const error = await ask(gateway.address.port, '/half').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error);
    expect(gateway.counters().lost).to.include({ timeout: 1, cut: 1 });
  });

  it('answers 502 when the VM does not speak HTTP', async () => {
    const port = await tcpVm((socket) => socket.once('data', () => socket.end('SSH-2.0\r\n')));
    const gateway = await bench.gatewayTo({ port });
    const answer = await ask(gateway.address.port, '/capture', post, '<x/>');
    expect(answer.status).to.equal(502);
    expect(answer.text).to.include('not HTTP');
  });

  for (const [what, answer] of [
    ['turns into nonsense after its head', 'Transfer-Encoding: chunked\r\n\r\nnonsense\r\n'],
    ['breaks off before it has ended', 'Content-Length: 1000\r\n\r\nhalf'],
    ['breaks off after much of it', `Content-Length: 1000000\r\n\r\n${'x'.repeat(200_000)}`],
  ] as const) {
    it(`survives a VM whose answer ${what}, and leaves it out`, async () => {
      const port = await brokenOffVm(`HTTP/1.1 200 OK\r\n${answer}`);
      const gateway = await bench.gatewayTo({ port }, { health: { intervalMs: 60_000 } });
      const first = await ask(gateway.address.port, '/capture', post, '<x/>').catch(() => undefined);
      expect(first?.status ?? 'cut off').to.be.oneOf([502, 'cut off']);
      // by this alone: it has not failed as many probes as it takes
      expect(gateway.fleet()[0]).to.include({ id: 'vm', state: 'out' });
      const good = await bench.vm((_, response) => response.end('good'));
      await gateway.add('good', { host: HOST, port: good.port });
      expect((await ask(gateway.address.port)).text).to.equal('good');
    });
  }

  it('survives a VM that announces trailers where none can be', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nTrailer: x\r\nContent-Length: 20000\r\n\r\n' + 'x'.repeat(20_000);
    const port = await tcpVm((socket) => socket.on('data', () => socket.write(answer)));
    const gateway = await bench.gatewayTo({ port });
    const { status, body, headers } = await ask(gateway.address.port);
    expect([status, body.length, headers.trailer]).to.deep.equal([200, 20_000, undefined]);
  });

  it('does not blame a VM for a request that cannot be passed on', async () => {
    const gateway = await bench.gatewayTo((_, response) => response.end('good'));
    for (const host of ['[', '[::1', 'a b', 'a"b', 'a/b', 'user@host']) {
      expect((await ask(gateway.address.port, '/', { headers: { host } })).status).to.equal(400);
    }
    for (const host of ['[::1]:80', 'a.b-c:8080', '']) {
      expect((await ask(gateway.address.port, '/', { headers: { host } })).text).to.equal('good');
    }
    expect(gateway.fleet()[0]).to.include({ state: 'ready' });
  });

  it('does not repeat without end: the budget', async () => {
    const gateway = await bench.gateway({
      retry: { budget: 2, perRequest: 0 },
      health: { intervalMs: 50, fall: 1_000 },
    });
    const port = await tcpVm((socket) => {
      socket.once('data', (data) => {
        if (data.toString().startsWith('GET /ready')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        else socket.destroy();
      });
    });
    await gateway.add('broken', { host: HOST, port });
    expect((await ask(gateway.address.port)).status).to.equal(502);
    expect((await ask(gateway.address.port)).status).to.equal(502);
    expect(gateway.counters().retried).to.equal(2);
  });

  for (const dataPlane of ['builtin', 'haproxy'] as const) {
    const judging = () =>
      bench.gateway({ dataPlane, selector: 'round-robin', health: { errorsAtLeast: 3, intervalMs: 60_000 } });

    it(`takes a VM out whose answers are mostly errors, but never the last one (${dataPlane})`, async () => {
      const gateway = await judging();
      const bad = await bench.vm((_, response) => response.writeHead(503).end());
      const good = await bench.vm((_, response) => response.end('good'));
      await gateway.add('bad', { host: HOST, port: bad.port });
      for (let i = 0; i < 5; i++) await ask(gateway.address.port, '/capture', post, '<x/>');
      await until('they are counted', () => gateway.counters().arrived === 5);
      expect(gateway.fleet()[0]).to.include({ state: 'ready' });
      await gateway.add('good', { host: HOST, port: good.port });
      for (let i = 0; i < 8; i++) await ask(gateway.address.port, '/capture', post, '<x/>');
      await until('it is out', () => gateway.fleet()[0]?.state === 'out');
      expect(gateway.fleet()[0]).to.include({ id: 'bad' });
      expect(gateway.fleet()[0]?.note).to.match(/of its last \d+ answers were errors/);
    });

    it(`does not blame a VM for SOAP faults (${dataPlane})`, async () => {
      const gateway = await judging();
      for (const id of ['a', 'b']) {
        const vm = await bench.vm((_, response) =>
          response.writeHead(500, { 'content-type': 'text/xml' }).end('<fault/>'),
        );
        await gateway.add(id, { host: HOST, port: vm.port });
      }
      for (let i = 0; i < 10; i++) {
        const answer = await ask(gateway.address.port, '/epcis-repository/query', post, POLL);
        expect([answer.status, answer.text]).to.deep.equal([500, '<fault/>']);
      }
      await until('they are counted', () => gateway.counters().arrived === 10);
      expect(gateway.fleet().map((vm) => vm.state)).to.deep.equal(['ready', 'ready']);
    });
  }

  it('asks another VM when one says that it is not ready (503)', async () => {
    const gateway = await bench.gateway({ selector: 'round-robin' });
    const closing = await bench.vm((_, response) => response.writeHead(503).end('closing'));
    const good = await bench.vm((_, response) => response.end('good'));
    await gateway.add('closing', { host: HOST, port: closing.port });
    await gateway.add('good', { host: HOST, port: good.port });
    for (let i = 0; i < 6; i++) expect((await ask(gateway.address.port)).text).to.equal('good');
  });

  it('lets a VM back when its probe succeeds, with a small share at first', async () => {
    const vm = await bench.vm((_, response) => response.end('back'));
    await vm.close();
    const gateway = await bench.gatewayTo(vm, { health: { slowStartMs: 60_000 } });
    const answer = ask(gateway.address.port, '/capture', post, '<x/>');
    await until('it is out', () => gateway.fleet()[0]?.state === 'out');
    await bench.vm((_, response) => response.end('back'), vm.port);
    expect((await answer).text).to.equal('back');
    expect(gateway.fleet()[0]).to.include({ state: 'ready', share: 0.1 });
  });

  it('takes a VM out whose probes fail', async () => {
    const vm = await bench.vm((_, response) => response.writeHead(503).end());
    const gateway = await bench.gatewayTo(vm, { health: { path: '/probe', intervalMs: 20, fall: 2 } });
    await until('it is out', () => gateway.fleet()[0]?.state === 'out');
    expect(gateway.fleet()[0]?.note).to.equal('/probe answered 503');
  });

  it('loses no query when a VM is gone at once with requests at it', async () => {
    const gateway = await bench.gateway({ selector: 'round-robin' });
    const stuck: ServerResponse[] = [];
    const dying = await bench.vm((_, response) => stuck.push(response));
    const good = await bench.vm((_, response) => response.end('good'));
    await gateway.add('dying', { host: HOST, port: dying.port });
    await gateway.add('good', { host: HOST, port: good.port });
    const answers = Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        i % 2 === 0 ? ask(gateway.address.port, '/events') : ask(gateway.address.port, '/query', post, POLL),
      ),
    );
    await until('half of them are at the VM that dies', () => stuck.length === 20);
    await dying.close();
    expect((await answers).every((one) => one.text === 'good')).to.equal(true);
    expect(gateway.counters()).to.include({ answered: 40, retried: 20 });
  });
});
