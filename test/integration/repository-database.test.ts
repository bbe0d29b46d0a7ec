// Both databases keep the promises of the port: transactions, cursors, retries, migration by many processes at once.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Database, Values } from '../../epcis/repository/database/database.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { freshMariaDb, startMariaDb, type MariaDb } from '../helpers/mariadb.ts';
import { doAgain, releasedStatements } from '../helpers/released.ts';
import { until } from '../helpers/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'mmeliot-sqlite-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const freshSqlite = async (): Promise<string> => `sqlite://${folder}/${++files}.db`;

/** Those from which a fleet is upgraded VM by VM: the last one before this, until a step of the schema breaks with it. */
const RELEASES = ['0.1.0'];
const NOTHING = { name: 'nothing', statements: { sqlite: [], mysql: [] } };

for (const [kind, freshUrl] of [
  ['sqlite', freshSqlite],
  ['mysql', freshMariaDb],
] as const) {
  describe(`database port on ${kind}`, function () {
    this.timeout(60_000);
    let url: string;
    let database: Database;

    before(async () => {
      url = await freshUrl();
      database = await openDatabase({ url });
      await database.run('CREATE TABLE item (id BIGINT NOT NULL PRIMARY KEY, value VARBINARY(50), big DOUBLE)');
    });
    after(() => database.close());

    it('keeps numbers, texts, bytes and nulls', async () => {
      await database.run('INSERT INTO item VALUES (?, ?, ?), (?, ?, ?)', [
        2 ** 52, new Uint8Array([0, 255]), 0.5, 9_007_199_254_740_993n, null, 7,
      ]); // prettier-ignore
      const rows = await database.all('SELECT value, big FROM item WHERE id IN (?, ?) ORDER BY id', [
        2 ** 52,
        9_007_199_254_740_993n,
      ]);
      expect(rows.map((row) => row['big'])).to.deep.equal([0.5, 7]);
      expect([...(rows[0]?.['value'] as Uint8Array)]).to.deep.equal([0, 255]);
      expect(rows[1]?.['value']).to.equal(null);
      expect(await database.all('SELECT id FROM item LIMIT ?', [1])).to.have.length(1);
      expect(await database.run('DELETE FROM item')).to.equal(2);
    });

    it('rolls back what throws and commits what does not', async () => {
      const failing = database.transaction(async (connection) => {
        await connection.run('INSERT INTO item (id) VALUES (1)');
        throw new Error('no');
      });
      const failure: unknown = await failing.catch((error: unknown) => error);
      expect(failure).to.have.property('message', 'no');
      await database.transaction((connection) => connection.run('INSERT INTO item (id) VALUES (2)'));
      const rows = await database.all('SELECT id FROM item');
      expect(rows.map((row) => Number(row['id']))).to.deep.equal([2]);
    });

    it('lets others in while much is written and read', async () => {
      for (const work of [
        () =>
          database.transaction(async (connection) => {
            for (const end = performance.now() + 100; performance.now() < end;)
              await connection.run('UPDATE item SET big = 1 WHERE id = 2');
          }),
        async () => {
          for (const end = performance.now() + 100; performance.now() < end;)
            for await (const rows of database.stream('SELECT id FROM item WHERE id = ?', [2])) void rows;
        },
      ]) {
        let isOver = false;
        let turns = 0;
        const next = (): unknown => isOver || (turns++, setImmediate(next));
        next();
        await work();
        isOver = true;
        expect(turns).to.be.above(2);
      }
    });

    it('streams, and goes on working after a cursor was left early', async () => {
      for (let id = 100; id < 600; id += 1) await database.run('INSERT INTO item (id) VALUES (?)', [id]);
      let seen = 0;
      for await (const rows of database.stream('SELECT id FROM item WHERE id >= ? ORDER BY id', [100])) {
        for (const [id] of rows) expect(id).to.equal(100 + seen++);
        if (seen > 4) break;
      }
      expect(seen).to.be.within(5, 499);
      let all = 0;
      for await (const rows of database.stream('SELECT id, 1 FROM item WHERE id >= ?', [100]))
        for (const [, one] of rows) all += Number(one);
      expect(all).to.equal(500);
    });

    it('ends a statement that takes too long', async () => {
      const endless = `WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000)
        SELECT i FROM n`;
      const slow = kind === 'mysql' ? 'SELECT SLEEP(30) AS i' : endless;
      const reading = (async () => {
        for await (const rows of database.stream(slow, [], { timeoutMs: 100 })) expect(rows).not.to.be.empty;
      })();
      const failure: unknown = await reading.catch((error: unknown) => error);
      expect(failure).to.have.property('code', 'REPOSITORY_TIMEOUT');
    });

    it('lets writers from several processes add up', async () => {
      await database.run('INSERT INTO item (id, big) VALUES (7, 0)');
      const others = await Promise.all([openDatabase({ url }), openDatabase({ url }), openDatabase({ url })]);
      await Promise.all(
        others.flatMap((other) =>
          Array.from({ length: 20 }, () =>
            other.transaction(async (connection) => {
              await connection.run('UPDATE item SET big = big + 1 WHERE id = 7');
              await connection.run('UPDATE item SET value = ? WHERE id = 2', ['x']);
            }),
          ),
        ),
      );
      expect((await database.all('SELECT big FROM item WHERE id = 7'))[0]?.['big']).to.equal(60);
      await Promise.all(others.map((other) => other.close()));
    });

    it('migrates once when several processes start at the same moment', async () => {
      const fresh = await freshUrl();
      const statements = ['CREATE TABLE IF NOT EXISTS one (id INT)', 'CREATE TABLE IF NOT EXISTS two (id INT)'];
      const steps = [{ version: 1, name: 'two tables', statements: { sqlite: statements, mysql: statements } }];
      const program = `
        import { migrate } from '${import.meta.dirname}/../../epcis/repository/migrate.ts';
        import { openDatabase } from '${import.meta.dirname}/../../epcis/repository/database/open.ts';
        const database = await openDatabase({ url: '${fresh}' });
        console.log((await migrate(database, ${JSON.stringify(steps)})).length);
        await database.close();`;
      const runs = await Promise.all(
        Array.from({ length: 4 }, () =>
          promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', program]),
        ),
      );
      const applied = runs.map((run) => Number(run.stdout)).filter((count) => count > 0);
      expect(applied).to.have.length(1);
      const other = await openDatabase({ url: fresh });
      expect(await migrate(other, steps)).to.deep.equal([]);
      expect(await other.all('SELECT id FROM two')).to.deep.equal([]);
      // a program of the version before runs on, unless what came since says that it cannot
      expect(await migrate(other, [])).to.deep.equal([]);
      await migrate(other, [...steps, { ...NOTHING, version: 2, breaks: true }]);
      const older: unknown = await migrate(other, steps).catch((error: unknown) => error);
      expect(older).to.have.property('message').that.includes('run a newer program');
      await other.close();
    });

    it('serves what the program of each release asks of it, after the newest step of the schema', async () => {
      const newest = await openDatabase({ url: await freshUrl() });
      const refusals = async (release: string): Promise<string[]> => {
        const refused: string[] = [];
        for (const statement of releasedStatements(release, kind))
          await doAgain(newest, statement).catch((error: unknown) =>
            refused.push(`${String(error)}: ${statement.sql}`),
          );
        return refused;
      };
      try {
        await migrate(newest);
        for (const release of RELEASES) expect(await refusals(release)).to.deep.equal([]);
        await newest.run('ALTER TABLE capture_job RENAME COLUMN state TO stage');
        expect(await refusals('0.1.0'), 'a step that breaks is seen').not.to.deep.equal([]);
      } finally {
        await newest.close();
      }
    });
  });
}

