// A change of the schema that is broken off: whoever comes next goes on, and it ends as if nothing had been.
import { expect } from 'chai';
import type { Connection, Database } from '../../epcis/repository/database/database.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { migrate, schemaVersion } from '../../epcis/repository/migrate.ts';
import { migrations } from '../../epcis/repository/migrations/index.ts';
import { KINDS } from '../helpers/fresh-repository.ts';

const SCHEMA = {
  mysql: [
    'SELECT table_name, column_name, column_type, is_nullable, column_default, extra, generation_expression FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY 1, 2',
    'SELECT table_name, index_name, seq_in_index, column_name, non_unique FROM information_schema.statistics WHERE table_schema = DATABASE() ORDER BY 1, 2, 3',
  ],
  sqlite: ['SELECT name, tbl_name, sql FROM sqlite_master ORDER BY name'],
} as const;

const schemaOf = async (database: Database): Promise<unknown> => [
  await Promise.all(SCHEMA[database.dialect].map((sql) => database.all(sql))),
  await database.all('SELECT version, name FROM schema_version ORDER BY version'),
];

/** As the database is to a VM of which `before` is asked ahead of each change; once it rejects, nothing more is done. */
function asked(database: Database, before: (sql: string) => Promise<void>): Database {
  let dead: Error | undefined;
  const over = (connection: Connection): Connection => ({
    dialect: connection.dialect,
    all: (sql, values) => connection.all(sql, values),
    async run(sql, values) {
      if (dead === undefined) await before(sql).catch((error: Error) => void (dead = error));
      if (dead !== undefined) throw dead;
      return connection.run(sql, values);
    },
  });
  return {
    ...over(database),
    stream: (sql, values, options) => database.stream(sql, values, options),
    transaction: (work) => database.transaction((connection) => work(over(connection))),
    close: () => database.close(),
  };
}

const expire = (database: Database): Promise<unknown> =>
  database.dialect === 'sqlite'
    ? Promise.resolve()
    : database.run("UPDATE schema_lock SET until_time = '2000-01-01'").catch(() => undefined); // not made yet

for (const [kind, freshUrl] of KINDS) {
  describe(`a change of the schema on ${kind}`, function () {
    this.timeout(120_000);

    it('is gone on with, wherever the VM died that was at it, also by two at once', async () => {
      const [whole, broken] = [
        await openDatabase({ url: await freshUrl() }),
        await openDatabase({ url: await freshUrl() }),
      ];
      await migrate(whole);
      const died = new Error('the VM died');
      const dying = async (after: number): Promise<boolean> => {
        let left = after;
        const vm = asked(broken, async (sql) => {
          if (!sql.includes('schema_lock') && left-- === 0) throw died;
        });
        const end: unknown = await migrate(vm).catch((error: unknown) => error);
        if (end instanceof Error && end !== died) throw end;
        await expire(broken);
        return end === died;
      };
      for (let [after, reached] = [0, 0]; await dying(after); after += 1) {
        const version = await schemaVersion(broken);
        // of the next one too it is to die over each change
        if (version > reached) [after, reached] = [-1, version];
      }
      await Promise.all([migrate(broken), migrate(broken)]);
      expect(await schemaOf(broken)).to.deep.equal(await schemaOf(whole));
      await Promise.all([whole.close(), broken.close()]);
    });

    if (kind === 'mysql')
      it('is left to who took over from a VM that stood still, which finds it done', async () => {
        const url = await freshUrl();
        const [still, other, whole] = [
          await openDatabase({ url }),
          await openDatabase({ url }),
          await openDatabase({ url: await freshUrl() }),
        ];
        let stood = 0;
        const vm = asked(still, async (sql) => {
          if (!sql.includes('TABLE IF NOT EXISTS feed_batch') || stood++ > 0) return;
          await expire(other);
          expect(await migrate(other)).to.have.length(migrations.length - 1);
        });
        expect(await migrate(vm)).to.deep.equal([1, 2]);
        expect(stood).to.equal(1);
        await migrate(whole);
        expect(await schemaOf(still)).to.deep.equal(await schemaOf(whole));
        await Promise.all([still, other, whole].map((one) => one.close()));
      });
  });
}
