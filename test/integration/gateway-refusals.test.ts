import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import type { Gateway, GatewayLog } from '../../src/balance/core/contract.ts';
import { lostIn } from '../../src/balance/core/traffic.ts';
import { ask, Bench, raw } from '../helpers/gateway.ts';
import { listening } from '../helpers/listening.ts';
import { until } from '../helpers/until.ts';
import { upload } from '../helpers/uploads.ts';
import type { UploadClient } from '../helpers/uploads.ts';

const HOST = '127.0.0.1';
const KB = 1000;
const MB = 1000 * KB;

/** How VMs refuse an upload by its head. */
const VMS = {
  'that keeps its connection': (bench: Bench) => nodeVm(bench, { 'content-length': 10 }),
  'that closes its connection': (bench: Bench) => nodeVm(bench, { 'content-length': 10, connection: 'close' }),
  'that resets its connection': resettingVm,
};

const CLIENTS: readonly UploadClient[] = [
  { size: 1 * KB },
  { size: 1 * KB, framing: 'chunks' },
  { size: 300 * KB, reads: 'at the end' },
  { size: 300 * KB, framing: 'chunks' },
  { size: 1 * MB, restMs: 20 },
  { size: 4 * MB },
  { size: 4 * MB, reads: 'at the end' },
  { size: 4 * MB, framing: 'chunks', reads: 'at the end' },
  { size: 20 * MB },
  { size: 140 * MB, reads: 'at the end' },
];