describe('a repository file that is written much', function () {
  this.timeout(60_000);

  const ADD = 'INSERT INTO item (text) VALUES (?)';
  const MUCH: readonly (readonly [what: string, rows: number, write: (database: Database) => Promise<unknown>])[] = [
    [
      'by many statements',
      1100,
      (database) =>
        database.transaction(async (connection) => {
          for (let n = 0; n < 1100; n += 1) await connection.run(ADD, ['small']);
        }),
    ],
    // whoever commits copies what a log of 128 MB holds, and answers nobody meanwhile
    [
      'by few of large rows, each for itself',
      20,
      async (database) => {
        for (let n = 0; n < 20; n += 1) await database.run(ADD, ['x'.repeat(2 ** 20)]);
      },
    ],
  ];
  for (const [what, rows, write] of MUCH)
    it(`takes in what its log holds meanwhile, and leaves no log behind: ${what}`, async () => {
      const file = join(folder, `much-${rows}.db`);
      const database = await openDatabase({ url: `sqlite://${file}` });
      await database.run('CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)');
      await write(database);
      await until('the log was copied', async () => {
        const [state] = await database.all('PRAGMA wal_checkpoint(NOOP)');
        return Number(state?.['log']) > 0 && state?.['checkpointed'] === state?.['log'];
      });
      await database.close();
      expect(existsSync(`${file}-wal`)).to.equal(false);
      const again = await openDatabase({ url: `sqlite://${file}` });
      expect(await again.all('SELECT COUNT(*) AS n FROM item')).to.deep.equal([{ n: rows }]);
      await again.close();
    });
});

