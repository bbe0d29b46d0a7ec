// The package as a user installs it, and the oldest Node.js that it runs on, both from npm.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** `npm pack`, and `npm install --global` of the tarball into `prefix`, which may not exist yet. Returns the tarball. */
export async function install(prefix: string, destination: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', destination], { cwd: root });
  const tarball = join(destination, stdout.trim().split('\n').at(-1) ?? '');
  await run('npm', ['install', '--global', '--prefer-offline', '--prefix', prefix, tarball], { cwd: destination });
  return tarball;
}

/** The folder of a `node` of the version that `engines` in package.json begins with. */
export async function oldestNode(): Promise<string> {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
  const version = `${engines.node.replace(/^>=/, '')}.0`;
  const prefix = join(root, 'node_modules/.cache', `node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(prefix, 'lib/node_modules', name, 'bin');
  if (!existsSync(join(folder, 'node')))
    await run('npm', ['install', '--global', '--prefer-offline', '--prefix', prefix, `${name}@${version}`]);
  return folder;
}
