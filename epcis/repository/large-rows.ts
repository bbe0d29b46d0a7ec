// Lists of rows of which each may be large: as many at a time as fit into memory beside all else.
import { upToBytes } from '../service/up-to-bytes.ts';
import type { Database, Row } from './database/database.ts';
import { text } from './leases.ts';

/** A list ends with the row that brings it to so many bytes: they are read and written in one turn. */
const LIST_BYTES = 2 * 1024 * 1024;
/** Looked up in one statement. */
const LOOK_UP = 256;

/** The first of these rows, as far as the sum of their `size` goes; at least one. */
export const upToSize = (rows: readonly Row[]): readonly Row[] =>
  upToBytes(rows, (row) => Number(row['size']), LIST_BYTES);

/** These rows whole, in the same order; without those that are gone meanwhile. */
export async function rowsOf(
  database: Database,
  table: 'capture_job' | 'named_query',
  key: 'id' | 'name',
  listed: readonly Row[],
): Promise<readonly Row[]> {
  const names = listed.map((row) => text(row, key));
  const found = new Map<string, Row>();
  for (let from = 0; from < names.length; from += LOOK_UP) {
    const some = names.slice(from, from + LOOK_UP);
    const sql = `SELECT * FROM ${table} WHERE ${key} IN (${some.map(() => '?').join()})`;
    for (const row of await database.all(sql, some)) found.set(text(row, key), row);
  }
  return names.flatMap((name) => {
    const row = found.get(name);
    return row === undefined ? [] : [row];
  });
}
