// A newcomer finds each file by the README beside it.
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect } from 'chai';
import { FOLDERS } from './folders.ts';

const PROGRAMS = FOLDERS.filter((folder) => !['packaging', 'test'].includes(folder));

it('each file of code is named by the README beside it', () => {
  const readmes = globSync(PROGRAMS.map((folder) => `${folder}/**/README.md`));
  const missing = readmes.flatMap((readme) => {
    const text = readFileSync(readme, 'utf8');
    const named = new Set(Array.from(text.matchAll(/[\w.-]+\.[jt]s\b/g), ([name]) => basename(name)));
    const files = globSync(`${dirname(readme)}/*.{js,ts}`).map((file) => basename(file));
    return files.filter((file) => !named.has(file)).map((file) => `${readme}: ${file}`);
  });
  expect(missing).to.deep.equal([]);
  expect(readmes.length).to.be.greaterThan(20);
});
