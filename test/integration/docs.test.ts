// The documentation is true: every command in it is one that there is, with options that there are, and those below docs/ that a
// reader can try at once are run, against a real system; every link leads somewhere.
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Command } from 'commander';
import { parsePlan } from '../../loadgen/plan.ts';
import { wholeProgram } from '../../src/cli/index.ts';
import { loadConfig } from '../../src/config/load.ts';
import { entryAt } from '../../src/config/names.ts';
import { settings } from '../../src/config/schema.ts';
import { startSystem, temporaryFolder, type System } from '../helpers/mmeliot.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Block {
  readonly file: string;
  /** `run`: is run by this test. `setup`: changes the machine, or takes long; it is read only. */
  readonly kind: string;
  readonly text: string;
}

const blocksOf = (file: string): readonly Block[] =>
  [...read(file).matchAll(/^```sh *(\w*)\n([^]*?)^```$/gm)].map(([, kind = '', text = '']) => ({ file, kind, text }));

const GUIDES = globSync('docs/*.md', { cwd: root }).sort();
const FOLDERS = JSON.parse(read('tsconfig.json')) as { readonly include: readonly string[] };
const OTHERS = globSync(['*.md', ...FOLDERS.include.map((folder) => `${folder}/**/*.md`)], { cwd: root })
  .filter((file) => !file.includes('node_modules') && file !== 'CHANGELOG.md')
  .sort();
const BLOCKS = [...GUIDES, ...OTHERS].flatMap(blocksOf);

/** Commands of a block, without what is said of them, those in quotes and after && or a pipe as well. */
const commandsOf = ({ text }: Block): readonly string[] =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');

