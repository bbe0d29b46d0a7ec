// Capture jobs in classes. `wait` is what a class waits for longer than the first, so that ordering by `turn` promotes a job as
// it ages and nothing is rewritten. VMs of an earlier version go on writing beside this one: they do not name the columns, and
// theirs are jobs of the first class.
import type { Migration } from './migration.ts';

/** `captured`: events dealt with since `started_at`, when the job was last claimed. */
const COLUMNS = [
  'class VARCHAR(64)',
  'wait BIGINT NOT NULL DEFAULT 0',
  'captured BIGINT NOT NULL DEFAULT 0',
  'started_at BIGINT',
];
const TURN = 'turn BIGINT GENERATED ALWAYS AS (created_at + wait)';
const INDEXES = { capture_job_turn: 'state, turn', capture_job_finished: 'state, finished_at' };

const MYSQL = [
  `ALTER TABLE capture_job ${[
    ...[...COLUMNS, `${TURN} STORED`].map((column) => `ADD COLUMN ${column}`),
    ...Object.entries(INDEXES).map(([name, over]) => `ADD INDEX ${name} (${over})`),
  ].join(', ')}`,
];

/** SQLite adds no column that is stored and generated; an index over a virtual one is the same to us. */
const SQLITE = [
  ...[...COLUMNS, `${TURN} VIRTUAL`].map((column) => `ALTER TABLE capture_job ADD COLUMN ${column}`),
  ...Object.entries(INDEXES).map(([name, over]) => `CREATE INDEX IF NOT EXISTS ${name} ON capture_job (${over})`),
];

export const classes: Migration = {
  version: 5,
  name: 'classes of capture jobs',
  statements: { mysql: MYSQL, sqlite: SQLITE },
};
