import type { ServerResponse } from 'node:http';
import { Agent } from 'node:http';
import { expect } from 'chai';
import { lostIn } from '../../src/balance/core/traffic.ts';
import { seeded } from '../../src/random.ts';
import { ask, Bench } from '../helpers/gateway.ts';
import { until } from '../helpers/until.ts';
import { GatewayProcess } from '../helpers/gateway-process.ts';

// Two minutes in the suite; by hand: SOAK_SECONDS=600 npx mocha test/integration/gateway-soak.test.ts -g haproxy
const PLANES = { builtin: 70, haproxy: 50 };
const PER_SECOND = 100;
const MOST_VMS = 4;
const POLL = '<Poll><queryName>SimpleEventQuery</queryName></Poll>';

interface PlayedVm {
  readonly id: string;
  readonly under: Map<string, ServerResponse>;
  delayMs: number;
  kill(): Promise<void>;
}

for (const dataPlane of ['builtin', 'haproxy'] as const) {
  describe(`gateway: soak (${dataPlane})`, function () {
    const seconds = Number(process.env['SOAK_SECONDS'] ?? PLANES[dataPlane]);
    this.timeout((seconds + 60) * 1000);
    const bench = new Bench();
    const agent = new Agent({ keepAlive: true, maxSockets: 200 });
    const random = seeded(42);
    const outcomes = { answered: 0, refused: 0, failed: 0 };
    /** Requests that were at a VM when it was killed, or on the way to it, and captures that a VM has done. */
    const struck = new Set<string>();
    const captured: string[] = [];
    const wrong: string[] = [];
    let gateway: GatewayProcess;
    let vms: PlayedVm[] = [];
    let vmCount = 0;
    /** What clients wait for. */
    const open = new Set<string>();

    before(() => {
      gateway = new GatewayProcess(dataPlane);
    });
    after(async () => {
      agent.destroy();
      await gateway.stop();
      await bench.close();
    });

    async function addVm(): Promise<void> {
      const id = `vm-${vmCount++}`;
      const vm: PlayedVm = { id, under: new Map(), delayMs: 5, kill: async () => {} };
      const server = await bench.vm((request, response) => {
        const name = String(request.headers['x-name']);
        vm.under.set(name, response);
        request.resume().on('error', () => {});
        setTimeout(
          () => {
            if (!vm.under.delete(name) || response.destroyed) return;
            if (request.url === '/capture') captured.push(name);
            response.end(name);
          },
          vm.delayMs * 2 * random(),
        );
      });
      vm.kill = async () => {
        const elsewhere = vms.filter((one) => one !== vm).flatMap((one) => [...one.under.keys()]);
        for (const name of open) if (!elsewhere.includes(name)) struck.add(name);
        vm.under.clear();
        await server.close();
      };
      vms.push(vm);
      await gateway.add(id, server.port);
    }

    async function release(vm: PlayedVm): Promise<void> {
      vms = vms.filter((one) => one !== vm);
      expect(await gateway.drain(vm.id, 10_000), `${vm.id} is empty`).to.equal(true);
      await gateway.remove(vm.id);
      await vm.kill();
    }

    async function disturb(): Promise<void> {
      const vm = vms[Math.floor(random() * vms.length)];
      const what = random();
      if (vm === undefined || (what < 0.4 && vms.length < MOST_VMS)) return addVm();
      if (what < 0.6 && vms.length > 1) return release(vm);
      // without any VM HAProxy answers 503 at once, which is all there would be to see
      if (what < 0.8 && (dataPlane === 'builtin' || vms.length > 1)) {
        vms = vms.filter((one) => one !== vm);
        await vm.kill();
        await gateway.remove(vm.id);
      } else vm.delayMs = vm.delayMs === 5 ? 200 : 5;
    }

    async function request(port: number, n: number): Promise<void> {
      const name = `request-${n}`;
      const [path, method, body] = [
        ['/events', 'GET'],
        ['/query', 'POST', POLL],
        ['/capture', 'POST', '<x/>'],
      ][n % 3] as [string, string, string?];
      open.add(name);
      const answer = await ask(port, path, { method, agent, headers: { 'x-name': name } }, body).catch(() => undefined);
      open.delete(name);
      if (answer?.status === 200 && answer.text === name) outcomes.answered++;
      else if (answer?.status === 503) outcomes.refused++;
      else if (struck.has(name)) outcomes.failed++;
      else wrong.push(`${name} ${method} ${path}: ${answer?.status} ${answer?.text}`);
    }

    it(`accounts for every request of ${seconds} s in which VMs come, go, die and slow down`, async () => {
      const port = await gateway.start();
      await addVm();
      const total = seconds * PER_SECOND;
      const started = performance.now();
      let sent = 0;
      let before = 0;
      let next = 700;
      while (sent < total) {
        const now = performance.now() - started;
        for (; sent < Math.min(total, (now * PER_SECOND) / 1000); sent++) void request(port, sent);
        if (now > next) {
          next = now + 700 * (0.5 + random());
          await disturb();
        }
        if (before === 0 && sent > total / 4) before = await gateway.memory();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      while (vms.length < 2) await addVm();
      await until('every request has ended', () => open.size === 0, 30_000);

      expect(wrong).to.deep.equal([]);
      expect(outcomes.answered + outcomes.refused + outcomes.failed).to.equal(sent);
      // how many are refused while VMs are away is the machine's affair
      expect(outcomes.answered).to.be.greaterThan(sent * 0.75);
      expect(new Set(captured).size, 'no capture was done twice').to.equal(captured.length);
      // HAProxy tells of requests after it has answered them
      const counters = await until('all are counted', async () => {
        const read = await gateway.counters();
        return read.arrived === sent && read.inFlight === 0 && read;
      });
      expect(counters).to.include({ answered: outcomes.answered, inFlight: 0, queued: 0 });
      expect(lostIn(counters)).to.equal(outcomes.refused + outcomes.failed);
      // HAProxy says 503, too, where it could reach none of the VMs it knew
      const { deadline, 'queue-full': full } = counters.lost;
      if (dataPlane === 'builtin') expect(deadline + full).to.equal(outcomes.refused);
      expect((await gateway.memory()) - before, 'bytes more than after a quarter of it').to.be.lessThan(8 << 20);
    });
  });
}
