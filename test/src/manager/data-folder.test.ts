import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { groupSecret, inTheWay, openDataFolder, type DataFolder } from '../../../src/manager/data-folder.ts';
import { openJournalFile } from '../../../src/manager/journal-file.ts';
import { openPastFile } from '../../../src/manager/past-file.ts';
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

describe('the lock of a data folder', () => {
  const temporary = temporaryFolder();
  const lock = join(temporary.path, 'lock');
  /** Nobody's: no process has that number. */
  const LEFT = JSON.stringify({ pid: 2 ** 30, start: 1 });
  after(() => temporary.remove());

  it('is taken over from one that was killed, by one of those that start at once', async function () {
    this.timeout(30_000);
    const gate = new SharedArrayBuffer(4);
    const round = new Int32Array(gate);
    const racers = [1, 2, 3, 4].map(
      () =>
        new Worker(new URL('../../helpers/lock-racer.ts', import.meta.url), {
          workerData: { path: temporary.path, gate },
        }),
    );
    const said = () => Promise.all(racers.map(async (racer) => String((await once(racer, 'message'))[0])));
    try {
      await said();
      for (let i = 0; i < 100; i++) {
        writeFileSync(lock, LEFT);
        const all = said();
        Atomics.add(round, 0, 1);
        Atomics.notify(round, 0);
        expect((await all).toSorted()).to.deep.equal([...new Array<string>(3).fill('ALREADY_RUNNING'), 'opened']);
        rmSync(lock);
      }
      expect(readdirSync(temporary.path)).to.deep.equal([]);
    } finally {
      Atomics.store(round, 0, -1);
      Atomics.notify(round, 0);
      await Promise.all(racers.map((racer) => racer.terminate()));
    }
  });

  for (const [what, text] of [
    ['is empty', ''],
    ['is cut off', '{"pid":'],
    ['says nothing', 'null'],
  ] as const)
    it(`is taken over where what was left ${what}`, () => {
      writeFileSync(lock, text);
      openDataFolder(temporary.path).unlock();
      expect(readdirSync(temporary.path)).to.deep.equal([]);
    });

  it('is taken over where what was left is a link to nowhere', () => {
    symlinkSync('/nowhere/lock', lock);
    openDataFolder(temporary.path).unlock();
    expect(readdirSync(temporary.path)).to.deep.equal([]);
  });

  it('is left to another that began anew where the folder was removed meanwhile', () => {
    const folder = openDataFolder(temporary.path);
    const others = JSON.stringify({ pid: process.ppid });
    writeFileSync(lock, others);
    folder.unlock();
    expect(readFileSync(lock, 'utf8')).to.equal(others);
    rmSync(lock);
  });

  it('is told in a sentence where something else stands in its place', () => {
    mkdirSync(lock);
    expect(() => openDataFolder(temporary.path)).to.throw(/^dataDir .* cannot be written \(.*EISDIR\): /);
    expect(readdirSync(temporary.path)).to.deep.equal(['lock']);
    rmSync(lock, { recursive: true });
  });
});

describe('a data folder whose path is too long', () => {
  it('is told with what to do', () => {
    const path = join('/tmp', ...Array.from({ length: 25 }, () => 'x'.repeat(200)));
    expect(() => openDataFolder(path)).to.throw(/cannot be made \(ENAMETOOLONG\): name one with a shorter path\.$/);
  });
});

describe('what stands in the place of a file or folder of ours', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  const OPENERS: Readonly<Record<string, () => unknown>> = {
    'journal.jsonl': () => openJournalFile({ folder: folder.path }),
    past: () => openPastFile({ folder: join(folder.path, 'past'), onProblem: () => undefined }),
  };
  const THINGS: Readonly<Record<string, (at: string) => void>> = {
    'a file': (at) => writeFileSync(at, ''),
    'a folder': (at) => mkdirSync(at),
    'a link to itself': (at) => symlinkSync(at, at),
  };
  for (const [name, thing] of [
    ['journal.jsonl', 'a folder'],
    ['journal.jsonl', 'a link to itself'],
    ['past', 'a file'],
    ['past', 'a link to itself'],
  ] as const)
    it(`is told in a sentence: ${thing} in the place of ${name}`, async () => {
      const at = join(folder.path, name);
      THINGS[thing]?.(at);
      const error = await Promise.resolve()
        .then(OPENERS[name])
        .catch((thrown: unknown) => inTheWay(thrown, folder));
      expect(String(error)).to.match(
        /^MmeliotError: \S.* cannot be used \(E[A-Z]+\): something else stands there, .*\.$/,
      );
      expect(String(error)).to.contain(folder.path);
      rmSync(at, { recursive: true });
    });

  it('is none of ours where it is elsewhere, or another fault', () => {
    const elsewhere = Object.assign(new Error('no'), { code: 'ENOENT', path: '/elsewhere/x' });
    const other = Object.assign(new Error('no'), { code: 'EMFILE', path: join(folder.path, 'x') });
    for (const error of [elsewhere, other, new Error('no')]) expect(inTheWay(error, folder)).to.equal(error);
  });
});
