import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openStateFile } from '../../../src/manager/state-file.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

describe("the file of the manager's state", () => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'manager-state.json');
  const store = openStateFile(file);
  after(() => folder.remove());

  it('has what was saved last, and is none before', async () => {
    expect(await store.load()).to.equal(undefined);
    const saved = [1, 2, 3].map((failures) => ({ entries: [], changes: { max: failures } }));
    await Promise.all(saved.map((state) => store.save(state)));
    expect(await store.load()).to.deep.equal(saved.at(-1));
  });

  it('is not begun anew because it is damaged, whatever stands there', async () => {
    for (const text of ['', '{"entries":[', '{}', '[]', 'null', '"state"', '{"entries":{},"changes":{}}']) {
      writeFileSync(file, text);
      expect(await store.load().catch(String), text).to.match(/is damaged: put it aside/);
    }
    rmSync(file);
    mkdirSync(file);
    expect(await store.load().catch(String)).to.match(/cannot be read \(EISDIR\)/);
  });
});
