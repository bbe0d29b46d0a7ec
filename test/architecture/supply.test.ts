import { expect } from 'chai';
import { installed, supplyFindings, type Locked } from './supply.ts';

const good: Locked = { version: '1.2.3', integrity: 'sha512-abc', license: 'MIT' };
const findings = (one: Locked, manifest = {}) =>
  supplyFindings(manifest, { packages: { '': {}, 'node_modules/a': one } });

describe('what may come from others', () => {
  it('is fine with one version, its hash, no scripts and a licence that asks for little', () => {
    expect(findings(good, { dependencies: { a: '1.2.3' } })).to.deep.equal([]);
  });

  const wrong: readonly (readonly [string, Locked, object, RegExp])[] = [
    ['a range of versions', good, { devDependencies: { a: '^1.2.3' } }, /a is asked for as \^1\.2\.3/],
    ['a package without its hash', { ...good, integrity: '' }, {}, /no SHA-512/],
    ['a package by a weaker hash', { ...good, integrity: 'sha1-abc' }, {}, /no SHA-512/],
    ['a package from elsewhere', { ...good, resolved: 'git+ssh://git@x/y' }, {}, /comes from git/],
    [
      'a script that nobody allowed',
      { ...good, hasInstallScript: true },
      { allowScripts: { b: true } },
      /runs a script/,
    ],
    ['a licence that asks for more', { ...good, license: 'AGPL-3.0' }, {}, /the licence AGPL-3\.0/],
    ["a tool's licence in an installation", { ...good, license: 'Python-2.0' }, {}, /the licence Python-2\.0/],
  ];
  for (const [what, one, manifest, finding] of wrong) {
    it(`finds ${what}`, () => {
      const [first = '', ...more] = findings(one, manifest);
      expect(first).to.match(finding);
      expect(more).to.deep.equal([]);
    });
  }

  it('names what an installation gets, without tools', () => {
    const packages = {
      '': {},
      'node_modules/@a/b': good,
      'node_modules/c/node_modules/d': good,
      'node_modules/e': { ...good, dev: true },
    };
    expect(installed({ packages })).to.deep.equal(['@a/b@1.2.3', 'd@1.2.3']);
  });
});
