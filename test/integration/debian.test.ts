// The Debian package, built and installed below a test root, and its units' commands run from there.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startProgram, temporaryFolder, type Program } from '../helpers/mmeliot.ts';
import type { ManagerView } from '../../src/loop/view.ts';
import { until } from '../helpers/until.ts';

const run = promisify(execFile);
const AS_ROOT = process.getuid?.() === 0;
const root = join(import.meta.dirname, '../..');
const UNITS = ['gateway', 'manager', 'vm'].map((name) => `mmeliot-${name}.service`);

describe('the Debian package', function () {
  this.timeout(180_000);
  const temporary = temporaryFolder();
  const there = join(temporary.path, 'root');
  const below = (path: string): string => join(there, path);
  const running: Program[] = [];
  let deb = '';

  const dpkg = (...args: readonly string[]) =>
    run('dpkg', [
      `--root=${there}`,
      '--force-depends',
      '--force-script-chrootless',
      `--log=${temporary.path}/log`,
      ...args,
    ]);

  before(async () => {
    const args = ['--no-warnings', join(root, 'packaging/debian/build.ts'), '--fast', '--out', temporary.path];
    deb = (await run(process.execPath, args)).stdout.trim();
    for (const folder of ['var/lib/dpkg/info', 'var/lib/dpkg/updates', 'etc'])
      mkdirSync(below(folder), { recursive: true });
    writeFileSync(below('var/lib/dpkg/status'), '');
    await (AS_ROOT ? dpkg('--install', deb) : run('dpkg-deb', ['--extract', deb, there]));
  });
  after(async () => {
    await Promise.all(running.map((one) => one.kill()));
    temporary.remove();
  });

  /** What a unit starts, below the test root. */
  const startUnit = (unit: string, ...settings: readonly string[]): Program => {
    const text = readFileSync(below(`lib/systemd/system/${unit}`), 'utf8');
    const [program, ...args] = (/^ExecStart=(.*)$/m.exec(text)?.[1] ?? '').split(' ');
    expect(program).to.equal('/usr/bin/mmeliot');
    const own = [`dataDir=${below('var/lib/mmeliot')}`, ...settings].flatMap((one) => ['--set', one]);
    const placed = args.map((one) => (one.startsWith('/') ? below(one) : one));
    const started = startProgram([below('usr/lib/mmeliot/bin/mmeliot.js'), ...placed, ...own], {
      program: below('usr/lib/mmeliot/node'),
      cwd: there,
    });
    running.push(started);
    return started;
  };

  it('has units that systemd has nothing to say against, and that are exposed to little', async () => {
    const files = UNITS.map((unit) => below(`lib/systemd/system/${unit}`));
    const security = await run('systemd-analyze', [
      'security',
      '--offline=true',
      '--threshold=20',
      '--no-pager',
      ...files,
    ]);
    expect(security.stderr).to.equal('');
    // man pages of this machine are none of its business; the program is not below /usr here
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', ...files]).catch(
      (error: unknown) => error as { stderr: string },
    );
    expect(
      stderr.split('\n').filter((line) => line !== '' && !/usr\/bin\/mmeliot is not executable/.test(line)),
    ).to.deep.equal([]);
  });

  if (AS_ROOT)
    it('makes its user and its directories, and knows its settings as such', () => {
      expect(readFileSync(below('etc/passwd'), 'utf8')).to.match(
        /^mmeliot:x:\d+:\d+:mmeliot:\/var\/lib\/mmeliot:\/usr\/sbin\/nologin$/m,
      );
      const [, uid] = /^mmeliot:x:(\d+):/m.exec(readFileSync(below('etc/passwd'), 'utf8')) ?? [];
      const data = statSync(below('var/lib/mmeliot'));
      expect([data.uid, data.mode & 0o777]).to.deep.equal([Number(uid), 0o700]);
      expect(statSync(below('etc/mmeliot/mmeliot.yaml')).mode & 0o777).to.equal(0o640);
      const info = readFileSync(below('var/lib/dpkg/info/mmeliot.conffiles'), 'utf8');
      expect(info).to.equal('/etc/logrotate.d/mmeliot\n/etc/mmeliot/mmeliot.yaml\n');
    });

  it('starts gateway and manager apart; a restart of either releases no VM, and the service goes on', async () => {
    const gateway = startUnit('mmeliot-gateway.service', 'gateway.port=0', 'gateway.control.port=0');
    const [, client = '', control = ''] = await gateway.says(/clients connect to\s+(\S+)[^]*connects to\s+(\S+)/);
    const settings = [`manager.gateways=[${control}]`, 'admin.port=0', 'collector.port=0', 'epcis.work.lease=2s'];
    const startManager = async () => {
      const manager = startUnit('mmeliot-manager.service', ...settings);
      const [, page = ''] = await manager.says(/operator looks at\s+(\S+)/);
      return { manager, page };
    };
    const pidOf = () =>
      (JSON.parse(readFileSync(below('var/lib/mmeliot/vms/vm-1/vm.json'), 'utf8')) as { process: { pid: number } })
        .process.pid;
    const answers = async () => (await fetch(`${client}events`)).status;

    const first = await startManager();
    await until('the VM serves', async () => (await answers()) === 200, 60_000);
    const pid = pidOf();
    expect((await first.manager.stop()).status).to.equal(0);
    expect(await answers()).to.equal(200);

    const second = await startManager();
    const ready = async () =>
      ((await (await fetch(`${second.page}api/state`)).json()) as ManagerView).vms.map(({ id }) => id);
    await until('the manager knows its VM again', async () => (await ready()).includes('vm-1'), 30_000);
    expect(pidOf()).to.equal(pid);
    expect(() => process.kill(pid, 0)).to.not.throw();
    await second.manager.stop();
    await gateway.stop();
    // as `mmeliot release` on that machine
    const release = startProgram(
      [below('usr/lib/mmeliot/bin/mmeliot.js'), 'release', '--set', `dataDir=${below('var/lib/mmeliot')}`],
      {
        program: below('usr/lib/mmeliot/node'),
      },
    );
    expect((await release.ended()).status).to.equal(0);
    expect(() => process.kill(pid, 0)).to.throw();
  });

  if (AS_ROOT)
    it('leaves what was captured when it is purged, and nothing else', async () => {
      const { stdout: told } = await dpkg('--remove', 'mmeliot');
      expect(told).to.include('VMs that were not given back go on').and.to.include('mmeliot release --config');
      await dpkg('--purge', 'mmeliot');
      const { stdout } = await run('find', [
        there,
        '-type',
        'f',
        '-not',
        '-path',
        '*/var/lib/dpkg/*',
        '-not',
        '-path',
        '*/etc/*',
      ]);
      const left = stdout
        .trim()
        .split('\n')
        .map((file) => file.slice(there.length));
      expect(left).to.include('/var/lib/mmeliot/epcis.db');
      expect(left.filter((file) => !file.startsWith('/var/lib/mmeliot/'))).to.deep.equal([]);
    });
});
