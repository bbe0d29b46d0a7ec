import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolders } from '../../../src/files/make-folder.ts';
import { temporaryFolder, type TemporaryFolder } from '../../helpers/temporary-folder.ts';

describe('folders', () => {
  let folder: TemporaryFolder;

  before(() => {
    folder = temporaryFolder();
  });

  after(() => folder.remove());

  it('are made with all above them, and left as they are where they are there', () => {
    const path = join(folder.path, 'a', 'b', 'c');
    makeFolders(path, 0o700);
    expect(statSync(path).mode & 0o777).to.equal(0o700);
    makeFolders(join(folder.path, 'a'), 0o755);
    expect(statSync(join(folder.path, 'a')).mode & 0o777).to.equal(0o700);
    mkdirSync(join(folder.path, 'real'));
    symlinkSync(join(folder.path, 'real'), join(folder.path, 'link'));
    makeFolders(join(folder.path, 'link', 'inside'));
    expect(statSync(join(folder.path, 'real', 'inside')).isDirectory()).to.equal(true);
  });

  it('are not made of files, below them, or behind links to nowhere', () => {
    writeFileSync(join(folder.path, 'file'), '');
    symlinkSync(join(folder.path, 'nowhere', 'x'), join(folder.path, 'dangling'));
    for (const [path, code] of [
      ['file', 'EEXIST'],
      ['file/below', 'ENOTDIR'],
      ['dangling', 'EEXIST'],
    ] as const)
      expect(() => makeFolders(join(folder.path, path)), path)
        .to.throw()
        .with.property('code', code);
  });

  it('end where a file system lets nobody make any', () => {
    // in a process of its own, which can be killed: Node's mkdirSync never comes back from there
    const module = JSON.stringify(new URL('../../../src/files/make-folder.ts', import.meta.url).href);
    const code = `import(${module}).then(({ makeFolders }) => makeFolders('/proc/mmeliot/none')).catch((error) => process.stdout.write(error.code))`;
    const { stdout } = spawnSync(process.execPath, ['--no-warnings', '-e', code], {
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    expect(String(stdout)).to.equal('ENOENT');
  }).timeout(70_000);
});
