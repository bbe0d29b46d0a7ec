// How many jobs a client has, the newest of them, and what is at work, without looking at all others' jobs of a week.
import type { Migration } from './migration.ts';

const INDEXES = {
  capture_job_client: 'kind, client_key, state, created_at, id',
  capture_job_leased: 'lease_until, state',
};

const each = (sql: (name: string, over: string) => string): string[] =>
  Object.entries(INDEXES).map(([name, over]) => sql(name, over));

export const jobsOfAClient: Migration = {
  version: 9,
  name: 'jobs of a client',
  statements: {
    mysql: [`ALTER TABLE capture_job ${each((name, over) => `ADD INDEX ${name} (${over})`).join(', ')}`],
    sqlite: each((name, over) => `CREATE INDEX IF NOT EXISTS ${name} ON capture_job (${over})`),
  },
};
