import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ERRORS } from '../../src/errors.ts';

describe('errors', () => {
  it('are all documented, word for word', () => {
    const rows = [...readFileSync('src/README.md', 'utf8').matchAll(/^\| `([A-Z_]+)` +\| (.*?) +\|$/gm)];
    expect(Object.fromEntries(rows.map(([, code, what]) => [code, what]))).to.deep.equal(ERRORS);
  });
});
