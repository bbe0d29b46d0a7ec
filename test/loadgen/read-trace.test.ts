import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { readTrace } from '../../loadgen/read-trace.ts';
import { temporaryFolder, type TemporaryFolder } from '../helpers/temporary-folder.ts';

describe('the file of a trace', () => {
  let folder: TemporaryFolder;

  before(() => {
    folder = temporaryFolder();
  });

  after(() => folder.remove());

  const TEXT = 'step,requests\n0,5\n1,7\n';
  for (const [what, name, content] of [
    ['as it is', 'load-15min.csv', Buffer.from(TEXT)],
    ['packed', 'load-15min.csv.gz', gzipSync(TEXT)],
    ['as Windows writes it', 'windows-15min.csv', Buffer.from(`\uFEFF${TEXT}`, 'utf16le')],
  ] as const)
    it(`is read ${what}`, async () => {
      const path = join(folder.path, name);
      await writeFile(path, content);
      expect(await readTrace(path)).to.eql({ interval: 900_000, counts: [5, 7] });
    });

  it('is refused with one sentence where it is not there, or broken', async () => {
    const told = (path: string) => readTrace(path).catch((error: Error) => error.message);
    expect(await told(join(folder.path, 'none'))).to.match(/can't be read \(ENOENT\)\.$/);
    await writeFile(join(folder.path, 'broken.gz'), gzipSync(TEXT).subarray(0, 20));
    expect(await told(join(folder.path, 'broken.gz'))).to.match(/can't be unpacked: .+\.$/);
  });
});
