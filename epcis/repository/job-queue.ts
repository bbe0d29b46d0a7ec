// What of the stored work is not done yet, whose turn it is, and how fast it goes.
import type { JobStore, UnfinishedJob } from '../service/jobs.ts';
import type { Stretch } from '../service/jobs-estimate.ts';
import type { Database } from './database/database.ts';
import { FINISHED, firstOpen, NEWER, OPEN, SPLIT, WAITING } from './job-rows.ts';
import { now, nowSql, optionalNumber, optionalText, text } from './leases.ts';

/** So many characters of an owner are its VM's. */
export const VM_OF_OWNER = 12;
/** What was done longer ago tells nothing of now; and as many jobs tell enough. */
const LATELY_SECONDS = 300;
const LATELY_JOBS = 200;
/** Of a capture counted as the document was received: not by much, but it may be wrong. */
const left = (kinds: string): string =>
  `SUM(CASE WHEN kind IN ${kinds} AND captured < events THEN events - captured ELSE 0 END)`;
/** What goes as fast as the other. */
export const CAPTURES = `('capture', 'part')`;
const alike = (kind: string): string => (CAPTURES.includes(`'${kind}'`) ? CAPTURES : `('${kind}')`);

/** At work. By the index of leases: COALESCE keeps others out, that have all that wait. */
const leased = (time: string): string => `COALESCE(state, 0) IN ${OPEN} AND lease_until >= ${time}`;

export async function backlog(database: Database): ReturnType<JobStore['backlog']> {
  const rows = await database.all(
    `SELECT COUNT(*) AS jobs, COALESCE(${left(CAPTURES)}, 0) AS events, ${nowSql(database.dialect)} - MIN(created_at) AS age
     FROM capture_job WHERE state IN ${OPEN}`,
  );
  const row = rows[0] ?? {};
  const oldestSeconds = Math.max(0, optionalNumber(row, 'age') ?? 0) / 1000;
  return { jobs: Number(row['jobs']), events: Number(row['events']), oldestSeconds };
}

/** Whoever has a later place learns that it is later, and need not know by how much: each place costs a row for each time it is asked for. */
const MOST_PLACES = 1000;

/** Those that are at work now go before whatever waits. How fast they go is told by those of the same kind. */
export async function ahead(database: Database, id: string): ReturnType<JobStore['ahead']> {
  const time = nowSql(database.dialect);
  const [own] = await database.all(
    `SELECT kind, state, turn, started_at, lease_until < ${time} AS is_free FROM capture_job
     WHERE id = ? AND state IN (${WAITING}, ${NEWER}, ${SPLIT})`,
    [id],
  );
  if (own === undefined) return undefined;
  const isSplit = Number(own['state']) === SPLIT;
  const running = isSplit || (optionalNumber(own, 'started_at') !== undefined && Number(own['is_free']) === 0);
  const kinds = alike(text(own, 'kind'));
  const sums = `COUNT(*) AS jobs, COALESCE(${left(kinds)}, 0) AS events`;
  // with itself, or with its parts
  const [waiting] = await database.all(
    `SELECT ${sums} FROM (SELECT kind, captured, events FROM capture_job
       WHERE state IN ${OPEN} AND turn <= ? AND (turn < ? OR id <= ? OR parent = ?) AND lease_until < ${time} LIMIT ${MOST_PLACES + 1}) w`,
    [Number(own['turn']), Number(own['turn']), id, id],
  );
  const [atWork] = await database.all(
    `SELECT ${sums}, COUNT(DISTINCT vm) AS workers FROM (SELECT kind, captured, events, SUBSTR(owner, 1, ${VM_OF_OWNER}) AS vm FROM capture_job
       WHERE ${leased(time)} LIMIT ${MOST_PLACES + 1}) r`,
  );
  const sum = (name: string): number => Number(waiting?.[name]) + Number(atWork?.[name]);
  const jobs = running ? 0 : Math.max(0, sum('jobs') - 1);
  const isBounded = jobs >= MOST_PLACES;
  return {
    now: await now(database),
    ...{ jobs: Math.min(jobs, MOST_PLACES), isBounded, events: sum('events'), workers: Number(atWork?.['workers']) },
    lately: await lately(database, kinds),
  };
}

export async function firstJobs(database: Database, count: number): Promise<readonly UnfinishedJob[]> {
  const time = nowSql(database.dialect);
  const rows = await database.all(
    firstOpen(
      `id, turn, kind, class, captured, events, created_at, ${time} - started_at AS ran_for, owner, started_at IS NOT NULL AND lease_until >= ${time} AS is_running`,
      '',
      count,
    ),
  );
  return rows.map((row) => {
    const name = optionalText(row, 'class');
    const ranFor = optionalNumber(row, 'ran_for');
    const owner = optionalText(row, 'owner');
    const running = Number(row['is_running']) === 1;
    return {
      id: text(row, 'id'),
      kind: text(row, 'kind') as UnfinishedJob['kind'],
      ...(name !== undefined && { class: name }),
      progress: { captured: Number(row['captured']), events: Number(row['events']) },
      createdAt: Number(row['created_at']),
      running,
      ...(running && owner !== undefined && { worker: owner.slice(0, VM_OF_OWNER) }),
      ...(ranFor !== undefined && { ranFor }),
    };
  });
}

/** A job that somebody took over, or that was given back, counts from its last claim on. */
export async function lately(database: Database, kinds = CAPTURES): Promise<readonly Stretch[]> {
  const time = nowSql(database.dialect);
  const columns = `owner, started_at AS began, COALESCE(finished_at, ${time}) AS ended, captured`;
  const finished = await database.all(
    `SELECT ${columns} FROM capture_job WHERE state = ${FINISHED} AND finished_at > ${time} - ${LATELY_SECONDS * 1000}
       AND kind IN ${kinds} AND started_at IS NOT NULL ORDER BY finished_at DESC LIMIT ${LATELY_JOBS}`,
  );
  const running = await database.all(
    `SELECT ${columns} FROM capture_job WHERE ${leased(time)} AND COALESCE(kind, '') IN ${kinds} AND captured > 0 LIMIT ${LATELY_JOBS}`,
  );
  return [...finished, ...running].map((row) => ({
    worker: text(row, 'owner').slice(0, VM_OF_OWNER),
    ...{ from: Number(row['began']), to: Number(row['ended']), events: Number(row['captured']) },
  }));
}
