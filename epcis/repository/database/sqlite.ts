// The embedded database: one file, any number of processes. Readers never wait (WAL); writers queue up.
import { accessSync, constants, existsSync, mkdirSync, realpathSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Bound, Connection, OpenDatabase, Row, StreamOptions, Values } from './database.ts';
import { RepositoryError } from './errors.ts';
import { Checkpoints } from './sqlite-checkpoints.ts';
import { SameFile } from './sqlite-file.ts';
import { ListsOfConnection } from './sqlite-lists.ts';
import { CommittedLog, writtenFile, type Written } from './sqlite-log.ts';

/** How long a writer waits for the writers of other processes: well below what clients wait. */
const BUSY_DEADLINE_MS = 10_000;
const MAX_STATEMENTS = 200;
/** SQLite's, with its journal's ending. */
const LONGEST_PATH = 504;
/** After so many bytes a process is one that writes much: some large rows, or 25 documents or 150 single events, of which each statement counts as so many besides. */
const MUCH = 16 * 2 ** 20;
const STATEMENT = MUCH / 1000;
/** Rows of a cursor that are given together: few, for each may hold an event of many megabytes. */
const TOGETHER = 16;

/**
 * A statement answers at once, so what waits for one after the other would never let anybody else in: a capture of many megabytes
 * would have the whole service stand still. After so long they are let in.
 */
const OTHERS_AFTER_MS = 5;

/**
 * A transaction keeps the writers of all processes waiting, and those whom it lets in make it longer: on a tenth of a core some
 * queries are half a second. One of fewer statements, such as a capture of some events, therefore lets nobody in.
 */
const STATEMENTS_TOGETHER = 100;

/** One connection with its prepared statements. */
export class Handle {
  readonly database: DatabaseSync;
  readonly lists: ListsOfConnection;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string, { forStreams = false } = {}) {
    this.database = new DatabaseSync(file, { timeout: 50, returnArrays: forStreams });
    // FULL: what was acknowledged survives a power failure, not only a crash of the process; where there is a log, whoever
    // commits sees to that (sqlite-log.ts)
    this.database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY');
    // a document changes thousands of pages of a large index, many of them again and again: kept at hand (64 MB), and
    // copied from the log into the file once it has 128 MB
    this.database.exec('PRAGMA cache_size = -64000; PRAGMA wal_autocheckpoint = 32000');
    // there may be many cursors: each keeps the inner pages of a large index, the others are in the system's cache
    if (forStreams) this.database.exec('PRAGMA cache_size = -8000');
    this.lists = new ListsOfConnection(this.database);
  }

  /** A database in memory has none. */
  hasLog(): boolean {
    return Object.values(this.database.prepare('PRAGMA journal_mode').get() ?? {}).includes('wal');
  }

  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement) return statement;
    for (const oldest of this.#statements.keys()) {
      if (this.#statements.size < MAX_STATEMENTS) break;
      this.#statements.delete(oldest);
    }
    this.#statements.set(sql, (statement = this.database.prepare(sql)));
    return statement;
  }

  all(sql: string, values: readonly Bound[] = []): readonly Row[] {
    const bound = this.lists.bound(values);
    return this.prepare(sql).all(...bound);
  }

  run(sql: string, values: readonly Bound[] = []): number {
    const bound = this.lists.bound(values);
    return Number(this.prepare(sql).run(...bound).changes);
  }
}

export async function openSqlite(file: string, logOf = writtenFile): Promise<OpenDatabase> {
  try {
    mkdirSync(dirname(resolve(file)), { recursive: true });
    // the first to open a new file locks it for a moment
    return await whenFree(() => new Sqlite(file, logOf));
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    const why = whyNotOpen(resolve(file), told);
    throw new RepositoryError('REPOSITORY_UNREACHABLE', `The repository file ${file} cannot be opened: ${why}.`, {
      cause: error,
    });
  }
}

function hasRoom(folder: string): boolean {
  try {
    return statfsSync(folder).bavail > 0;
  } catch {
    return true; // nobody knows
  }
}

/** SQLite says no more than "unable to open database file", or calls a disk without room an I/O error. */
function whyNotOpen(path: string, told: string): string {
  if (Buffer.byteLength(path) > LONGEST_PATH)
    return `SQLite takes paths of at most ${LONGEST_PATH} bytes, and this one has ${Buffer.byteLength(path)}; choose a shorter one`;
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.R_OK | constants.W_OK);
    return hasRoom(dirname(path)) ? told : `there is no room on its disk (${told})`;
  } catch (error) {
    return `this user may not read and write it (${(error as NodeJS.ErrnoException).code}); give it to that user`;
  }
}

class Sqlite implements OpenDatabase {
  readonly dialect = 'sqlite';
  readonly #file: string;
  readonly #writer: Handle;
  readonly #reader: Handle;
  readonly #place: SameFile;
  /** A cursor holds its snapshot while it is open, so each open cursor has a connection of its own. */
  readonly #idle: Handle[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #othersIn = performance.now();
  /** Bytes, about. */
  #written = 0;
  #checkpoints: Checkpoints | undefined;
  readonly #log: CommittedLog | undefined;
  #closed = false;

