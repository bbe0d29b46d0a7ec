import { expect } from 'chai';
import { join } from 'node:path';
import { openSqlite } from '../../../../epcis/repository/database/sqlite.ts';
import { CommittedLog } from '../../../../epcis/repository/database/sqlite-log.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

/** A disk that is as slow as the test says. */
class Disk {
  readonly #busy: PromiseWithResolvers<void>[] = [];
  ways = 0;

  readonly log = {
    toDisk: () => {
      this.ways += 1;
      const way = Promise.withResolvers<void>();
      this.#busy.push(way);
      return way.promise;
    },
    close: () => Promise.resolve(),
  };

  async busy(): Promise<void> {
    while (this.#busy.length === 0) await new Promise(setImmediate);
  }

  async done(error?: Error): Promise<void> {
    await this.busy();
    const way = this.#busy.shift();
    if (error === undefined) way?.resolve();
    else way?.reject(error);
    await new Promise(setImmediate);
  }
}

describe('what SQLite committed', () => {
  it('goes to the disk once for all who wait for it, and again for those who committed meanwhile', async () => {
    const disk = new Disk();
    const log = new CommittedLog(disk.log);
    const safe: string[] = [];
    const commit = (name: string) => void log.safe().then(() => safe.push(name));
    commit('a');
    await new Promise(setImmediate);
    commit('b');
    commit('c');
    expect(disk.ways).to.equal(1);
    await disk.done();
    expect([safe, disk.ways]).to.deep.equal([['a'], 2]);
    await disk.done();
    expect([safe, disk.ways]).to.deep.equal([['a', 'b', 'c'], 2]);
  });

  it('is not said to be safe where the disk does not take it, and the next is tried again', async () => {
    const disk = new Disk();
    const log = new CommittedLog(disk.log);
    const first = log.safe().catch((error: Error) => error.message);
    await disk.done(new Error('EIO'));
    expect(await first).to.equal('The disk does not take what is written to it: EIO.');
    const again = log.safe().then(() => 'safe');
    await disk.done();
    expect(await again).to.equal('safe');
  });

  it('is acknowledged when it is on the disk, and others are answered while the disk works', async () => {
    const folder = temporaryFolder();
    const disk = new Disk();
    const files: string[] = [];
    const database = await openSqlite(join(folder.path, 'a.db'), (file) => {
      files.push(file);
      return disk.log;
    });
    try {
      expect(files).to.deep.equal([join(folder.path, 'a.db-wal')]);
      const made = database.transaction((connection) => connection.run('CREATE TABLE t (a INTEGER)'));
      await disk.done();
      await made;
      const before = disk.ways;
      const acknowledged: string[] = [];
      const note = (name: string) => () => acknowledged.push(name);
      const first = database.run('INSERT INTO t VALUES (1)').then(note('run'));
      await disk.busy();
      const second = database
        .transaction((connection) => connection.run('INSERT INTO t VALUES (2)'))
        .then(note('transaction'));
      const count = async () => (await database.all('SELECT a FROM t')).length;
      while ((await count()) < 2) await new Promise(setImmediate);
      expect(acknowledged).to.deep.equal([]);
      await disk.done();
      await first;
      expect(acknowledged).to.deep.equal(['run']);
      await disk.done();
      await second;
      expect(disk.ways).to.equal(before + 2);
      await database.transaction((connection) => connection.all('SELECT a FROM t'));
      expect(disk.ways, 'who only reads does not wait').to.equal(before + 2);
    } finally {
      await database.close();
      folder.remove();
    }
  });
});
