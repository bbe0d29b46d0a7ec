// What clients with a limit have captured, as the time at which their rate has made up for it. VMs of an earlier version count for
// themselves beside this one.
import type { Dialect } from '../database/database.ts';
import type { Migration } from './migration.ts';

const table = (end: string): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS client_account (client VARCHAR(22) NOT NULL PRIMARY KEY, owed_until DOUBLE NOT NULL) ${end}`,
];

const byDialect: Readonly<Record<Dialect, readonly string[]>> = {
  mysql: table('ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'),
  sqlite: table(''),
};

export const accounts: Migration = { version: 8, name: 'accounts of clients', statements: byDialect };
