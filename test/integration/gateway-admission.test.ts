import { expect } from 'chai';
import { ask, Bench } from '../helpers/gateway.ts';
import { until } from '../helpers/until.ts';

const HOST = '127.0.0.1';

describe('gateway: admission (builtin)', () => {
  const bench = new Bench();
  afterEach(() => bench.close());

  it('lets requests wait while there is no VM, and serves them when one comes', async () => {
    const gateway = await bench.gateway();
    const answers = Promise.all([ask(gateway.address.port), ask(gateway.address.port)]);
    await until('both wait', () => gateway.counters().queued === 2);
    const vm = await bench.vm((_, response) => response.end('served'));
    await gateway.add('late', { host: HOST, port: vm.port });
    expect((await answers).map((one) => one.text)).to.deep.equal(['served', 'served']);
  });

  it('turns the least important away when too many wait', async () => {
    const gateway = await bench.gateway({ queue: { capacity: 2 } });
    const waits = async (count: number) => until(`${count} wait`, () => gateway.counters().queued === count);
    const bulk = ask(gateway.address.port, '/', { headers: { 'x-request-class': 'bulk' } });
    await waits(1);
    const query = ask(gateway.address.port);
    await waits(2);
    const other = ask(gateway.address.port);
    expect((await bulk).status).to.equal(503);
    expect((await ask(gateway.address.port, '/capture', { method: 'POST' })).status).to.equal(503);
    const vm = await bench.vm((_, response) => response.end('served'));
    await gateway.add('vm', { host: HOST, port: vm.port });
    expect((await Promise.all([query, other])).map((one) => one.text)).to.deep.equal(['served', 'served']);
    expect(gateway.counters().lost['queue-full']).to.equal(2);
    expect(gateway.counters().classes.map((one) => one.lost)).to.deep.equal([0, 0, 1, 1]);
  });

  it('keeps a class to its VMs, unless they have all left', async () => {
    const classes = [{ name: 'pinned', rules: [{ path: '^/pinned' }], pinnedTo: ['b'] }, { name: 'rest' }];
    const gateway = await bench.gateway({ queue: { classes }, selector: 'round-robin' });
    for (const id of ['a', 'b']) {
      const vm = await bench.vm((_, response) => response.end(id));
      await gateway.add(id, { host: HOST, port: vm.port });
    }
    for (let i = 0; i < 4; i++) expect((await ask(gateway.address.port, '/pinned')).text).to.equal('b');
    await gateway.remove('b');
    expect((await ask(gateway.address.port, '/pinned')).text).to.equal('a');
  });

  it('lets a class wait as long as its own deadline says', async () => {
    const classes = [{ name: 'hasty', rules: [{ path: '^/hasty' }], deadline: 50 }, { name: 'rest' }];
    const gateway = await bench.gateway({ queue: { classes, deadlineMs: 60_000 } });
    const patient = ask(gateway.address.port);
    expect((await ask(gateway.address.port, '/hasty')).status).to.equal(503);
    expect(gateway.counters()).to.deep.include({ queued: 1 });
    const vm = await bench.vm((_, response) => response.end('served'));
    await gateway.add('vm', { host: HOST, port: vm.port });
    expect((await patient).text).to.equal('served');
  });

  it('sends all to the VM with the least reported load, when it is told to', async () => {
    const gateway = await bench.gateway({ selector: 'least-load-target' });
    for (const id of ['a', 'b']) {
      const vm = await bench.vm((_, response) => response.end(id));
      await gateway.add(id, { host: HOST, port: vm.port });
    }
    gateway.reportLoad('a', 80);
    gateway.reportLoad('b', 20);
    for (let i = 0; i < 4; i++) expect((await ask(gateway.address.port)).text).to.equal('b');
  });
});
