import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openLines } from '../../loadgen/line-file.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

describe('a file of lines', () => {
  it('has each of them when it is closed', async () => {
    const folder = temporaryFolder();
    const file = join(folder.path, 'lines.jsonl');
    const lines = openLines(file, () => expect.fail('it is written'));
    for (const n of [1, 2]) lines.add({ n });
    await lines.close();
    expect(readFileSync(file, 'utf8')).to.equal('{"n":1}\n{"n":2}\n');
    folder.remove();
  });

  it('tells at once, and at its end, that its disk is full, and takes what comes later for nothing', async () => {
    const { promise: failure, resolve } = Promise.withResolvers<Error>();
    const lines = openLines('/dev/full', resolve);
    lines.add({ n: 1 });
    expect((await failure).message).to.match(/^ENOSPC/);
    lines.add({ n: 2 });
    const closed = await lines.close().catch((error: Error) => error.message);
    expect(closed).to.match(/^ENOSPC/);
  });
});
