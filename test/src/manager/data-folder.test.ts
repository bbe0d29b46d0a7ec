import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { groupSecret, openDataFolder, type DataFolder } from '../../../src/manager/data-folder.ts';
import { temporaryFolder, type TemporaryFolder } from '../../helpers/temporary-folder.ts';

describe("the group's secret", () => {
  let temporary: TemporaryFolder;
  let folder: DataFolder;
  let file: string;
  beforeEach(() => {
    temporary = temporaryFolder();
    folder = openDataFolder(temporary.path);
    file = folder.file('secret');
  });
  afterEach(() => {
    folder.unlock();
    temporary.remove();
  });
  const nobody = () => Promise.resolve(undefined);

  it('is made once, whole, where only this user reads it; a configured one stands before it', async () => {
    const secret = await groupSecret('', folder, nobody);
    expect(secret).to.match(/^[\w-]{32}$/);
    expect(readFileSync(file, 'utf8')).to.equal(secret);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readdirSync(temporary.path).sort()).to.deep.equal(['lock', 'secret']);
    expect(await groupSecret('', folder, () => Promise.reject(new Error('not asked')))).to.equal(secret);
    expect(await groupSecret('configured', folder, nobody)).to.equal('configured');
  });

  it('is that of VMs that are there, also where a stop of the machine left an empty file', async () => {
    writeFileSync(file, '');
    expect(await groupSecret('', folder, () => Promise.resolve('theirs'))).to.equal('theirs');
    expect(readFileSync(file, 'utf8')).to.equal('theirs');
  });

  it('is in a folder that nobody else may enter, where that was made for it', () => {
    const made = openDataFolder(join(temporary.path, 'new', 'data'));
    expect(statSync(made.path).mode & 0o777).to.equal(0o700);
    made.unlock();
  });

  it('is not made anew because it cannot be read', async () => {
    mkdirSync(file);
    const said = await groupSecret('', folder, nobody).catch((error: Error) => error.message);
    expect(said).to.match(/secret cannot be read \(EISDIR\)/);
  });
});
