// A capture job in parts, in SQL: a row for each part, whose document is the job's own. The job itself is claimed by nobody any more, and is
// finished with the last of its parts.
import { randomUUID } from 'node:crypto';
import { inWhole, merged, partBytes, type DocumentPart } from '../service/jobs-parts.ts';
import type { JobClaim, JobOutcome } from '../service/jobs.ts';
import type { Connection, Database, Row } from './database/database.ts';
import { insertRows } from './database/insert.ts';
import { FINISHED, NEWER, OPEN, outcomeOf, chunkReader, SPLIT } from './job-rows.ts';
import { change, nowSql, optionalText, text } from './leases.ts';

const COLUMNS = [
  ...['id', 'parent', 'kind', 'state', 'asked', 'events', 'media_type', 'headers', 'error_behaviour', 'created_at'],
  ...['success', 'errors', 'attempt', 'lease_until', 'client', 'client_key', 'class', 'wait'],
];

/** False: the claim is lost. The parts have the job's turn. */
export function split(database: Database, job: JobClaim, parts: readonly DocumentPart[]): Promise<boolean> {
  return database.transaction(async (connection) => {
    const set = `state = ${SPLIT}, captured = 0, owner = NULL`;
    if (!(await change(connection, 'capture_job', job, set))) return false;
    const [row] = await connection.all('SELECT * FROM capture_job WHERE id = ?', [job.id]);
    if (row === undefined) return false;
    const same = ['media_type', 'headers', 'error_behaviour', 'created_at'].map((name) => row[name] ?? null);
    const its = ['client', 'client_key', 'class', 'wait'].map((name) => row[name] ?? null);
    await insertRows(
      connection,
      'capture_job',
      COLUMNS,
      parts.map((part) => [
        ...[randomUUID(), job.id, 'part', NEWER, JSON.stringify(part), part.events],
        ...[...same, 1, '[]', 0, 0, ...its],
      ]),
    );
    return true;
  });
}

/** What a claimed row is a part of. */
export function partOf(row: Row): JobClaim['part'] {
  const of = optionalText(row, 'parent');
  return of === undefined ? undefined : { of, part: JSON.parse(text(row, 'asked')) as DocumentPart };
}

export function bytesOfPart(
  database: Database,
  { of, part }: NonNullable<JobClaim['part']>,
): AsyncIterable<Uint8Array> {
  return partBytes(part, chunkReader(database, of));
}

/** The part's outcome, and with the last one the job's. False: the claim is lost. */
export function finishPart(
  database: Database,
  claim: JobClaim & { readonly part: NonNullable<JobClaim['part']> },
  { success, errors, captured }: JobOutcome,
): Promise<boolean> {
  const { of, part } = claim.part;
  const time = nowSql(database.dialect);
  return database.transaction(async (connection) => {
    // of two parts that end at the same time the second waits here, and then sees the first
    await connection.run('UPDATE capture_job SET attempt = attempt + 1 WHERE id = ?', [of]);
    const told = JSON.stringify(errors.map((fault) => inWhole(part, fault)));
    const set = `state = ${FINISHED}, finished_at = ${time}, success = ?, errors = ?, captured = ?`;
    if (!(await change(connection, 'capture_job', claim, set, [success ? 1 : 0, told, captured]))) return false;
    await finishWhole(connection, of);
    return true;
  });
}

/** As many faults as a person reads. */
const MOST_ERRORS = 1000;

async function finishWhole(connection: Connection, id: string): Promise<void> {
  const [left] = await connection.all(`SELECT COUNT(*) AS n FROM capture_job WHERE parent = ? AND state IN ${OPEN}`, [
    id,
  ]);
  if (Number(left?.['n']) > 0) return;
  const rows = await connection.all('SELECT * FROM capture_job WHERE parent = ?', [id]);
  const nth = (row: Row): number => partOf(row)?.part.n ?? 0;
  const outcomes = [...rows].sort((a, b) => nth(a) - nth(b)).map(outcomeOf);
  const errors = merged(
    outcomes.map((outcome) => outcome.errors),
    MOST_ERRORS,
  );
  const captured = rows.reduce((sum, row) => sum + Number(row['captured']), 0);
  await connection.run(
    `UPDATE capture_job SET state = ${FINISHED}, finished_at = ${nowSql(connection.dialect)}, success = ?, errors = ?, captured = ? WHERE id = ?`,
    [outcomes.every(({ success }) => success) ? 1 : 0, JSON.stringify(errors), captured, id],
  );
  await connection.run('DELETE FROM capture_job_chunk WHERE job_id = ?', [id]);
  await connection.run('DELETE FROM capture_job WHERE parent = ?', [id]);
}

/** What its parts have captured so far. */
export async function capturedOfParts(connection: Connection, id: string): Promise<number> {
  const [row] = await connection.all('SELECT SUM(captured) AS n FROM capture_job WHERE parent = ?', [id]);
  return Number(row?.['n'] ?? 0);
}