describe('a repository file that another process writes to', function () {
  it('is not kept locked while others of this process are let in, by as little as a capture of some events', async () => {
    const database = await openDatabase({ url: `sqlite://${join(folder, 'small.db')}` });
    await database.run('CREATE TABLE item (id INTEGER PRIMARY KEY)');
    let isLocked = false;
    const letIn = await database.transaction(async (connection) => {
      isLocked = true;
      let during = false;
      setImmediate(() => (during = isLocked));
      for (let id = 0; id < 50; id += 1) {
        // as on a tenth of a core, whose next piece of time is long in coming
        if (id % 20 === 0) for (const end = performance.now() + 6; performance.now() < end;);
        await connection.run('INSERT INTO item VALUES (?)', [id]);
      }
      return during;
    });
    isLocked = false;
    expect(letIn).to.equal(false);
    await database.close();
  });

  it('keeps a writer waiting, and nobody else of its process', async () => {
    const file = join(folder, 'held.db');
    const database = await openDatabase({ url: `sqlite://${file}` });
    await database.run('CREATE TABLE t (n INT)');
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
    const before = performance.eventLoopUtilization();
    let written = false;
    const writing = Promise.all([
      database.run('INSERT INTO t VALUES (2)'),
      database.transaction((connection) => connection.run('INSERT INTO t VALUES (3)')),
    ]).then(() => (written = true));
    // as long as another's capture of a document may take
    for (const end = performance.now() + 400; performance.now() < end;)
      await new Promise((done) => setTimeout(done, 1));
    expect(written).to.equal(false);
    // asleep in SQLite it would be busy nearly all of the time
    expect(performance.eventLoopUtilization(before).utilization).to.be.below(0.5);
    other.exec('COMMIT');
    other.close();
    await writing;
    expect(await database.all('SELECT COUNT(*) AS n FROM t')).to.deep.equal([{ n: 3 }]);
    await database.close();
  });
});

describe('a database that is not there', function () {
  this.timeout(60_000);

  it('says so in one sentence, without the password', async () => {
    const url = 'mysql://someone:secret@127.0.0.1:1/epcis';
    const failure: unknown = await openDatabase({ url }).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'REPOSITORY_UNREACHABLE');
    expect(failure).to.have.property(
      'message',
      'The repository database epcis at 127.0.0.1:1 cannot be reached as user "someone" (ECONNREFUSED).',
    );
    const refused: unknown = await openDatabase({ url: 'postgres://x' }).catch((error: unknown) => error);
    expect(refused).to.have.property('code', 'REPOSITORY_URL');
    const folderOnly: unknown = await openDatabase({ url: `sqlite://${folder}` }).catch((error: unknown) => error);
    expect(folderOnly).to.have.property('code', 'REPOSITORY_UNREACHABLE');
  });
});

describe('a database that is made read only by its operator', function () {
  this.timeout(60_000);

  it('keeps who waits for a row no longer than clients wait', async () => {
    const database = await openDatabase({ url: await freshMariaDb() });
    const [row] = await database.all('SELECT @@innodb_lock_wait_timeout AS seconds');
    expect(Number(row?.['seconds'])).to.equal(20);
    await database.close();
  });
});