  constructor(file: string, logOf: (file: string) => Written) {
    this.#file = file;
    this.#writer = new Handle(file);
    // who waits for another process's transaction waits in whenFree: asleep in SQLite it would keep all others of this one waiting
    this.#writer.database.exec('PRAGMA busy_timeout = 0');
    this.#reader = new Handle(file);
    this.#place = new SameFile(file);
    if (this.#writer.hasLog()) {
      this.#writer.database.exec('PRAGMA synchronous = NORMAL');
      this.#log = new CommittedLog(logOf(`${realpathSync(file)}-wal`));
    }
  }

  async all(sql: string, values?: readonly Bound[]): Promise<readonly Row[]> {
    if (this.#isLong()) await this.#letOthersIn();
    this.#place.lookNowAndThen();
    return whenFree(() => this.#reader.all(sql, values));
  }

  async run(sql: string, values?: readonly Bound[]): Promise<number> {
    const changed = await this.#queue(async () => {
      if (this.#isLong()) await this.#letOthersIn();
      this.#place.look();
      const changed = await whenFree(() => this.#writer.run(sql, values));
      this.#wrote(bytesOf(values));
      return changed;
    });
    if (changed > 0) await this.#log?.safe();
    return changed;
  }

  async *stream(sql: string, values: readonly Bound[] = [], options?: StreamOptions): AsyncGenerator<Values[]> {
    this.#place.lookNowAndThen();
    const handle = this.#idle.pop() ?? new Handle(this.#file, { forStreams: true });
    const deadline = options?.timeoutMs === undefined ? Infinity : performance.now() + options.timeoutMs;
    let rows: Values[] = [];
    try {
      if (this.#isLong()) await this.#letOthersIn();
      const bound = handle.lists.bound(values);
      for (const row of handle.prepare(sql).iterate(...bound) as Iterable<unknown> as Iterable<Values>) {
        if (performance.now() > deadline) throw new RepositoryError('REPOSITORY_TIMEOUT', 'The query took too long.');
        if (rows.push(row) < TOGETHER) continue;
        yield rows;
        if (this.#isLong()) await this.#letOthersIn();
        rows = [];
      }
      if (rows.length > 0) yield rows;
    } finally {
      if (this.#closed) handle.database.close();
      else this.#idle.push(handle);
    }
  }

  async transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    let written = 0;
    const result = await this.#queue(async () => {
      const writer = this.#writer;
      if (this.#isLong()) await this.#letOthersIn();
      let together = 0;
      const isTheirTurn = (): boolean => {
        if (++together < STATEMENTS_TOGETHER || !this.#isLong()) return false;
        together = 0;
        return true;
      };
      this.#place.look();
      await whenFree(() => writer.database.exec('BEGIN IMMEDIATE'));
      try {
        const result = await work({
          dialect: 'sqlite',
          all: async (sql, values) => {
            if (isTheirTurn()) await this.#letOthersIn();
            return writer.all(sql, values);
          },
          run: async (sql, values) => {
            if (isTheirTurn()) await this.#letOthersIn();
            written += STATEMENT + bytesOf(values);
            return writer.run(sql, values);
          },
        });
        writer.database.exec('COMMIT');
        this.#wrote(written);
        return result;
      } catch (error) {
        if (writer.database.isTransaction) writer.database.exec('ROLLBACK');
        writer.lists.forget();
        throw error;
      }
    });
    if (written > 0) await this.#log?.safe();
    return result;
  }

  async ping(): Promise<void> {
    this.#place.look();
  }

  /** A statement answers at once, or fails. */
  abandon(): void {}

  async close(): Promise<void> {
    await this.#queue(async () => {
      if (this.#closed) return;
      this.#closed = true;
      await this.#checkpoints?.close();
      await this.#log?.close();
      for (const handle of [this.#writer, this.#reader, ...this.#idle.splice(0)]) handle.database.close();
    });
  }

  #wrote(bytes: number): void {
    this.#written += bytes;
    if (this.#written > MUCH) this.#checkpoints ??= new Checkpoints(this.#file);
  }

  /** Asked before each statement: where nobody has to be let in, nobody is waited for. */
  #isLong(): boolean {
    return performance.now() - this.#othersIn > OTHERS_AFTER_MS;
  }

  async #letOthersIn(): Promise<void> {
    await new Promise(setImmediate);
    this.#othersIn = performance.now();
  }

  /** One writer at a time in this process; between processes BEGIN IMMEDIATE decides. */
  #queue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

const bytesOf = (values: readonly Bound[] = []): number =>
  values.reduce<number>(
    (sum, value) => (typeof value === 'string' || value instanceof Uint8Array ? sum + value.length : sum),
    0,
  );

/** Waits for other processes without blocking this one. */
async function whenFree<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + BUSY_DEADLINE_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > deadline)
        throw new RepositoryError(
          'REPOSITORY_BUSY',
          'Another process has been writing to the repository for longer than 10 s, as it does for a large document: try again later.',
          { cause: error },
        );
      await new Promise((done) => setTimeout(done, 2 + 20 * Math.random()));
    }
  }
}

/** SQLITE_BUSY is 5; its extended codes keep it in the low byte. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
}
