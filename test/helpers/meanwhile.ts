import type { Database } from '../../epcis/repository/database/database.ts';

/** The same database to somebody slow: `work` is done right after each read, before what follows from it. */
export const meanwhile = (database: Database, work: () => Promise<unknown>): Database => ({
  dialect: database.dialect,
  async all(sql, values) {
    const rows = await database.all(sql, values);
    await work();
    return rows;
  },
  run: (sql, values) => database.run(sql, values),
  stream: (sql, values, options) => database.stream(sql, values, options),
  transaction: (within) => database.transaction(within),
  close: () => database.close(),
});
