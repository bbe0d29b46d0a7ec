import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
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
    ['packed by zstd', 'load-15min.csv.zst', zstdCompressSync(TEXT)],
    ['in UTF-16 of the other order', 'other-15min.csv', Buffer.from(`\uFEFF${TEXT}`, 'utf16le').swap16()],
    [
      'as Excel writes it in France',
      'excel-15min.csv',
      Buffer.from('Période;Nombre de requêtes\r\n0;5\r\n1;7\r\n', 'latin1'),
    ],
    ['as Windows writes it', 'windows-15min.csv', Buffer.from(`\uFEFF${TEXT}`, 'utf16le')],
  ] as const)
    it(`is read ${what}`, async () => {
      const path = join(folder.path, name);
      await writeFile(path, content);
      expect(await readTrace(path)).to.eql({ interval: 900_000, counts: [5, 7] });
    });

  it('is refused with one sentence where it is too large for a text, however small it is packed', async () => {
    const path = join(folder.path, 'large.csv');
    await writeFile(path, '1\n');
    await truncate(path, 500_000_001); // of which the disk holds nothing
    const told = (file: string, most?: number) => readTrace(file, most).catch((error: Error) => error.message);
    expect(await told(path)).to.contain('has more than 500 MB of text');
    await rm(path);
    await writeFile(`${path}.gz`, gzipSync('1\n'.repeat(100_001)));
    expect(await told(`${path}.gz`, 2e5)).to.contain('has more than 0.2 MB of text');
    expect(await told(`${path}.gz`, 3e5)).to.have.nested.property('counts.length', 100_001);
  });

  it('is refused with one sentence where it is not there, or broken', async () => {
    const told = (path: string) => readTrace(path).catch((error: Error) => error.message);
    expect(await told(join(folder.path, 'none'))).to.match(/can't be read \(ENOENT\)\.$/);
    await writeFile(join(folder.path, 'broken.gz'), gzipSync(TEXT).subarray(0, 20));
    expect(await told(join(folder.path, 'broken.gz'))).to.match(/can't be unpacked: .+\.$/);
    for (const [content, what] of [
      ['\xfd7zXZ\x00\x00', 'is packed by xz'],
      ['BZh91AY', 'is packed by bzip2'],
      ['PK\x03\x04', 'is a zip archive, or a sheet of Excel'],
      ['PAR1', 'is Parquet'],
      ['1,2\0', 'is no text'],
      ['{"data": {"result": []}}', 'is JSON of another form'],
      ['\uFEFF [{"time": 1, "counts": [1, 2]}]', 'is JSON of another form'],
    ] as const) {
      await writeFile(join(folder.path, 'other'), content, content.startsWith('\uFEFF') ? 'utf8' : 'latin1');
      expect(await told(join(folder.path, 'other'))).to.contain(what);
    }
  });
});
