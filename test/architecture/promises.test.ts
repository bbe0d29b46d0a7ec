// What README.md, docs/promises.md and SECURITY.md promise is backed: by tests, commands, faults and fuzz targets that exist.
import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { FAULTS } from '../chaos/faults/index.ts';
import { TARGETS } from '../fuzz/targets.ts';

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

for (const file of ['README.md', 'docs/promises.md', 'SECURITY.md', 'test/README.md']) {
  it(`${file} names what exists`, () => {
    const text = readFileSync(file, 'utf8');
    const tests = new Set(globSync('test/**/*.test.ts').map((path) => basename(path)));
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const named = all(text, /`([\w-]+\.test\.ts)`/g);
    expect(named.filter((name) => !tests.has(name))).to.deep.equal([]);
    expect(all(text, /npm run (?:-\S+ )*([\w:]+[\w:-]*)/g).filter((name) => scripts[name] === undefined)).to.deep.equal(
      [],
    );
    const faults = all(text, /--fault ([a-z][\w-]+)/g);
    expect(faults.filter((name) => !FAULTS.some((one) => one.name === name))).to.deep.equal([]);
    const targets = all(text, /fuzz targets? ((?:`[\w-]+`(?:, )?)+)/g).flatMap((names) => all(names, /`([\w-]+)`/g));
    expect(targets.filter((name) => !TARGETS.some((one) => one.name === name))).to.deep.equal([]);
    expect(named.length).to.be.greaterThan(0);
  });
}
