// Who may see what: the rules, each version as it was applied, and whose capture jobs and subscriptions there are. VMs of an earlier
// version go on writing beside this one: they do not name the columns.
import type { Dialect } from '../database/database.ts';
import type { Migration } from './migration.ts';

function statements(text: string, end: string): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS access_rules (
       version INT NOT NULL PRIMARY KEY,
       source ${text} NOT NULL,
       rules ${text} NOT NULL,
       applied_at BIGINT NOT NULL,
       applied_by VARCHAR(255) NOT NULL,
       applied_from VARCHAR(255) NOT NULL
     ) ${end}`,
    `ALTER TABLE capture_job ADD COLUMN client ${text}`,
    `ALTER TABLE capture_job ADD COLUMN client_key VARCHAR(22)`,
    `ALTER TABLE subscription ADD COLUMN client ${text}`,
  ];
}

const byDialect: Readonly<Record<Dialect, readonly string[]>> = {
  mysql: statements('MEDIUMTEXT', 'ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'),
  sqlite: statements('TEXT', ''),
};

export const access: Migration = { version: 4, name: 'access', statements: byDialect };
