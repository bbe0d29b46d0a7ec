// The whole system with `provider: opennebula`: mmeliot as a program, the emulated front end between it and its VMs,
// which are real ones of the local provider: through XML-RPC, contextualisation and back by load reports.
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf, type MachineOrder } from '../../opennebula/emulator/machine-room.ts';
import { startEmulator, type Emulator } from '../../opennebula/emulator/server.ts';
import { runLoad } from '../../loadgen/cli.ts';
import type { LocalProvider } from '../../src/act/local/local-provider.ts';
import { roomOf } from '../../src/act/local/machine-room.ts';
import { mmeliot, startSystem, temporaryFolder, type System } from '../helpers/mmeliot.ts';
import { createClient } from '../../opennebula/client.ts';
import { until } from '../helpers/until.ts';
import { vmMachines } from '../helpers/vm-machines.ts';
import { QUICK } from '../opennebula/emulated.ts';

const LOGIN = { user: 'scaler', password: 'a-good-password' };
/** No monitoring by the cloud: what is known of a VM's load comes from its agent. */
const SILENT = { monitoringMs: 10_000_000 };

describe('the whole system on an emulated OpenNebula', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let emulator: Emulator;
  let machines: LocalProvider;
  let system: System;
  let settings: string[];
  const calls: string[] = [];
  /** Of the newest VM. */
  let context: Readonly<Record<string, string>> = {};

  before(async () => {
    machines = vmMachines(
      { folder: join(folder.path, 'machines'), name: `mmeliot-cloud-test-${process.pid}`, cpu: 0.25, quota: 'auto' },
      () => environmentOf(context),
    );
    const room = roomOf(machines, (order: MachineOrder) => (context = order.context), 50);
    emulator = await startEmulator(
      { ...LOGIN, ...QUICK, ...SILENT, onCall: (method) => void calls.push(method) },
      room,
    );
    settings = [
      'provider=opennebula',
      'access=open',
      `opennebula.url=${emulator.url}`,
      `opennebula.user=${LOGIN.user}`,
      `opennebula.password=${LOGIN.password}`,
      `repository.url=sqlite://${join(folder.path, 'epcis.db')}`,
      'manager.releaseWithin=3s',
      ...['elasticity.period=1s', 'elasticity.window=3', 'elasticity.max=2'],
    ];
    system = await startSystem(join(folder.path, 'data'), ...settings);
  });
  after(async () => {
    await system.stop();
    await emulator.close();
    await machines.close();
    folder.remove();
  });

  const ready = (count: number) =>
    until(`${count} VMs are ready`, async () => (await system.state()).counts.ready === count, 90_000);
  const notDone = () => [...emulator.cloud.vms.values()].filter((vm) => vm.state[0] !== 6);

  it('allocates under load and releases after it through XML-RPC, hears its VMs, and loses no request', async () => {
    await ready(1);
    const load = new AbortController();
    const scaled = ready(2).finally(() => load.abort());
    const losses: number[] = [];
    while (!load.signal.aborted) {
      const closed = { profile: 'constant', drive: 'closed', max: 12, thinkTime: 20, duration: 3_000 } as const;
      losses.push((await runLoad({ url: system.gateway, ...closed })).lost);
    }
    await scaled;
    const released = ready(1);
    losses.push((await runLoad({ url: system.gateway, profile: 'constant', max: 2, duration: 8_000 })).lost);
    await released;
    expect(losses.filter((lost) => lost !== 0)).to.deep.equal([]);
    await until('the released VM is DONE', () => notDone().length === 1);
    const [vm] = (await system.state()).vms;
    expect(vm?.id).to.equal(String(notDone()[0]?.id));
    expect(vm?.dark, 'its agent reports under the id that OpenNebula gave it').to.equal(false);
    expect(calls.filter((call) => call === 'one.template.instantiate')).to.have.length.at.least(2);
  });

  it('gets a new secret while it serves: new VMs are told that one only, and no request is lost', async () => {
    const file = join(folder.path, 'data', 'secret');
    const former = readFileSync(file, 'utf8');
    const [before] = (await system.state()).vms;
    const config = join(folder.path, 'mmeliot.yaml');
    const asGiven = {
      provider: 'opennebula',
      access: 'open',
      opennebula: { ...LOGIN, url: emulator.url },
      repository: { url: `sqlite://${join(folder.path, 'epcis.db')}` },
    };
    writeFileSync(config, JSON.stringify({ dataDir: join(folder.path, 'data'), ...asGiven }), { mode: 0o600 });
    let done = false;
    const asking = (async () => {
      const lost: number[] = [];
      while (!done)
        lost.push((await runLoad({ url: system.gateway, profile: 'constant', max: 5, duration: 1_000 })).lost);
      return lost;
    })();
    const renewed = await mmeliot('secret', 'renew', '--config', config, '--admin', system.admin).finally(
      () => (done = true),
    );
    expect(renewed.output, renewed.output).to.match(/The new secret is made[^]*\(1 of 1\)[^]*not taken any more/);
    expect(renewed.status).to.equal(0);
    expect((await asking).filter((lost) => lost !== 0)).to.deep.equal([]);
    const secret = readFileSync(file, 'utf8');
    expect(secret)
      .to.match(/^[\w-]{32}$/)
      .and.not.equal(former);
    const [vm] = (await system.state()).vms;
    expect(vm?.id).not.to.equal(before?.id);
    expect(vm?.dark, 'it is heard').to.equal(false);
    expect(environmentOf(context)['MMELIOT_SECRET']).to.equal(secret);
    await until('the VM of before is given back', () => notDone().length === 1);
  });

  it('keeps serving while the front end is away, says so on its page, and goes on afterwards', async () => {
    await emulator.setFaults({ away: true });
    await until('the page says so', async () =>
      (await system.state()).problems.some(({ message }) => /front end cannot be reached/.test(message)),
    );
    const { lost, ok } = await runLoad({ url: system.gateway, profile: 'constant', max: 2, duration: 2_000 });
    expect(lost).to.equal(0);
    expect(ok).to.be.above(0);
    await emulator.setFaults({ away: false });
    // the login stands in --set, which is told all the while
    await until('all is well again', async () =>
      (await system.state()).problems.every(({ condition }) => condition === 'secrets'),
    );
  });

  it('names the VM that it could not give back when it ends, and gives it back when it can', async () => {
    const id = notDone()[0]?.id ?? -1;
    const user = createClient({ ...LOGIN, url: emulator.url });
    await user.call('one.vm.lock', id, 2);
    const { status, output } = await system.stop();
    expect(status).to.equal(1);
    expect(output)
      .to.match(new RegExp(`VM ${id} remains: .*onevm unlock ${id}`))
      .and.include(`mmeliot release; or remove them there: onevm terminate --hard ${id}`)
      .and.not.include(LOGIN.password);
    expect(notDone()).to.have.length(1);
    await user.call('one.vm.unlock', id);
    await user.close();
    const set = [`dataDir=${join(folder.path, 'data')}`, ...settings].flatMap((one) => ['--set', one]);
    await emulator.setFaults({ away: true });
    const away = await mmeliot('release', ...set);
    expect(away.status).to.equal(1);
    expect(away.output)
      .to.include(`VM ${id} remains: nobody could ask for its release`)
      .and.include(`onevm terminate --hard ${id}`)
      .and.match(/does not list its VMs, and some may remain: .*cannot be reached/);
    await emulator.setFaults({ away: false });
    expect(await mmeliot('release', ...set)).to.deep.equal({ status: 0, output: 'Stopped.\n' });
    expect(notDone()).to.have.length(0);
  });
});
