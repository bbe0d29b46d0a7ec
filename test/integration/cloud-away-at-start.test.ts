// A manager that is started again while its cloud doesn't answer: the gateway, a process of its own, serves on.
import { expect } from 'chai';
import type { ManagerView } from '../../src/loop/view.ts';
import { openCloud, type TestCloud } from '../ec2/emulated.ts';
import { FREE_PORTS, startProgram, temporaryFolder, type Program } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';

describe('a manager that starts while its cloud does not answer', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  const running: Program[] = [];
  let cloud: TestCloud;
  before(async () => {
    cloud = await openCloud();
  });
  after(async () => {
    for (const program of running) await program.stop();
    await cloud.stop();
    folder.remove();
  });

  const start = async (command: string, ready: RegExp, ...settings: readonly string[]) => {
    const program = startProgram([
      command,
      ...[`dataDir=${folder.path}`, ...settings].flatMap((one) => ['--set', one]),
    ]);
    running.push(program);
    return { program, found: await program.says(ready) };
  };

  it('takes no VM from the gateway before it has heard which there are, and then those that are gone', async () => {
    const gateway = await start(
      'gateway',
      /clients connect to\s+(\S+)\s+a manager connects to\s+(\S+)/,
      ...['gateway.port=0', 'gateway.control.port=0'],
    );
    const [, clients = '', control = ''] = gateway.found;
    const settings = [
      ...['provider=ec2', 'access=open', `ec2.endpoint=${cloud.emulator.url}`, 'ec2.region=us-east-1'],
      ...[`manager.gateways=[${control}]`, 'admin.port=0', 'collector.port=0', 'elasticity.period=1s'],
      ...['elasticity.min=2', 'elasticity.max=2', `repository.url=sqlite://${folder.path}/epcis.db`],
    ];
    const stateAt = async (admin = '') => (await fetch(`${admin}api/state`)).json() as Promise<ManagerView>;
    const page = /operator looks at\s+(\S+)/;
    const served = async (): Promise<number> => (await fetch(clients)).status;

    const first = await start('manager', page, ...settings);
    await until('both VMs serve', async () => (await stateAt(first.found[1])).counts.ready === 2);
    expect(await served()).to.equal(200);
    await first.program.kill();

    await cloud.emulator.setFaults({ away: true });
    const { program } = await start('manager', /The provider does not list its VMs/, ...settings);
    expect(await served(), 'while nothing is known of the cloud').to.equal(200);

    const [gone] = cloud.emulator.cloud.instances.values();
    if (gone === undefined) return expect.fail('there is no instance');
    cloud.emulator.cloud.take(gone);
    await cloud.emulator.setFaults({ away: false });
    const [, admin] = await program.says(page);
    await until('another VM is there for it', async () => {
      const { counts, vms } = await stateAt(admin);
      return counts.ready === 2 && vms.every(({ id }) => id !== gone.id);
    });
    expect(program.output(), 'a cloud that is away is no reason for a stack').not.to.include('"stack"');
    for (let i = 0; i < 6; i++) expect(await served()).to.equal(200);
  });

  it('is ended soon all the same, with status 1, and names what an earlier one left', async () => {
    const own = temporaryFolder();
    const settings = [
      ...['provider=ec2', 'access=open', `ec2.endpoint=${cloud.emulator.url}`, 'ec2.region=us-east-1', 'group=ended'],
      ...[...FREE_PORTS, `repository.url=sqlite://${own.path}/epcis.db`, `dataDir=${own.path}`],
    ];
    const first = await start('up', /clients connect to/, ...settings);
    await first.program.kill();
    const left = [...cloud.emulator.cloud.instances.values()].findLast(({ endedAt }) => endedAt === undefined);
    await cloud.emulator.setFaults({ hang: true });
    try {
      // what it would wait for: the list (10 s), the first VM (a minute), the release (five minutes), the SDK's further calls
      const { program } = await start('up', /Starting, 5 s so far: it waits for provider ec2 to list/, ...settings);
      const { status, output } = await program.stop();
      expect(status).to.equal(1);
      expect(output)
        .to.include(`VM ${left?.id} remains: nobody could ask for its release`)
        .and.include('The provider does not list its VMs');
    } finally {
      await cloud.emulator.setFaults({ hang: false });
      own.remove();
    }
  });
});
