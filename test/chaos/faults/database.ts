import { seconds, type Fault } from './fault.ts';
import { connectTo } from './database-connection.ts';
import type { World } from './world.ts';

const world = { repository: 'mysql' } as const;

function databaseOf({ database }: World) {
  if (database === undefined) throw new Error('This needs a database server.');
  return database;
}

export const databaseRestarted: Fault = {
  name: 'database-restarted',
  what: 'kill -9 of the database, started again after 1 s',
  world,
  inflict: async (system) => {
    const database = databaseOf(system);
    await database.kill();
    await seconds(1);
    await database.start();
  },
};

export const databaseReadOnly: Fault = {
  name: 'database-read-only',
  what: 'all tables of the database are locked against writing for 3 s',
  world,
  inflict: (system) =>
    connectTo(databaseOf(system), async (query) => {
      await query('FLUSH TABLES WITH READ LOCK');
      await seconds(3);
      await query('UNLOCK TABLES');
    }),
};

export const databaseFull: Fault = {
  name: 'database-connections',
  what: 'others have all connections that the database takes, and those of the VMs are cut, for 3 s',
  world,
  inflict: (system) =>
    connectTo(databaseOf(system), async (query) => {
      await query('SET GLOBAL max_connections = 10');
      const ids = await query("SELECT id FROM information_schema.processlist WHERE db = 'chaos'");
      for (const { id } of ids) await query(`KILL CONNECTION ${Number(id)}`).catch(() => undefined);
      const taken = Array.from({ length: 12 }, () =>
        connectTo(databaseOf(system), () => seconds(3)).catch(() => undefined),
      );
      await Promise.all(taken);
      await query('SET GLOBAL max_connections = 151');
    }),
};
