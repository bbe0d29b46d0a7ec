// The emulator as a front end: what a client other than ours sees of it. `xmlrpc` is that other client.
import { expect } from 'chai';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { roomOf } from '../../src/act/local/machine-room.ts';
import type { MachineOrder } from '../../opennebula/emulator/machine-room.ts';
import { startEmulator } from '../../opennebula/emulator/server.ts';
import { parseXml } from '../../opennebula/xml-parser.ts';
import { children, encodeCall, text } from '../../opennebula/documents/xml-rpc.ts';
import { until } from '../helpers/until.ts';
import { LOGIN, openCloud, type Cloud } from './emulated.ts';

interface OtherClient {
  methodCall(method: string, params: readonly unknown[], done: (error: unknown, value: unknown) => void): void;
}
const xmlrpc = createRequire(import.meta.url)('xmlrpc') as { createClient(url: string): OtherClient };

describe('OpenNebula emulator', function () {
  this.timeout(40_000);
  let cloud: Cloud;
  afterEach(() => cloud.stop());

  const session = `${LOGIN.user}:${LOGIN.password}`;
  const as = (login: string, method: string, ...params: readonly unknown[]): Promise<readonly unknown[]> =>
    new Promise((resolve, reject) => {
      xmlrpc
        .createClient(cloud.emulator.url)
        .methodCall(method, [login, ...params], (error, value) =>
          error instanceof Error ? reject(error) : resolve(value as readonly unknown[]),
        );
    });
  const call = (method: string, ...params: readonly unknown[]) => as(session, method, ...params);
  const asAdmin = (method: string, ...params: readonly unknown[]) =>
    as(`oneadmin:${LOGIN.password}`, method, ...params);
  const post = (body: string | Buffer | Readable) => request(cloud.emulator.url, { method: 'POST', body });
  const instantiate = async (name = 'x', extra = '') =>
    Number((await call('one.template.instantiate', 0, name, false, extra, false))[1]);
  const state = (id: number) => cloud.emulator.cloud.vms.get(id)?.state.join('/');
  const reaches = (id: number, wanted: string) => until(`VM ${id} in ${wanted}`, () => state(id) === wanted);

  it('is understood by another client, errors included', async () => {
    cloud = await openCloud();
    expect(await call('one.system.version')).to.deep.equal([true, '7.4.0', 0]);
    expect(await call('one.vm.info', 99999, false)).to.deep.equal([
      false,
      '[one.vm.info] Error getting virtual machine [99999].',
      1024,
      99999,
      '-1',
    ]);
  });

  it('answers 411 to a chunked body and 404 elsewhere, closing each connection', async () => {
    cloud = await openCloud();
    const chunked = await post(Readable.from([encodeCall({ method: 'one.system.version', params: [session] })]));
    expect([chunked.statusCode, chunked.headers.connection]).to.deep.equal([411, 'close']);
    expect((await request(cloud.emulator.url)).statusCode).to.equal(404);
    expect((await request(new URL('/', cloud.emulator.url), { method: 'POST', body: 'x' })).statusCode).to.equal(404);
  });

  it('answers malformed calls with faults', async () => {
    cloud = await openCloud();
    const faultOf = async (body: string | Buffer) => {
      const response = await post(body);
      expect(response.statusCode).to.equal(200);
      return Number(/<i4>(-\d+)<\/i4>/.exec(await response.body.text())?.[1]);
    };
    expect(await faultOf('<methodCall>')).to.equal(-503);
    expect(await faultOf(Buffer.from([0x3c, 0xff, 0xfe]))).to.equal(-503);
    expect(await faultOf(encodeCall({ method: 'one.nothing', params: [session] }))).to.equal(-506);
    expect(await faultOf(encodeCall({ method: 'one.vm.info', params: [session] }))).to.equal(-501);
    expect(await faultOf(encodeCall({ method: 'one.vm.info', params: [session, '7', false] }))).to.equal(-501);
    expect(await faultOf(encodeCall({ method: 'one.system.version', params: [] }))).to.equal(-501);
  });

  it('stalls what comes beyond fifteen calls at once, and answers it too', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    cloud = await openCloud({ onCall: () => gate });
    const calls = Array.from({ length: 20 }, () => call('one.system.version'));
    await until('fifteen are under way', () => cloud.calls.length === 15);
    open();
    expect(await Promise.all(calls)).to.have.length(20);
  });

  it('gives a VM its life: waiting, booting, running, leaving, and DONE but readable', async () => {
    cloud = await openCloud({ retryMs: 0 });
    await cloud.emulator.setFaults({ noCapacity: true });
    const id = await instantiate('', 'COLOUR="green"');
    expect(state(id)).to.equal('1/0');
    await cloud.emulator.setFaults({ noCapacity: false });
    await reaches(id, '3/3');
    await until('it is monitored', () => cloud.emulator.cloud.vms.get(id)?.readings[0]);
    expect(await call('one.vm.action', 'terminate', id)).to.deep.equal([true, id, 0]);
    expect(state(id)).to.be.oneOf(['3/12', '3/11']);
    await reaches(id, '6/0');
    const done = parseXml(String((await call('one.vm.info', id, false))[1]));
    expect(text(done, 'NAME')).to.equal(`mmeliot-${id}`);
    expect(text(done, 'USER_TEMPLATE', 'COLOUR')).to.equal('green');
    expect(text(done, 'TEMPLATE', 'NIC', 'IP')).to.equal('127.0.0.1');
    expect(text(done, 'MONITORING', 'CPU')).to.equal('71');
    expect(Number(text(done, 'ETIME'))).to.be.above(0);
  });

  it('places one VM a host and pass', async () => {
    cloud = await openCloud({ hosts: ['h1', 'h2'], retryMs: 0 });
    await cloud.emulator.setFaults({ noCapacity: true });
    const ids = [await instantiate(), await instantiate(), await instantiate()];
    await cloud.emulator.setFaults({ noCapacity: false });
    for (const id of ids) await reaches(id, '3/3');
    const placements = ids.map((id) => cloud.emulator.cloud.vms.get(id)?.placement);
    expect(placements.map((placement) => [placement?.host, placement?.order])).to.deep.equal([
      ['h2', 0],
      ['h1', 1],
      ['h2', 0], // of the next pass
    ]);
  });

  it('refuses to terminate in BOOT, in the recorded words', async () => {
    cloud = await openCloud();
    await cloud.emulator.setFaults({ bootHang: true });
    const id = await instantiate();
    await reaches(id, '3/2');
    const [, sentence, code] = await call('one.vm.action', 'terminate', id);
    expect([sentence, code]).to.deep.equal([`[one.vm.action] Could not terminate VM ${id}, wrong state BOOT.`, 2048]);
  });

  it('powers off and on again', async () => {
    cloud = await openCloud();
    const id = await instantiate();
    await reaches(id, '3/3');
    await call('one.vm.action', 'poweroff', id);
    await reaches(id, '8/0');
    await call('one.vm.action', 'resume', id);
    await reaches(id, '3/3');
    expect((await call('one.vm.action', 'delete-something', id))[2]).to.equal(512);
    expect((await asAdmin('one.vm.action', 'delete', id)).slice(1, 3)).to.deep.equal([
      '[one.vm.action] Action "delete" is not supported',
      2048,
    ]);
  });

  it('lets only an administrator free a VM that is stuck in EPILOG', async () => {
    cloud = await openCloud();
    const id = await instantiate();
    await reaches(id, '3/3');
    await cloud.emulator.setFaults({ stuckEpilog: true });
    await call('one.vm.action', 'terminate', id);
    await reaches(id, '3/11');
    await cloud.emulator.setFaults({ stuckEpilog: false });
    expect((await call('one.vm.action', 'terminate-hard', id))[2]).to.equal(2048);
    expect((await call('one.vm.recover', id, 3))[2]).to.equal(512);
    expect(await asAdmin('one.vm.recover', id, 3)).to.deep.equal([true, id, 0]);
    expect(state(id)).to.equal('6/0');
  });

  it('updates USER_TEMPLATE: 1 merges, 0 replaces, names in capitals, no dash in a name', async () => {
    cloud = await openCloud();
    const id = await instantiate('x', 'A="1"\nB="2"');
    // the scheduler and the VM write there, too, under longer names
    const all = () => [...(cloud.emulator.cloud.vms.get(id)?.userTemplate ?? [])];
    const own = () => Object.fromEntries(all().filter(([name]) => name.length === 1));
    await call('one.vm.update', id, 'b="3"\nc="4"', 1);
    expect(own()).to.deep.equal({ A: '1', B: '3', C: '4' });
    expect((await call('one.vm.update', id, 'a-b="5"', 1))[0]).to.equal(false);
    await call('one.vm.update', id, 'D="6"', 0);
    expect(own()).to.deep.equal({ D: '6' });
  });

  it('uses up an id for a failed instantiate', async () => {
    cloud = await openCloud();
    const before = await instantiate();
    await cloud.emulator.setFaults({ quota: 1 });
    expect(await instantiate()).to.be.NaN;
    await cloud.emulator.setFaults({ quota: 0 });
    expect(await instantiate()).to.equal(before + 2);
  });

  it('shows the pool by range, page and state, newest first, and a summary without own attributes', async () => {
    cloud = await openCloud();
    await cloud.emulator.setFaults({ noCapacity: true }); // so that they stay PENDING
    const [a = 0, b = 0, c = 0] = [
      await instantiate(),
      await instantiate('x', 'LABELS="l"\nOWN="o"'),
      await instantiate(),
    ];
    await call('one.vm.action', 'terminate', a);
    const ids = async (...params: readonly number[]) => {
      const [, xml] = await call('one.vmpool.info', ...params);
      return children(parseXml(String(xml)), 'VM').map((vm) => Number(text(vm, 'ID')));
    };
    expect(await ids(-3, -1, -1, -1)).to.deep.equal([c, b]);
    expect(await ids(-3, -1, -1, -2)).to.deep.equal([c, b, a]);
    expect(await ids(-3, -1, -1, 6)).to.deep.equal([a]);
    expect(await ids(-3, b, c, -2)).to.deep.equal([c, b]);
    expect(await ids(-3, 1, -1, -2)).to.deep.equal([c, b, a].filter((id) => id >= 1));
    expect(await ids(-3, 1, -2, -2)).to.deep.equal([b, a]);
    expect(await ids(0, -1, -1, -2)).to.deep.equal([]);
    const [, xml] = await call('one.vmpool.info', -3, b, b, -1);
    expect(xml).to.include('<LABELS>').and.not.include('<OWN>');
  });

  it('leaves nothing behind when a port is taken', async () => {
    cloud = await openCloud();
    const taken = { ...LOGIN, controlPort: Number(new URL(cloud.emulator.url).port) };
    const error = await startEmulator(taken, cloud.room).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'EADDRINUSE' });
  });

  it('can be run on another provider’s VMs, each prepared with its context', async () => {
    const backing = await openCloud();
    try {
      const prepared: number[] = [];
      const provider = backing.provider();
      const earlier = await provider.allocate({ mark: 'of an earlier room' });
      const room = roomOf(provider, (order: MachineOrder) => prepared.push(order.id), 10);
      await until('it is released', async () => !(await provider.list()).some((vm) => vm.id === earlier));
      cloud = await openCloud();
      const machine = await room.start({ id: 7, context: {} });
      expect(prepared).to.deep.equal([7]);
      expect(machine.address.host).to.equal('127.0.0.1');
      expect(await machine.cpu()).to.be.within(0, 100);
      await machine.stop();
      expect(await machine.cpu()).to.equal(undefined);
      await backing.emulator.setFaults({ bootFailure: true });
      const refused = await room.start({ id: 8, context: {} }).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(Error).with.property('message').that.includes('BOOT_FAILURE');
    } finally {
      await backing.stop();
    }
  });
});
