// The rows that all stored work has: its state, whose it is, pages of it, and its document in chunks.
import type { ClientIdentity } from '../access/identity.ts';
import type { JobOutcome } from '../service/jobs.ts';
import type { PageRequest } from '../service/services.ts';
import type { Database, Row, SqlValue, Values } from './database/database.ts';
import { iso, optionalNumber, text } from './leases.ts';
import { rowsOf, upToSize } from './large-rows.ts';
import { keyOf } from './ownership.ts';
import { fragment, inList, type Fragment } from './sql/sql.ts';

export const RECEIVING = 0;
export const WAITING = 1;
export const FINISHED = 2;
/** In parts, which are captured instead. */
export const SPLIT = 3;
/** It waits, and is of a kind that VMs before version 6 do not know. */
export const NEWER = 4;
/** Somebody has it, or is to have it. */
export const OPEN = `(${WAITING}, ${NEWER})`;

/** Of those, the first by turn. Each state by its own index: together all would be sorted, however many wait. */
export function firstOpen(columns: string, condition: string, count: number): string {
  const order = `ORDER BY turn LIMIT ${count}`;
  const each = [WAITING, NEWER].map(
    (state) =>
      `SELECT * FROM (SELECT ${columns} FROM capture_job WHERE state = ${state} ${condition} ${order}) s${state}`,
  );
  return `${each.join(' UNION ALL ')} ${order}`;
}

/** A condition on whose it is. */
export function ownership(client: ClientIdentity | undefined): Fragment {
  return client === undefined ? fragment('', []) : fragment('AND client_key = ?', [keyOf(client)]);
}

/** Rows of one kind in these states, a client's or all. */
export interface Listed {
  readonly kind: string;
  readonly states: readonly number[];
  readonly client: ClientIdentity | undefined;
}

/** A page of what is made of them, newest first. */
export async function newest<T>(
  database: Database,
  listed: Listed,
  { perPage, after }: PageRequest,
  madeOf: (row: Row) => T,
): Promise<{ readonly made: readonly T[]; readonly next?: string }> {
  const [createdAt, id] = after === undefined ? [undefined, ''] : cursor(after);
  const behind = createdAt === undefined ? '' : 'AND (created_at < ? OR (created_at = ? AND id < ?))';
  const order = 'ORDER BY created_at DESC, id DESC LIMIT ?';
  const values: SqlValue[] = [...(createdAt === undefined ? [] : [createdAt, createdAt, id]), perPage + 1];
  const parts = branches(listed).map(
    ({ sql, values: own }, n) =>
      ({
        sql: `SELECT * FROM (SELECT id, created_at, OCTET_LENGTH(errors) AS size FROM capture_job WHERE ${sql} ${behind} ${order}) s${n}`,
        values: [...own, ...values],
      }) satisfies Fragment,
  );
  const found = await database.all(`${parts.map(({ sql }) => sql).join(' UNION ALL ')} ${order}`, [
    ...parts.flatMap((part) => part.values),
    perPage + 1,
  ]);
  const some = upToSize(found.slice(0, perPage));
  const last = found.length > some.length ? some.at(-1) : undefined;
  const made = await rowsOf(database, 'capture_job', 'id', some, madeOf);
  return { made, ...(last && { next: `${text(last, 'created_at')}/${text(last, 'id')}` }) };
}

/** Each goes by an index in the order of the list: a client's by its own, state by state; all of them by their age, which COALESCE leaves. */
function branches({ kind, states, client }: Listed): readonly Fragment[] {
  if (client === undefined) return [fragment(`COALESCE(kind, '') = '${kind}' AND state <> ${RECEIVING}`, [])];
  return states.map((state) => fragment(`kind = '${kind}' AND client_key = ? AND state = ${state}`, [keyOf(client)]));
}

function cursor(after: string): readonly [createdAt: number, id: string] {
  const slash = after.indexOf('/');
  return [Number(after.slice(0, slash)), after.slice(slash + 1)];
}

/** What every kind tells of its outcome. */
export function outcomeOf(row: Row): {
  readonly createdAt: string;
  readonly finishedAt?: string;
  readonly running: boolean;
  readonly success: boolean;
  readonly errors: JobOutcome['errors'];
} {
  const finishedAt = optionalNumber(row, 'finished_at');
  return {
    createdAt: iso(Number(row['created_at'])),
    ...(finishedAt !== undefined && { finishedAt: iso(finishedAt) }),
    running: finishedAt === undefined,
    success: Number(row['success']) === 1,
    errors: JSON.parse(text(row, 'errors')) as JobOutcome['errors'],
  };
}

/**
 * Read while the capture's own transaction is open, so not over the connections that transactions have: as many captures at
 * a time as there are of them would all hold one and wait for another. The count is asked for before, on the first chunk.
 */
export async function* chunks(database: Database, id: string): AsyncGenerator<Uint8Array> {
  const read = chunkReader(database, id);
  for (let n = 0; ; n += 1) {
    const chunk = await read(n);
    if (chunk === undefined) return;
    yield chunk;
  }
}

/** Undefined behind the last one. One statement per chunk, not a cursor: capture may take minutes, and a cursor would hold a connection for as long. */
export function chunkReader(database: Database, id: string): (n: number) => Promise<Uint8Array | undefined> {
  let count: number | undefined;
  return async (n) => {
    if (count === undefined) {
      const [row] = await database.all('SELECT COUNT(*) AS n FROM capture_job_chunk WHERE job_id = ?', [id]);
      count = Number(row?.['n']);
    }
    return n < count ? readChunk(database, id, n) : undefined;
  };
}

async function readChunk(database: Database, id: string, n: number): Promise<Uint8Array> {
  const sql = 'SELECT bytes FROM capture_job_chunk WHERE job_id = ? AND n = ?';
  const found: Values[] = [];
  for await (const rows of database.stream(sql, [id, n])) found.push(...rows);
  // a replica may lag
  const piece = found[0]?.[0] ?? (await database.all(sql, [id, n]))[0]?.['bytes'];
  if (!(piece instanceof Uint8Array))
    throw new Error(`Chunk ${n} of the document is gone: the job is over, or was deleted.`);
  return piece;
}

export function removeJobs(database: Database, ids: readonly string[]): Promise<void> {
  return database.transaction(async (connection) => {
    const chunks = inList('job_id', ids);
    await connection.run(`DELETE FROM capture_job_chunk WHERE ${chunks.sql}`, chunks.values);
    const jobs = inList('id', ids);
    await connection.run(`DELETE FROM capture_job WHERE ${jobs.sql}`, jobs.values);
  });
}
