import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { exposedAmong, watchExposed } from '../../../src/manager/exposed-files.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { until } from '../../helpers/until.ts';

describe('files that every user of the machine may read', () => {
  const folder = temporaryFolder();
  const inner = join(folder.path, 'inner');
  const file = join(inner, 'secret');
  before(() => {
    chmodSync(folder.path, 0o755);
    mkdirSync(inner);
    writeFileSync(file, 'hush');
  });
  after(() => folder.remove());

  const modes = (ofFolder: number, ofFile: number) => {
    chmodSync(inner, ofFolder);
    chmodSync(file, ofFile);
  };

  it('are those whose mode says so, in folders that everybody may enter', async () => {
    modes(0o755, 0o644);
    expect(await exposedAmong([file, file, join(inner, 'none')])).to.deep.equal([file]);
    modes(0o750, 0o644);
    expect(await exposedAmong([file])).to.deep.equal([]);
    modes(0o711, 0o640);
    expect(await exposedAmong([file])).to.deep.equal([]);
  });

  it('are seen when that changes', async () => {
    modes(0o755, 0o600);
    const watch = await watchExposed([file], 10);
    expect(watch.newest()).to.deep.equal([]);
    modes(0o755, 0o604);
    await until('it is seen', () => watch.newest().length === 1);
    await watch.close();
  });
});
