// Stored work that goes by steps, in SQL: rows beside those of capture jobs, its document in the same chunks.
import type { ClientIdentity } from '../access/identity.ts';
import { CHUNK_BYTES } from '../service/jobs-chunks.ts';
import type { SteppedJob, StepStore } from '../service/steps.ts';
import type { Place, Step, StepKind, Task } from '../service/tasks.ts';
import type { Connection, Database, Row, SqlValue } from './database/database.ts';
import { ending, NO_TEXT, piece, sumWith, type Sum } from './gzip.ts';
import { chunks, FINISHED, newest, NEWER, outcomeOf, ownership, removeJobs } from './job-rows.ts';
import { change, nowSql, optionalText, text, type Lease } from './leases.ts';
import { keyOf } from './ownership.ts';

/** In the column `reached`: how far the work has come, and what the next piece of its document must know. */
interface Reached extends Sum {
  readonly place: Place;
  readonly done: number;
  readonly total?: number;
  readonly chunks: number;
}

/** `client`: whose work this is; what an operator has done is nobody's. */
export function createStepStore(database: Database, kind: StepKind, client?: ClientIdentity): StepStore {
  const own = ownership(client);
  const where = `kind = '${kind}' ${own.sql}`;
  return {
    async create({ id, asked, place: { name, wait } }) {
      await database.run(
        `INSERT INTO capture_job (id, state, kind, asked, media_type, headers, error_behaviour, events, created_at, success, errors,
           attempt, lease_until, client, client_key, class, wait)
         VALUES (?, ${NEWER}, '${kind}', ?, '', '{}', '', 0, ${nowSql(database.dialect)}, 1, '[]', 0, 0, ?, ?, ?, ?)`,
        [
          ...[id, JSON.stringify(asked)],
          ...(client === undefined ? [null, null] : [JSON.stringify(client), keyOf(client)]),
          ...[name ?? null, wait],
        ],
      );
    },
    async find(id) {
      const [row] = await database.all(`SELECT * FROM capture_job WHERE id = ? AND ${where}`, [id, ...own.values]);
      return row && jobOf(row);
    },
    async list(page) {
      const { made: jobs, next } = await newest(database, { kind, states: [NEWER, FINISHED], client }, page, jobOf);
      return { jobs, ...(next !== undefined && { next }) };
    },
    async count() {
      const [row] = await database.all(`SELECT COUNT(*) AS n FROM capture_job WHERE ${where}`, own.values);
      return Number(row?.['n']);
    },
    async remove(id) {
      const [row] = await database.all(`SELECT id FROM capture_job WHERE id = ? AND ${where}`, [id, ...own.values]);
      if (row !== undefined) await removeJobs(database, [id]);
      return row !== undefined;
    },
    document: (id) => chunks(database, id),
  };
}

/** Of a row that was claimed; undefined of a capture. */
export function taskOf(row: Row): Task | undefined {
  const kind = text(row, 'kind');
  if (kind === 'capture' || kind === 'part') return undefined;
  const asked = JSON.parse(text(row, 'asked')) as Task['asked'];
  const { place, done = 0, total } = reachedOf(row) ?? {};
  return {
    ...{ kind: kind as StepKind, asked, done },
    ...(place !== undefined && { reached: place }),
    ...(total !== undefined && { total }),
  };
}

const reachedOf = (row: Row | undefined): Reached | undefined => {
  const stored = row && optionalText(row, 'reached');
  return stored === undefined ? undefined : (JSON.parse(stored) as Reached);
};

export async function storeStep(database: Database, lease: Lease, step: Step): Promise<number | undefined> {
  const { bytes = Buffer.from(step.text ?? '') } = step;
  const added = bytes.length === 0 ? undefined : bytes;
  const before = await lookAt(database, lease);
  const blocks = added && (await piece(added, before.chunks === 0));
  const { reached: place, done, total = before.total } = step;
  const reached = {
    ...{ place, done, ...(total !== undefined && { total }) },
    ...(added === undefined ? sumOf(before) : sumWith(added, before)),
  };
  return database.transaction((connection) => add(connection, lease, before, blocks, reached));
}

/** The document's end; nothing where nobody wrote a word. */
export async function endDocument(connection: Connection, lease: Lease): Promise<void> {
  const before = await lookAt(connection, lease);
  const { place, done, total } = before;
  const reached = { place, done, ...(total !== undefined && { total }), ...sumOf(before) };
  await add(connection, lease, before, ending(before, before.chunks === 0), reached);
}

const sumOf = ({ crc, size }: Sum): Sum => ({ crc, size });

type Before = Reached & { readonly bytes: number };

async function lookAt(connection: Connection, { id }: Lease): Promise<Before> {
  const [row] = await connection.all('SELECT reached, bytes FROM capture_job WHERE id = ?', [id]);
  return { place: {}, done: 0, chunks: 0, ...NO_TEXT, ...reachedOf(row), bytes: Number(row?.['bytes'] ?? 0) };
}

/** Nobody else writes under this claim, so what was looked at still holds if the claim does. */
async function add(
  connection: Connection,
  lease: Lease,
  before: Before,
  blocks: Uint8Array | undefined,
  reached: Omit<Reached, 'chunks'>,
): Promise<number | undefined> {
  const pieces = blocks === undefined ? [] : cut(blocks);
  const bytes = before.bytes + (blocks?.length ?? 0);
  const set: readonly [string, SqlValue][] = [
    ['reached', JSON.stringify({ ...reached, chunks: before.chunks + pieces.length } satisfies Reached)],
    ['captured', reached.done],
    ['events', Math.max(reached.total ?? 0, reached.done)],
    ['bytes', bytes],
  ];
  const columns = set.map(([name]) => `${name} = ?`).join(', ');
  const values = set.map(([, value]) => value);
  if (!(await change(connection, 'capture_job', lease, columns, values))) return undefined;
  for (const [n, part] of pieces.entries())
    await connection.run('INSERT INTO capture_job_chunk (job_id, n, bytes) VALUES (?, ?, ?)', [
      ...[lease.id, before.chunks + n, part],
    ]);
  return bytes;
}

function cut(blocks: Uint8Array): readonly Uint8Array[] {
  const count = Math.ceil(blocks.length / CHUNK_BYTES);
  return Array.from({ length: count }, (_, n) => blocks.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES));
}

function jobOf(row: Row): SteppedJob {
  const name = optionalText(row, 'class');
  const { done = 0, total } = reachedOf(row) ?? {};
  return {
    ...outcomeOf(row),
    id: text(row, 'id'),
    asked: JSON.parse(text(row, 'asked')) as SteppedJob['asked'],
    ...(name !== undefined && { class: name }),
    progress: { done, ...(total !== undefined && { total }) },
    bytes: Number(row['bytes']),
  };
}
