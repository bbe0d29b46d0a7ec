// The README's way from an empty OpenNebula to the first scale-out, step by step as it stands there: its commands, SQL,
// configuration and unit, at a front end that refuses what a real one refuses, with a real database and real guests.
// (What is left out if a step is, test/opennebula/recipe.test.ts shows.)
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environmentOf, type MachineOrder } from '../../opennebula/emulator/machine-room.ts';
import { roomOf } from '../../src/act/local/machine-room.ts';
import { startEmulator, type Emulator } from '../../opennebula/emulator/server.ts';
import { runLoad } from '../../loadgen/cli.ts';
import type { LocalProvider } from '../../src/act/local/local-provider.ts';
import type { ManagerView } from '../../src/loop/view.ts';
import { startMariaDb, type MariaDb } from '../helpers/mariadb.ts';
import { FREE_PORTS, startProgram, temporaryFolder, type Program } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { vmMachines } from '../helpers/vm-machines.ts';
import { LOGIN, QUICK } from '../opennebula/emulated.ts';
import { administer, blockOf, FOLDER, stepOf } from '../opennebula/recipe.ts';

const DB_PASSWORD = 'an-other-good-one';

describe('the README’s way from an empty OpenNebula to the first scale-out', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  const config = join(folder.path, 'mmeliot.yaml');
  let emulator: Emulator;
  let machines: LocalProvider;
  let database: MariaDb;
  let program: Program | undefined;

  before(async () => {
    let context: Readonly<Record<string, string>> = {};
    machines = vmMachines(
      { folder: join(folder.path, 'machines'), name: `mmeliot-readme-${process.pid}`, cpu: 0.25, quota: 'auto' },
      () => environmentOf(context),
    );
    const room = roomOf(machines, (order: MachineOrder) => (context = order.context), 50);
    const options = { ...LOGIN, ...QUICK, monitoringMs: 10_000_000, empty: true };
    [emulator, database] = await Promise.all([startEmulator(options, room), startMariaDb()]);
  });
  after(async () => {
    await program?.stop();
    await Promise.all([emulator.close(), database.stop()]);
    await machines.close();
    folder.remove();
  });

  /** What a reader puts in for the names that the README uses. */
  const filledIn = (text: string): string =>
    text
      .replaceAll('http://FRONT-END:2633/RPC2', emulator.url)
      .replaceAll('10.10.0.2:3306', `127.0.0.1:${database.port}`)
      .replaceAll('…', DB_PASSWORD);
  const started = (args: readonly string[]): Program =>
    startProgram(args, { env: { ONE_PASSWORD: 'A-GOOD-PASSWORD', DB_PASSWORD } });
  const names = () => [...emulator.cloud.vms.values()].filter((vm) => vm.state[0] !== 6).map(({ name }) => name);

  it('1 to 4: user, network, image and VM template, by the administrator’s commands', async () => {
    for (const file of stepOf(3).match(/templates\/[\w.-]+/g) ?? expect.fail('no script is named'))
      expect(existsSync(new URL(file, FOLDER)), file).to.equal(true);
    await administer(emulator);
    const { networks, images, templates } = emulator.inventory;
    for (const store of [networks, images, templates])
      expect(store.all.map(({ owner, forOthers }) => [owner, forOthers])).to.deep.equal([[0, true]]);
  });

  it('5: the database', async () => {
    const root = ['--no-defaults', `--socket=${database.socket}`, '--user=root', '-e'];
    await promisify(execFile)('mariadb', [...root, filledIn(blockOf(5, 'sql'))]);
  });

  it('6: the check', async () => {
    const [, before, args = ''] = /^(.*)npx mmeliot (check .*)$/m.exec(filledIn(blockOf(6, 'sh'))) ?? [];
    expect(before).to.equal('ONE_PASSWORD=A-GOOD-PASSWORD ');
    const { status, output } = await started(args.split(' ')).ended();
    expect(output)
      .to.match(/^ok +network .* answers, and is ready/m)
      .and.match(/^ok +release/m);
    expect(status).to.equal(0);
  });

  it('7: the configuration, and the check again by what it says', async () => {
    writeFileSync(config, filledIn(blockOf(7, 'yaml')));
    const { status, output } = await started(['check', 'opennebula', '--config', config]).ended();
    expect(status, output).to.equal(0);
  });

  it('8: the start, by the command of the unit, with secrets from its environment', async () => {
    const unit = readFileSync(new URL('templates/mmeliot.service', FOLDER), 'utf8');
    for (const file of blockOf(8, 'sh').match(/opennebula\/templates\/[\w.-]+/g) ?? expect.fail('no unit is named'))
      expect(existsSync(new URL(`../${file}`, FOLDER)), file).to.equal(true);
    const [, words = ''] = /^ExecStart=\S+ \S+mmeliot\.js (.*)$/m.exec(unit) ?? [];
    const args = words
      .replace('/etc/mmeliot/mmeliot.yaml', config)
      .replace('/var/lib/mmeliot', join(folder.path, 'data'))
      .split(' ');
    // on this machine: free ports, reached by loopback, and no time to wait
    const here = [...FREE_PORTS, 'collector.host=127.0.0.1', 'opennebula.collector=', 'elasticity.period=1s'];
    const quick = ['elasticity.window=3', 'elasticity.max=2', ...here].flatMap((one) => ['--set', one]);
    program = started([...args, ...quick]);
    await program.says(/load on it/);
    expect(names()).to.have.length(1);
  });

  it('9: the load, and VMs that come and go by their names; those that are there outlive the manager', async () => {
    const up = program ?? expect.fail('it does not run');
    const [, gateway = '', admin = ''] = await up.says(/clients connect to\s+(\S+)[^]*operator looks at\s+(\S+)/);
    const [, profile = ''] = /mmeliot load --profile (\w+)/.exec(stepOf(9)) ?? expect.fail('no load is named');
    const state = async () => (await fetch(`${admin}api/state`)).json() as Promise<ManagerView>;
    const load = new AbortController();
    const scaled = until('it has scaled out', async () => (await state()).counts.ready === 2, 120_000).finally(() =>
      load.abort(),
    );
    const first = await startProgram([
      'load',
      '--url',
      gateway,
      '--profile',
      profile,
      '--max',
      '2',
      '--duration',
      '2s',
    ]).ended();
    expect(first.status, first.output).to.equal(0);
    while (!load.signal.aborted) {
      const closed = { profile: 'constant', drive: 'closed', max: 12, thinkTime: 20, duration: 2_000 } as const;
      expect((await runLoad({ url: gateway, ...closed })).lost).to.equal(0);
    }
    await scaled;
    const [, prefix = ''] = /VMs\s+called\s+`([\w-]+)…`/.exec(stepOf(9)) ?? expect.fail('no name is told');
    expect(names().map((name) => name.startsWith(prefix))).to.deep.equal([true, true]);
    expect((await up.stop()).status).to.equal(0);
    expect(names(), 'they serve on').to.not.be.empty;
    const set = [`dataDir=${join(folder.path, 'data')}`, ...FREE_PORTS].flatMap((one) => ['--set', one]);
    expect((await started(['release', '--config', config, ...set]).ended()).output).to.equal('Stopped.\n');
    expect(names()).to.deep.equal([]);
  });
});
