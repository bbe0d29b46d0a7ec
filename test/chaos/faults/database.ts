import { codeOf } from '../../../epcis/repository/database/errors.ts';
import { freeze, seconds, type Fault } from './fault.ts';
import { connectTo } from './database-connection.ts';

const world = { repository: 'mysql' } as const;

export const databaseRestarted: Fault = {
  name: 'database-restarted',
  what: 'kill -9 of the database, started again after 1 s',
  world,
  inflict: async (system) => {
    const database = system.databaseServer;
    await database.kill();
    await seconds(1);
    await database.start();
  },
};

export const databaseStopped: Fault = {
  name: 'database-stopped',
  what: 'the database is told to end (SIGTERM), and started again after 5 s',
  world,
  inflict: async (system) => {
    const database = system.databaseServer;
    await database.kill('SIGTERM');
    await seconds(5);
    await database.start();
  },
};

export const databaseReadOnly: Fault = {
  name: 'database-read-only',
  what: 'all tables of the database are locked against writing for 3 s',
  world,
  inflict: (system) =>
    connectTo(system.databaseServer, async (query) => {
      await query('FLUSH TABLES WITH READ LOCK');
      await seconds(3);
      await query('UNLOCK TABLES');
    }),
};

export const databaseRefusesWrites: Fault = {
  name: 'database-refuses-writes',
  what: 'the database is read only, and says so, for 3 s',
  world,
  inflict: (system) =>
    connectTo(system.databaseServer, async (query) => {
      await query('SET GLOBAL read_only = 1');
      await seconds(3);
      await query('SET GLOBAL read_only = 0');
    }),
};

export const databaseFull: Fault = {
  name: 'database-connections',
  what: 'others have all connections that the database takes, and those of the VMs are cut, for 3 s',
  world,
  inflict: (system) =>
    connectTo(system.databaseServer, async (query) => {
      await query('SET GLOBAL max_connections = 10');
      const ids = await query("SELECT id FROM information_schema.processlist WHERE db = 'chaos'");
      for (const { id } of ids) await query(`KILL CONNECTION ${Number(id)}`).catch(() => undefined);
      const taken = Array.from({ length: 12 }, () =>
        connectTo(system.databaseServer, () => seconds(3)).catch(() => undefined),
      );
      await Promise.all(taken);
      await query('SET GLOBAL max_connections = 151');
    }),
};

export const databaseFrozen: Fault = {
  name: 'database-frozen',
  what: 'the database says nothing for 5 s (SIGSTOP)',
  world,
  inflict: (system) => freeze(system.databaseServer.pid(), 5),
};

export const databaseSlow: Fault = {
  name: 'database-slow',
  what: 'the database runs a tenth of the time for 5 s',
  world,
  inflict: async (system) => {
    for (let i = 0; i < 50; i++) {
      await freeze(system.databaseServer.pid(), 0.09);
      await seconds(0.01);
    }
  },
};

export const deadlocks: Fault = {
  name: 'database-deadlocks',
  what: 'four others lock the rows of events and of the feed, two of them the other way round, over and over, for 5 s',
  world,
  inflict: async (system) => {
    const end = performance.now() + 5_000;
    const locks = [
      'SELECT * FROM chaos.event ORDER BY id DESC LIMIT 20 FOR UPDATE',
      'SELECT * FROM chaos.feed_counter FOR UPDATE',
    ];
    const other = (_: unknown, i: number) =>
      connectTo(system.databaseServer, async (query) => {
        while (performance.now() < end) {
          await query('START TRANSACTION');
          for (const lock of i % 2 === 0 ? locks : locks.toReversed()) {
            const failed = await query(lock).then(() => undefined, codeOf);
            // it was chosen to give way
            if (failed === 'ER_LOCK_DEADLOCK') break;
            if (failed !== undefined) throw new Error(`${lock}: ${failed}`);
            await seconds(0.02);
          }
          await query('ROLLBACK');
          await seconds(0.02);
        }
      });
    await Promise.all(Array.from({ length: 4 }, other));
    await connectTo(system.databaseServer, async (query) => {
      const [counted] = await query("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'");
      if (!(Number(counted?.['Value']) > 0)) throw new Error('There was no deadlock.');
    });
  },
};