// What every data plane has to do.
for (const dataPlane of ['builtin', 'haproxy'] as const) {
  describe(`gateway: refused uploads (${dataPlane})`, function () {
    // hundreds of MB, on a machine that others may keep busy
    this.timeout(60_000);
    const bench = new Bench();
    const warnings: string[] = [];
    const log: GatewayLog = { info: () => {}, warn: (_, message) => warnings.push(message) };
    afterEach(() => bench.close());
    beforeEach(() => warnings.splice(0));

    const gatewayTo = (port: number, changes = {}): Promise<Gateway> =>
      bench.gatewayTo({ port }, { dataPlane, ...changes }, { log });

    /** The VM never left, nobody was told to come back, nothing was sent twice. */
    const expectUnharmed = async (gateway: Gateway, requests: number) => {
      await until('all is counted', () => gateway.counters().arrived === requests && gateway.counters().inFlight === 0);
      expect(warnings).to.deep.equal([]);
      expect(gateway.fleet()[0]).to.include({ state: 'ready' });
      const counters = gateway.counters();
      expect([counters.answered, lostIn(counters), counters.retried]).to.deep.equal([requests, 0, 0]);
    };

    it('refuses tunnels, for which VMs break off their connections, and keeps the VMs', async () => {
      const gateway = await gatewayTo(await nodeVm(bench, {}));
      const { port } = gateway.address;
      const tunnel = () => raw(port, 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n', 1_000);
      for (const answer of await Promise.all(Array.from({ length: 10 }, tunnel))) {
        expect(answer)
          .to.match(/^HTTP\/1\.1 501 /)
          .and.include('This is no proxy');
        expect((await ask(port, '/')).status).not.to.equal(503);
      }
      expect(warnings).to.deep.equal([]);
      expect(gateway.fleet()[0]).to.include({ state: 'ready' });
      await until('all is counted', () => gateway.counters().refused === 10);
      expect(lostIn(gateway.counters())).to.equal(0);
    });

    it('outlives who asks for a tunnel and resets its connection, whenever it does', async () => {
      const gateway = await gatewayTo(await nodeVm(bench, {}));
      const { port } = gateway.address;
      for (let turns = 0; turns < 60; turns++) {
        const socket = connect(port, HOST, () => socket.write('CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n'));
        await once(socket, 'connect');
        for (let left = turns % 6; left > 0; left--) await new Promise(setImmediate);
        socket.on('error', () => {}).resetAndDestroy();
      }
      expect((await ask(port, '/')).status).not.to.equal(503);
    });

    for (const [name, start] of Object.entries(VMS)) {
      it(`brings the answer of a VM ${name} to whoever uploads, however`, async () => {
        const gateway = await gatewayTo(await start(bench));
        for (const client of CLIENTS) {
          const { status, text } = await upload(gateway.address.port, client).catch((error: Error) => ({
            status: 0,
            text: error.message,
          }));
          expect([status, text], JSON.stringify(client)).to.deep.equal([415, 'wrong type']);
        }
        await expectUnharmed(gateway, CLIENTS.length);
      });
    }

    it('brings it to many at once', async () => {
      const gateway = await gatewayTo(await resettingVm(bench));
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => upload(gateway.address.port, { size: 4 * MB })),
      );
      expect(answers.map((one) => one.status)).to.deep.equal(answers.map(() => 415));
      await expectUnharmed(gateway, 20);
    });

    it('brings it from a VM that has read some of the upload', async () => {
      const gateway = await gatewayTo(await resettingVm(bench, 600 * KB));
      for (const framing of ['length', 'chunks'] as const) {
        expect((await upload(gateway.address.port, { size: 20 * MB, framing })).status).to.equal(415);
      }
      await expectUnharmed(gateway, 2);
    });

    it('passes the head of an upload on before its body, so that a VM can refuse it by its length', async () => {
      const gateway = await gatewayTo(await nodeVm(bench, { 'content-length': 10 }));
      const { status, wrote } = await upload(gateway.address.port, { size: 140 * MB, stopsAfter: 0 });
      expect([status, wrote]).to.deep.equal([415, 0]);
      await expectUnharmed(gateway, 1);
    });

    it('refuses a larger body than may pass: by its length before any of it, in chunks as soon as it is too large', async () => {
      const seen: string[] = [];
      const vm = await bench.vm((request, response) => {
        seen.push(request.headers['content-length'] ?? 'chunks');
        request.on('error', () => {}).on('end', () => response.end('taken'));
        request.resume();
      });
      const gateway = await gatewayTo(vm.port, { limits: { bodyBytes: 100_000 } });
      const announced = await upload(gateway.address.port, { size: 100_001, stopsAfter: 0 });
      expect([announced.status, announced.text]).to.satisfy(
        ([status, text]: [number, string]) => status === 413 && text.includes('100000 bytes'),
      );
      const chunks = await upload(gateway.address.port, { size: 2 * MB, framing: 'chunks', reads: 'at the end' });
      expect(chunks.status).to.equal(413);
      expect((await upload(gateway.address.port, { size: 100_000 })).text).to.equal('taken');
      expect(seen).to.deep.equal(['chunks', '100000']);
      expect(warnings).to.deep.equal([]);
      await until('they are counted', () => gateway.counters().answered === 2 && gateway.counters().refused === 1);
    });

    it('leaves the answer to "Expect: 100-continue" to the VM', async () => {
      const seen: string[] = [];
      const vm = await bench.vm((request, response) => {
        let bytes = 0;
        request.on('data', (chunk: Buffer) => (bytes += chunk.length));
        request.on('end', () => {
          seen.push(`${request.url} ${bytes}`);
          response.end('taken');
        });
      });
      vm.server.on('checkContinue', (request, response) => {
        if (request.url === '/no') response.writeHead(415, { 'content-length': 10 }).end('wrong type');
        else {
          response.writeContinue();
          vm.server.emit('request', request, response);
        }
      });
      const gateway = await gatewayTo(vm.port);
      for (const size of [5, 2 * MB]) {
        const no = await upload(gateway.address.port, { size, path: '/no', expects: true });
        expect([no.status, no.informed, no.wrote]).to.deep.equal([415, [], 0]);
        const yes = await upload(gateway.address.port, { size, path: '/yes', expects: true });
        expect([yes.status, yes.informed, yes.text]).to.deep.equal([200, [100], 'taken']);
      }
      expect(seen).to.deep.equal(['/yes 5', `/yes ${2 * MB}`]);
      await expectUnharmed(gateway, 4);
    });

    it('lets who uploads what is refused wait before the next, and nobody else', async () => {
      // one refused upload is worth ten minutes
      const limits = { uploadBytesPerSecond: 1_748 };
      const gateway = await gatewayTo(await nodeVm(bench, { 'content-length': 10 }), { limits });
      const { port } = gateway.address;
      // its head alone: what is read of a body would be paid off before the answer on HAProxy
      const refuse = async (localAddress: string) => {
        const client = connect({ port, host: HOST, localAddress }).on('error', () => {});
        bench.atEnd(async () => client.destroy());
        let said = '';
        client.on('data', (chunk) => (said += String(chunk)));
        client.write(`POST /capture HTTP/1.1\r\nHost: a\r\nContent-Length: ${MB}\r\n\r\n`);
        await until('it is refused', () => said.includes('415'));
      };
      await refuse('127.0.0.2');
      const next = upload(port, { size: 300 * KB, from: '127.0.0.2' }).catch(() => undefined);
      expect((await ask(port, '/', { localAddress: '127.0.0.2' })).status).to.equal(415);
      await refuse('127.0.0.3');
      expect(gateway.counters().arrived).to.equal(3);
      await gateway.close();
      await next;
    }).timeout(60_000);

    it('keeps its only VM in, and serves all others, while a client uploads in a loop what is refused', async () => {
      const refusing = await resettingVm(bench);
      const gateway = await gatewayTo(refusing);
      let uploading = true;
      let refused = 0;
      const one = (async () => {
        for (; uploading; refused++) {
          expect((await upload(gateway.address.port, { size: 20 * MB })).status).to.equal(415);
        }
      })();
      const others: number[] = [];
      while (others.length < 60) others.push((await ask(gateway.address.port, '/events')).status);
      await until('more than one upload was refused', () => refused > 1, 30_000);
      uploading = false;
      await one;
      expect(others.every((status) => status === 200)).to.equal(true);
      await expectUnharmed(gateway, others.length + refused);
    }).timeout(60_000);
  });
}

async function nodeVm(bench: Bench, fields: Record<string, string | number>): Promise<number> {
  const { port } = await bench.vm((request, response) => {
    request.on('error', () => {});
    response.writeHead(415, fields).end('wrong type');
  });
  return port;
}

/** Answers an upload when it has read so much of it, and closes with the rest unread: which resets the connection. */
async function resettingVm(bench: Bench, reads = 0): Promise<number> {
  const answer = (status: string, text: string) =>
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  const server = createServer((socket: Socket) => {
    let bytes = 0;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      bytes += data.length;
      if (data.toString('latin1', 0, 4) === 'GET ') socket.end(answer('200 OK', 'fine'));
      else if (bytes >= reads) socket.pause().write(answer('415 Unsupported', 'wrong type'), () => socket.destroy());
    });
  });
  const port = await listening(server);
  bench.atEnd(() => new Promise((resolve) => server.close(resolve)));
  return port;
}
