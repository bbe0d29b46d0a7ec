// Stored work in SQL: capture jobs, and what is claimed, renewed and finished as they are. The document stands in chunks beside the
// job, so that neither side ever holds it whole.
import type { ClientIdentity } from '../access/identity.ts';
import { CHUNK_BYTES, type Chunk } from '../service/jobs-chunks.ts';
import type { CaptureJob, JobClaim, JobOutcome, JobStore, NewJob } from '../service/jobs.ts';
import type { JobPlace } from '../service/jobs-classes.ts';
import type { PageRequest } from '../service/services.ts';
import type { Connection, Database, Row } from './database/database.ts';
import { ahead, backlog, CAPTURES, firstJobs, lately } from './job-queue.ts';
import { bytesOfPart, capturedOfParts, finishPart, partOf, split } from './job-parts.ts';
import {
  chunks,
  FINISHED,
  firstOpen,
  newest,
  OPEN,
  outcomeOf,
  ownership,
  RECEIVING,
  removeJobs,
  SPLIT,
  WAITING,
} from './job-rows.ts';
import { change, claim, nowSql, optionalText, text } from './leases.ts';
import { clientOf, keyOf } from './ownership.ts';
import { fragment, type Fragment } from './sql/sql.ts';
import { endDocument, storeStep, taskOf } from './steps.ts';

/** An upload whose VM died: nobody was told about the job, so it may go. */
const ABANDONED_SECONDS = 3600;
/** `client`: whose jobs these are. Work on jobs takes those of all. */
export function createJobStore(database: Database, client?: ClientIdentity): JobStore {
  const time = nowSql(database.dialect);
  const own = ownership(client);
  const captures = fragment(`state <> ${RECEIVING} AND kind = 'capture' ${own.sql}`, own.values);
  // with one millisecond less than now: a lease that ends now is not yet over
  const given = `started_at = NULL, captured = 0, lease_until = ${time} + ?`;
  return {
    isExclusive: database.dialect === 'sqlite',
    create: (job, chunks) => create(database, { ...job, ...(client && { client }) }, chunks),
    async find(id) {
      const rows = await database.all(`SELECT * FROM capture_job WHERE id = ? AND ${captures.sql}`, [
        id,
        ...captures.values,
      ]);
      const [row] = rows;
      if (row === undefined || Number(row['state']) !== SPLIT) return row && jobOf(row);
      return jobOf({ ...row, captured: await capturedOfParts(database, id) });
    },
    list: (page) => list(database, page, client),
    unfinished: (most) => unfinished(database, most, own),
    ahead: (id) => ahead(database, id),
    first: (count) => firstJobs(database, count),
    lately: () => lately(database),
    backlog: () => backlog(database),
    claim: (owner, leaseSeconds, before) => claimNext(database, owner, leaseSeconds, before),
    isNext: (claim) => isNext(database, claim),
    bytes: ({ id, part }) => (part === undefined ? chunks(database, id) : bytesOfPart(database, part)),
    size: (id) => sizeOf(database, id),
    split: (lease, parts) => split(database, lease, parts),
    renew: (lease, leaseSeconds, captured) =>
      change(database, 'capture_job', lease, `lease_until = ${time} + ?, captured = ?`, [
        leaseSeconds * 1000,
        captured,
      ]),
    finish: (lease, outcome) =>
      isPart(lease) ? finishPart(database, lease, outcome) : finish(database, lease, outcome),
    storeStep: (lease, step) => storeStep(database, lease, step),
    async release(lease, delaySeconds) {
      await change(database, 'capture_job', lease, given, [delaySeconds * 1000 - 1]);
    },
    async handOver(lease) {
      // whoever claims it next has the number of this claim, but is another owner: one that leaves claims nothing more
      await change(database, 'capture_job', lease, `attempt = attempt - 1, owner = NULL, ${given}`, [-1]);
    },
    prune: (finishedSeconds, documentSeconds) => prune(database, finishedSeconds, documentSeconds),
  };
}

