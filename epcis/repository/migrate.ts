// Brings the schema up to date, once, however many VMs start at the same moment.
import { randomUUID } from 'node:crypto';
import type { Connection, Database } from './database/database.ts';
import { migrations } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';
import { codeOf, isDenied, RepositoryError } from './database/errors.ts';
import { whyUnavailable } from './database/reachable.ts';
import { insertNew } from './leases.ts';

/** Long enough for one statement on an empty table; a VM that dies holding the lock delays the others by this much. */
const LEASE_SECONDS = 30;
const GIVE_UP_MS = 120_000;

/** Resolves to the versions applied by this call: empty when the schema was up to date, or another VM did it. */
export async function migrate(
  database: Database,
  steps: readonly Migration[] = migrations,
): Promise<readonly number[]> {
  const newest = Math.max(0, ...steps.map((step) => step.version));
  // a user who may not change the schema serves a repository whose schema is as it should be
  const known = (await schemaVersion(database)) > 0 ? await versions(database) : new Set<number>();
  const ahead = Math.max(0, ...known);
  const breaking = ahead > newest ? await breakingSteps(database) : [];
  if (breaking.some((version) => version > newest))
    throw new RepositoryError(
      'REPOSITORY_URL',
      `The repository has schema version ${ahead}, this program knows ${newest}, and cannot work with what came since: run a newer program.`,
    );
  if (steps.every((step) => known.has(step.version))) return [];
  try {
    return await bring(database, steps);
  } catch (error) {
    if (!isDenied(error)) throw whyNot(error);
    throw new RepositoryError(
      'REPOSITORY_URL',
      `The repository's schema has version ${ahead} and is to have ${newest}, but this user of the database may not change it: ` +
        'run "mmeliot repository migrate" with the URL of one who may.',
      { cause: error },
    );
  }
}

/** A disk without room, or a database that takes no writes, is told in its own words; a defect stays one. */
function whyNot(error: unknown): unknown {
  if (error instanceof RepositoryError || whyUnavailable(error) === undefined) return error;
  const why = (error as Error).message.replace(/[.]$/, '');
  return new RepositoryError(
    'REPOSITORY_UNREACHABLE',
    `The repository's schema cannot be made or brought up to date: ${why}.`,
    { cause: error },
  );
}

async function bring(database: Database, steps: readonly Migration[]): Promise<readonly number[]> {
  await database.run(
    `CREATE TABLE IF NOT EXISTS schema_version (version INT NOT NULL PRIMARY KEY, name VARCHAR(100) NOT NULL)`,
  );
  return database.dialect === 'sqlite' ? inOneTransaction(database, steps) : underLease(database, steps);
}

/** 0: there is no repository yet. Changes nothing. */
export async function schemaVersion(database: Database): Promise<number> {
  return (await hasTable(database, 'schema_version')) ? Math.max(0, ...(await versions(database))) : 0;
}

async function hasTable(database: Database, name: string): Promise<boolean> {
  const sql =
    database.dialect === 'mysql'
      ? 'SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?'
      : 'SELECT 1 FROM sqlite_master WHERE name = ?';
  return (await database.all(sql, [name])).length > 0;
}

/** Those that this schema has; the table is there once there is one. */
async function breakingSteps(database: Database): Promise<number[]> {
  if (!(await hasTable(database, 'schema_break'))) return [];
  return (await database.all('SELECT version FROM schema_break')).map((row) => Number(row['version']));
}

async function versions(connection: Connection): Promise<Set<number>> {
  const rows = await connection.all('SELECT version FROM schema_version');
  return new Set(rows.map((row) => Number(row['version'])));
}

/** SQLite's DDL is transactional and BEGIN IMMEDIATE is the lock. */
async function inOneTransaction(database: Database, steps: readonly Migration[]): Promise<readonly number[]> {
  return (await database.transaction((connection) => applyMissing(connection, steps, async () => true))) ?? [];
}

/**
 * MySQL commits with every DDL statement, and its named locks do not span a cluster. So the lock is a row with a lease,
 * and every statement of a migration may be repeated (`IF NOT EXISTS`, or it adds what can be there only once): whoever
 * takes over a dead VM's lease starts the unfinished version again. One that was only taken for dead waits for its end.
 */
async function underLease(database: Database, steps: readonly Migration[]): Promise<readonly number[]> {
  await database.run(
    `CREATE TABLE IF NOT EXISTS schema_lock (id INT NOT NULL PRIMARY KEY, owner VARCHAR(36) NOT NULL, until_time DATETIME NOT NULL)`,
  );
  await database.run(`INSERT IGNORE INTO schema_lock (id, owner, until_time) VALUES (1, '', '2000-01-01')`);
  const owner = randomUUID();
  const hold = async (): Promise<boolean> => {
    const changed = await database.run(
      `UPDATE schema_lock SET owner = ?, until_time = UTC_TIMESTAMP() + INTERVAL ${LEASE_SECONDS} SECOND
       WHERE id = 1 AND (owner = ? OR until_time < UTC_TIMESTAMP())`,
      [owner, owner],
    );
    return changed > 0;
  };
  const deadline = performance.now() + GIVE_UP_MS;
  try {
    for (;;) {
      const applied = (await hold()) ? await applyMissing(database, steps, hold) : undefined;
      if (applied !== undefined) return applied;
      if (performance.now() > deadline)
        throw new RepositoryError('REPOSITORY_BUSY', 'Another VM has been changing the schema for two minutes.');
      await new Promise((done) => setTimeout(done, 50 + 100 * Math.random()));
    }
  } finally {
    await database.run(`UPDATE schema_lock SET owner = '', until_time = '2000-01-01' WHERE id = 1 AND owner = ?`, [
      owner,
    ]);
  }
}

/** Undefined: somebody else has the lock by now. */
async function applyMissing(
  connection: Connection,
  steps: readonly Migration[],
  hold: () => Promise<boolean>,
): Promise<readonly number[] | undefined> {
  const applied: number[] = [];
  const insert = insertNew(connection.dialect);
  for (const step of [...steps].sort((a, b) => a.version - b.version)) {
    if ((await versions(connection)).has(step.version)) continue;
    for (const statement of step.statements[connection.dialect]) {
      if (!(await hold())) return undefined;
      await connection.run(statement).catch(unlessThere);
    }
    if (step.breaks) {
      await connection.run('CREATE TABLE IF NOT EXISTS schema_break (version INT NOT NULL PRIMARY KEY)');
      await connection.run(`${insert} schema_break (version) VALUES (?)`, [step.version]);
    }
    if (!(await hold())) return undefined;
    await connection.run(`${insert} schema_version (version, name) VALUES (?, ?)`, [step.version, step.name]);
    applied.push(step.version);
  }
  return applied;
}

/** MySQL cannot say `IF NOT EXISTS` of a column or an index: a VM that died before it could note the version added it. */
function unlessThere(error: unknown): void {
  if (!['ER_DUP_FIELDNAME', 'ER_DUP_KEYNAME'].includes(codeOf(error))) throw error;
}
