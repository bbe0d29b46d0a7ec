// Backup and restore as lines of JSON: independent of the database, so that a backup of one kind restores to the other.
// What was captured is in it, with its record times, and master data, named queries, subscriptions and the secret of page
// tokens; the index is made anew. Events captured while a backup runs may be missing from it; none is there in part.
import { createHash, hash } from 'node:crypto';
import type { CapturedEvent, VocabularyElement } from '../domain/event.ts';
import type { Place, Step, Task } from '../service/tasks.ts';
import type { Database, Row, SqlValue } from './database/database.ts';
import { RepositoryError } from './database/errors.ts';
import { insertEvents } from './event-writer.ts';
import { insertRows } from './database/insert.ts';
import { hashOf } from './index-rows.ts';
import { readElements, storeElements } from './master-data.ts';
import { unpackEvent, unpackSource } from './payload.ts';
import { KnownTerms, TermWriter, textOf } from './terms.ts';

const FORMAT = 'mmeliot EPCIS backup 2';
/** It ended with one sum over all lines, which nobody could go on with. */
const FORMER = 'mmeliot EPCIS backup 1';
/** Tables of few rows, copied one by one; all their values are numbers and texts. */
const COPIED = ['setting', 'named_query', 'subscription', 'access_rules'];
const BATCH = 500;

type Line =
  | { readonly backup: string }
  | { readonly row: Readonly<Record<string, string | number | null>>; readonly of: string }
  | { readonly element: VocabularyElement }
  | (CapturedEvent & { readonly recordTime: number })
  | { readonly lines: number; readonly sha256: string };

/** Lines, each with its newline. The last one says how many there are and what they hash to, each with the hash of those before. */
export async function* backup(database: Database): AsyncGenerator<string> {
  for await (const { text = '' } of backupSteps(database, { kind: 'backup', asked: {}, done: 0 }))
    for (const line of text.split('\n').slice(0, -1)) yield `${line}\n`;
}

/** The same as stored work: where it goes on is told by the last element or event, and by count and hash of the lines before. */
export async function* backupSteps(database: Database, { reached, done, total }: Task): AsyncGenerator<Step> {
  let lines = Number(reached?.['lines'] ?? 0);
  let sum = String(reached?.['sum'] ?? '');
  let events = done;
  const [counted] = await database.all('SELECT COUNT(*) AS n FROM event');
  const all = total ?? Number(counted?.['n']);
  const step = (some: readonly Line[], place: Place): Step => {
    const texts = some.map((line) => `${JSON.stringify(line)}\n`);
    for (const text of texts) sum = sumOf(sum, text);
    lines += texts.length;
    return { reached: { ...place, lines, sum }, done: events, total: Math.max(all, events), text: texts.join('') };
  };
  if (reached === undefined) yield step(await headOf(database), { elements: 0 });
  if (reached?.['last'] === undefined)
    for await (const [some, elements] of elementsBehind(database, Number(reached?.['elements'] ?? 0)))
      yield step(some, { elements });
  for await (const [some, last, time] of eventsBehind(database, reached)) {
    events += some.length;
    yield step(some, { last, time });
  }
  if (reached?.['isAll'] === undefined) yield step([{ lines, sha256: sum }], { last: '', isAll: 1 });
}

const sumOf = (before: string, line: string): string => hash('sha256', before + line);

async function headOf(database: Database): Promise<readonly Line[]> {
  const head: Line[] = [{ backup: FORMAT }];
  for (const table of COPIED)
    for (const row of (await database.all(`SELECT * FROM ${table}`)).map(plain))
      if (row['name'] !== RESTORING || table !== 'setting') head.push({ of: table, row });
  return head;
}

/** Their order stays as it is. */
async function* elementsBehind(database: Database, before: number): AsyncGenerator<readonly [readonly Line[], number]> {
  let some: Line[] = [];
  let count = 0;
  for await (const element of readElements(database, {})) {
    count += 1;
    if (count > before) some.push({ element });
    if (some.length < BATCH) continue;
    yield [some, count];
    some = [];
  }
  if (some.length > 0) yield [some, count];
}

async function* eventsBehind(
  database: Database,
  reached: Place | undefined,
): AsyncGenerator<readonly [readonly Line[], last: string, time: number]> {
  let last = String(reached?.['last'] ?? '-1');
  let time = Number(reached?.['time'] ?? -1);
  for (let isMore = reached?.['isAll'] === undefined; isMore;) {
    const rows = await database.all(
      `SELECT CAST(id AS CHAR(20)) AS id, record_time, hash, payload FROM event
       WHERE record_time >= ? AND (record_time > ? OR id > ?) ORDER BY record_time, id LIMIT ${BATCH}`,
      [time, time, BigInt(last)],
    );
    const some = rows.map((row): Line => {
      const payload = row['payload'] as Uint8Array;
      return {
        recordTime: Number(row['record_time']),
        hash: hashOf(row),
        event: unpackEvent(payload),
        source: unpackSource(payload),
      };
    });
    const end = rows.at(-1);
    if (end === undefined) return;
    [last, time] = [textOf(end['id']), Number(end['record_time'])];
    yield [some, last, time];
    isMore = rows.length === BATCH;
  }
}

function plain(row: Row): Record<string, string | number | null> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? textOf(value) : asJson(value)]),
  );
}

function asJson(value: Exclude<SqlValue, Uint8Array>): string | number | null {
  return typeof value === 'bigint' ? Number(value) : value;
}

/**
 * Into an empty repository that is migrated. Resolves to the number of events. `read` is asked twice: nothing is written of a backup
 * that is not whole. Commits batch by batch; after a failure the same backup can be restored again, and what is there stays.
 */
