// The data folder is lost while VMs run: what the manager knew of them it reads back from the cloud.
import { expect } from 'chai';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf } from '../../opennebula/emulator/machine-room.ts';
import { startAgent, type Agent } from '../../src/monitor/udp/agent.ts';
import { startProgram, startSystem, temporaryFolder, type System } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { LOGIN, openCloud, type Cloud } from '../opennebula/emulated.ts';

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}

describe('a manager on OpenNebula that lost its data folder', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  let cloud: Cloud;
  let agent: Agent;
  let settings: string[];
  let secret: string;
  let system: System;

  before(async () => {
    cloud = await openCloud();
    const port = await freeUdpPort();
    settings = [
      ...[
        'provider=opennebula',
        'access=open',
        `opennebula.url=${cloud.emulator.url}`,
        `opennebula.user=${LOGIN.user}`,
      ],
      ...[`opennebula.password=${LOGIN.password}`, `repository.url=sqlite://${join(folder.path, 'epcis.db')}`],
      ...[`collector.port=${port}`, 'elasticity.period=500ms', 'manager.releaseWithin=5s'],
    ];
    system = await startSystem(dataDir, ...settings);
    const { context } = await until('a VM was made', () => cloud.room.orders[0]);
    secret = environmentOf(context)['MMELIOT_SECRET'] ?? '';
    const [vm, collector] = [environmentOf(context)['MMELIOT_VM_ID'] ?? '', { host: '127.0.0.1', port }];
    agent = startAgent({ group: 'mmeliot', vm, collector, secret, intervalMs: 200 });
  });
  after(async () => {
    await agent.stop();
    await system.stop();
    await cloud.stop();
    folder.remove();
  });

  const condition = async (name: string) => (await system.state()).conditions.find((one) => one.name === name);
  const heard = () =>
    until('its agent is heard', async () => {
      const [vm] = (await system.state()).vms;
      return vm?.memory !== undefined && vm.state === 'ready' && !vm.dark && vm;
    });
  async function restarted(): Promise<void> {
    await system.kill();
    system = await startSystem(dataDir, ...settings);
  }

  it("reads the group's secret back from its VMs, and hears them at once", async () => {
    const { id } = await heard();
    await system.kill();
    rmSync(dataDir, { recursive: true });
    system = await startSystem(dataDir, ...settings);
    expect((await heard()).id).to.equal(id);
    expect(readFileSync(join(dataDir, 'secret'), 'utf8')).to.equal(secret);
    expect(statSync(join(dataDir, 'secret')).mode & 0o777).to.equal(0o600);
    expect((await condition('reports'))?.status).to.equal('ok');
    expect(cloud.room.orders, 'no other VM was made').to.have.length(1);
  });

  it('says nowhere what it read', async () => {
    expect(system.output()).to.include('The data folder held no secret').and.not.include(secret);
    expect(JSON.stringify(await system.state())).to.not.include(secret);
    const written = readdirSync(dataDir).filter((name) => name !== 'secret' && statSync(join(dataDir, name)).isFile());
    for (const name of written) expect(readFileSync(join(dataDir, name), 'utf8'), name).to.not.include(secret);
  });

  it('shows reports with another secret, which an older folder brings, with a way back that works', async () => {
    writeFileSync(join(dataDir, 'secret'), 'of another time');
    await restarted();
    const shown = await until('it is shown', async () => {
      const found = await condition('reports');
      return found?.status === 'error' && found;
    });
    expect(shown.reason).to.match(/^The load reports of \d+ are refused: they are signed with another secret/);
    expect(shown.remedy).to.match(/remove the file "secret" in its data folder and start it again/);
    rmSync(join(dataDir, 'secret'));
    await restarted();
    await heard();
    await until('all is well', async () => (await condition('reports'))?.status === 'ok');
  });

  it('starts with no new secret while OpenNebula does not tell whether there are VMs', async () => {
    await system.kill();
    rmSync(join(dataDir, 'secret'));
    await cloud.emulator.setFaults({ away: true });
    const set = [`dataDir=${dataDir}`, ...settings].flatMap((one) => ['--set', one]);
    const { status, output } = await startProgram(['up', ...set]).ended();
    expect(status).to.equal(2);
    expect(output)
      .to.match(/holds no secret of the group, and VMs that may be there can't be asked for theirs: /)
      .and.include('or set collector.secret.');
    await cloud.emulator.setFaults({ away: false });
    system = await startSystem(dataDir, ...settings);
    await heard();
  });
});
