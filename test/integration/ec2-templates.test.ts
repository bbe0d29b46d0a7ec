// What an operator installs for EC2: linted, and run in an empty root as cloud-init does.
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { exposureOf } from '../helpers/exposure.ts';
import { userData } from '../../ec2/documents/user-data.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const templates = join(project, 'ec2', 'templates');
const inNamespace = join(project, 'test', 'ec2', 'boot-in-namespace.sh');

describe('EC2 templates', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-ec2-'));
  chmodSync(folder, 0o755);
  after(() => rmSync(folder, { recursive: true, force: true }));

  const environment = {
    MMELIOT_GROUP: 'demo',
    MMELIOT_LISTEN: '0.0.0.0:8081',
    MMELIOT_COLLECTOR: '127.0.0.1:9999',
    MMELIOT_REPOSITORY_URL: 'sqlite:///tmp/epcis.db',
    MMELIOT_REPORT_EVERY: '500',
    MMELIOT_METADATA: 'http://169.254.169.254',
    MMELIOT_SECRET: `it's $HOME "x" \\ \`id\` é\nend`,
  };

  it('have scripts that shellcheck finds nothing in, the user data among them, and that can be executed', async () => {
    const scripts = readdirSync(templates).filter((name) => name.endsWith('.sh'));
    expect(scripts).to.have.members(['install-vm.sh', 'setup-vm.sh']);
    const paths = [...scripts.map((name) => join(templates, name)), inNamespace];
    for (const path of paths) expect(statSync(path).mode & 0o111, path).to.equal(0o111);
    const data = join(folder, 'user-data');
    writeFileSync(data, userData(environment));
    await run('shellcheck', ['-x', '-P', 'SCRIPTDIR', ...paths, data]);
  });

  it('have a unit that systemd accepts, which may do little', async () => {
    const unit = join(folder, 'mmeliot-vm.service');
    writeFileSync(
      unit,
      readFileSync(join(templates, 'mmeliot-vm.service'), 'utf8').replaceAll('/opt/mmeliot', project),
    );
    expect((await run('systemd-analyze', ['verify', '--man=no', unit])).stderr).to.equal('');
    expect(await exposureOf(unit)).to.be.lessThan(2);
  });

  it('make of a stock Debian a VM that serves, and reports under the id of its instance', async () => {
    // the part of setup-vm.sh after the download, of which there is none here
    const setup = 'bash /opt/mmeliot/ec2/templates/install-vm.sh /opt/mmeliot';
    const data = join(folder, 'first-boot');
    writeFileSync(data, userData(environment, setup));
    const { stdout } = await run(inNamespace, [project, join(folder, 'root'), data]);
    expect(stdout.trim().split('\n')).to.deep.equal([
      'status: 0',
      'reported as: demo i-0123456789abcdef0',
      'environment: 600',
      `secret: ${Buffer.from(environment.MMELIOT_SECRET).toString('base64')}`,
      'systemctl daemon-reload',
      'systemctl enable mmeliot-vm.service',
      'systemctl restart mmeliot-vm.service',
    ]);
  });

  it('fetch an archive of mmeliot where the image has none, and end where there is none', async () => {
    const setup = readFileSync(join(templates, 'setup-vm.sh'), 'utf8').replaceAll(
      '/opt/mmeliot',
      join(folder, 'fetched'),
    );
    const archive = join(folder, 'mmeliot.tar.gz');
    await run('tar', ['-czf', archive, '-C', project, 'package.json', 'ec2/templates']);
    const script = join(folder, 'setup.sh');
    writeFileSync(script, `set -euo pipefail\n${setup}`);
    const fetched = (address: string) =>
      run('bash', [script], { env: { ...process.env, MMELIOT_ARCHIVE: address } }).catch((error: unknown) => error);
    // it is fetched and unpacked; install-vm.sh then misses the programs that npm ci brings
    const { code, stderr } = (await fetched(`file://${archive}`)) as { code: number; stderr: string };
    expect(stderr).to.include('is no folder of mmeliot in which npm ci has run');
    expect(code).to.equal(2);
    const none = (await fetched(`file://${folder}/nothing.tar.gz`)) as { code: number; stderr: string };
    expect(none.code).not.to.equal(0);
    expect(none.stderr).to.include('nothing.tar.gz');
  });
});
