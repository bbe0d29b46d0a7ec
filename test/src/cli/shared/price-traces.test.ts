import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readPriceTraces } from '../../../../src/cli/shared/price-traces.ts';

describe('files of recorded prices', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-prices-'));
  after(() => rmSync(folder, { recursive: true }));
  const TEXT = 'time,price\n2015-03-11T16:54:38Z,0.0324\n';
  const file = (name: string, bytes: Buffer | string) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };

  it('may be zipped, in the encoding of Windows, and many in a folder', async () => {
    file('a-us-east-1a.csv', TEXT);
    file('b-us-east-1a.csv.gz', gzipSync(TEXT));
    file('c-us-east-1a.csv', Buffer.from(`\uFEFF${TEXT}`, 'utf16le'));
    file('README.md', 'no prices');
    const traces = await readPriceTraces(folder);
    expect(traces.map(({ pool }) => pool)).to.deep.equal(['us-east-1a/a', 'us-east-1a/b', 'us-east-1a/c']);
    expect(new Set(traces.map(({ points }) => JSON.stringify(points))).size).to.equal(1);
  });

  it('that are cut off are refused', async () => {
    const cut = file('d-us-east-1a.csv.gz', gzipSync(TEXT).subarray(0, 20));
    const error = await readPriceTraces(cut).then(
      () => expect.fail('it was read'),
      (reason: unknown) => reason as Error,
    );
    expect(error.message).to.match(/^The price trace .*d-us-east-1a\.csv\.gz can't be unzipped: .*\.$/);
  });
});
