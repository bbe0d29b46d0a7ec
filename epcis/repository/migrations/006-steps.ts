// Stored work of other kinds beside capture jobs, in the same table, so that it has the same leases, turns and classes: what is asked
// for, how far it has come, and its document, in the same chunks. VMs of an earlier version go on writing beside this one: they do
// not name the columns, and theirs are capture jobs.
import type { Dialect } from '../database/database.ts';
import type { Migration } from './migration.ts';

/** `bytes`: of its document, as stored. */
const columns = (text: string): readonly string[] => [
  `kind VARCHAR(16) NOT NULL DEFAULT 'capture'`,
  `asked ${text}`,
  `reached ${text}`,
  'bytes BIGINT NOT NULL DEFAULT 0',
];

const byDialect: Readonly<Record<Dialect, readonly string[]>> = {
  mysql: [
    `ALTER TABLE capture_job ${columns('MEDIUMTEXT')
      .map((column) => `ADD COLUMN ${column}`)
      .join(', ')}`,
  ],
  sqlite: columns('TEXT').map((column) => `ALTER TABLE capture_job ADD COLUMN ${column}`),
};

export const steps: Migration = { version: 6, name: 'stored work of other kinds', statements: byDialect };
