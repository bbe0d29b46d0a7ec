// MariaDB and MySQL, and what speaks their protocol. Nothing here depends on which connection a statement runs on, so a
// pool, a proxy or a cluster may stand behind the URL.
import mysql, { type PoolConnection, type ResultSetHeader } from 'mysql2/promise';
import {
  isList,
  type Bound,
  type Connection,
  type OpenDatabase,
  type Row,
  type StreamOptions,
  type Values,
} from './database.ts';
import { codeOf, RepositoryError } from './errors.ts';
import { BY_ITSELF, Cluster, IN_STEP, LOCK_WAIT, WHOLE, type MysqlUrl } from './mysql-cluster.ts';
import { Replica } from './replica.ts';
import { isConflict, isLost, pause, retrying } from './retry.ts';
import { RowQueue, type RowSource } from './row-queue.ts';

// looked up once: each look goes through the module loader, which was a tenth of capturing a document
const { BIGINT } = mysql.TypedParameter;

/** Connects, and creates the database where it's absent and the rights allow. */
export async function openMysql(url: MysqlUrl, readUrl: MysqlUrl | undefined, poolSize: number): Promise<OpenDatabase> {
  // clients that read slowly keep their connections: half of them at most, so that captures go on
  const readers = Math.max(1, Math.floor(poolSize / 2));
  const primary = new Cluster(url, Math.max(1, poolSize - readers), [BY_ITSELF, WHOLE, IN_STEP, LOCK_WAIT]);
  try {
    const version = await primary.connect();
    const reading = new Cluster(url, readers, [BY_ITSELF, WHOLE, IN_STEP]);
    // it lags as it may; another member of the cluster that VMs write to does not
    const replica = readUrl === undefined ? undefined : new Replica(new Cluster(readUrl, readers, [BY_ITSELF, WHOLE]));
    return new Mysql(primary, reading, replica, version.includes('MariaDB'));
  } catch (error) {
    await primary.close();
    throw error;
  }
}

class Mysql implements OpenDatabase {
  readonly dialect = 'mysql';
  readonly #primary: Cluster;
  readonly #readers: Cluster;
  readonly #replica: Replica | undefined;
  readonly #isMariaDb: boolean;
  /** Several. */
  readonly #hasHosts: boolean;
  readonly replica: Pick<Connection, 'all'> | undefined;

  constructor(primary: Cluster, readers: Cluster, replica: Replica | undefined, isMariaDb: boolean) {
    this.#primary = primary;
    this.#readers = readers;
    this.#hasHosts = primary.hosts > 1;
    this.#replica = replica;
    this.#isMariaDb = isMariaDb;
    this.replica = replica && {
      all: (sql, values) => replica.heard(using(replica.cluster, (connection) => connection.all(sql, values))),
    };
  }