describe('a database whose operator bounds what anybody reads', function () {
  this.timeout(60_000);

  it('shows all there is, not the first rows of it', async () => {
    const url = await freshMariaDb();
    const before = await openDatabase({ url });
    await before.run('CREATE TABLE item (id INT)');
    await before.run('INSERT INTO item VALUES (1), (2), (3)');
    await before.all('SET GLOBAL sql_select_limit = 2');
    try {
      const database = await openDatabase({ url, readUrl: url, poolSize: 1 });
      expect(await database.all('SELECT id FROM item')).to.have.length(3);
      expect(await database.replica?.all('SELECT id FROM item')).to.have.length(3);
      await database.close();
    } finally {
      await before.all('SET GLOBAL sql_select_limit = 18446744073709551615');
      await before.close();
    }
  });
});

describe('a database whose operator has it commit nothing by itself', function () {
  this.timeout(60_000);

  it('is worked with as any other, and shows what others commit', async () => {
    const url = await freshMariaDb();
    const before = await openDatabase({ url });
    await before.run('CREATE TABLE item (id INT)');
    await before.all('SET GLOBAL autocommit = 0');
    try {
      const database = await openDatabase({ url, poolSize: 1 });
      expect(await database.all('SELECT id FROM item')).to.deep.equal([]);
      await before.run('INSERT INTO item VALUES (1)');
      expect(await database.all('SELECT id FROM item')).to.have.length(1);
      await database.run('INSERT INTO item VALUES (2)');
      expect(await before.all('SELECT id FROM item')).to.have.length(2);
      await database.close();
    } finally {
      await before.all('SET GLOBAL autocommit = 1');
      await before.close();
    }
  });
});

describe('a read URL', function () {
  this.timeout(60_000);

  it('is where queries read, and nothing else; the primary answers where it fails', async () => {
    const [url, readUrl] = [await freshMariaDb(), await freshMariaDb()];
    const replica = await openDatabase({ url: readUrl });
    await replica.run('CREATE TABLE item (id INT)');
    const read = async (database: Database): Promise<number> => {
      let count = 0;
      for await (const rows of database.stream('SELECT id FROM item')) for (const [id] of rows) count += Number(id);
      return count;
    };
    const database = await openDatabase({ url, readUrl });
    await database.run('CREATE TABLE item (id INT)');
    await database.run('INSERT INTO item VALUES (5)');
    expect(await read(database)).to.equal(0);
    expect(await database.all('SELECT id FROM item')).to.have.length(1);
    const lonely = await openDatabase({ url, readUrl: 'mysql://root@127.0.0.1:1/none' });
    expect(await read(lonely)).to.equal(5);
    await Promise.all([replica, database, lonely].map((each) => each.close()));
  });
});

describe('a database server that restarts', function () {
  this.timeout(60_000);
  let server: MariaDb;
  before(async () => {
    server = await startMariaDb();
  });
  after(() => server.stop());

  it('lets no query wait for ever that it was answering', async () => {
    const database = await openDatabase({ url: server.url('test') });
    const firstOf = async (rows: AsyncIterable<readonly Values[]>): Promise<readonly Values[] | undefined> => {
      for await (const some of rows) return some;
      return undefined;
    };
    const answer = firstOf(database.stream('SELECT SLEEP(2)'));
    const isAtWork = async (): Promise<boolean> =>
      (await database.all(`SELECT 1 FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'`)).length > 0;
    await until('the server is at the query', isAtWork);
    await server.kill();
    await server.start();
    expect(await answer).to.deep.equal([[0]]);
    await database.close();
  });

  it('costs a retry, not an outage; the next host of the URL takes over', async () => {
    const url = server.url('restarted').replace('127.0.0.1', '127.0.0.1:1,127.0.0.1');
    const database = await openDatabase({ url });
    await database.run('CREATE TABLE item (id BIGINT NOT NULL PRIMARY KEY)');
    await server.kill();
    const writing = database.transaction((connection) => connection.run('INSERT INTO item VALUES (1)'));
    const reading = database.all('SELECT COUNT(*) AS n FROM item');
    await server.start();
    await Promise.all([writing, reading]);
    expect(await database.all('SELECT id FROM item')).to.have.length(1);
    await database.close();
  });
});
