// What must make the suite red does, and its last line says so: one planted file of each kind beside one that passes.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { temporaryFolder } from '../helpers/mmeliot.ts';

const run = promisify(execFile);

const PLANTS = {
  fails: `it('fails', () => { throw new Error('planted'); });`,
  'fails in a hook': `describe('hook', () => { before(() => { throw new Error('planted'); }); it('is not reached', () => {}); });`,
  'cannot be loaded': `import './nothing.ts';`,
  'runs only one': `it.only('one', () => {}); it('two', () => {});`,
  'skips one': `it.skip('one', () => {});`,
  'ends the process': `it('ends it', () => process.exit(0));`,
  'rejects without a handler': `it('rejects', () => { void Promise.reject(new Error('planted')); return new Promise(() => {}); });`,
};

describe('the whole suite', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('fails for each file that fails, whichever way', async () => {
    for (const [name, text] of Object.entries({ ...PLANTS, passes: `it('passes', () => {});` }))
      writeFileSync(join(folder.path, `${name.replaceAll(' ', '-')}.test.ts`), text);
    const { code, stdout } = (await run(process.execPath, ['test/run.ts', `${folder.path}/*.test.ts`]).catch(
      (error: unknown) => error,
    )) as { code: number; stdout: string };
    expect(code).to.be.greaterThan(0);
    const failed = Object.keys(PLANTS).length;
    expect(stdout.trim().split('\n').at(-1)).to.equal(`1 passed, ${failed} failed`);
  });
});
