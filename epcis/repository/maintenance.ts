// What an operator does with a repository, while VMs serve: prune, stats, check. (backup.ts: backup and restore.)
import { hash } from 'node:crypto';
import { eventHash } from '../domain/hash.ts';
import type { EpcisEvent } from '../domain/event.ts';
import { factsOf } from '../service/facts.ts';
import type { Connection, Database, Row, Values } from './database/database.ts';
import { indexRows, type IndexRows } from './event-writer.ts';
import { unpackEvent } from './payload.ts';
import { fragment, inList, join, type Fragment } from './sql/sql.ts';
import { textOf } from './terms.ts';

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
  for (;;) {
    options.signal?.throwIfAborted();
    const step = await database.transaction((connection) => pruneStep(connection, before * 1000));
    pruned += step;
    if (step > 0) options.onStep?.(pruned);
    if (step < STEP) return pruned;
  }
}

async function pruneStep(connection: Connection, before: number): Promise<number> {
  const rows = await connection.all(
    `SELECT ${EVENT} FROM event WHERE record_time < ? ORDER BY record_time LIMIT ${STEP}`,
    [before],
  );
  if (rows.length === 0) return 0;
  const events = rows.map(indexed);
  for (const { table, condition } of lookUps(events.map(({ index }) => index)))
    await connection.run(`DELETE FROM ${table} WHERE ${condition.sql}`, condition.values);
  const ids = events.map(({ id }) => id);
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

export interface CheckResult {
  readonly events: number;
  /** One sentence each, the first hundred. */
  readonly faults: readonly string[];
}

/** Reads every event, and looks for each row of its index; then for index rows without an event. */
export async function check(database: Database): Promise<CheckResult> {
  const faults: string[] = [];
  let events = 0;
  for (let after = -1n; faults.length < 100;) {
    const rows = await database.all(`SELECT ${EVENT} FROM event WHERE id > ? ORDER BY id LIMIT ${STEP}`, [after]);
    if (rows.length === 0) break;
    events += rows.length;
    for (const row of rows) {
      const fault = await faultOf(database, row);
      // an event pruned meanwhile is no fault
      if (fault !== undefined && (await exists(database, row))) faults.push(`Event ${textOf(row['id'])} ${fault}.`);
    }
    after = BigInt(textOf(rows.at(-1)?.['id']));
  }
  for (const table of ['event_epc', 'event_text', 'event_number'])
    for await (const rows of database.stream(
      `SELECT CAST(d.event_id AS CHAR(20)) AS id FROM ${table} d LEFT JOIN event e ON e.id = d.event_id
       WHERE e.id IS NULL LIMIT ${100 - Math.min(99, faults.length)}`,
    ))
      for (const [id] of rows) faults.push(`${table} has a row of event ${textOf(id)}, which is not there.`);
  return { events, faults: faults.slice(0, 100) };
}

async function faultOf(database: Database, row: Row): Promise<string | undefined> {
  let event: EpcisEvent;
  try {
    event = unpackEvent(row['payload'] as Uint8Array);
  } catch {
    return 'cannot be unpacked';
  }
  if (eventHash(event, (text) => hash('sha256', text)) !== hashOf(row))
    return 'does not have the hash it is stored with';
  const { index } = indexed(row);
  for (const { table, condition, rows } of [...lookUps([index]), ...numberLookUp(index)]) {
    const [found] = await database.all(`SELECT COUNT(*) AS n FROM ${table} WHERE ${condition.sql}`, condition.values);
    if (Number(found?.['n']) !== rows) return `misses rows in ${table}`;
  }
  return undefined;
}

async function exists(database: Database, row: Row): Promise<boolean> {
  return (await database.all('SELECT 1 FROM event WHERE id = ?', [BigInt(textOf(row['id']))])).length > 0;
}

const EVENT = 'CAST(id AS CHAR(20)) AS id, hash, payload';

function hashOf(row: Row): string {
  return `ni:///sha-256;${Buffer.from(row['hash'] as Uint8Array).toString('hex')}?ver=CBV2.0`;
}

function indexed(row: Row): { readonly id: bigint; readonly index: IndexRows } {
  const id = BigInt(textOf(row['id']));
  return { id, index: indexRows(factsOf(unpackEvent(row['payload'] as Uint8Array), hashOf(row)), id) };
}

interface LookUp {
  readonly table: string;
  readonly condition: Fragment;
  readonly rows: number;
}

/** Index rows by their primary keys, some at a time. */
function lookUps(indexes: readonly IndexRows[]): readonly LookUp[] {
  return [
    ...byKey(
      'event_epc',
      ['epc', 'event_time', 'event_id'],
      indexes.flatMap(({ epcs }) => epcs),
    ),
    ...byKey(
      'event_text',
      ['posting', 'event_time', 'event_id'],
      indexes.flatMap(({ texts }) => texts),
    ),
  ];
}

function numberLookUp({ numbers }: IndexRows): readonly LookUp[] {
  return byKey('event_number', ['name', 'value', 'event_id'], numbers);
}

function byKey(table: string, columns: readonly string[], rows: readonly Values[]): readonly LookUp[] {
  const all: LookUp[] = [];
  const key = `(${columns.map((column) => `${column} = ?`).join(' AND ')})`;
  for (let from = 0; from < rows.length; from += 64) {
    const some = rows.slice(from, from + 64);
    const keys = some.map((row) => fragment(key, row.slice(0, columns.length)));
    all.push({ table, condition: join(keys, ' OR '), rows: some.length });
  }
  return all;
}
