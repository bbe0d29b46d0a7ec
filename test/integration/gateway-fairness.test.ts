import { Agent } from 'node:http';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { LIMIT_START } from '../../src/balance/core/concurrency-limit.ts';
import { ask, Bench } from '../helpers/gateway.ts';
import { until } from '../helpers/until.ts';

const GET = 'GET /events HTTP/1.1\r\nHost: a\r\n\r\n';
const MB = 1 << 20;

describe('gateway: fairness between clients', () => {
  const bench = new Bench();
  afterEach(() => bench.close());

  it('gives the slot of a slow reader to others, and goes on when it reads', async () => {
    const size = 40 * MB;
    const gateway = await bench.gatewayTo(
      (request, response) => response.end(request.url === '/large' ? Buffer.alloc(size) : 'small'),
      { perVm: 1 },
    );
    const slow = bench.other(gateway.address.port).pause();
    slow.write(GET.replace('/events', '/large'));
    await until('it is at the VM', () => gateway.fleet()[0]?.inFlight === 1);
    expect((await ask(gateway.address.port)).text).to.equal('small');
    let read = 0;
    slow.on('data', (chunk) => (read += chunk.length)).resume();
    await until('it has all', () => read > size);
    await until('all is over', () => gateway.counters().answered === 2);
  });

  it('gives the slot of a slow upload to others, and takes it again', async () => {
    const gateway = await bench.gatewayTo(
      (request, response) => request.on('end', () => response.end('taken')).resume(),
      {
        perVm: 1,
      },
    );
    const slow = bench.other(gateway.address.port);
    slow.write(`POST /capture HTTP/1.1\r\nHost: a\r\nContent-Length: ${MB}\r\n\r\nfirst`);
    await until('it is at the VM', () => gateway.fleet()[0]?.inFlight === 1);
    expect((await ask(gateway.address.port)).text).to.equal('taken');
    let answer = '';
    slow.on('data', (chunk) => (answer += chunk.toString())).write(Buffer.alloc(MB - 5));
    await until('it is answered', () => answer.endsWith('taken'));
  });

  it('does not let one client have all slots while another is there', async () => {
    const held: ServerResponse[] = [];
    const gateway = await bench.gatewayTo(
      (request, response) => (request.url === '/long' ? held.push(response) : response.end('short')),
      { perVm: 4 },
    );
    const ofOther = () => ask(gateway.address.port, '/short').then(({ text }) => text);
    expect(await ofOther()).to.equal('short');
    for (let i = 0; i < 8; i++) bench.other(gateway.address.port).write(GET.replace('/events', '/long'));
    await until('it has its share, the rest waits', () => held.length === 3 && gateway.counters().queued === 5);
    expect(await ofOther()).to.equal('short');
    for (const response of held) response.end();
    await until('its next come', () => held.length === 6);
    for (const response of held) response.end();
    await until('its last come', () => held.length === 8);
    for (const response of held) response.end();
  });

  const ABANDONED = {
    requests: GET.replace('/events', '/long'),
    uploads: 'POST /long HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
  };
  for (const [what, bytes] of Object.entries(ABANDONED)) {
    it(`lets a client that abandons ${what} have no more of them at a VM than its share`, async () => {
      const held: ServerResponse[] = [];
      const vm = await bench.vm((request, response) =>
        request.url === '/long' ? held.push(response) : response.end('short'),
      );
      // as one that has no time to look who has left
      Object.assign(vm.server, { httpAllowHalfOpen: true });
      vm.server.on('clientError', () => {});
      const gateway = await bench.gatewayTo(vm, { perVm: 4, timeouts: { connectMs: 60_000 } });
      const { port } = gateway.address;
      expect((await ask(port, '/short')).text).to.equal('short');
      for (let i = 1; i <= 10; i++) {
        const leaving = bench.other(port);
        leaving.write(bytes);
        await until('it is here', () => gateway.counters().arrived === 1 + i);
        await until('it is at the VM, or waits', () => held.length === Math.min(i, 3));
        leaving.destroy();
        await until('it has gone', () => gateway.counters().lost['client-gone'] === i);
      }
      expect((await ask(port, '/short')).text).to.equal('short');
      expect(held).to.have.length(3);
      expect(gateway.fleet()[0]).to.include({ state: 'ready', inFlight: 3 });
      for (const { socket } of held) socket?.destroy();
      await until('the VM has let go of all', () => gateway.fleet()[0]?.inFlight === 0);
    });

    it(`waits no longer for a VM to look at abandoned ${what} than for a connection`, async () => {
      let held = 0;
      const vm = await bench.vm(() => held++);
      Object.assign(vm.server, { httpAllowHalfOpen: true });
      vm.server.on('clientError', () => {});
      const gateway = await bench.gatewayTo(vm, { timeouts: { connectMs: 100 } });
      const leaving = bench.other(gateway.address.port);
      leaving.write(bytes);
      await until('it is at the VM', () => held === 1);
      leaving.destroy();
      expect(await gateway.drain('vm', 10_000), 'nothing is left of it').to.equal(true);
    });
  }

  it('keeps slots for others at once where one client takes all that it gets, found limits and HAProxy included', async () => {
    for (const dataPlane of ['builtin', 'haproxy'] as const) {
      let held = 0;
      const gateway = await bench.gatewayTo(
        (request, response) => (request.url === '/long' ? held++ : response.end('short')),
        { dataPlane, perVm: 'auto' },
      );
      const { port } = gateway.address;
      const agent = new Agent({ keepAlive: true });
      const ofOther = () => ask(port, '/short', { agent }).then(({ text }) => text);
      expect(await ofOther()).to.equal('short');
      const greedy = Array.from({ length: 2 * LIMIT_START }, () => bench.other(port));
      for (const one of greedy) one.write(GET.replace('/events', '/long'));
      await until('it has its share of a VM', () => held >= 0.75 * LIMIT_START);
      // nothing of it ends, so no limit grows: the other is served by what it may not have
      expect(await ofOther(), dataPlane).to.equal('short');
      agent.destroy();
      for (const one of greedy) one.destroy();
    }
  });

  it('lets one client have only so much of large answers in a second', async () => {
    const rate = 10 * MB;
    const gateway = await bench.gatewayTo((_, response) => response.end(Buffer.alloc(6 * MB)), {
      limits: { answerBytesPerSecond: rate },
    });
    const since = performance.now();
    const { text } = await ask(gateway.address.port);
    expect(text.length).to.equal(6 * MB);
    // a tenth of a second's worth is saved up, and the last piece is not waited for
    expect(performance.now() - since).to.be.greaterThan(((5 * MB - 2 * 65_536) / rate) * 1000 - 50);
  });
});
