// Lists of rows of which each may be large: as many at a time as fit into memory beside all else, and read in pieces between which others
// have their turn.
import { upToBytes } from '../service/up-to-bytes.ts';
import { ownTurn } from '../turns/own-turn.ts';
import type { Database, Row } from './database/database.ts';
import { text } from './leases.ts';

/** A list ends with the row that brings it to so many bytes: whoever writes it may hold it whole. */
const LIST_BYTES = 2 * 1024 * 1024;
/** Looked up in one statement. */
const LOOK_UP = { rows: 256, bytes: 128 * 1024 };
/** That are read or written in a unit of work (service/question-turns.ts). */
export const UNIT_BYTES = 4 * 1024;

const sizeOf = (row: Row): number => Number(row['size']);

/** The first of these rows, as far as the sum of their `size` goes; at least one. */
export const upToSize = (rows: readonly Row[]): readonly Row[] => upToBytes(rows, sizeOf, LIST_BYTES);

/** What is made of these rows whole, in the same order; without those that are gone meanwhile. */
export async function rowsOf<T>(
  database: Database,
  table: 'capture_job' | 'named_query',
  key: 'id' | 'name',
  listed: readonly Row[],
  made: (row: Row) => T,
): Promise<readonly T[]> {
  const spend = ownTurn();
  const found = new Map<string, T>();
  for (let from = 0; from < listed.length;) {
    const some = upToBytes(listed.slice(from, from + LOOK_UP.rows), sizeOf, LOOK_UP.bytes);
    from += some.length;
    await spend(some.reduce((sum, row) => sum + sizeOf(row), 0) / UNIT_BYTES);
    const sql = `SELECT * FROM ${table} WHERE ${key} IN (${some.map(() => '?').join()})`;
    const names = some.map((row) => text(row, key));
    for (const row of await database.all(sql, names)) found.set(text(row, key), made(row));
  }
  return listed.flatMap((row) => found.get(text(row, key)) ?? []);
}
