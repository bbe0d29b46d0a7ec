// What an operator installs: linted, read by the template language's own parser, and run in an empty root.
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { exposureOf } from '../helpers/exposure.ts';
import { parseTemplate } from '../../opennebula/emulator/template-text.ts';
import { mergeContext } from '../../opennebula/documents/template.ts';
import { parseXml } from '../../opennebula/xml-parser.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const templates = join(project, 'opennebula', 'templates');
const inNamespace = join(project, 'test', 'opennebula', 'context-in-namespace.sh');

describe('OpenNebula templates', function () {
  this.timeout(120_000);
  const folders: string[] = [];
  const temporary = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'mmeliot-vm-'));
    chmodSync(folder, 0o755);
    folders.push(folder);
    return folder;
  };
  after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

  it('has scripts that shellcheck finds nothing in, and that can be executed', async () => {
    const scripts = readdirSync(templates).filter((name) => /\.sh$|^net-/.test(name));
    expect(scripts).to.have.members(['install-vm.sh', 'make-image.sh', 'net-90-mmeliot']);
    const paths = [...scripts.map((name) => join(templates, name)), inNamespace];
    await run('shellcheck', ['-x', '-P', 'SCRIPTDIR', ...paths]);
    for (const path of paths) expect(statSync(path).mode & 0o111, path).to.equal(0o111);
  });

  it('has a VM template in OpenNebula’s language, with the CONTEXT that mmeliot adds to', () => {
    const template = parseTemplate(readFileSync(join(templates, 'mmeliot.template'), 'utf8'));
    expect(template?.get('NAME')).to.deep.equal(['mmeliot']);
    const context = template?.get('CONTEXT')?.[0];
    expect(context).to.be.instanceOf(Map);
    expect([...(context as Map<string, string>).keys()]).to.deep.equal(['NETWORK', 'SSH_PUBLIC_KEY']);
  });

  it('says what it needs when make-image.sh or install-vm.sh is called wrongly', async () => {
    const fails = async (script: string, ...args: string[]) => {
      const error: { code?: number; stderr?: string } = await run('bash', [join(templates, script), ...args]).then(
        () => expect.fail('it worked'),
        (reason: unknown) => reason as { code: number; stderr: string },
      );
      expect(error.code).to.equal(2);
      return error.stderr;
    };
    expect(await fails('make-image.sh')).to.include('make-image.sh BASE.qcow2 ONE-CONTEXT.deb MMELIOT OUT.qcow2');
    expect(await fails('make-image.sh', '/a', '/b', '/c', '/d')).to.include('/a does not exist');
    expect(await fails('install-vm.sh', temporary(), temporary())).to.include('npm ci');
  });

  /** What libguestfs does to an image, done to a folder; commands for the guest are written down. */
  const CUSTOMIZE = `#!/bin/bash
set -e
[[ $1 == -a && -f $2 ]] && shift 2
while [[ $# -gt 0 ]]; do
  case $1 in
    --copy-in) mkdir -p "$GUEST\${2#*:}" && cp -a "\${2%%:*}" "$GUEST\${2#*:}" ;;
    --run-command) echo "$2" >> "$GUEST/commands" && [[ $2 != *"$FAILS"* || -z $FAILS ]] ;;
    *) exit 9 ;;
  esac
  shift 2
done`;

  it('has a recipe of an image that puts everything into it, and leaves no half of one when it fails', async () => {
    const [folder, guest] = [temporary(), temporary()];
    const write = (name: string, text: string): string => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { mode: 0o755 });
      return path;
    };
    write('bin/virt-customize', CUSTOMIZE);
    write('bin/qemu-img', '#!/bin/bash\n[[ $1 == convert ]] && cp "${@: -2:1}" "${@: -1}"');
    for (const file of ['src/cli/mmeliot.js', 'node_modules/node/bin/node']) write(`mmeliot/${file}`, '');
    const out = join(folder, 'out.qcow2');
    const files = [write('base.qcow2', 'base'), write('one-context_7.deb', 'deb'), join(folder, 'mmeliot'), out];
    const make = (fails: string) =>
      run('bash', [join(templates, 'make-image.sh'), ...files], {
        env: { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, GUEST: guest, FAILS: fails },
      });
    await make('apt-get -y install').then(
      () => expect.fail('it worked'),
      (error: unknown) => expect(error).to.include({ code: 1 }),
    );
    expect(readdirSync(folder).filter((name) => name.startsWith('out'))).to.deep.equal([]);
    rmSync(join(guest, 'commands'));
    expect((await make('')).stdout).to.equal(`${out} is made.\n`);
    expect(readFileSync(out, 'utf8')).to.equal('base');
    const put = readdirSync(join(guest, 'root')).sort();
    expect(put).to.deep.equal(['install-vm.sh', 'mmeliot-vm.service', 'net-90-mmeliot', 'one-context.deb']);
    expect(existsSync(join(guest, 'opt/mmeliot/src/cli/mmeliot.js'))).to.equal(true);
    const commands = readFileSync(join(guest, 'commands'), 'utf8').trim().split('\n');
    expect(commands[0]).to.match(/purge cloud-init/);
    expect(commands[1]).to.include('install /root/one-context.deb');
    expect(commands[2]).to.equal('bash /root/install-vm.sh /opt/mmeliot');
    for (const name of put) expect(commands[3]).to.include(`/root/${name}`); // nothing of it stays
  });

  it('has units that systemd accepts, which may do little', async () => {
    // the paths of an installed machine are not here: the same units, pointing to this project
    const folder = temporary();
    for (const unit of ['mmeliot-vm.service', 'mmeliot.service']) {
      const text = readFileSync(join(templates, unit), 'utf8');
      writeFileSync(join(folder, unit), text.replaceAll('/opt/mmeliot', project));
      const { stderr } = await run('systemd-analyze', ['verify', '--man=no', join(folder, unit)]);
      expect(stderr, unit).to.equal('');
      expect(await exposureOf(join(folder, unit)), unit).to.be.lessThan(2);
    }
  });

  /** The variables as a VM gets them, through the same code that writes its CONTEXT. */
  const variables = (own: Record<string, string>): string[] =>
    [...mergeContext(parseXml('<CONTEXT><NETWORK>YES</NETWORK></CONTEXT>'), own, { MMELIOT_VM_ID: '7' })].map(
      ([name, value]) => `${name}=${value}`,
    );

  it('turns the context into a service that serves and reports, in a root of its own', async () => {
    const secret = `it's $HOME "x" \\ \`id\` é\nend\n`;
    const context = variables({
      MMELIOT_GROUP: 'demo',
      MMELIOT_LISTEN: '[::1]:8081',
      MMELIOT_COLLECTOR: '127.0.0.1:9999',
      MMELIOT_REPOSITORY_URL: 'sqlite:///tmp/epcis.db',
      MMELIOT_REPORT_EVERY: '500',
      MMELIOT_SECRET: secret,
    });
    const { stdout } = await run(inNamespace, [project, temporary(), ...context]);
    expect(stdout.trim().split('\n')).to.deep.equal([
      'user: created',
      'mmeliot: VM 7 of group demo serves at [::1]:8081.',
      'status: 0',
      'agent: reported',
      'environment: 600',
      `secret: ${Buffer.from(secret).toString('base64')}`,
      'unit: verified',
    ]);
  });

  it('says in one sentence what is missing', async () => {
    const without = await run(inNamespace, [project, temporary(), 'NETWORK=YES']);
    expect(without.stdout).to.include('status: 1');
    expect(without.stderr).to.match(/^mmeliot: MMELIOT_VM_ID is "" and not a number/m);
    const unreplaced = await run(inNamespace, [project, temporary(), 'MMELIOT_VM_ID=$VMID']);
    expect(unreplaced.stderr).to.include('MMELIOT_VM_ID is "$VMID" and not a number');
    const noDatabase = await run(inNamespace, [project, temporary(), 'MMELIOT_VM_ID=7']);
    expect(noDatabase.stderr).to.include('MMELIOT_REPOSITORY_URL is not set');
    const broken = await run(inNamespace, [project, temporary(), 'MMELIOT_VM_ID=7', 'MMELIOT_SECRET_BASE64=%%%']);
    expect(broken.stderr).to.include('MMELIOT_SECRET_BASE64 is not base64');
  });
});
