// The whole system with `provider: opennebula`: mmeliot as a program, the emulated front end between it and its VMs,
// which are real ones of the local provider: through XML-RPC, contextualisation and back by load reports.
import { expect } from 'chai';
import { join } from 'node:path';
import { environmentOf, roomOf } from '../../opennebula/emulator/machine-room.ts';
import { startEmulator, type Emulator } from '../../opennebula/emulator/server.ts';
import { runLoad } from '../../loadgen/cli.ts';
import { LocalProvider } from '../../src/act/local/local-provider.ts';
import { startSystem, temporaryFolder, type System } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { QUICK } from '../opennebula/emulated.ts';

const LOGIN = { user: 'scaler', password: 'a-good-password' };
/** No monitoring by the cloud: what is known of a VM's load comes from its agent. */
const SILENT = { monitoringMs: 10_000_000 };
const PROGRAM = join(import.meta.dirname, '../../src/cli/mmeliot.js');

describe('the whole system on an emulated OpenNebula', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let emulator: Emulator;
  let machines: LocalProvider;
  let system: System;
  const calls: string[] = [];

  before(async () => {
    let context: Readonly<Record<string, string>> = {};
    machines = new LocalProvider({
      folder: join(folder.path, 'machines'),
      name: `mmeliot-cloud-test-${process.pid}`,
      cpu: 0.25,
      quota: 'auto',
      command: ({ addressFile, cpu }) => ({
        program: process.execPath,
        args: [PROGRAM, 'vm'],
        env: {
          ...environmentOf(context),
          MMELIOT_LISTEN: '127.0.0.1:0', // many VMs on one address: each has its own port
          MMELIOT_ADDRESS_FILE: addressFile,
          MMELIOT_CPU: String(cpu),
        },
      }),
    });
    const room = roomOf(machines, (order) => (context = order.context), 50);
    emulator = await startEmulator(
      { ...LOGIN, ...QUICK, ...SILENT, onCall: (method) => void calls.push(method) },
      room,
    );
    system = await startSystem(
      join(folder.path, 'data'),
      'provider=opennebula',
      `opennebula.url=${emulator.url}`,
      `opennebula.user=${LOGIN.user}`,
      `opennebula.password=${LOGIN.password}`,
      `repository.url=sqlite://${join(folder.path, 'epcis.db')}`,
      ...['elasticity.period=1s', 'elasticity.window=3', 'elasticity.max=2'],
    );
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

  it('keeps serving while the front end is away, says so on its page, and goes on afterwards', async () => {
    await emulator.setFaults({ away: true });
    const { problems } = await until('the page says so', async () => {
      const state = await system.state();
      return state.problems.length > 0 && state;
    });
    expect(JSON.stringify(problems)).to.match(/front end cannot be reached/);
    const { lost, ok } = await runLoad({ url: system.gateway, profile: 'constant', max: 2, duration: 2_000 });
    expect(lost).to.equal(0);
    expect(ok).to.be.above(0);
    await emulator.setFaults({ away: false });
    await until('all is well again', async () => (await system.state()).problems.length === 0);
  });

  it('gives all VMs back when it ends', async () => {
    expect((await system.stop()).status).to.equal(0);
    await until('every VM is DONE', () => notDone().length === 0);
    expect(system.output()).not.to.include(LOGIN.password);
  });
});
