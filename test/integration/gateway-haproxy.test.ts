import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'node:http';
import { expect } from 'chai';
import { startEpcisServer } from '../../epcis/server.ts';
import type { Gateway, GatewayDeps } from '../../src/balance/core/contract.ts';
import { haproxyCommand } from '../../src/balance/haproxy/runtime.ts';
import { isAlive } from '../../src/act/local/process-info.ts';
import { ask, Bench, startHaproxy } from '../helpers/gateway.ts';
import { fillUp, mayMount, mount, unmount } from '../helpers/small-disk.ts';
import { until } from '../helpers/until.ts';
import { upload, type UploadClient } from '../helpers/uploads.ts';

const HOST = '127.0.0.1';
const dataPlane = 'haproxy';
const HOW: readonly Pick<UploadClient, 'framing' | 'reads'>[] = [
  { framing: 'length', reads: 'meanwhile' },
  { framing: 'length', reads: 'at the end' },
  { framing: 'chunks', reads: 'meanwhile' },
  { framing: 'chunks', reads: 'at the end' },
];
const QUIET = { error: () => {}, warn: () => {}, info: () => {} };

describe('gateway: HAProxy and its manager', () => {
  const bench = new Bench();
  let folder: string;
  let starts: number;
  let extra: Partial<GatewayDeps>;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mmeliot-gateway-'));
    starts = 0;
    const start = (args: readonly string[]) => {
      starts++;
      return startHaproxy(args);
    };
    extra = { haproxy: { folder, start } };
  });
  afterEach(async () => {
    await bench.close();
    rmSync(folder, { recursive: true });
  });

  async function withVm(): Promise<Gateway> {
    const gateway = await bench.gateway({ dataPlane }, extra);
    const vm = await bench.vm((_, response) => response.end('served'));
    await gateway.add('vm-1', { host: HOST, port: vm.port });
    return gateway;
  }

  const pid = async () =>
    Number(/^Pid: (\d+)/m.exec(await haproxyCommand(join(folder, 'haproxy.sock'), 'show info').catch(() => ''))?.[1]);

  it('starts an HAProxy that died again, with its VMs, on the same port, and counts what died with it as lost', async () => {
    const gateway = await bench.gateway({ dataPlane }, extra);
    const vm = await bench.vm((request, response) => request.url !== '/held' && response.end('served'));
    await gateway.add('vm-1', { host: HOST, port: vm.port });
    const port = gateway.address.port;
    const before = await pid();
    const held = ask(port, '/held').catch(() => undefined);
    await until('one is in flight', () => gateway.counters().inFlight === 1);
    process.kill(before, 'SIGKILL');
    await held;
    await until('another one runs', async () => ![NaN, before].includes(await pid()));
    await until('it serves', async () => (await ask(port).catch(() => undefined))?.text === 'served');
    expect(gateway.address.port).to.equal(port);
    expect(starts).to.equal(2);
    await until('it is counted', () => gateway.counters().answered > 0);
    expect(gateway.counters().lost.closed).to.equal(1);
  });

  it('starts another in place of an HAProxy that stands still, and leaves that no connection to keep', async () => {
    const gateway = await withVm();
    const { port } = gateway.address;
    const before = await pid();
    expect((await ask(port)).text).to.equal('served');
    process.kill(before, 'SIGSTOP');
    await until('it has ended', () => !isAlive(before, undefined));
    const served = async () => (await ask(port).catch(() => undefined))?.text === 'served';
    await until('another one serves', served);
    // each by a connection of its own, and the one before would have got every other one
    for (let n = 0; n < 20; n++) expect(await served(), String(n)).to.equal(true);
    expect(starts).to.equal(2);
  });

  it('is started again on a disk without room, with what it had', async function () {
    if (mayMount() !== undefined) this.skip();
    mount('256k', folder);
    bench.atEnd(async () => unmount(folder));
    const gateway = await withVm();
    const before = await pid();
    const makeRoom = fillUp(folder);
    process.kill(before, 'SIGKILL');
    await until('another one runs', async () => ![NaN, before].includes(await pid()));
    await until('it serves', async () => (await ask(gateway.address.port).catch(() => undefined))?.text === 'served');
    makeRoom();
  });

  it('begins anew where what it kept of the last one is damaged', async () => {
    writeFileSync(join(folder, 'haproxy.json'), '');
    const gateway = await withVm();
    expect((await ask(gateway.address.port)).text).to.equal('served');
  });

  it('takes over, as another manager, what runs already: the same VMs, no request lost', async () => {
    const crashed = await withVm();
    const { port } = crashed.address;
    const before = await pid();
    let failed = 0;
    let asking = true;
    const load = (async () => {
      for (; asking;) if ((await ask(port).catch(() => undefined))?.text !== 'served') failed++;
    })();
    await crashed.abandon?.();
    const gateway = await bench.gateway({ dataPlane }, extra);
    expect(gateway.fleet()).to.have.length(1);
    expect(gateway.fleet()[0]).to.include({ id: 'vm-1', state: 'ready' });
    await until('it counts what it did not start', () => gateway.counters().answered > 0);
    asking = false;
    await load;
    expect([await pid(), starts, failed, gateway.address.port]).to.deep.equal([before, 1, 0, port]);
  });

  it('brings the early answers of VMs to who uploads while there is no manager', async () => {
    const vm = await startEpcisServer({ repository: { url: `sqlite://${folder}/events.db` }, port: 0, log: QUIET });
    bench.atEnd(() => vm.close());
    const crashed = await bench.gateway({ dataPlane }, extra);
    const { port } = crashed.address;
    await crashed.add('vm-1', { host: HOST, port: vm.port });
    await crashed.abandon?.();
    try {
      await until('uploads go to the VM', async () => (await upload(port, { size: 10_000 })).status === 415);
      for (const how of HOW) {
        for (const [path, status] of [
          ['/capture', 415],
          ['/nowhere', 404],
        ] as const) {
          const answer = await upload(port, { size: 20 << 20, path, ...how });
          expect([how, path, answer.status]).to.deep.equal([how, path, status]);
        }
      }
      // one that stops in its upload gets it as well
      expect((await upload(port, { size: 20 << 20, stopsAfter: 2 << 20 })).status).to.equal(415);
    } finally {
      await bench.gateway({ dataPlane }, extra);
    }
  });

  it('starts anew when the configuration has changed, while the former answers what came to it and on idle connections', async () => {
    const first = await bench.gateway({ dataPlane }, extra);
    const { port } = first.address;
    let held: (() => void) | undefined;
    const vm = await bench.vm((request, response) => {
      if (request.url === '/held') held = () => response.end('served');
      else response.end('served');
    });
    await first.add('vm-1', { host: HOST, port: vm.port });
    const agents = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
    for (const agent of agents) await ask(port, '/', { agent });
    const answer = ask(port, '/held', { agent: agents[0] });
    await until('one is at the VM', () => held !== undefined);
    const before = await pid();
    await first.abandon?.();
    const gateway = await bench.gateway({ dataPlane, port, perVm: 3, selector: 'round-robin' }, extra);
    expect(await pid()).not.to.equal(before);
    expect(gateway.fleet()).to.deep.equal([]);
    expect((await ask(port)).status, 'the new one has no VM yet').to.equal(503);
    expect((await ask(port, '/', { agent: agents[1] })).text).to.equal('served');
    held?.();
    expect((await answer).text).to.equal('served');
    await until('the former has ended', () => !isAlive(before));
    for (const agent of agents) agent.destroy();
  });

  it('takes another free port where somebody else has taken the one that it chose, and stays there', async () => {
    const others = new Map<string, Server>();
    const start = (args: readonly string[]) => {
      if (others.size === 2) return startHaproxy(args);
      const [, port = ''] = /bind 127\.0\.0\.1:(\d+)/.exec(readFileSync(join(folder, 'haproxy.cfg'), 'utf8')) ?? [];
      const other = createServer().listen(Number(port), HOST);
      others.set(port, other);
      const started = new EventEmitter();
      other.once('listening', () => startHaproxy(args).once('exit', () => started.emit('exit')));
      return started;
    };
    try {
      const gateway = await bench.gateway({ dataPlane }, { haproxy: { folder, start } });
      expect(others.size).to.equal(2);
      expect([...others.keys()]).not.to.include(String(gateway.address.port));
      expect((await ask(gateway.address.port)).status, 'it has no VM yet').to.equal(503);
    } finally {
      for (const other of others.values()) other.close();
    }
  });

  it('says how to find out why HAProxy does not start', async () => {
    const start = () => startHaproxy(['-f', '/nowhere']);
    const error = await bench.gateway({ dataPlane }, { haproxy: { folder, start } }).catch((reason: unknown) => reason);
    expect((error as Error).message).to.match(
      /^HAProxy does not start; run it with `cd '.*' && haproxy -f haproxy\.cfg -db` to see why\.$/,
    );
  });

  it('writes a configuration that HAProxy has nothing to say against', async () => {
    await withVm();
    const output = execFileSync('haproxy', ['-c', '-f', join(folder, 'haproxy.cfg')], { encoding: 'utf8' });
    expect(output).to.include('Configuration file is valid');
  });
});
