// Queries read from a replica (`repository.readUrl`): it may lag, break, refuse, say nothing any more or be promoted.
import { expect } from 'chai';
import fc from 'fast-check';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import type { OpenDatabase } from '../../epcis/repository/database/database.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { watchReplica } from '../../src/manager/replica-watch.ts';
import { anyEvent, itemsOf } from '../helpers/epcis-samples.ts';
import { ask, startReplicated, type Replicated } from '../helpers/replicated.ts';
import { until } from '../helpers/until.ts';

describe('a replica that queries read from', function () {
  this.timeout(120_000);
  let servers: Replicated;
  let database: OpenDatabase;
  before(async () => {
    servers = await startReplicated();
    // nobody who may write to what is read only
    await ask(servers.primary, "CREATE USER epcis@'127.0.0.1'", "GRANT ALL ON shop.* TO epcis@'127.0.0.1'");
    const [url, readUrl] = [urlOf(servers.primary), urlOf(servers.replica)];
    await servers.caughtUp();
    database = await openDatabase({ url, readUrl });
    await database.run('CREATE TABLE item (id INT PRIMARY KEY)');
    await database.run('INSERT INTO item VALUES (1)');
    await servers.caughtUp();
  });
  after(async () => {
    await database.close();
    await servers.stop();
  });

  const urlOf = (server: Replicated['primary']): string => server.url('shop').replace('root@', 'epcis@');
  const read = async (from = database): Promise<number> => {
    let count = 0;
    for await (const rows of from.stream('SELECT id FROM item')) count += rows.length;
    return count;
  };
  const count = async (): Promise<number> => {
    let events = 0;
    for await (const rows of database.stream('SELECT id FROM event')) events += rows.length;
    return events;
  };
  const readsTheReplica = (stale: number) => until('it is read again', async () => (await read()) === stale, 20_000);

  it('lags as it may, and says how it is to who asks it alone', async () => {
    await servers.hold();
    await database.run('INSERT INTO item VALUES (2)');
    expect(await read()).to.equal(1);
    expect(await database.all('SELECT id FROM item')).to.have.length(2);
    expect(await database.replica?.all('SELECT id FROM item')).to.have.length(1);
    await servers.goOn();
    await servers.caughtUp();
    expect(await read()).to.equal(2);
  });

  it('has a primary that says in a sentence what keeps it from writing, where its log is told to be of statements', async () => {
    await ask(servers.primary, "SET GLOBAL binlog_format = 'STATEMENT'");
    try {
      const other = await openDatabase({ url: urlOf(servers.primary) });
      const error: unknown = await other.run('INSERT INTO item VALUES (3)').catch((thrown: unknown) => thrown);
      expect(error)
        .to.have.property('message')
        .that.matches(/^The database writes its binary log by statements, .*: set binlog_format to MIXED or ROW\.$/);
      expect(error).to.have.property('code', 'REPOSITORY_URL');
      await other.close();
    } finally {
      await ask(servers.primary, "SET GLOBAL binlog_format = 'ROW'");
    }
  });

  it('is said to be behind while it is', async () => {
    await migrate(database);
    await servers.caughtUp();
    const watch = watchReplica(database, { hide: (text: string) => text }, 20);
    const lag = (): number => {
      const seen = watch.newest();
      return seen !== undefined && 'lag' in seen ? seen.lag : NaN;
    };
    try {
      await until('it is asked', () => lag() === 0);
      await servers.hold();
      const capture = createCaptureService(createEventRepository(database, { now: () => Date.now() }));
      await capture.capture(itemsOf(fc.sample(anyEvent, { numRuns: 1, seed: 1 })), { errorBehaviour: 'rollback' });
      expect(await count()).to.equal(0);
      await until('it is behind', () => lag() > 0);
      await servers.goOn();
      await until('it is not any more', () => lag() === 0);
      expect(await count()).to.equal(1);
    } finally {
      await watch.close();
    }
  });

  it('that says nothing any more keeps nobody waiting for long, and rests', async () => {
    await servers.hold();
    await database.run('INSERT INTO item VALUES (3)');
    expect(await read()).to.equal(2);
    await servers.replica.freeze();
    expect(await Promise.all(Array.from({ length: 9 }, () => read()))).to.deep.equal(Array(9).fill(3));
    // nobody asks it for a while
    expect(await read()).to.equal(3);
    servers.replica.thaw();
    await readsTheReplica(2);
    await servers.goOn();
    await servers.caughtUp();
  });

  it('that is gone, and comes back, is read again', async () => {
    await servers.replica.kill();
    expect(await read()).to.equal(3);
    await servers.replica.start();
    await servers.caughtUp();
    await servers.hold();
    await database.run('INSERT INTO item VALUES (4)');
    await readsTheReplica(3);
    await servers.goOn();
    await servers.caughtUp();
  });

  it('that refuses what the primary answers is left alone: another login, no such table', async () => {
    const others = [
      urlOf(servers.replica).replace('epcis@', 'stranger@'),
      servers.replica.url('mysql'),
      servers.replica.url('nowhere').replace('root@', 'epcis@'),
    ];
    for (const readUrl of others) {
      const refused = await openDatabase({ url: urlOf(servers.primary), readUrl });
      expect(await read(refused), readUrl).to.equal(4);
      await refused.close();
    }
  });

  it('that is promoted takes the writes, and is read as well', async () => {
    const { primary, replica } = servers;
    const both = `${urlOf(primary).replace('/shop', '')},127.0.0.1:${replica.port}/shop`;
    const service = await openDatabase({ url: both, readUrl: urlOf(replica) });
    await service.run('INSERT INTO item VALUES (5)');
    await servers.caughtUp();
    await primary.kill();
    // read only until somebody promotes it: the write is tried until then
    const writing = service.run('INSERT INTO item VALUES (6)');
    expect(await read(service)).to.equal(5);
    await servers.promote();
    expect(await writing).to.equal(1);
    expect(await read(service)).to.equal(6);
    await service.close();
    await primary.start();
  });
});
