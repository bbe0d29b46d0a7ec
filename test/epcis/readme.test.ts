// What the READMEs of epcis/ and its repository and COMPARED.md claim is backed: by tests that exist, options that exist, defaults that are so.
import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PROBLEMS } from '../../epcis/bindings/rest/problem.ts';
import { DEFAULTS } from '../../epcis/options.ts';
import type { ExceptionName } from '../../epcis/domain/exceptions.ts';
import { migrations } from '../../epcis/repository/migrations/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(`${root}/epcis/README.md`, 'utf8');
const repository = readFileSync(`${root}/epcis/repository/README.md`, 'utf8');
const compared = readFileSync(`${root}/epcis/COMPARED.md`, 'utf8');

/** The rows of the table below a heading of the README, as cells. */
function tableBelow(heading: string): string[][] {
  const [, section = ''] = readme.split(`\n${heading}\n`);
  return tableOf(section);
}

function tableOf(section: string): string[][] {
  const rows =
    section
      .split(/\n#/)[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| ')) ?? [];
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** `limits.depth` → 64. */
function leavesOf(values: object, path = ''): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leavesOf(value, `${path}${name}.`)
      : [[`${path}${name}`, value] as const],
  );
}

describe('epcis/README.md', () => {
  it('names a test that exists for each feature it claims', () => {
    const tests = globSync(`${root}/test/{epcis,integration}/**/*.ts`)
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const claims = tableOf(compared).filter(([, ours = '']) => ours.startsWith('yes'));
    expect(claims.length).to.be.above(15);
    for (const [feature, ours = ''] of claims) {
      const names = [...ours.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      expect(names.length, feature).to.be.above(0);
      for (const name of names) expect(tests.includes(`it('${name}'`), `${feature}: ${name}`).to.equal(true);
    }
  });

  it('has every option, with its default', () => {
    const rows = new Map(
      tableBelow('## Options').flatMap(([names = '', defaults = '']) => {
        const values = defaults.includes(', ') ? defaults.split(', ') : [defaults];
        return [...names.matchAll(/`([^`]+)`/g)].map(([, name = ''], at): [string, string] => [name, values[at] ?? '']);
      }),
    );
    for (const [name, value] of leavesOf(DEFAULTS)) {
      const shown = rows.get(name);
      expect(shown, name).to.be.a('string');
      const [, number, unit] = /^(\d[\d ]*?) ?(MiB)?$/.exec(shown ?? '') ?? [];
      if (number !== undefined)
        expect(Number(number.replaceAll(' ', '')) * (unit === 'MiB' ? 1024 * 1024 : 1), name).to.equal(value);
    }
    expect(rows.get('port')).to.equal(String(DEFAULTS.port));
  });

  it('draws every table of the repository', () => {
    const [, drawing = ''] = repository.split('\n## The schema\n');
    const statements = migrations.flatMap(({ statements }) => statements.sqlite).join('\n');
    const tables = [...statements.matchAll(/CREATE TABLE IF NOT EXISTS (\w+)/g)].map(([, name = '']) => name);
    expect(tables.length).to.be.above(10);
    for (const name of tables) expect(drawing, name).to.match(new RegExp(`\\b${name}\\b`));
  });

  it('has every exception with its status', () => {
    const rows = tableBelow('### Errors').flatMap(([names = '', status = '']) => {
      const statuses = status.split(', ');
      return names.split(', ').map((name, at): [string, number] => [name, Number(statuses[at] ?? statuses[0])]);
    });
    const documented = Object.fromEntries(rows);
    for (const [name, [status]] of Object.entries(PROBLEMS) as [ExceptionName, readonly [number, string]][]) {
      // REST's name for it is ResourceAlreadyExistsException
      if (name !== 'DuplicateNameException') expect(documented[name], name).to.equal(status);
    }
  });
});