export async function restore(
  database: Database,
  read: () => AsyncIterable<string>,
  onBatch: (events: number) => void = () => undefined,
): Promise<number> {
  const sum = await readWhole(read(), async () => undefined);
  await begin(database, sum);
  const batch = new RestoreBatch(database, onBatch);
  await readWhole(read(), (line) => batch.add(line));
  await batch.flush();
  await database.run('DELETE FROM setting WHERE name = ?', [RESTORING]);
  return batch.events;
}

/** The setting that tells which backup a repository holds a part of, by its sum. */
const RESTORING = 'restoring';

/** Also after it was broken off: what is there is not all of the backup. */
export async function isBeingRestored(database: Database): Promise<boolean> {
  return (await database.all('SELECT 1 FROM setting WHERE name = ?', [RESTORING])).length > 0;
}

async function begin(database: Database, sum: string): Promise<void> {
  const [row] = await database.all('SELECT value FROM setting WHERE name = ?', [RESTORING]);
  const begun = row && textOf(row['value']);
  const [held] = begun === sum ? [] : await database.all('SELECT 1 FROM event LIMIT 1');
  if (held !== undefined)
    throw wrong(
      begun === undefined
        ? 'The repository holds events; a backup is restored into an empty one only.'
        : 'The repository holds a part of another backup: restore that one to its end, or empty the repository.',
    );
  await insertRows(database, 'setting', ['name', 'value'], [[RESTORING, sum]], { verb: 'REPLACE' });
}

/** Each line before the last, which says what they have to be; resolves to their sum. */
async function readWhole(lines: AsyncIterable<string>, take: (line: Line) => Promise<void>): Promise<string> {
  const sums = new Sums();
  let count = 0;
  for await (const text of lines) {
    if (text.trim() === '') continue;
    const line = parsed(text);
    if (count === 0) sums.begin('backup' in line ? line.backup : '');
    if ('lines' in line) {
      if (line.lines !== count || line.sha256 !== sums.sum()) break;
      return line.sha256;
    }
    sums.add(`${text.replace(/\r?\n$/, '')}\n`);
    count += 1;
    await take(line);
  }
  throw wrong('The backup is incomplete or was changed: what it holds is not all of it.');
}

/** What the lines hash to, in either format. */
class Sums {
  readonly #former = createHash('sha256');
  #isFormer = false;
  #sum = '';

  begin(format: string): void {
    if (format !== FORMAT && format !== FORMER) throw wrong('This is not a backup of ours.');
    this.#isFormer = format === FORMER;
  }

  add(line: string): void {
    if (this.#isFormer) this.#former.update(line);
    else this.#sum = sumOf(this.#sum, line);
  }

  sum(): string {
    return this.#isFormer ? this.#former.digest('hex') : this.#sum;
  }
}

function parsed(text: string): Line {
  try {
    const line = JSON.parse(text) as unknown;
    if (typeof line === 'object' && line !== null) return line as Line;
  } catch {
    // no JSON: told below
  }
  throw wrong('This is not a backup of ours, or it was changed: a line of it is no object in JSON.');
}

class RestoreBatch {
  events = 0;
  readonly #database: Database;
  readonly #onBatch: (events: number) => void;
  readonly #known = new KnownTerms();
  #captured: (CapturedEvent & { readonly recordTime: number })[] = [];

  constructor(database: Database, onBatch: (events: number) => void) {
    this.#database = database;
    this.#onBatch = onBatch;
  }

  async add(line: Line): Promise<void> {
    if ('row' in line) await this.#copy(line.of, line.row);
    else if ('element' in line)
      await this.#database.transaction((connection) => storeElements(connection, [line.element]));
    else if ('event' in line) {
      this.#captured.push(line);
      if (this.#captured.length >= BATCH) await this.flush();
    }
  }

  async flush(): Promise<void> {
    const terms = new TermWriter(this.#known);
    const byTime = Map.groupBy(this.#captured, ({ recordTime }) => recordTime);
    await this.#database.transaction(async (connection) => {
      for (const [recordTime, events] of byTime) await insertEvents(connection, events, recordTime, terms);
    });
    terms.committed();
    this.events += this.#captured.length;
    this.#captured = [];
    this.#onBatch(this.events);
  }

  async #copy(table: string, row: Readonly<Record<string, string | number | null>>): Promise<void> {
    if (!COPIED.includes(table)) throw wrong(`The backup has rows of '${table}', which is no table of ours.`);
    const columns = Object.keys(row);
    if (!columns.every((column) => /^[a-z_]+$/.test(column))) throw wrong('The backup has a column that is none.');
    if (table === 'subscription' && row['socket_owner'] !== null) return; // its socket is gone
    const values = Object.values(table === 'subscription' ? begunAnew(row) : row);
    await insertRows(this.#database, table, columns, [values], { verb: 'REPLACE' });
  }
}

/**
 * The feed that told what a subscription had got stays behind, so its next run is a first one: of what was captured since
 * the last run that was delivered, by record time.
 */
function begunAnew(row: Readonly<Record<string, string | number | null>>): typeof row {
  const since = row['last_run_at'] ?? row['initial_record_time'] ?? row['created_at'] ?? null;
  const nothing = { position: null, window_upto: null, window_time: null, window_after: null, owner: null };
  return { ...row, ...nothing, window_sent: 0, lease_until: 0, initial_record_time: since };
}

function wrong(message: string): RepositoryError {
  return new RepositoryError('REPOSITORY_BACKUP', message);
}
