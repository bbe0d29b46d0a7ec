// What runs without a checkout: dist/ as packaging/build.ts makes it, the packages that it needs, and a Node.js. For the Debian
// package and the container image.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Of packages, what nothing runs: also pages of their documentation, and settings of their authors' tools. */
const UNUSED = /\.(map|html|d\.[cm]?ts)$|(^|\/)\.[^/]+$/;

/** `ownNode: false` leaves Node.js where it is on this machine, for a test. */
export function stage(folder: string, ownNode = true): void {
  mkdirSync(folder, { recursive: true });
  execFileSync(process.execPath, ['--no-warnings', join(root, 'packaging/build.ts'), join(folder, 'dist')]);
  for (const part of ['bin', 'package.json', 'CHANGELOG.md', 'LICENSE'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const one of packagesOf()) {
    const own = (file: string): boolean =>
      !relative(one, file).split('/').includes('node_modules') && !UNUSED.test(relative(one, file));
    cpSync(one, join(folder, relative(root, one)), { recursive: true, filter: own });
  }
  const node = realpathSync(process.execPath);
  if (ownNode) cpSync(node, join(folder, 'node'));
  else symlinkSync(node, join(folder, 'node'));
}

/** The folders of everything that is needed to run, as npm put them here. */
function packagesOf(): readonly string[] {
  const args = ['ls', '--omit=dev', '--parseable', '--all'];
  const lines = execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return lines.split('\n').filter((line) => line.startsWith(join(root, 'node_modules')));
}
