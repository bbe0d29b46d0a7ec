// Gateway and manager as processes of their own, and a manager that is killed again and again.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { runLoad } from '../../loadgen/cli.ts';
import { freePort } from '../helpers/free-port.ts';
import { startProgram, temporaryFolder, type Program } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import type { ManagerView } from '../../src/loop/view.ts';

describe('gateway and manager as separate processes', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  const running = new Set<Program>();

  const start = async (command: string, ready: RegExp, ...settings: string[]) => {
    const program = startProgram([
      command,
      ...[`dataDir=${folder.path}`, ...settings].flatMap((one) => ['--set', one]),
    ]);
    running.add(program);
    return { program, found: await program.says(ready) };
  };
  const startGateway = (...settings: string[]) =>
    start('gateway', /clients connect to\s+(\S+)\s+a manager connects to\s+(\S+)/, ...settings);
  const startManager = async (control: string, max: number) => {
    const { program, found } = await start(
      'manager',
      /operator looks at\s+(\S+)/,
      `manager.gateways=[${control}]`,
      ...['admin.port=0', 'collector.port=0', 'elasticity.period=1s', `elasticity.max=${max}`, `elasticity.min=${max}`],
      'local.cpu=0.5',
    );
    const state = async () => (await fetch(`${found[1]}api/state`)).json() as Promise<ManagerView>;
    return { program, state };
  };
  /** VMs that exist at the provider, whoever knows of them. */
  const machines = () => readdirSync(join(folder.path, 'vms')).filter((name) => name.startsWith('vm-'));
  const marks = () =>
    machines().map(
      (id) => (JSON.parse(readFileSync(join(folder.path, 'vms', id, 'vm.json'), 'utf8')) as { mark: string }).mark,
    );

  after(async () => {
    for (const program of running) await program.stop();
    folder.remove();
  });

  it('serve on while the manager is killed at any moment, and no VM is lost or allocated twice', async () => {
    const ports = [`gateway.port=${await freePort()}`, `gateway.control.port=${await freePort()}`];
    const gateway = await startGateway(...ports);
    const [, clients = '', control = ''] = gateway.found;
    let manager = await startManager(control, 2);
    const settled = (count: number) =>
      until(
        `${count} VMs are ready`,
        async () => {
          const { counts } = await manager.state();
          return counts.ready === count && counts.pending + counts.draining + counts.releasing + counts.failed === 0;
        },
        90_000,
      );
    await settled(2);
    const stopLoad = new AbortController();
    const load = runLoad({
      url: clients,
      profile: 'constant',
      drive: 'open',
      max: 10,
      duration: 200_000,
      mix: 'poll=1,rest=1',
      signal: stopLoad.signal,
    });

    // each round wants another number of VMs; the manager is killed a little later each time on its way there
    const wanted = [3, 1, 3, 1, 2, 1];
    for (const [round, count] of wanted.entries()) {
      await manager.program.kill();
      manager = await startManager(control, count);
      await new Promise((resolve) => setTimeout(resolve, 150 * round));
      await manager.program.kill();
      manager = await startManager(control, count);
      await settled(count);
      expect(machines()).to.have.length(count);
      expect(new Set(marks())).to.have.property('size', count);
    }
    stopLoad.abort();
    const { sent, ok, stopped, lossByCause } = await load;
    expect(lossByCause).to.deep.equal({});
    expect(ok + stopped).to.equal(sent);
    expect(ok).to.be.greaterThan(100);

    // the gateway remembers its fleet when it is restarted without a manager
    await manager.program.kill();
    await gateway.program.kill();
    await startGateway(...ports);
    expect((await fetch(`${clients}events`)).status).to.equal(200);

    const last = await start(
      'manager',
      /operator looks at/,
      `manager.gateways=[${control}]`,
      'admin.port=0',
      'collector.port=0',
      'elasticity.period=1s',
    );
    expect(machines()).to.have.length(1);
    await last.program.stop();
    expect(machines(), 'a manager that stops leaves its VMs').to.have.length(1);
    const cleaner = startProgram([
      'manager',
      '--release',
      ...[`dataDir=${folder.path}`, `manager.gateways=[${control}]`, 'admin.port=0', 'collector.port=0'].flatMap(
        (one) => ['--set', one],
      ),
    ]);
    await cleaner.says(/operator looks at/);
    await cleaner.stop();
    expect(machines(), 'unless it is told to release them').to.deep.equal([]);
  });
});