  all(sql: string, values?: readonly Bound[]): Promise<readonly Row[]> {
    const again = (error: unknown): boolean => isConflict(error) || isLost(error);
    return retrying(() => using(this.#primary, (connection) => connection.all(sql, values)), again);
  }

  run(sql: string, values?: readonly Bound[]): Promise<number> {
    return this.transaction((connection) => connection.run(sql, values));
  }

  async *stream(
    sql: string,
    values: readonly Bound[] = [],
    options?: StreamOptions,
  ): AsyncGenerator<readonly Values[]> {
    const text = this.#limited(sql, options?.timeoutMs);
    for (let attempt = 0; ; attempt += 1) {
      const replica = attempt % 2 === 0 && this.#replica?.rests === false ? this.#replica : undefined;
      let rowsGiven = false;
      try {
        for await (const rows of cursor(replica ?? this.#readers, text, values)) {
          rowsGiven = true;
          yield rows;
        }
        return;
      } catch (error) {
        if (['ER_STATEMENT_TIMEOUT', 'ER_QUERY_TIMEOUT'].includes(codeOf(error)))
          throw new RepositoryError('REPOSITORY_TIMEOUT', 'The query took too long.', { cause: error });
        const isConflictNow = isConflict(error);
        if (!isConflictNow) replica?.failed();
        // whatever a replica fails by: without its tables, or another's login, it refuses what the primary answers
        const again = replica !== undefined || isLost(error) || isConflictNow;
        if (rowsGiven || attempt >= 11 || !again) throw error;
        if (replica !== undefined) continue;
      }
      await pause(attempt);
    }
  }

  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const again = (error: unknown): boolean => isConflict(error) || isLost(error);
    return retrying(
      () =>
        using(this.#primary, async (connection, raw) => {
          // each statement sees what is committed by then: two VMs that capture one event at once must see each other
          await raw.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
          await raw.beginTransaction();
          try {
            const result = await work(connection);
            await commit(raw);
            return result;
          } catch (error) {
            await raw.rollback().catch(() => raw.destroy());
            throw isByStatement(error) ? new RepositoryError('REPOSITORY_URL', BY_STATEMENT, { cause: error }) : error;
          }
        }),
      again,
    );
  }

  async ping(): Promise<void> {
    // each goes on with another host by itself
    await Promise.all([this.#primary.ping(), ...(this.#hasHosts ? [this.#readers.ping()] : [])]);
  }

  abandon(): void {
    this.#primary.abandon();
    this.#readers.abandon();
    this.#replica?.cluster.abandon();
  }

  async close(): Promise<void> {
    const all = [this.#primary, this.#readers, ...(this.#replica === undefined ? [] : [this.#replica.cluster])];
    await Promise.all(all.map((cluster) => cluster.close()));
  }

  /** The time limit travels with the statement: no session state. */
  #limited(sql: string, timeoutMs: number | undefined): string {
    if (timeoutMs === undefined) return sql;
    if (this.#isMariaDb) return `SET STATEMENT max_statement_time=${timeoutMs / 1000} FOR ${sql}`;
    return sql.replace(/^\s*SELECT\b/, `SELECT /*+ MAX_EXECUTION_TIME(${Math.ceil(timeoutMs)}) */`);
  }
}

/** Of a MariaDB as it was before version 10.2, or is where somebody has told it so. */
const isByStatement = (error: unknown): boolean => codeOf(error) === 'ER_BINLOG_STMT_MODE_AND_ROW_ENGINE';
const BY_STATEMENT =
  'The database writes its binary log by statements, and takes no transaction that sees what others commit meanwhile: set binlog_format to MIXED or ROW.';

async function commit(raw: PoolConnection): Promise<void> {
  try {
    await raw.commit();
  } catch (error) {
    // nor does an answer tell that cannot be read: it ends the connection, which the server's own failures don't
    const isUnreadable = error instanceof Error && 'fatal' in error && error.fatal === true;
    if (isLost(error) || isUnreadable)
      throw new RepositoryError('REPOSITORY_COMMIT_UNKNOWN', 'The connection was lost while committing.', {
        cause: error,
      });
    throw error;
  }
}

/** A connection for the time of `work`; a lost one is not given back to the pool. */
async function using<T>(
  cluster: Cluster,
  work: (connection: Connection, raw: PoolConnection) => Promise<T>,
): Promise<T> {
  let raw: PoolConnection | undefined;
  try {
    raw = await cluster.acquire();
    const result = await work(boundTo(raw), raw);
    cluster.release(raw);
    return result;
  } catch (error) {
    const isLostNow = isLost(error) || codeOf(error) === 'REPOSITORY_COMMIT_UNKNOWN';
    if (raw !== undefined) cluster[isLostNow ? 'lost' : 'release'](raw);
    throw error;
  }
}

async function* cursor(
  from: Cluster | Replica,
  sql: string,
  values: readonly Bound[],
): AsyncGenerator<readonly Values[]> {
  const [cluster, heard] =
    from instanceof Replica
      ? ([from.cluster, <T>(answer: Promise<T>) => from.heard(answer)] as const)
      : ([from, <T>(answer: Promise<T>) => answer] as const);
  let raw: PoolConnection | undefined;
  let rows: RowQueue | undefined;
  let isLostNow = false;
  try {
    const acquired = cluster.acquire();
    raw = await heard(acquired).catch((error: unknown) => {
      // one that comes when nobody waits for it any more
      acquired.then((late) => cluster.destroy(late)).catch(() => undefined);
      throw error;
    });
    // only the callback interface gives single rows; it is the same connection
    rows = new RowQueue(raw.connection as unknown as RowSource, sql, values.map(parameter));
    for (;;) {
      Cluster.asks(raw);
      const some = await heard(rows.next());
      if (some === undefined) return;
      yield some;
    }
  } catch (error) {
    isLostNow = isLost(error);
    throw error;
  } finally {
    // left early: the rest of the result is still on its way, so the connection is of no further use
    if (raw !== undefined) cluster[isLostNow ? 'lost' : rows?.ended ? 'release' : 'destroy'](raw);
  }
}

function boundTo(raw: PoolConnection): Connection {
  return {
    dialect: 'mysql',
    async all(sql, values = []) {
      Cluster.asks(raw);
      const [rows] = await raw.execute<mysql.RowDataPacket[]>(sql, values.map(parameter));
      return rows;
    },
    async run(sql, values = []) {
      Cluster.asks(raw);
      const [result] = await raw.execute<ResultSetHeader>(sql, values.map(parameter));
      return result.affectedRows;
    },
  };
}

/** Whole numbers of 64 bits, also those that JavaScript rounds: microseconds of years before 1684 or after 2255. */
const isBigint = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 63;

/** mysql2 sends numbers as DOUBLE and bigints as text, and neither suits an index on BIGINT. */
function parameter(value: Bound): mysql.ExecuteValues {
  if (isList(value)) throw new Error('Lists of values are for SQLite only.');
  if (typeof value === 'bigint') return BIGINT(value);
  if (typeof value === 'number' && isBigint(value)) return BIGINT(Number.isSafeInteger(value) ? value : BigInt(value));
  if (value instanceof Uint8Array && !Buffer.isBuffer(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength); // the same bytes: a copy of 100 MB has to be collected, too
  return value;
}
