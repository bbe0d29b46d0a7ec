// What an operator does with a repository, while VMs serve: prune, stats. (check.ts: check and reindex; backup.ts: backup and restore.)
import type { Step, Task } from '../service/tasks.ts';
import type { Connection, Database } from './database/database.ts';
import { EVENT, eventOf, idOf, indexOf, lookUps } from './index-rows.ts';
import { inList } from './sql/sql.ts';

/** Events of one step: a transaction short enough to be in nobody's way. */
const STEP = 200;

export interface PruneOptions {
  /** Called after each step with the number of events pruned so far. */
  readonly onStep?: (pruned: number) => void;
  readonly signal?: AbortSignal;
}

/** Deletes the events captured before this time (milliseconds since 1970); resolves to how many. Master data stays. */
export async function prune(database: Database, before: number, options: PruneOptions = {}): Promise<number> {
  let pruned = 0;
  for await (const { done } of pruneSteps(database, { kind: 'prune', asked: { before }, done: 0, total: 0 })) {
    if (done > pruned) options.onStep?.(done);
    pruned = done;
    options.signal?.throwIfAborted();
  }
  return pruned;
}

/** The same as stored work. What is gone is gone: a step that is done again finds nothing. */
export async function* pruneSteps(database: Database, { asked, done, total }: Task): AsyncGenerator<Step> {
  const before = Number(asked['before']) * 1000;
  const counting = 'SELECT COUNT(*) AS n FROM event WHERE record_time < ?';
  const all = total ?? done + Number((await database.all(counting, [before]))[0]?.['n']);
  let pruned = done;
  for (let isMore = true; isMore;) {
    const step = await database.transaction((connection) => pruneStep(connection, before));
    pruned += step;
    isMore = step === STEP;
    if (step > 0) yield { reached: {}, done: pruned, total: Math.max(all, pruned) };
  }
}

async function pruneStep(connection: Connection, before: number): Promise<number> {
  const rows = await connection.all(
    `SELECT ${EVENT} FROM event WHERE record_time < ? ORDER BY record_time LIMIT ${STEP}`,
    [before],
  );
  if (rows.length === 0) return 0;
  const indexes = rows.map((row) => indexOf(row, eventOf(row)));
  for (const { table, condition } of lookUps(indexes))
    await connection.run(`DELETE FROM ${table} WHERE ${condition.sql}`, condition.values);
  const ids = rows.map(idOf);
  const ofEvents = inList('event_id', ids);
  await connection.run(`DELETE FROM event_number WHERE ${ofEvents.sql}`, ofEvents.values);
  const rest = inList('id', ids);
  await connection.run(`DELETE FROM event WHERE ${rest.sql}`, rest.values);
  return rows.length;
}

export interface RepositoryStats {
  readonly schemaVersion: number;
  readonly events: number;
  /** When the first and the last of them were captured, ISO 8601. */
  readonly oldest?: string;
  readonly newest?: string;
  readonly vocabularyElements: number;
  /** On disk, index included. */
  readonly bytes: number;
}

export async function stats(database: Database): Promise<RepositoryStats> {
  const one = async (sql: string): Promise<number | undefined> => {
    const [row] = await database.all(sql);
    return row?.['n'] === null || row === undefined ? undefined : Number(row['n']);
  };
  const time = (microseconds: number | undefined): string | undefined =>
    microseconds === undefined ? undefined : new Date(microseconds / 1000).toISOString();
  const oldest = time(await one('SELECT MIN(record_time) AS n FROM event'));
  const newest = time(await one('SELECT MAX(record_time) AS n FROM event'));
  const bytes =
    database.dialect === 'mysql'
      ? 'SELECT CAST(SUM(data_length + index_length) AS DOUBLE) AS n FROM information_schema.tables WHERE table_schema = DATABASE()'
      : 'SELECT page_count * page_size AS n FROM pragma_page_count(), pragma_page_size()';
  return {
    schemaVersion: (await one('SELECT MAX(version) AS n FROM schema_version')) ?? 0,
    events: (await one('SELECT COUNT(*) AS n FROM event')) ?? 0,
    ...(oldest !== undefined && { oldest }),
    ...(newest !== undefined && { newest }),
    vocabularyElements: (await one('SELECT COUNT(*) AS n FROM vocabulary_element')) ?? 0,
    bytes: (await one(bytes)) ?? 0,
  };
}