const isPart = (lease: JobClaim): lease is JobClaim & { readonly part: NonNullable<JobClaim['part']> } =>
  lease.part !== undefined;

function finish(database: Database, lease: JobClaim, { success, errors, captured }: JobOutcome): Promise<boolean> {
  return database.transaction(async (connection) => {
    const set = `state = ${FINISHED}, finished_at = ${nowSql(database.dialect)}, success = ?, errors = ?, captured = ?`;
    const values = [success ? 1 : 0, JSON.stringify(errors), captured];
    const held = await change(connection, 'capture_job', lease, set, values);
    if (held && lease.task !== undefined && success) await endDocument(connection, lease);
    else if (held) await connection.run('DELETE FROM capture_job_chunk WHERE job_id = ?', [lease.id]);
    return held;
  });
}

/** At most: the last chunk may have fewer. */
async function sizeOf(database: Database, id: string): Promise<number> {
  const [row] = await database.all('SELECT COUNT(*) AS n FROM capture_job_chunk WHERE job_id = ?', [id]);
  return Number(row?.['n']) * CHUNK_BYTES;
}

type About = NewJob & { readonly client?: ClientIdentity };

const FIRST: JobPlace = { wait: 0 };

/** A document of one chunk costs one commit. A longer one is stored chunk by chunk, and can be claimed once complete. */
async function create(database: Database, job: About, chunks: AsyncIterable<Chunk>): Promise<void> {
  const { place = () => FIRST } = job;
  const begin = (state: number, first: Chunk | undefined): Promise<void> =>
    database.transaction(async (connection) => {
      await insertJob(connection, job, state, first?.events ?? 0, place(first?.bytes.length ?? 0));
      if (first !== undefined) await insertChunk(connection, job.id, 0, first);
    });
  let first: Chunk | undefined;
  let n = 0;
  let events = 0;
  let size = 0;
  try {
    for await (const chunk of chunks) {
      size += chunk.bytes.length;
      if (n === 0) first = chunk;
      if (n === 1) await begin(RECEIVING, first);
      if (n > 0) {
        await insertChunk(database, job.id, n, chunk);
        events += chunk.events;
      }
      n += 1;
    }
    if (n <= 1) return await begin(WAITING, first);
    const { name, wait } = place(size);
    const set = `state = ${WAITING}, events = events + ?, class = ?, wait = ?`;
    const stored = await database.run(`UPDATE capture_job SET ${set} WHERE id = ?`, [
      ...[events, name ?? null, wait, job.id],
    ]);
    if (stored === 0) throw new Error('The upload took more than an hour, and its job was given up meanwhile.');
  } catch (error) {
    // the client hung up, or the document is too long: nobody was told of the job
    if (n > 1) await removeJobs(database, [job.id]).catch(() => undefined); // prune comes later in any case
    throw error;
  }
}

async function insertJob(
  connection: Connection,
  job: About,
  state: number,
  events: number,
  { name, wait }: JobPlace,
): Promise<void> {
  await connection.run(
    `INSERT INTO capture_job (id, state, media_type, headers, error_behaviour, events, created_at, success, errors,
       attempt, lease_until, client, client_key, class, wait)
     VALUES (?, ?, ?, ?, ?, ?, ${nowSql(connection.dialect)}, 1, '[]', 0, 0, ?, ?, ?, ?)`,
    [
      ...[job.id, state, job.mediaType, JSON.stringify(job.headers), job.errorBehaviour, events],
      ...(job.client === undefined ? [null, null] : [JSON.stringify(job.client), keyOf(job.client)]),
      ...[name ?? null, wait],
    ],
  );
}

async function insertChunk(connection: Connection, id: string, n: number, chunk: Chunk): Promise<void> {
  await connection.run('INSERT INTO capture_job_chunk (job_id, n, bytes) VALUES (?, ?, ?)', [id, n, chunk.bytes]);
}

