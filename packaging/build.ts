// Makes dist/ (or the folder that is named), what an installed package runs: the sources without their types (Node strips none below node_modules), and the
// files beside them. Types become spaces, so a stack trace names the line and column of the source: no source map is needed.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as { include: readonly string[] };
const FOLDERS = include.filter((folder) => folder !== 'packaging' && folder !== 'test');
const out = resolve(process.argv[2] ?? join(root, 'dist'));

/** A module that names another one: `from './x.ts'`, `import('./x.ts')`, `new URL('./x.ts', …)`. */
const NAMED = /(\bfrom |\bimport |\bimport\(|\bnew URL\()'(\.[^'\n]*)\.ts'/g;

rmSync(out, { recursive: true, force: true });
for (const folder of FOLDERS)
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'tsconfig.json') continue;
    const from = join(entry.parentPath, entry.name);
    build(from, join(out, from.slice(root.length)));
  }
// what `mmeliot --version` reads, and what makes these files modules wherever they are copied to
const { name, version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
writeFileSync(join(out, 'package.json'), `${JSON.stringify({ name, version, type, private: true })}\n`);

function build(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  if (/\.d\.ts$/.test(from)) return;
  if (!/\.[tj]s$/.test(from)) return cpSync(from, to);
  const text = readFileSync(from, 'utf8');
  const code = from.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
  writeFileSync(to.replace(/\.ts$/, '.js'), code.replace(NAMED, "$1'$2.js'"));
}
