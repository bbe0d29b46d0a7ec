// The walls hold, and what checks them still sees: a copy of the project with one violation of each kind in it.
import { execFile } from 'node:child_process';
import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { temporaryFolder } from '../helpers/mmeliot.ts';
import { deadExports } from './dead-exports.ts';
import { folderCycles } from './folder-cycles.ts';
import { FOLDERS } from './folders.ts';
import { REFUSED_BY_ESLINT, PLANTS } from './plants.ts';

const run = promisify(execFile);
const CONFIGURATION = ['package.json', 'tsconfig.json', 'eslint.config.js', '.dependency-cruiser.cjs'];

interface Checked {
  readonly violations: readonly { readonly rule: string; readonly from: string }[];
  /** Every module that was read. */
  readonly read: readonly string[];
}

const checkWalls = async (cwd: string): Promise<Checked> => {
  const args = ['test/architecture/check-walls.ts', '--json'];
  return JSON.parse((await run(process.execPath, args, { cwd, maxBuffer: 1e9 })).stdout) as Checked;
};

const modulesIn = (cwd: string): readonly string[] =>
  FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.{ts,js,cjs}`, { cwd }));

describe('walls', function () {
  this.timeout(180_000);
  const temporary = temporaryFolder();
  after(() => temporary.remove());

  it('hold, and the whole project is read', async () => {
    const { violations, read } = await checkWalls('.');
    expect(violations).to.deep.equal([]);
    // a checker that can't read TypeScript reports green on one module
    expect(read).to.include.members(modulesIn('.') as string[]);
  });

  it('are seen: one violation of each kind, planted in a copy, is reported', async () => {
    const copy = join(temporary.path, 'walls');
    copyTo(copy);
    for (const files of Object.values(PLANTS)) write(copy, files);
    const { violations } = await checkWalls(copy);
    const rules = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as { forbidden: { name: string }[] };
    for (const rule of [...rules.forbidden.map(({ name }) => name), 'no-folder-cycles', 'no-dead-exports']) {
      const plants = Object.keys(PLANTS[rule] ?? {});
      const seen = violations.filter((one) => one.rule === rule && plants.some((plant) => one.from.includes(plant)));
      expect(seen, `a plant that breaks ${rule}`).not.to.have.length(0);
    }
  });

  it('are seen by eslint, too, where pure code reads clock, chance or environment, or an expression goes back over its text', async () => {
    const copy = join(temporary.path, 'globals');
    copyTo(copy);
    const tsconfig = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as object;
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ ...tsconfig, include: ['**/plant-*.ts'] }));
    const pure = JSON.parse(readFileSync('test/architecture/pure-folders.json', 'utf8')) as string[];
    const plants = pure.flatMap((folder) =>
      Object.entries(REFUSED_BY_ESLINT).map(([rule, text]) => ({
        rule,
        text,
        file: `${folder}/plant-${rule.replace('/', '-')}.ts`,
      })),
    );
    write(copy, Object.fromEntries(plants.map(({ file, text }) => [file, text])));
    const args = ['node_modules/.bin/eslint', '--format', 'json', ...plants.map(({ file }) => file)];
    const { stdout } = (await run(process.execPath, args, { cwd: copy, maxBuffer: 1e9 }).catch(
      (error: unknown) => error, // it exits with 1 where it found something
    )) as { stdout: string };
    const results = JSON.parse(stdout) as { filePath: string; messages: { ruleId: string }[] }[];
    for (const { rule, file } of plants) {
      const result = results.find(({ filePath }) => filePath.endsWith(file));
      expect(
        result?.messages.map(({ ruleId }) => ruleId),
        file,
      ).to.include(rule);
    }
  });
});

describe('a dead export', () => {
  const files = (more: Readonly<Record<string, string>>) => new Map(Object.entries(more));

  it('is one that nobody takes, or a test alone that its own file does not need', () => {
    const text = 'export const A = 1;\nexport function b() { return A; }\n';
    expect(deadExports(files({ 'src/a.ts': text }))).to.deep.equal(['src/a.ts: A', 'src/a.ts: b']);
    expect(deadExports(files({ 'src/a.ts': text, 'test/a.ts': 'b(A)' }))).to.deep.equal(['src/a.ts: b']);
    expect(deadExports(files({ 'src/a.ts': text, 'src/b.ts': 'b(A)' }))).to.deep.equal([]);
  });
});

describe('a cycle between folders', () => {
  const module = (source: string, ...imports: string[]) => ({
    source,
    dependencies: imports.map((resolved) => ({ resolved })),
  });

  it('is told by the imports that make it', () => {
    const modules = [
      module('a/1.ts', 'b/1.ts'),
      module('b/1.ts', 'b/2.ts'),
      module('b/2.ts', 'a/2.ts'),
      module('a/2.ts'),
    ];
    expect(folderCycles(modules)).to.deep.equal([['a/1.ts → b/1.ts', 'b/2.ts → a/2.ts']]);
  });

  it('is none where only a folder below takes part, or a package', () => {
    expect(folderCycles([module('a/1.ts', 'b/1.ts'), module('b/1.ts', 'a/c/1.ts'), module('a/c/1.ts')])).to.have.length(
      0,
    );
    expect(
      folderCycles([module('a/1.ts', 'node_modules/a/1.js'), module('node_modules/a/1.js', 'a/1.ts')]),
    ).to.have.length(0);
  });
});

function copyTo(copy: string): void {
  for (const each of [...FOLDERS, ...CONFIGURATION]) cpSync(each, join(copy, each), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
}

function write(copy: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) writeFileSync(join(copy, file), text);
}