async function claimNext(
  database: Database,
  owner: string,
  leaseSeconds: number,
  before: number | undefined,
): Promise<JobClaim | undefined> {
  const time = nowSql(database.dialect);
  const columns =
    'id, attempt, turn, state, media_type, headers, error_behaviour, client, kind, asked, reached, parent';
  const isFree = `AND lease_until < ${time} ${before === undefined ? '' : 'AND turn < ?'}`;
  const free = await database.all(firstOpen(columns, isFree, 8), before === undefined ? [] : [before, before]);
  for (const row of free) {
    const seen = { id: text(row, 'id'), attempt: Number(row['attempt']) };
    const client = clientOf(row);
    const task = taskOf(row);
    const part = partOf(row);
    const set = `started_at = ${time}, captured = 0`;
    if (!(await claim(database, 'capture_job', seen, owner, leaseSeconds, `state = ${Number(row['state'])}`, set)))
      continue;
    return {
      id: seen.id,
      owner,
      attempt: seen.attempt + 1,
      turn: Number(row['turn']),
      mediaType: text(row, 'media_type'),
      headers: JSON.parse(text(row, 'headers')) as Record<string, string>,
      errorBehaviour: behaviour(row),
      ...(client !== undefined && { client }),
      ...(task !== undefined && { task }),
      ...(part !== undefined && { part }),
    };
  }
  return undefined;
}

/** One that failed, and is tried again later, is not waited for. */
async function isNext(database: Database, { turn }: JobClaim): Promise<boolean> {
  const before = await database.all(
    `SELECT id FROM capture_job WHERE state IN ${OPEN} AND turn < ? AND kind IN ${CAPTURES}
     AND (started_at IS NOT NULL OR lease_until < ${nowSql(database.dialect)}) LIMIT 1`,
    [turn],
  );
  return before.length === 0;
}

/** No other kind has these states, so that of all together an index tells. */
async function unfinished(database: Database, most: number, own: Fragment): Promise<number> {
  const [row] = await database.all(
    `SELECT COUNT(*) AS n FROM (SELECT 1 FROM capture_job
       WHERE state IN (${RECEIVING}, ${WAITING}, ${SPLIT}) ${own.sql === '' ? '' : `AND kind = 'capture' ${own.sql}`} LIMIT ?) j`,
    [...own.values, most],
  );
  return Number(row?.['n']);
}

async function list(
  database: Database,
  page: PageRequest,
  client: ClientIdentity | undefined,
): Promise<{ jobs: readonly CaptureJob[]; next?: string }> {
  const listed = { kind: 'capture', states: [WAITING, FINISHED, SPLIT], client };
  const { made: jobs, next } = await newest(database, listed, page, jobOf);
  return { jobs, ...(next !== undefined && { next }) };
}

async function prune(database: Database, finishedSeconds: number, documentSeconds: number): Promise<void> {
  const time = nowSql(database.dialect);
  const old = `state = ${FINISHED} AND created_at < ${time} - ? AND finished_at < ${time} - ?`;
  const [finished, document] = [finishedSeconds * 1000, documentSeconds * 1000];
  for (;;) {
    const rows = await database.all(
      `SELECT id FROM capture_job WHERE (${old} AND kind = 'capture') OR (${old} AND kind NOT IN ${CAPTURES})
         OR (state = ${RECEIVING} AND created_at < ${time} - ?) LIMIT 128`,
      [finished, finished, document, document, ABANDONED_SECONDS * 1000],
    );
    if (rows.length === 0) return;
    await removeJobs(
      database,
      rows.map((row) => text(row, 'id')),
    );
  }
}

function jobOf(row: Row): CaptureJob {
  const name = optionalText(row, 'class');
  return {
    ...outcomeOf(row),
    captureID: text(row, 'id'),
    captureErrorBehaviour: behaviour(row),
    ...(name !== undefined && { class: name }),
    progress: { captured: Number(row['captured']), events: Number(row['events']) },
  };
}

function behaviour(row: Row): CaptureJob['captureErrorBehaviour'] {
  return row['error_behaviour'] === 'proceed' ? 'proceed' : 'rollback';
}
