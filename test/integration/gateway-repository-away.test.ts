// What all VMs stand on is away: a VM says so, and neither another VM nor the rotation is asked to make up for it.
import { createServer } from 'node:http';
import { expect } from 'chai';
import { UNAVAILABLE, UNAVAILABLE_FIELD } from '../../epcis/domain/unavailable.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import { ask, Bench } from '../helpers/gateway.ts';
import { listening } from '../helpers/listening.ts';
import { until } from '../helpers/until.ts';

const SENTENCE = 'The repository does not answer at present: send the request again later.';

/** A VM of which the test says whether it reaches the repository. */
interface Vm {
  reaches: boolean;
  asked: number;
  probed: number;
  readonly port: number;
}

for (const dataPlane of ['builtin', 'haproxy'] as const)
  describe(`gateway: a repository that is away (${dataPlane})`, () => {
    const bench = new Bench();
    let gateway: Gateway;
    let vms: Vm[];

    const startVm = async (): Promise<Vm> => {
      const vm = { reaches: true, asked: 0, probed: 0, port: 0 };
      const server = createServer((request, response) => {
        if (request.url === '/ready') vm.probed++;
        else vm.asked++;
        request.resume();
        const away = { 'Retry-After': '5', [UNAVAILABLE_FIELD]: UNAVAILABLE };
        response.writeHead(vm.reaches ? 200 : 503, vm.reaches ? {} : away).end(vm.reaches ? 'well' : SENTENCE);
      });
      const port = await listening(server);
      bench.atEnd(async () => {
        server.close();
        server.closeAllConnections();
      });
      vm.port = port;
      return vm;
    };

    const start = async (intervalMs: number): Promise<void> => {
      vms = await Promise.all([startVm(), startVm(), startVm()]);
      gateway = await bench.gateway({ dataPlane, health: { intervalMs, fall: 3 } });
      for (const [n, { port }] of vms.entries()) await gateway.add(`vm-${n}`, { host: '127.0.0.1', port });
    };
    afterEach(() => bench.close());

    const states = (): string[] => gateway.fleet().map(({ state }) => state);
    const get = (path = '/events') => ask(gateway.address.port, path);
    const allProbed = async (times: number): Promise<void> => {
      const before = vms.map(({ probed }) => probed);
      await until('all were probed', () => vms.every(({ probed }, n) => probed >= (before[n] ?? 0) + times));
    };

    it('is told by the VM, asked once, and leaves all VMs where they are, with requests and without', async () => {
      await start(50);
      for (const vm of vms) vm.reaches = false;
      await allProbed(8);
      expect(states()).to.deep.equal(['ready', 'ready', 'ready']);
      for (let n = 1; n <= 40; n++) {
        const { status, headers, text } = await get();
        expect([status, headers['retry-after'], text]).to.deep.equal([503, '5', SENTENCE]);
        expect(vms.reduce((sum, { asked }) => sum + asked, 0)).to.equal(n);
      }
      for (const body of ['small', 'x'.repeat(200_000)])
        expect((await ask(gateway.address.port, '/capture', { method: 'POST' }, body)).status).to.equal(503);
      await allProbed(8);
      expect(states()).to.deep.equal(['ready', 'ready', 'ready']);
      expect(gateway.counters().lost.repository).to.equal(42);
      for (const vm of vms) vm.reaches = true;
      expect((await get()).status).to.equal(200);
    });

    it('is away for one VM alone: that one is out until it reaches it again', async () => {
      await start(50);
      const [first] = vms as [Vm, Vm, Vm];
      first.reaches = false;
      await until('it is out, though nobody asked', () => states()[0] === 'out');
      expect(gateway.fleet()[0]?.note).to.match(/does not reach the repository/);
      for (let n = 0; n < 20; n++) expect((await get()).status).to.equal(200);
      expect(first.asked).to.equal(0);
      await allProbed(5);
      expect(states()).to.deep.equal(['out', 'ready', 'ready']);
      first.reaches = true;
      await until('it is back', () => states()[0] === 'ready');
      await until('it is asked', async () => (await get()).status === 200 && first.asked > 0);
    });

    it('is away for one VM alone, of which a request tells at once', async () => {
      await start(60_000);
      const [first] = vms as [Vm, Vm, Vm];
      // at once, so that each VM has one of them, whichever answered fastest
      const several = () => Promise.all(vms.flatMap(() => [get(), get()]));
      await until('it is asked', async () => (await several()).length > 0 && first.asked > 0);
      first.reaches = false;
      await until('it is met', async () => (await several()).some(({ status }) => status === 503));
      await until('it is out', () => states()[0] === 'out');
      // an HAProxy is told a moment later
      await until('it is met no more', async () => (await several()).every(({ status }) => status === 200));
      for (let n = 0; n < 20; n++) expect((await get()).status).to.equal(200);
    });
  });
