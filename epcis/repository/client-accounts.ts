// What clients captured, counted for all VMs in one place and by one clock, the database's.
import type { EventAccounts } from '../access/limits.ts';
import type { Database, Dialect } from './database/database.ts';
import { nowSql } from './leases.ts';
import { keyOf } from './ownership.ts';

/** Who owes nothing any more needs no row; one in so many looks for them. */
const CLEANED_EVERY = 1_000;

const addSql = (dialect: Dialect, now: string): string =>
  dialect === 'mysql'
    ? `INSERT INTO client_account (client, owed_until) VALUES (?, ${now} + ?)
       ON DUPLICATE KEY UPDATE owed_until = GREATEST(owed_until, ${now}) + ?`
    : `INSERT INTO client_account (client, owed_until) VALUES (?, ${now} + ?)
       ON CONFLICT (client) DO UPDATE SET owed_until = MAX(owed_until, ${now}) + ?`;

export function createClientAccounts(database: Database): EventAccounts {
  const now = nowSql(database.dialect);
  const add = addSql(database.dialect, now);
  let added = 0;
  return {
    async owed(client) {
      const sql = `SELECT owed_until - ${now} AS owed FROM client_account WHERE client = ?`;
      const [row] = await database.all(sql, [keyOf(client)]);
      return Math.max(0, Number(row?.['owed'] ?? 0));
    },
    async add(client, ms) {
      await database.transaction((connection) => connection.run(add, [keyOf(client), ms, ms]));
      if (added++ % CLEANED_EVERY === 0) await database.run(`DELETE FROM client_account WHERE owed_until < ${now}`);
    },
  };
}