describe('the documentation', function () {
  this.timeout(240_000);
  const temporary = temporaryFolder();
  let program: Command;
  let system: System | undefined;

  before(async () => {
    program = await wholeProgram();
  });
  after(async () => {
    await system?.kill();
    temporary.remove();
  });

  it('marks each of its blocks as run or as set-up', () => {
    const kinds = BLOCKS.filter(({ file }) => GUIDES.includes(file)).map(({ kind }) => kind);
    expect(kinds.length).to.be.greaterThan(10);
    expect(new Set(kinds)).to.deep.equal(new Set(['run', 'setup']));
  });

  it('names commands, options, scripts and units that there are', async () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
    const found = { mmeliot: 0, scripts: 0, units: 0 };
    for (const block of BLOCKS) {
      await run('bash', ['-nc', block.text]);
      for (const line of commandsOf(block)) {
        const where = `${block.file}: ${line}`;
        for (const [, words = ''] of line.matchAll(/(?:^|&& |\| |sudo |npx )mmeliot ((?:(?! &&| \|).)*)/g)) {
          checkUsage(program, words.split(/\s+/), where);
          found.mmeliot++;
        }
        for (const [, script = ''] of line.matchAll(/npm run ([\w:-]+)/g)) {
          expect(scripts, where).to.have.property(script);
          found.scripts++;
        }
        for (const [unit] of line.matchAll(/\bmmeliot-(gateway|manager|vm)\b/g)) {
          expect(existsSync(join(root, `packaging/debian/systemd/${unit}.service`)), where).to.equal(true);
          found.units++;
        }
      }
    }
    expect(found.mmeliot).to.be.greaterThan(30);
    expect(found.scripts).to.be.greaterThan(3);
    expect(found.units).to.be.greaterThan(2);
  });

  it('names commands and options that there are in its sentences as well', () => {
    let found = 0;
    for (const file of [...GUIDES, ...OTHERS])
      for (const [, words = ''] of read(file).matchAll(/`(?:npx )?mmeliot ([a-z][^`…]*)`/g)) {
        // of `check|prune` the first
        checkUsage(program, words.replace(/(\\?\|[\w-]+)+/g, '').split(/\s+/), `${file}: mmeliot ${words}`);
        found++;
      }
    expect(found).to.be.greaterThan(100);
  });

  it('names settings that there are, with values that they take, and a plan that is one', () => {
    let found = 0;
    for (const file of GUIDES)
      for (const [, name = '', value] of read(file).matchAll(/`(?!\S+\.ts`)([a-z]\w*(?:\.\w+)+)(?:: ([^`]+))?`/g)) {
        if (!Object.hasOwn(settings, name.split('.')[0] ?? '')) continue;
        expect(entryAt(settings, name.split('.')), `${file}: ${name}`).to.not.equal(undefined);
        if (value !== undefined) loadConfig({ env: {}, set: [`${name}=${value}`] });
        found++;
      }
    expect(found).to.be.greaterThan(10);
    const [, plan = ''] = /^```yaml\n([^]*?)^```$/m.exec(read('docs/researching.md')) ?? [];
    expect(Object.keys(parsePlan(plan, 'plan.yaml').policies)).to.deep.equal(['mmeliot', 'react']);
  });

  it('names as symptoms sentences that are said', () => {
    const said = globSync('{src,epcis}/**/*.ts', { cwd: root }).map(read).join('\n').toLowerCase();
    const table = read('docs/operating.md')
      .split('\n')
      .filter((line) => line.startsWith('| '));
    const quoted = table.flatMap((line) => [...line.matchAll(/`(?:mmeliot: )?([A-Z][^`…]*|mmeliot runs [^`…]*)…?`/g)]);
    for (const [, sentence = ''] of quoted) expect(said, sentence).to.include(sentence.trim().toLowerCase());
    expect(quoted.length).to.be.greaterThan(2);
  });

  it('has commands that do what a reader expects: those that it says to run end with 0', async () => {
    system = await startSystem(join(temporary.path, 'mmeliot-data'), 'elasticity.max=2');
    const { port } = new URL(system.admin);
    writeFileSync(
      join(temporary.path, 'mmeliot.yaml'),
      `admin: { port: ${port} }\ngateway: { port: ${new URL(system.gateway).port} }\n`,
    );
    const shim = `mmeliot() { "$NODE" "$PROGRAM" "$@"; }\nset -e\n`;
    const env = { ...process.env, NODE: process.execPath, PROGRAM: join(root, 'src/cli/mmeliot.js') };
    const blocks = BLOCKS.filter(({ kind }) => kind === 'run');
    expect(blocks.flatMap(commandsOf).length).to.be.greaterThan(20);
    const inOrder = async (block: Block): Promise<void> => {
      for (const line of commandsOf(block)) {
        const own = line.startsWith('mmeliot load') ? `${line} --url ${system?.gateway}` : line;
        await run('bash', ['-c', shim + own], { cwd: temporary.path, env }).catch((error: unknown) => {
          const { stdout, stderr } = error as { stdout: string; stderr: string };
          throw new Error(`${block.file}: ${line}: ${stdout}${stderr}`);
        });
      }
    };
    await Promise.all(blocks.map(inOrder));
    expect(statSync(join(temporary.path, 'backup.jsonl.gz')).size).to.be.greaterThan(100);
    expect(JSON.parse(readFileSync(join(temporary.path, 'status.json'), 'utf8'))).to.be.an('object');
    expect((await system.stop()).status).to.equal(0);
  });

  it('makes a site of pages that need nothing else, whose links lead somewhere', async () => {
    const site = join(temporary.path, 'site');
    await run(process.execPath, ['--no-warnings', join(root, 'packaging/site.ts'), '--out', site]);
    const pages = globSync('**/*.html', { cwd: site });
    expect(pages).to.include.members([
      'index.html',
      'docs/operating.html',
      'src/config/CONFIG.html',
      'src/decide/index.html',
    ]);
    const text = new Map(pages.map((page) => [page, readFileSync(join(site, page), 'utf8')]));
    const dead: string[] = [];
    for (const [page, html] of text) {
      expect(html, page).to.not.match(/<script|src="|@import|url\(/);
      for (const [, href = ''] of html.matchAll(/<a href="([^"]+)"/g)) {
        if (/^[a-z]+:/.test(href)) continue;
        const [path = '', anchor] = href.split('#');
        const target = path === '' ? page : join(dirname(page), path);
        const there = text.get(target);
        // a file that is no page is named as it is beside its document
        if (
          there === undefined
            ? !existsSync(join(root, dirname(page), path))
            : anchor !== undefined && !there.includes(`id="${anchor}"`)
        )
          dead.push(`${page}: ${href}`);
      }
    }
    expect(dead).to.deep.equal([]);
  });
});

/** Every word that is a command is one, and every option belongs to it or to those above it. */
function checkUsage(program: Command, words: readonly string[], where: string): void {
  let command = program;
  const path = [program];
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) {
      const takes = command.commands.length === 0 || command.registeredArguments.length > 0 || !/^[a-z]/.test(word);
      expect(takes, `${where}: ${command.name()} has a command ${word}`).to.equal(true);
      break;
    }
    path.push((command = next));
  }
  expect(path.length > 1 || words[0]?.startsWith('-'), `${where}: there is such a command`).to.equal(true);
  for (const word of words) {
    const [, option] = /^(--[\w-]+)/.exec(word) ?? [];
    if (option === undefined) continue;
    const known =
      path.some((one) => one.options.some(({ long }) => long === option)) || ['--help', '--version'].includes(option);
    expect(known, `${where}: ${command.name()} has ${option}`).to.equal(true);
  }
}
