// A database that goes away is noticed soon, however it goes: it refuses, says nothing any more, or its file is gone. From then on nobody
// waits for it, until it answers again.
import { UnavailableError } from '../../domain/unavailable.ts';
import type { Bound, Connection, Database, OpenDatabase, StreamOptions, Values } from './database.ts';
import { codeOf, RepositoryError } from './errors.ts';
import { inTime } from './in-time.ts';
import { isLost } from './retry.ts';
import { GONE, Waits, type Patience, type Wait } from './waits.ts';

export interface Asking extends Patience {
  /** A database that answers at all says so within this time. */
  readonly pingMs: number;
  /** Pause between two such questions. */
  readonly againMs: number;
}

/** Well below what clients and gateways wait for an answer, and long enough for a primary that changes or is started again. */
const ASKING: Asking = { suspectMs: 1_000, patienceMs: 3_000, pingMs: 2_000, againMs: 500 };

/** Told for each statement that failed for it, which may be many a second, and when the database is given up; undefined: it answers again. */
export type Tell = (why: unknown) => void;

/** The same database, whose statements end with an UnavailableError soon after it went away. */
export function reachable(database: OpenDatabase, tell: Tell, asking = ASKING): Database {
  return new Reachable(database, tell, asking);
}

class Reachable implements Database {
  readonly dialect;
  readonly replica;
  readonly #inner: OpenDatabase;
  readonly #tell: Tell;
  readonly #times: Asking;
  readonly #waits: Waits;
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;
  #closed = false;

  constructor(inner: OpenDatabase, tell: Tell, times: Asking) {
    this.dialect = inner.dialect;
    this.replica = inner.replica;
    this.#inner = inner;
    this.#tell = tell;
    this.#times = times;
    this.#waits = new Waits(times);
  }

  all(sql: string, values?: readonly Bound[]): ReturnType<Database['all']> {
    return this.#within((wait) => this.#timed(wait, () => this.#inner.all(sql, values)));
  }

  run(sql: string, values?: readonly Bound[]): Promise<number> {
    return this.#within((wait) => this.#timed(wait, () => this.#inner.run(sql, values)));
  }

  async *stream(sql: string, values?: readonly Bound[], options?: StreamOptions): AsyncGenerator<readonly Values[]> {
    const rows = this.#inner.stream(sql, values, options)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.#within((wait) => this.#timed(wait, () => rows.next()));
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      // of a database that is gone the end may never come
      const ended = rows.return?.();
      if (this.#waits.gone === undefined) await ended;
      else ended?.catch(() => undefined);
    }
  }

  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#within((wait) => {
      wait.since = performance.now();
      return this.#inner.transaction(async (connection) => {
        // begun once more, for somebody who was told already that it is gone
        this.#throwIfGone(wait);
        this.#waits.answered(performance.now(), wait);
        try {
          const { dialect } = connection;
          const result = await work({
            dialect,
            all: (sql, values) => this.#timed(wait, () => connection.all(sql, values)),
            run: (sql, values) => this.#timed(wait, () => connection.run(sql, values)),
          });
          this.#throwIfGone(wait);
          return result;
        } finally {
          // until it is committed, or taken back
          wait.since ??= performance.now();
        }
      });
    });
  }

  close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    return this.#inner.close();
  }

  async #within<T>(work: (wait: Wait) => Promise<T>): Promise<T> {
    if (this.#waits.gone !== undefined) throw this.#waits.gone;
    const { promise: given, reject: giveUp } = Promise.withResolvers<never>();
    const wait = this.#waits.add(giveUp);
    this.#lookLater();
    try {
      const result = await Promise.race([work(wait), given]);
      this.#waits.answered(performance.now());
      return result;
    } catch (error) {
      throw this.#seen(error);
    } finally {
      this.#waits.delete(wait);
    }
  }

  async #timed<T>(wait: Wait, statement: () => Promise<T>): Promise<T> {
    wait.since = performance.now();
    try {
      const result = await statement();
      this.#waits.answered(performance.now(), wait);
      return result;
    } catch (error) {
      // of a connection that was lost the wait goes on: the database is tried again
      if (whyUnavailable(error) === undefined) this.#waits.answered(performance.now(), wait);
      throw error;
    }
  }

  #throwIfGone(wait: Wait): void {
    if (!this.#waits.has(wait)) throw this.#waits.gone ?? new UnavailableError(GONE);
  }

  /** What is no fault of the statement: nobody has to know more of it than that it may work later. */
  #seen(error: unknown): unknown {
    if (error instanceof UnavailableError) return error;
    const sentence = whyUnavailable(error);
    if (sentence === undefined) return error;
    this.#tell(error);
    return new UnavailableError(sentence, { cause: error });
  }

  /** One timer for all, and none while nobody waits. */
  #lookLater(): void {
    if (this.#timer !== undefined || this.#closed) return;
    const { againMs } = this.#times;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#waits.matter) return;
      this.#lookLater();
      void this.#look();
    }, againMs).unref();
  }

  async #look(): Promise<void> {
    const waits = this.#waits;
    if (this.#isAsking || !waits.doubts(performance.now())) return;
    this.#isAsking = true;
    const why = await this.#ask();
    this.#isAsking = false;
    if (this.#closed || !waits.learn(why, performance.now())) return;
    this.#tell(why);
    if (waits.gone === undefined) return;
    waits.giveUp();
    // their connections, too: those of a server that was lost on the way may be silent for many minutes
    this.#inner.abandon();
  }

  /** Why it doesn't answer. */
  async #ask(): Promise<unknown> {
    const { pingMs } = this.#times;
    const late = new RepositoryError('REPOSITORY_UNREACHABLE', `The database gave no answer within ${pingMs} ms.`);
    try {
      await inTime(this.#inner.ping(), pingMs, late);
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

const LOCKED = 'Another process keeps the repository from being written to: send the request again later.';
const NOT_WRITTEN = 'The repository cannot be written to at present, but read: send the request again later.';
const BROKEN = 'The repository cannot be read at present: its operator has to look after it.';

/** By SQLite's primary result code: https://www.sqlite.org/rescode.html */
const OF_FILE = new Map([
  [6, LOCKED],
  [8, NOT_WRITTEN],
  [10, BROKEN],
  [11, BROKEN],
  [13, NOT_WRITTEN],
  [14, GONE],
  [26, BROKEN],
]);

/** MySQL's words for a disk without room, and for a server that is read only. */
const TAKES_NO_WRITES: ReadonlySet<string> = new Set([
  'ER_DISK_FULL',
  'ER_RECORD_FILE_FULL',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_OPTION_PREVENTS_STATEMENT',
]);

/** The database answers, and is not the one that it was: dropped, or replaced by an empty one. */
const IS_ANOTHER: ReadonlySet<string> = new Set(['ER_NO_SUCH_TABLE', 'ER_BAD_DB_ERROR', 'ER_NO_DB_ERROR']);

/** The sentence for the client; undefined: the error is about something else. */
export function whyUnavailable(error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === 'REPOSITORY_BUSY') return LOCKED;
  if (['REPOSITORY_UNREACHABLE', 'REPOSITORY_COMMIT_UNKNOWN'].includes(code)) return GONE;
  if (TAKES_NO_WRITES.has(code)) return NOT_WRITTEN;
  if (IS_ANOTHER.has(code)) return BROKEN;
  if (error instanceof Error && 'errcode' in error) return OF_FILE.get(Number(error.errcode) & 0xff);
  return isLost(error) ? GONE : undefined;
}
