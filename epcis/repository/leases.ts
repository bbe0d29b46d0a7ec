// Leases: a row is one VM's until a time by the database's clock, so that no VM's clock matters. A claim is a
// compare-and-set on (id, attempt): of several VMs that saw the same free row exactly one changes it, and what an old
// claim still writes later changes nothing, because `attempt` has moved on.
import type { Connection, Dialect, Row, SqlValue } from './database/database.ts';

/** Now, in ms since 1970, as SQL: independent of the session's time zone, summer time included. */
export function nowSql(dialect: Dialect): string {
  return dialect === 'mysql'
    ? `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000`
    : `CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)`;
}

export async function now(connection: Connection): Promise<number> {
  const rows = await connection.all(`SELECT ${nowSql(connection.dialect)} AS t`);
  return Number(rows[0]?.['t']);
}

export interface Lease {
  readonly id: string;
  readonly owner: string;
  readonly attempt: number;
}

/** Only names that stand in this program; nothing of a request ever becomes SQL text. */
export type LeasedTable = 'capture_job' | 'subscription';

/**
 * True for exactly one of the VMs that try. `still`: what made the row work to be done, asked once more, because whoever had it
 * may have finished it since it was seen. `set`: what is changed with it.
 */
export async function claim(
  connection: Connection,
  table: LeasedTable,
  row: { readonly id: string; readonly attempt: number },
  owner: string,
  leaseSeconds: number,
  still: string,
  set?: string,
): Promise<boolean> {
  const time = nowSql(connection.dialect);
  const changed = await connection.run(
    `UPDATE ${table} SET owner = ?, attempt = attempt + 1, lease_until = ${time} + ?${set === undefined ? '' : `, ${set}`}
     WHERE id = ? AND attempt = ? AND lease_until < ${time} AND ${still}`,
    [owner, leaseSeconds * 1000, row.id, row.attempt],
  );
  return changed === 1;
}

/** False: somebody else has it by now, or it is gone. */
export function renew(
  connection: Connection,
  table: LeasedTable,
  lease: Lease,
  leaseSeconds: number,
): Promise<boolean> {
  return change(connection, table, lease, `lease_until = ${nowSql(connection.dialect)} + ?`, [leaseSeconds * 1000]);
}

/** Changes the row if the claim still holds. */
export async function change(
  connection: Connection,
  table: LeasedTable,
  { id, owner, attempt }: Lease,
  set: string,
  values: readonly SqlValue[] = [],
): Promise<boolean> {
  const changed = await connection.run(`UPDATE ${table} SET ${set} WHERE id = ? AND owner = ? AND attempt = ?`, [
    ...values,
    id,
    owner,
    attempt,
  ]);
  return changed === 1;
}

/** INSERT that changes nothing, and says so, where the key exists. */
export function insertNew(dialect: Dialect): string {
  return dialect === 'mysql' ? 'INSERT IGNORE INTO' : 'INSERT OR IGNORE INTO';
}

/** MySQL gives bytes for names (VARBINARY). */
export function text(row: Row, column: string): string {
  const value = row[column];
  return value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null || row[column] === undefined ? undefined : text(row, column);
}

export function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null || row[column] === undefined ? undefined : Number(row[column]);
}

/** 0 → 1970-01-01T00:00:00.000Z */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
