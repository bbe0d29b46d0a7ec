// Parts of a capture job that several workers capture: rows beside it that name it. VMs of an earlier version go on working beside this one:
// what they do not know is in states that they do not look for.
import type { Migration } from './migration.ts';

const COLUMN = 'ALTER TABLE capture_job ADD COLUMN parent VARCHAR(36)';

export const parts: Migration = {
  version: 7,
  name: 'parts of capture jobs',
  statements: {
    mysql: [`${COLUMN}, ADD INDEX capture_job_parent (parent)`],
    sqlite: [COLUMN, 'CREATE INDEX IF NOT EXISTS capture_job_parent ON capture_job (parent)'],
  },
};
