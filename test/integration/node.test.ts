// A node's door, over TLS: what it refuses, and how both sides get other keys without a restart.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Agent, request } from 'undici';
import { onlyOffer } from '../../src/act/provider.ts';
import { packed } from '../../src/manager/node-environment.ts';
import { createCarrier } from '../../src/node/carrier.ts';
import { createDoor, nodeName, type Door } from '../../src/node/door.ts';
import { ORDERS, SIGNATURE, startNode, type NodeServer } from '../../src/node/node-server.ts';
import { newOrderKey, signOrder, type OrderKey, type SignedOrder } from '../../src/node/signed-orders.ts';
import type { Order } from '../../src/packing/orders.ts';
import { connectionOf, groupCertificate, trustIn } from '../../src/tls/group.ts';
import { FakeProvider } from '../helpers/fake-provider.ts';
import { startProgram, type Program } from '../helpers/mmeliot.ts';

/** What goes wrong, in words; `no error` where nothing does. */
const thrownBy = (work: () => Promise<unknown>): Promise<string> => work().then(() => 'no error', String);

const SECRET = 'the group';
const MARK = 'node-1';

describe("a node's door", function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-node-'));
  let keys = [newOrderKey()];
  let machines: FakeProvider;
  let node: NodeServer;
  let door: Door;
  let address: { host: string; port: number };
  const told: string[] = [];

  before(async () => {
    machines = new FakeProvider(Date.now);
    machines.market = { offers: [onlyOffer('worker')] };
    node = await startNode({
      ...{ listen: { host: '127.0.0.1', port: 0 }, node: MARK, now: Date.now },
      trusted: keys.map((key) => key.public),
      certificate: groupCertificate(SECRET, nodeName(MARK), Date.now()),
      carrier: createCarrier(machines, folder),
      onTrust: async (trusted) => void told.push(...trusted),
    });
    address = { host: '127.0.0.1', port: node.port };
    door = createDoor({ secret: SECRET, keys: () => keys, now: Date.now });
  });
  after(async () => {
    await door.close();
    await node.close();
    rmSync(folder, { recursive: true });
  });

  const ask = (order: Order, mark = MARK) => door.ask({ mark, address }, order);
  const worker = { mark: 'work-1', id: 'w-1', size: { cpu: 0.5, memoryBytes: 1_000 }, key: 'first', environment: {} };
  const keyIn = () => readFileSync(join(folder, 'work-1.key'), 'utf8');

  it('starts a worker once, gives it another key, and stops it', async () => {
    await Promise.all([ask({ what: 'start', worker }), ask({ what: 'start', worker })]);
    const { workers } = await ask({ what: 'report' });
    expect(workers).to.have.length(1);
    expect(workers[0]).to.include({ mark: 'work-1', id: 'w-1' });
    expect(keyIn()).to.equal('first');
    await ask({ what: 'rekey', mark: 'work-1', key: 'second' });
    await ask({ what: 'start', worker }); // an old order that comes again changes nothing
    expect(keyIn()).to.equal('second');
    await ask({ what: 'stop', mark: 'work-1' });
    expect(
      (await ask({ what: 'stop', mark: 'work-1' })).workers.filter(({ state }) => state !== 'releasing'),
    ).to.deep.equal([]);
    expect(readdirSync(folder), 'keys of who is gone').to.deep.equal([]);
  });

  it('refuses what was recorded, what another manager signs, what is old and what is for another node, and counts them', async () => {
    const agent = new Agent({ connect: connectionOf(trustIn(SECRET, nodeName(MARK))) });
    const post = async ({ text, signature }: SignedOrder) => {
      const url = `https://127.0.0.1:${address.port}${ORDERS}`;
      const { statusCode, body } = await request(url, {
        method: 'POST',
        body: text,
        headers: { [SIGNATURE]: signature },
        dispatcher: agent,
      });
      return [statusCode, ((await body.json()) as { refusal?: string }).refusal];
    };
    const [key = newOrderKey()] = keys;
    const report = { what: 'report' } as const;
    const good = signOrder(MARK, report, key, Date.now());
    expect(await post(good)).to.deep.equal([200, undefined]);
    expect(await post(good)).to.deep.equal([403, 'replayed']);
    expect(await post(signOrder(MARK, report, newOrderKey(), Date.now()))).to.deep.equal([403, 'forged']);
    expect(await post(signOrder(MARK, report, key, Date.now() - 90_000))).to.deep.equal([403, 'old']);
    expect(await post(signOrder('node-2', report, key, Date.now()))).to.deep.equal([403, 'misdirected']);
    const { refused } = await ask(report);
    expect(refused).to.deep.equal({ malformed: 0, misdirected: 1, forged: 1, old: 1, replayed: 1 });
    const large = await post({ text: 'x'.repeat(300_000), signature: '' });
    expect(large[0]).to.equal(413);
    await agent.destroy();
  });

  it('is believed only with a certificate of its own, which no other node can show', async () => {
    const error = await thrownBy(() => ask({ what: 'report' }, 'node-2'));
    expect(error).to.match(/altname|Hostname/i);
    const stranger = createDoor({ secret: 'another group', keys: () => keys, now: Date.now });
    const other = await thrownBy(() => stranger.ask({ mark: MARK, address }, { what: 'report' }));
    expect(other).to.match(/certificate|signature/i);
    await stranger.close();
  });

  it('learns the next key from who holds the one before, and obeys that one no more', async () => {
    const [first = newOrderKey()] = keys;
    keys = [first, newOrderKey()];
    await ask({ what: 'report' });
    expect(told).to.deep.equal([keys[1]?.public]);
    const before = createDoor({ secret: SECRET, keys: () => [first], now: Date.now });
    expect(await thrownBy(() => before.ask({ mark: MARK, address }, { what: 'report' }))).to.contain(
      'signed by nobody',
    );
    await before.close();
    // a manager that was killed between the two finds its way as well
    const restarted = createDoor({ secret: SECRET, keys: () => keys, now: Date.now });
    keys = [...keys.slice(-1), newOrderKey()];
    await restarted.ask({ mark: MARK, address }, { what: 'report' });
    expect(told.at(-1)).to.equal(keys[1]?.public);
    await restarted.close();
    // and so does a node that was away while the key changed several times
    keys = [...keys, newOrderKey(), newOrderKey(), newOrderKey()];
    await ask({ what: 'report' });
    expect(told.at(-1)).to.equal(keys.at(-1)?.public);
  });

  it('counts nobody as a forger because answers were lost, or several orders came while the key changed', async () => {
    const [first, second, third] = [newOrderKey(), newOrderKey(), newOrderKey()];
    let slow: Promise<void> | undefined;
    const busy = await startNode({
      ...{ listen: { host: '127.0.0.1', port: 0 }, node: MARK, now: Date.now },
      trusted: [first.public],
      certificate: groupCertificate(SECRET, nodeName(MARK), Date.now()),
      carrier: createCarrier(machines, folder),
      onTrust: () => slow ?? Promise.resolve(),
    });
    const older = newOrderKey();
    let known = [older, first];
    const manager = createDoor({ secret: SECRET, keys: () => known, now: Date.now, deadlineMs: 500 });
    const report = () =>
      manager.ask({ mark: MARK, address: { host: '127.0.0.1', port: busy.port } }, { what: 'report' });
    try {
      await report();
      known = [older, first, second];
      const { promise, resolve } = Promise.withResolvers<void>();
      slow = promise;
      expect(await thrownBy(report)).not.to.equal('no error');
      resolve();
      slow = undefined;
      await report();
      expect(busy.refused.forged, 'the answer was lost').to.equal(0);

      known = [first, second, third];
      await Promise.all([report(), report(), report()]);
      expect(busy.refused.forged, 'several at once').to.equal(0);
    } finally {
      await manager.close();
      await busy.close();
    }
  });

  it('knows after its restart whom it obeys, where its unit keeps its state', async () => {
    const certificate = groupCertificate(SECRET, nodeName(MARK), Date.now());
    const [first, second] = [newOrderKey(), newOrderKey()];
    const identity = { mark: MARK, trusted: [first.public], certificate, quota: 'signals' } as const;
    const env = {
      MMELIOT_NODE: packed(identity),
      MMELIOT_LISTEN: '127.0.0.1:0',
      STATE_DIRECTORY: join(folder, 'unit'),
    };
    const reportTo = async (program: Program, signers: readonly OrderKey[]): Promise<string> => {
      const [, port] = await program.says(/"port":(\d+)/);
      const manager = createDoor({ secret: SECRET, keys: () => signers, now: Date.now });
      const node = { mark: MARK, address: { host: '127.0.0.1', port: Number(port) } };
      return thrownBy(() => manager.ask(node, { what: 'report' })).finally(() => manager.close());
    };
    // a cloud starts what it starts on every machine
    let program = startProgram(['vm'], { env });
    expect(await reportTo(program, [first, second])).to.equal('no error');
    await program.kill();
    program = startProgram(['vm'], { env });
    expect(await reportTo(program, [second])).to.equal('no error');
    expect(await reportTo(program, [first])).to.contain('signed by nobody');
    expect((await program.stop()).status).to.equal(0);
  });
});
