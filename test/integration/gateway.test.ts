import { Agent } from 'node:http';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { responseTimesBetween, trafficBetween } from '../../src/balance/core/traffic.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import type { GatewayPort } from '../../src/act/execute.ts';
import { ask, Bench } from '../helpers/gateway.ts';
import { until } from '../helpers/until.ts';

const HOST = '127.0.0.1';

// What every data plane has to do.
for (const dataPlane of ['builtin', 'haproxy'] as const) {
  describe(`gateway: fleet (${dataPlane})`, () => {
    const bench = new Bench();
    afterEach(() => bench.close());

    it('is the port that acting needs', async () => {
      const port: GatewayPort = await bench.gateway({ dataPlane });
      await port.remove('nobody');
      expect(await port.drain('nobody', 1)).to.equal(true);
    });

    it('sends requests to the VMs that were added, in turn', async () => {
      const gateway = await bench.gateway({ dataPlane, selector: 'round-robin' });
      for (const id of ['a', 'b']) {
        const vm = await bench.vm((_, response) => response.end(id));
        await gateway.add(id, { host: HOST, port: vm.port });
      }
      const seen: string[] = [];
      for (let i = 0; i < 4; i++) seen.push((await ask(gateway.address.port)).text);
      expect(seen.join('')).to.match(/^(abab|baba)$/);
    });

    it('tells the VM who asked, and gives each request an id', async () => {
      const vm = await bench.vm((request, response) => response.end(JSON.stringify(request.headers)));
      const gateway = await bench.gatewayTo(vm, { dataPlane });
      const headers = { 'x-request-id': 'abc-1', 'x-forwarded-for': '6.6.6.6', forwarded: 'for=6.6.6.6' };
      const answer = await ask(gateway.address.port, '/', { headers });
      const seen = JSON.parse(answer.text) as Record<string, string>;
      expect(seen).to.include({ 'x-forwarded-for': HOST, 'x-forwarded-proto': 'http', 'x-request-id': 'abc-1' });
      expect(seen['forwarded']).to.match(/^for=127\.0\.0\.1;proto=http;host="127\.0\.0\.1:\d+"$/);
      expect(answer.headers['x-request-id']).to.equal('abc-1');
      // of which none tells how many requests there are between two of a client
      const [one = 0, next = 0] = [await ask(gateway.address.port), await ask(gateway.address.port)].map((each) =>
        parseInt(/^[\w-]+-(\w+)$/.exec(String(each.headers['x-request-id']))?.[1] ?? '', 36),
      );
      expect(Math.abs(next - one)).to.be.greaterThan(10);
    });

    it('takes a request whose head has 15 KB', async () => {
      const vm = await bench.vm((request, response) => response.end(request.headers['x-long']));
      const gateway = await bench.gatewayTo(vm, { dataPlane });
      const long = 'x'.repeat(15_000);
      expect((await ask(gateway.address.port, '/', { headers: { 'x-long': long } })).text).to.equal(long);
    });

    it('names the VM in the answer, unless it is not to', async () => {
      for (const nameVm of ['always', 'never'] as const) {
        const gateway = await bench.gateway({ dataPlane, nameVm });
        const vm = await bench.vm((_, response) => response.setHeader('X-Mmeliot-Vm', 'not me').end());
        await gateway.add('vm-1', { host: HOST, port: vm.port });
        expect((await ask(gateway.address.port)).headers['x-mmeliot-vm']).to.equal(
          nameVm === 'always' ? 'vm-1' : undefined,
        );
      }
    });

    it('takes no name for a VM that could not stand in a header field', async () => {
      const gateway = await bench.gateway({ dataPlane });
      const error = await gateway.add('vm\r\n1', { host: HOST, port: 1 }).catch((reason: unknown) => reason);
      expect((error as Error).message).to.include('cannot be the name of a VM');
    });

    it('takes no address for a VM that is none, whatever it would be to a command', async () => {
      const gateway = await bench.gateway({ dataPlane });
      for (const [host, port] of [
        [`${HOST}:80; disable frontend clients #`, 80],
        [`${HOST}:80/#`, 80],
        ['', 80],
        [HOST, 65_536],
        [HOST, 0.5],
      ] as const) {
        const error = await gateway.add('vm', { host, port }).catch((reason: unknown) => reason);
        expect((error as Error).message).to.include('cannot be the address of VM vm');
      }
      expect(gateway.fleet()).to.deep.equal([]);
    });

    it('sends nothing to a draining VM, and says when its last request has ended', async () => {
      const gateway = await bench.gateway({ dataPlane });
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
      await until('the drain call has been taken', () => gateway.fleet()[0]?.state === 'draining');
      for (let i = 0; i < 10; i++) expect((await ask(gateway.address.port)).text).to.equal('quick');
      expect(drained).to.equal(false);
      waiting[0]?.();
      expect((await first).text).to.equal('slow');
      expect(await drain).to.equal(true);
      await gateway.remove('slow');
      expect(gateway.fleet().map((vm) => vm.id)).to.deep.equal(['quick']);
    });

    it('says that a VM is not empty at the deadline, and cuts off its requests when it is removed', async () => {
      const gateway = await bench.gateway({ dataPlane });
      let reached = 0;
      const vm = await bench.vm(() => reached++);
      await gateway.add('stuck', { host: HOST, port: vm.port });
      const answer = ask(gateway.address.port, '/capture', { method: 'POST' }, '<x/>');
      await until('the request is at the VM', () => reached === 1);
      expect(await gateway.drain('stuck', 50)).to.equal(false);
      await gateway.remove('stuck');
      expect((await answer).status).to.be.oneOf([502, 503]);
      await until('it is counted as lost', () => gateway.counters().lost['vm-failed'] === 1);
      expect(gateway.fleet()).to.deep.equal([]);
    });

    it('takes a VM back under a name that was used before, at another address', async () => {
      const gateway = await bench.gateway({ dataPlane });
      for (const text of ['first', 'second']) {
        const vm = await bench.vm((_, response) => response.end(text));
        await gateway.add('vm', { host: HOST, port: vm.port });
        expect((await ask(gateway.address.port)).text).to.equal(text);
      }
    });

    it('answers 503 with Retry-After and the reason when there is no VM', async () => {
      const gateway = await bench.gateway({ dataPlane, queue: { deadlineMs: 100 } });
      const answer = await ask(gateway.address.port);
      expect(answer.status).to.equal(503);
      expect(Number(answer.headers['retry-after'])).to.be.at.least(1);
      expect(answer.text).to.match(/"detail":"No VM /);
      await until('it is counted', () => gateway.counters().lost.deadline === 1);
    });

    it('lets requests wait while all VMs have as many as they take, most important first', async () => {
      const seen: string[] = [];
      const held: ServerResponse[] = [];
      const vm = await bench.vm((request, response) => {
        seen.push(request.url ?? '');
        if (request.url === '/first') held.push(response);
        else response.end();
      });
      const gateway = await bench.gatewayTo(vm, { dataPlane, perVm: 1 });
      const answers = [ask(gateway.address.port, '/first')];
      await until('the first is at the VM', () => held.length === 1);
      for (const [path, method, header] of [
        ['/bulk', 'GET', 'bulk'],
        ['/capture', 'POST', ''],
        ['/queries/mine/events', 'GET', ''],
        ['/events', 'GET', ''],
      ] as const) {
        const waiting = gateway.counters().queued;
        answers.push(ask(gateway.address.port, path, { method, headers: { 'x-request-class': header } }));
        await until(`${path} waits`, () => gateway.counters().queued === waiting + 1);
      }
      held[0]?.end();
      await Promise.all(answers);
      expect(seen).to.deep.equal(['/first', '/events', '/queries/mine/events', '/capture', '/bulk']);
      await until('all are counted', () => gateway.counters().answered === 5);
      expect(gateway.counters().classes.map((one) => one.queueTime.sum > 0)).to.deep.equal([true, true, true, true]);
    });

    it('lets what is important wait where the queue is full for what is not', async () => {
      const held: ServerResponse[] = [];
      const vm = await bench.vm(
        (request, response) => void (request.url === '/held' ? held.push(response) : response.end()),
      );
      const gateway = await bench.gatewayTo(vm, { dataPlane, perVm: 1, queue: { capacity: 1 } });
      const of = (name: string) => ({ headers: { 'x-request-class': name } });
      const first = ask(gateway.address.port, '/held');
      await until('the first is at the VM', () => held.length === 1);
      const waits = ask(gateway.address.port, '/events', of('bulk'));
      await until('one waits', () => gateway.counters().queued === 1);
      expect((await ask(gateway.address.port, '/events', of('bulk'))).status).to.equal(503);
      const important = ask(gateway.address.port, '/events');
      // the built-in plane makes room for it, HAProxy has room
      if (dataPlane === 'builtin') expect((await waits).status).to.equal(503);
      else await until('both wait', () => gateway.counters().queued === 2);
      held[0]?.end();
      expect([(await first).status, (await important).status]).to.deep.equal([200, 200]);
      expect((await waits).status).to.equal(dataPlane === 'builtin' ? 503 : 200);
    });

    it('lets a request go before more important ones that come later than it is promoted', async () => {
      const classes = [{ name: 'first' }, { name: 'second', rules: [{ path: '^/second' }] }];
      const seen: string[] = [];
      const held: ServerResponse[] = [];
      const vm = await bench.vm((request, response) => {
        seen.push(request.url ?? '');
        if (request.url === '/held') held.push(response);
        else response.end();
      });
      const gateway = await bench.gatewayTo(vm, { dataPlane, perVm: 1, queue: { classes, promoteAfterMs: 300 } });
      const answers = [ask(gateway.address.port, '/held')];
      await until('the first is at the VM', () => held.length === 1);
      const come = async (path: string): Promise<void> => {
        const waiting = gateway.counters().queued;
        answers.push(ask(gateway.address.port, path));
        await until(`${path} waits`, () => gateway.counters().queued === waiting + 1);
      };
      await come('/second');
      const since = performance.now();
      await until('it is promoted', () => performance.now() - since > 500);
      await come('/first');
      held[0]?.end();
      await Promise.all(answers);
      expect(seen).to.deep.equal(['/held', '/second', '/first']);
    });

    it('measures response times of successful requests per VM, for several readers at once', async () => {
      const gateway = await bench.gateway({ dataPlane, selector: 'round-robin' });
      const good = await bench.vm((_, response) => setTimeout(() => response.end('ok'), 30));
      const bad = await bench.vm((_, response) => response.writeHead(500).end());
      await gateway.add('good', { host: HOST, port: good.port });
      await gateway.add('bad', { host: HOST, port: bad.port });
      const start = gateway.counters();
      for (let i = 0; i < 4; i++) await ask(gateway.address.port);
      await until('four are counted', () => ended(gateway) === 4);
      const middle = gateway.counters();
      for (let i = 0; i < 2; i++) await ask(gateway.address.port);
      await until('six are counted', () => ended(gateway) === 6);
      const end = gateway.counters();

      const times = responseTimesBetween(start, end);
      expect([...times.keys()]).to.deep.equal(['good']);
      expect(times.get('good')).to.be.within(25, 5_000);
      expect(trafficBetween(start, end).lost).to.equal(3);
      expect(trafficBetween(middle, end).lost).to.equal(1);
      expect(start.arrived).to.equal(0);
      expect(end).to.include({ answered: 3, queued: 0 });
    });

    it('never takes back what it has counted, and counts a request once', async () => {
      const vm = await bench.vm((_, response) => setTimeout(() => response.end('ok'), 40));
      const gateway = await bench.gatewayTo(vm, { dataPlane });
      let highest = 0;
      let takenBack = 0;
      const look = (): void => {
        const { arrived } = gateway.counters();
        if (arrived < highest) takenBack++;
        highest = Math.max(highest, arrived);
      };
      const looking = setInterval(look, 2);
      for (let round = 0; round < 40; round++)
        await Promise.all(Array.from({ length: 5 }, () => ask(gateway.address.port)));
      await until('all are counted', () => gateway.counters().answered === 200);
      clearInterval(looking);
      look();
      expect({ highest, takenBack }).to.deep.equal({ highest: 200, takenBack: 0 });
    });

    it('stops using a VM whose connections are refused, and sends the request to another', async () => {
      const gateway = await bench.gateway({ dataPlane, selector: 'round-robin', health: { intervalMs: 2_000 } });
      const [dying, good] = [await bench.vm((_, r) => r.end('dying')), await bench.vm((_, r) => r.end('good'))];
      await gateway.add('dying', { host: HOST, port: dying.port });
      await gateway.add('good', { host: HOST, port: good.port });
      await dying.close();
      for (let i = 0; i < 6; i++) {
        const answer = await ask(gateway.address.port, '/capture', { method: 'POST' }, '<x/>');
        expect([answer.status, answer.text]).to.deep.equal([200, 'good']);
      }
      await until('it is out', () => gateway.fleet()[0]?.state === 'out');
    });

    it('gives a request up at the VM whose client hangs up', async () => {
      let closed = false;
      let reached = false;
      const vm = await bench.vm((request) => {
        reached = true;
        request.on('close', () => (closed = true));
      });
      const gateway = await bench.gatewayTo(vm, { dataPlane });
      const client = new AbortController();
      const answer = ask(gateway.address.port, '/', { signal: client.signal }).catch((error: unknown) => error);
      await until('the request is at the VM', () => reached);
      client.abort();
      expect(await answer).to.be.instanceOf(Error);
      await until('the VM has seen it go', () => closed);
      await until('it is counted', () => gateway.counters().lost['client-gone'] === 1);
      expect(gateway.counters()).to.include({ arrived: 1, answered: 0 });
    });

    it('counts a request that a VM drops after others on the same connection', async () => {
      const vm = await bench.vm((request, response) => {
        if (request.method === 'POST') request.socket.destroy();
        else response.end();
      });
      const gateway = await bench.gatewayTo(vm, { dataPlane });
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      await ask(gateway.address.port, '/', { agent });
      const answer = await ask(gateway.address.port, '/capture', { agent, method: 'POST' }, '<x/>').catch(
        () => undefined,
      );
      agent.destroy();
      // HAProxy closes the connection, as a client has to expect of one that is kept
      expect(answer?.status).to.equal(dataPlane === 'builtin' ? 502 : undefined);
      await until('it is counted', () => gateway.counters().lost['vm-failed'] === 1);
      expect(gateway.counters()).to.include({ arrived: 2, answered: 1 });
    });

    it('answers what comes on idle connections while it closes, and has their clients open others', async () => {
      const gateway = await bench.gatewayTo((_, response) => response.end('done'), { dataPlane });
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      expect((await ask(gateway.address.port, '/', { agent })).headers.connection).not.to.equal('close');
      const closed = gateway.close(60_000);
      await until(
        'new connections are refused',
        async () => (await ask(gateway.address.port).catch(() => undefined)) === undefined,
      );
      const last = await ask(gateway.address.port, '/', { agent });
      expect(last).to.include({ status: 200, text: 'done' });
      expect(last.headers.connection).to.equal('close');
      // no longer than there are connections
      await closed;
      agent.destroy();
    });

    it('closes without cutting off what is under way', async () => {
      let reached = 0;
      const vm = await bench.vm((_, response) => {
        reached++;
        setTimeout(() => response.end('done'), 100);
      });
      const gateway = await bench.gatewayTo(vm, { dataPlane });
      const answer = ask(gateway.address.port);
      await until('the request is at the VM', () => reached === 1);
      await gateway.close();
      expect((await answer).text).to.equal('done');
    });
  });
}

function ended(gateway: Gateway): number {
  const { answered, lost } = gateway.counters();
  return answered + Object.values(lost).reduce((sum, count) => sum + count, 0);
}
