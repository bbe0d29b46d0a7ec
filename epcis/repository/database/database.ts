// Port: one SQL database, either dialect. The only two implementations are mysql.ts and sqlite.ts (drivers stay there).
// Everything else in this folder is SQL over this port.

export type Dialect = 'mysql' | 'sqlite';

export type SqlValue = string | number | bigint | null | Uint8Array;

/**
 * Many values that are looked for in query after query, as those of rules are, the same object each time. A connection to SQLite keeps them in a
 * table of its own (sqlite-lists.ts), so that a statement has one value for all of them: to bind a hundred costs more than most queries.
 * Not for MySQL, where such a table would be a write.
 */
export interface ValueList {
  readonly list: readonly (bigint | string | Uint8Array)[];
}

export type Bound = SqlValue | ValueList;

export function isList(value: Bound): value is ValueList {
  return typeof value === 'object' && value !== null && 'list' in value;
}

export type Row = Readonly<Record<string, SqlValue>>;

/** A row as the values of its columns, in the statement's order. */
export type Values = readonly SqlValue[];

export interface Connection {
  readonly dialect: Dialect;
  /** `?` placeholders only; values are always bound, never written into the text. */
  all(sql: string, values?: readonly Bound[]): Promise<readonly Row[]>;
  /** Returns the number of rows changed. */
  run(sql: string, values?: readonly Bound[]): Promise<number>;
}

export interface StreamOptions {
  /** A statement that runs longer ends with a RepositoryError `REPOSITORY_TIMEOUT`. */
  readonly timeoutMs?: number;
}

/** `all` and `run` always speak to the primary; only `stream` may read from a replica (`readUrl`). */
export interface Database extends Connection {
  /**
   * Rows as they come, some at a time, never the whole result in memory; leaving the loop early releases the cursor.
   * By place instead of by name, and not each awaited: a third of what a query of few rows costs beside its SQL.
   */
  stream(sql: string, values?: readonly Bound[], options?: StreamOptions): AsyncIterable<readonly Values[]>;
  /**
   * Commits when `work` resolves, rolls back when it throws. Deadlocks, serialization failures and a lost connection before
   * the commit are retried a few times with the whole `work`, so it must have no effects besides its SQL.
   * A connection lost during the commit itself rejects with `REPOSITORY_COMMIT_UNKNOWN`: only the caller knows if `work`
   * may be done twice.
   */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** What queries read from instead of the primary, and nobody in its place; undefined: there is none. */
  readonly replica?: Pick<Connection, 'all'> | undefined;
  close(): Promise<void>;
}

/** A database as it was opened. */
export interface OpenDatabase extends Database {
  /** Resolves where it answers at all, however busy it or this process's connections are; else rejects with the reason. */
  ping(): Promise<void>;
  /** Hangs up on whatever is under way. */
  abandon(): void;
}
