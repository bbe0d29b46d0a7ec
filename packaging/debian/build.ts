// npm run deb [-- --fast] [-- --out FOLDER]: the Debian package, mmeliot_<version>_<architecture>.deb. It brings its own Node.js,
// because Debian's may be older than what mmeliot runs on. --fast makes one for tests at once: larger, and with this
// machine's Node.js. Who answers for the package is said as Debian's own tools are told it, by DEBFULLNAME and DEBEMAIL.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';

import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { stage } from '../stage.ts';

const { values } = parseArgs({ options: { fast: { type: 'boolean' }, out: { type: 'string', default: '.' } } });
const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
const COPYRIGHT = `Copyright 2026 the authors of mmeliot\n\nLicence: Apache-2.0, in /usr/share/common-licenses/Apache-2.0; those of the packages that it brings stand beside\nthem in /usr/lib/mmeliot/node_modules.\n`;
const { DEBFULLNAME = 'mmeliot', DEBEMAIL = 'mmeliot@localhost' } = process.env;
const MAINTAINER = `${DEBFULLNAME} <${DEBEMAIL}>`;
const tree = mkdtempSync(join(tmpdir(), 'mmeliot-deb-'));

/** From this folder (or made here) to where it is installed. */
const FILES: Readonly<Record<string, string>> = {
  'systemd/mmeliot-gateway.service': 'lib/systemd/system/mmeliot-gateway.service',
  'systemd/mmeliot-manager.service': 'lib/systemd/system/mmeliot-manager.service',
  'systemd/mmeliot-vm.service': 'lib/systemd/system/mmeliot-vm.service',
  'sysusers.conf': 'usr/lib/sysusers.d/mmeliot.conf',
  'tmpfiles.conf': 'usr/lib/tmpfiles.d/mmeliot.conf',
  'logrotate.conf': 'etc/logrotate.d/mmeliot',
  'mmeliot.yaml': 'etc/mmeliot/mmeliot.yaml',
  'mmeliot.sh': 'usr/bin/mmeliot',
  'lintian-overrides': 'usr/share/lintian/overrides/mmeliot',
};

try {
  chmodSync(tree, 0o755);
  stage(join(tree, 'usr/lib/mmeliot'), !values.fast);
  for (const [from, to] of Object.entries(FILES)) {
    mkdirSync(dirname(join(tree, to)), { recursive: true });
    copyFileSync(join(here, from), join(tree, to));
    chmodSync(join(tree, to), to.startsWith('usr/bin/') ? 0o755 : 0o644);
  }
  setModes();
  const docs = join(tree, 'usr/share/doc/mmeliot');
  mkdirSync(docs, { recursive: true });
  const packed = (text: string | Buffer) => gzipSync(text, { level: 9 });
  writeFileSync(join(docs, 'changelog.gz'), packed(debianChangelog()));
  writeFileSync(join(docs, 'CHANGELOG.md.gz'), packed(readFileSync(join(root, 'CHANGELOG.md'))));
  writeFileSync(join(docs, 'copyright'), COPYRIGHT);
  for (const [shell, to] of [
    ['bash', 'usr/share/bash-completion/completions/mmeliot'],
    ['zsh', 'usr/share/zsh/vendor-completions/_mmeliot'],
    ['fish', 'usr/share/fish/vendor_completions.d/mmeliot.fish'],
  ] as const) {
    mkdirSync(dirname(join(tree, to)), { recursive: true });
    const program = join(tree, 'usr/lib/mmeliot/bin/mmeliot.js');
    writeFileSync(join(tree, to), execFileSync(process.execPath, [program, 'completion', shell]));
  }
  writeControl();
  const compression = values.fast ? ['-Zgzip', '-z1'] : ['-Zxz'];
  const file = join(values.out, `mmeliot_${version}_${architecture}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', ...compression, '--build', tree, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.stdout.write(`${file}\n`);
} finally {
  rmSync(tree, { recursive: true, force: true });
}

/** As the packages of others come, some files are executable that are no program. */
function setModes(): void {
  const folder = join(tree, 'usr/lib/mmeliot');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    if (!lstatSync(file).isFile()) continue;
    if ((statSync(file).mode & 0o111) !== 0 && !/^(#!|\x7fE)/.test(beginningOf(file))) chmodSync(file, 0o644);
  }
  chmodSync(join(folder, 'dist/src/cli/mmeliot.js'), 0o755);
}

function beginningOf(file: string): string {
  const [descriptor, two] = [openSync(file, 'r'), Buffer.alloc(2)];
  readSync(descriptor, two);
  closeSync(descriptor);
  return two.toString('latin1');
}

/** What dpkg's tools read; what changed stands beside it. */
function debianChangelog(): string {
  const at = statSync(join(root, 'CHANGELOG.md')).mtime.toUTCString().replace('GMT', '+0000');
  return `mmeliot (${version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz beside this file.\n\n -- ${MAINTAINER}  ${at}\n`;
}

function writeControl(): void {
  const size = execFileSync('du', ['-sk', tree], { encoding: 'utf8' }).split('\t')[0] ?? '0';
  const sums = execFileSync('find', ['.', '-type', 'f', '-exec', 'md5sum', '{}', '+'], {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  cpSync(join(here, 'control'), join(tree, 'DEBIAN'), { recursive: true });
  for (const script of ['postinst', 'prerm', 'postrm']) chmodSync(join(tree, 'DEBIAN', script), 0o755);
  const control = readFileSync(join(here, 'control/control'), 'utf8')
    .replace('VERSION', version)
    .replace('MAINTAINER', MAINTAINER)
    .replace('ARCHITECTURE', architecture)
    .replace('SIZE', size);
  writeFileSync(join(tree, 'DEBIAN/control'), control);
  const settings = Object.values(FILES).filter((to) => to.startsWith('etc/'));
  writeFileSync(join(tree, 'DEBIAN/conffiles'), settings.map((to) => `/${to}\n`).join(''));
  writeFileSync(join(tree, 'DEBIAN/md5sums'), sums.replaceAll('  ./', '  '));
}
