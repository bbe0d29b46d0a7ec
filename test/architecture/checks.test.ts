// What `npm run check` says, beside the other tests instead of before them; the walls have tests of their own.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);

describe('the tree', function () {
  this.timeout(400_000); // longest of all, so that it begins first

  for (const check of ['types', 'lint', 'format', 'supply']) {
    it(`passes npm run check:${check}`, async () => {
      const found = await run('npm', ['run', '--silent', `check:${check}`], { maxBuffer: 1e9 }).then(
        () => '',
        ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}` || 'it ended without a word',
      );
      expect(found).to.equal('');
    });
  }
});
