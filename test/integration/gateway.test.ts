import { expect } from 'chai';
import { responseTimesBetween, trafficBetween } from '../../src/balance/gateway.ts';
import type { GatewayPort } from '../../src/act/execute.ts';
import { ask, Bench, until } from '../helpers/gateway.ts';

const HOST = '127.0.0.1';

describe('gateway: fleet', () => {
  const bench = new Bench();
  afterEach(() => bench.close());

  it('is the port that acting needs', async () => {
    const port: GatewayPort = await bench.gateway();
    await port.remove('nobody');
    expect(await port.drain('nobody', 1)).to.equal(true);
  });

  it('sends requests to the VMs that were added, in turn', async () => {
    const gateway = await bench.gateway({ selector: 'round-robin' });
    for (const id of ['a', 'b']) {
      const vm = await bench.vm((_, response) => response.end(id));
      await gateway.add(id, { host: HOST, port: vm.port });
    }
    const seen: string[] = [];
    for (let i = 0; i < 4; i++) seen.push((await ask(gateway.address.port)).text);
    expect(seen.join('')).to.match(/^(abab|baba)$/);
  });

  it('sends nothing to a draining VM, and says when its last request has ended', async () => {
    const gateway = await bench.gateway();
    const waiting: (() => void)[] = [];
    const slow = await bench.vm((_, response) => waiting.push(() => response.end('slow')));
    await gateway.add('slow', { host: HOST, port: slow.port });
    const first = ask(gateway.address.port);
    await until('the request is at the VM', () => waiting.length === 1);

    const quick = await bench.vm((_, response) => response.end('quick'));
    await gateway.add('quick', { host: HOST, port: quick.port });
    let drained = false;
    const drain = gateway.drain('slow', 8_000).then((empty) => {
      drained = true;
      return empty;
    });
    for (let i = 0; i < 10; i++) expect((await ask(gateway.address.port)).text).to.equal('quick');
    expect(drained).to.equal(false);
    waiting[0]?.();
    expect((await first).text).to.equal('slow');
    expect(await drain).to.equal(true);
    await gateway.remove('slow');
    expect(gateway.fleet().map((vm) => vm.id)).to.deep.equal(['quick']);
  });

  it('says that a VM is not empty at the deadline, and cuts off its requests when it is removed', async () => {
    const gateway = await bench.gateway();
    let reached = 0;
    const vm = await bench.vm(() => reached++);
    await gateway.add('stuck', { host: HOST, port: vm.port });
    const answer = ask(gateway.address.port, '/capture', { method: 'POST' }, '<x/>');
    await until('the request is at the VM', () => reached === 1);
    expect(await gateway.drain('stuck', 50)).to.equal(false);
    await gateway.remove('stuck');
    expect((await answer).status).to.equal(502);
    expect(gateway.counters().lost['vm-failed']).to.equal(1);
  });

  it('lets requests wait while there is no VM, and serves them when one comes', async () => {
    const gateway = await bench.gateway();
    const answers = Promise.all([ask(gateway.address.port), ask(gateway.address.port)]);
    await until('both wait', () => gateway.counters().queued === 2);
    const vm = await bench.vm((_, response) => response.end('served'));
    await gateway.add('late', { host: HOST, port: vm.port });
    expect((await answers).map((one) => one.text)).to.deep.equal(['served', 'served']);
  });

  it('answers 503 with Retry-After at the deadline when no VM comes', async () => {
    const gateway = await bench.gateway({ queue: { deadlineMs: 100 } });
    const answer = await ask(gateway.address.port);
    expect(answer.status).to.equal(503);
    expect(Number(answer.headers['retry-after'])).to.be.at.least(1);
    expect(answer.text).to.include('No VM became free');
    expect(gateway.counters().lost.deadline).to.equal(1);
  });

  it('measures response times of successful requests per VM, for several readers at once', async () => {
    const gateway = await bench.gateway({ selector: 'round-robin' });
    const good = await bench.vm((_, response) => setTimeout(() => response.end('ok'), 30));
    const bad = await bench.vm((_, response) => response.writeHead(500).end());
    await gateway.add('good', { host: HOST, port: good.port });
    await gateway.add('bad', { host: HOST, port: bad.port });
    const start = gateway.counters();
    for (let i = 0; i < 4; i++) await ask(gateway.address.port);
    const middle = gateway.counters();
    for (let i = 0; i < 2; i++) await ask(gateway.address.port);
    const end = gateway.counters();

    const times = responseTimesBetween(start, end);
    expect([...times.keys()]).to.deep.equal(['good']);
    expect(times.get('good')).to.be.within(25, 5_000);
    expect(trafficBetween(start, end).lost).to.equal(3);
    expect(trafficBetween(middle, end).lost).to.equal(1);
    expect(start.arrived).to.equal(0);
    expect(end).to.include({ arrived: 6, answered: 3, inFlight: 0, queued: 0 });
  });

  it('closes without cutting off what is under way', async () => {
    const gateway = await bench.gateway();
    let reached = 0;
    const vm = await bench.vm((_, response) => {
      reached++;
      setTimeout(() => response.end('done'), 100);
    });
    await gateway.add('vm', { host: HOST, port: vm.port });
    const answer = ask(gateway.address.port);
    await until('the request is at the VM', () => reached === 1);
    await gateway.close();
    expect((await answer).text).to.equal('done');
  });
});
