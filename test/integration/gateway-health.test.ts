// What makes a VM look ill, and what a client can do that looks like it and must not count. The list is in src/balance/README.md.
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { expect } from 'chai';
import type { Gateway, GatewayLog } from '../../src/balance/core/contract.ts';
import { ask, Bench, raw } from '../helpers/gateway.ts';
import { listening } from '../helpers/listening.ts';
import { until } from '../helpers/until.ts';

const HOST = '127.0.0.1';
const READY = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const UPGRADE =
  'GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const HEAD = 'POST /capture HTTP/1.1\r\nHost: a\r\n';

describe('gateway: what makes a VM look ill', () => {
  const bench = new Bench();
  const warnings: object[] = [];
  const log: GatewayLog = { info: () => {}, warn: (fields) => warnings.push(fields) };
  afterEach(() => bench.close());
  beforeEach(() => warnings.splice(0));

  const gatewayTo = (port: number, changes = {}): Promise<Gateway> =>
    bench.gatewayTo({ port }, { health: { intervalMs: 50 }, ...changes }, { log });

  describe('its own doing', () => {
    /** A VM that is ready, and treats any other connection so. */
    const tcpVm = async (treat: (socket: Socket) => void, ready = true): Promise<number> => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', (data) => {
          if (!data.toString('latin1').startsWith('GET /ready')) treat(socket);
          else if (ready) socket.write(READY);
        });
      });
      const port = await listening(server);
      bench.atEnd(async () => void server.close());
      return port;
    };

    for (const dataPlane of ['builtin', 'haproxy'] as const) {
      for (const [name, treat] of [
        ['broken', (socket: Socket) => void socket.destroy()],
        ['nonsense', (socket: Socket) => void socket.end('SSH-2.0\r\n')],
      ] as const) {
        for (const size of [10, 100_000]) {
          it(`${name} on a request of ${size} bytes (${dataPlane})`, async () => {
            const gateway = await gatewayTo(await tcpVm(treat), { dataPlane });
            const answer = await ask(gateway.address.port, '/capture', { method: 'POST' }, Buffer.alloc(size));
            expect(answer.status).to.equal(502);
            await until('it is said', () => warnings.length > 0);
            expect(warnings[0]).to.include({ vm: 'vm', failure: name });
            await until('its probe lets it back', () => gateway.fleet()[0]?.state === 'ready');
          });
        }
      }

      it(`broken in the middle of its answer (${dataPlane})`, async () => {
        const head = 'HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n';
        const gateway = await gatewayTo(await tcpVm((socket) => void socket.end(`${head}half`)), { dataPlane });
        expect(await raw(gateway.address.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).to.match(/502|half$/);
        await until('it is said', () => warnings.length > 0);
        expect(warnings[0]).to.include({ vm: 'vm', failure: 'broken' });
        await until('its probe lets it back', () => gateway.fleet()[0]?.state === 'ready');
      });
    }

    it('broken on a later request of a connection, of which HAProxy says nothing', async () => {
      let well = true;
      const answer = (socket: Socket) => void (well ? socket.write(READY) : socket.destroy());
      const gateway = await gatewayTo(await tcpVm(answer), { dataPlane: 'haproxy' });
      const client = connect(gateway.address.port, HOST).on('error', () => {});
      const closed = new Promise((resolve) => client.once('close', resolve));
      client.write(`${HEAD}Content-Length: 0\r\n\r\n`);
      await new Promise((resolve) => client.once('data', resolve));
      await until('it has been seen as it is now', () => gateway.counters().answered === 1);
      well = false;
      client.write(`${HEAD}Content-Length: 0\r\n\r\n`);
      await closed;
      await until('it is said', () => warnings.length > 0);
      expect(warnings[0]).to.include({ vm: 'vm', failure: 'broken' });
      await until('its probe lets it back', () => gateway.fleet()[0]?.state === 'ready');
    });

    it('silent to everything since the request came', async () => {
      const gateway = await gatewayTo(await tcpVm(() => {}, false), {
        timeouts: { responseMs: 300 },
        health: { intervalMs: 60_000 },
      });
      expect((await ask(gateway.address.port)).status).to.equal(504);
      expect(warnings[0]).to.include({ failure: 'timeout' });
    });
  });

  const slowVm = async () => {
    const vm = await bench.vm((request, response) => {
      request.on('error', () => {}).resume();
      if (request.url === '/large') response.end(Buffer.alloc(64 << 20));
      else if (request.url === '/fast') response.end('fast');
    });
    vm.server.on('upgrade', (_, socket: Socket) => {
      socket.on('error', () => {});
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
          'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n',
      );
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
    return vm.port;
  };

  const TWINS: Record<string, (port: number, gateway: Gateway) => Promise<unknown>> = {
    'resets in its upload': (port) => breakOff(port, `${HEAD}Content-Length: 1000000\r\n\r\n${'x'.repeat(70_000)}`),
    'resets in its chunks': (port) => breakOff(port, `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`),
    'stops sending': (port) => raw(port, `${HEAD}Content-Length: 1000000\r\n\r\nxxx`, 5_000),
    'makes its VM end a WebSocket': (port) => raw(port, `${UPGRADE}\r\n`),
    'sends chunks that are none': (port) => raw(port, `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n`),
    'sends a head that is none': (port) => raw(port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'),
    'reads nothing of its answer': async (port, gateway) => {
      const socket = connect(port, HOST).pause();
      const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
      socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
      await until('it is given up', () => gateway.counters().lost['client-gone'] > 0);
      // a paused socket does not see that it was closed
      socket.resume();
      await closed;
    },
    'cancels before its answer': (port) => breakOff(port, 'GET /silent HTTP/1.1\r\nHost: a\r\n\r\n'),
    'cancels a later request of its connection': (port) =>
      new Promise((resolve) => {
        const socket = connect(port, HOST).on('error', () => {});
        socket.on('close', resolve).once('data', () => {
          socket.write('GET /silent HTTP/1.1\r\nHost: a\r\n\r\n', () => setTimeout(() => socket.destroy(), 50));
        });
        socket.write('GET /fast HTTP/1.1\r\nHost: a\r\n\r\n');
      }),
    // at HAProxy it has gone while its VM is still being connected to, which counts neither as answered nor as ended by it
    'half-closes its connection behind its request': async (port, gateway) => {
      for (let i = 0; i < 5; i++) {
        await Promise.all(Array.from({ length: 40 }, () => sendAndEnd(port, 'GET /fast HTTP/1.1\r\nHost: a\r\n\r\n')));
        await until('HAProxy has told of it', () => gateway.counters().inFlight === 0);
      }
    },
    'asks what takes too long': (port) => ask(port, '/silent').then(({ status }) => expect(status).to.equal(504)),
  };

  describe('never a client that', () => {
    for (const dataPlane of ['builtin', 'haproxy'] as const) {
      for (const [name, play] of Object.entries(TWINS)) {
        it(`${name} (${dataPlane})`, async () => {
          const timeouts = { uploadIdleMs: 300, responseMs: 600 };
          const gateway = await gatewayTo(await slowVm(), { dataPlane, timeouts });
          await play(gateway.address.port, gateway);
          expect((await ask(gateway.address.port, '/fast')).text).to.equal('fast');
          await until('nothing is under way', () => gateway.counters().inFlight === 0);
          // HAProxy's log and statistics tell after the fact
          await until('it is counted', () => gateway.counters().answered > 0);
          expect(warnings).to.deep.equal([]);
          expect(gateway.fleet()[0]).to.include({ state: 'ready' });
          expect(gateway.counters()).to.include({ retried: 0 });
          expect(gateway.counters().lost).to.include({ 'vm-failed': 0 });
        });
      }
    }

    for (const dataPlane of ['builtin', 'haproxy'] as const) {
      it(`keeps its VM so busy that probes go unanswered, while requests are answered (${dataPlane})`, async () => {
        let unanswered = 0;
        const { port } = await bench.vm((request, response) => {
          if (request.url === '/probe') unanswered++;
          else setTimeout(() => response.end('busy'), 100);
        });
        const health = { path: '/probe', intervalMs: 20, timeoutMs: 150, fall: dataPlane === 'builtin' ? 2 : 4 };
        const gateway = await gatewayTo(port, { dataPlane, health });
        while (unanswered < 8) expect((await ask(gateway.address.port)).text).to.equal('busy');
        expect(warnings).to.deep.equal([]);
        expect(gateway.fleet()[0]).to.include({ state: 'ready' });
      });
    }
  });
});

/** Resets its connection as soon as this has gone out. */
function breakOff(port: number, bytes: string): Promise<unknown> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    socket.on('error', () => {}).on('close', resolve);
    socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 50));
  });
}

function sendAndEnd(port: number, bytes: string): Promise<unknown> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST).resume();
    socket.on('error', () => {}).on('close', resolve);
    socket.end(bytes);
  });
}
