// The server, or servers, of one URL and the connections to them.
import { createConnection } from 'mysql2';
import mysql, { type Pool, type PoolConnection } from 'mysql2/promise';
import { readWhole, whyUnreadable } from '../../files/read-whole.ts';
import { codeOf, RepositoryError } from './errors.ts';
import { guarded, guardPool, streamOf } from './guarded.ts';
import { inTime } from './in-time.ts';
import { asks, connectWatched } from './most-said.ts';
import { isLost } from './retry.ts';
import type { DatabaseTls, RepositoryUrl } from './url.ts';

export type MysqlUrl = Extract<RepositoryUrl, { kind: 'mysql' }>;

/**
 * On a Galera cluster a transaction, or a query, begins when its member has applied what was committed anywhere before: so it counts on
 * (the ordinals of the feed) where another member left off, and shows what was acknowledged at another. Who is no member of one knows no such variable, or heeds it not.
 */
export const IN_STEP = 'SET SESSION wsrep_sync_wait = 1';

/**
 * Below what clients and gateways wait, which the server's own 50 s are not. It matters where an operator makes a server read only:
 * that waits for whoever waits for a row, whose owner waits to commit until the server takes writes again.
 */
export const LOCK_WAIT = 'SET SESSION innodb_lock_wait_timeout = 20';

/** Also where the server is told otherwise: each statement would begin a transaction then, which sees what was there once. */
export const BY_ITSELF = 'SET SESSION autocommit = 1';

/** However few rows the operator lets others read: an answer with rows left out looks like a whole one. */
export const WHOLE = 'SET SESSION sql_select_limit = 18446744073709551615';

/** Who is no member of a Galera cluster has no such state, or an empty one. */
const STATE = "SHOW STATUS LIKE 'wsrep_local_state_comment'";

/** Another host is asked where one says nothing for so long: a member that is lost on the way refuses nothing. */
const HOST_MS = 1_000;

/** Somebody who waits for a connection from a host. */
interface Waiter {
  readonly host: number;
  readonly reject: (why: Error) => void;
}

/** The hosts of one URL: connections come from the one in use, and from the next when it fails. */
export class Cluster {
  readonly #url: MysqlUrl;
  readonly #pools: readonly Pool[];
  /** Which host's they are. */
  readonly #taken = new Map<PoolConnection, number>();
  readonly #waiters = new Set<Waiter>();
  #inUse = 0;

  /** `first`: each connection's first statements; that one fails is no matter. */
  constructor(url: MysqlUrl, poolSize: number, first: readonly string[]) {
    this.#url = url;
    this.#pools = url.hosts.map((host) => mysql.createPool({ ...settings(url, host), connectionLimit: poolSize }));
    for (const { pool } of this.#pools) {
      guardPool(pool);
      pool.on('connection', (connection) => {
        asks(streamOf(connection));
        for (const statement of first) connection.query(statement, () => undefined);
      });
    }
  }

  get hosts(): number {
    return this.#pools.length;
  }

  /** Resolves to the server's version. */
  async connect(): Promise<string> {
    for (let tried = 0; ; tried += 1) {
      const host = this.#inUse;
      try {
        return await this.#version();
      } catch (error) {
        this.#leave(host);
        if (isLost(error) && tried + 1 < this.#pools.length) continue;
        throw unreachable(this.#url, error);
      }
    }
  }

  async #version(): Promise<string> {
    try {
      const [rows] = await this.#pool().query<mysql.RowDataPacket[]>('SELECT VERSION() AS version');
      return String(rows[0]?.['version']);
    } catch (error) {
      if (codeOf(error) !== 'ER_BAD_DB_ERROR') throw error;
      await this.#create();
      return this.#version();
    }
  }

  async #create(): Promise<void> {
    const host = this.#url.hosts[this.#inUse];
    if (!host) return;
    // the name was checked with the URL
    const create = `CREATE DATABASE IF NOT EXISTS \`${this.#url.database}\` CHARACTER SET utf8mb4`;
    await alone({ ...settings(this.#url, host), database: undefined }, create);
  }

  acquire(): Promise<PoolConnection> {
    const host = this.#inUse;
    const { promise, resolve, reject } = Promise.withResolvers<PoolConnection>();
    const waiter = { host, reject };
    this.#waiters.add(waiter);
    this.#pool(host)
      .getConnection()
      .then(
        (raw) => {
          // it comes when nobody waits for it any more
          if (!this.#waiters.delete(waiter)) return raw.release();
          this.#taken.set(raw, host);
          resolve(raw);
        },
        (error: unknown) => {
          this.#waiters.delete(waiter);
          if (isLost(error)) this.#leave(host);
          reject(error);
        },
      );
    return promise;
  }

  /** What a server may say begins anew: it is asked something, or goes on with rows that are taken as they come. */
  static asks(raw: PoolConnection): void {
    asks(streamOf(raw.connection));
  }

  /** It is of further use. */
  release(raw: PoolConnection): void {
    this.#taken.delete(raw);
    raw.release();
  }

  /** It is of none. */
  destroy(raw: PoolConnection): void {
    this.#taken.delete(raw);
    raw.destroy();
    // the driver only stops speaking: the server could go on for as long as it likes
    streamOf(raw.connection).destroy();
  }

  /** Nor is its host, for now. */
  lost(raw: PoolConnection): void {
    const host = this.#taken.get(raw);
    this.destroy(raw);
    if (host !== undefined) this.#leave(host);
  }

  /**
   * Resolves when a host answers, which is used from then on; whoever waits for one that doesn't goes on there. One that gives its data to
   * another member may keep all from writing until that has everything: it is used where nobody else answers.
   */
  async ping(): Promise<void> {
    const first = this.#inUse;
    let donor: number | undefined;
    let failure: unknown;
    for (let tried = 0; tried < this.#pools.length; tried += 1) {
      const host = (first + tried) % this.#pools.length;
      try {
        if (await this.#isDonor(host)) {
          donor ??= host;
          continue;
        }
        if (donor !== undefined) this.#hangUp(donor);
        return this.#use(host);
      } catch (error) {
        failure = error;
        this.#leave(host);
      }
    }
    if (donor === undefined) throw unreachable(this.#url, failure);
    this.#use(donor);
  }

  /** By a connection of its own: those of the pool may all be at work. Whoever waits for a host that says nothing is told so. */
  async #isDonor(host: number): Promise<boolean> {
    const where = this.#url.hosts[host];
    if (where === undefined) return false;
    const isAlone = this.#pools.length === 1;
    const asked = alone(settings(this.#url, where), isAlone ? 'SELECT 1' : STATE);
    if (isAlone) return (await asked, false);
    const silent = Object.assign(new Error('It says nothing any more.'), { code: 'PROTOCOL_SEQUENCE_TIMEOUT' });
    const state = await inTime(asked, HOST_MS, silent).catch((error: unknown) => {
      if (error === silent) this.#hangUp(host);
      throw error;
    });
    return String(state[0]?.['Value'] ?? '').startsWith('Donor');
  }

  /** Those who wait for them learn it as from a server that hung up. */
  abandon(): void {
    for (const host of this.#pools.keys()) this.#hangUp(host);
  }

  #hangUp(host: number): void {
    for (const [{ connection }, its] of this.#taken) if (its === host) streamOf(connection).destroy(hungUp());
  }

  /** Connections come from the next host from now on. It is told once for each that failed there, and goes on once. */
  #leave(host: number): void {
    if (host === this.#inUse) this.#use((host + 1) % this.#pools.length);
  }

  #use(host: number): void {
    if (host === this.#inUse) return;
    const left = this.#inUse;
    this.#inUse = host;
    for (const waiter of this.#waiters) {
      if (waiter.host !== left) continue;
      this.#waiters.delete(waiter);
      waiter.reject(hungUp());
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end().catch(() => undefined)));
  }

  #pool(host = this.#inUse): Pool {
    const pool = this.#pools[host];
    if (!pool) throw new RepositoryError('REPOSITORY_URL', 'The repository URL names no host.');
    return pool;
  }
}

/** What a server answers to one statement, by a connection for it alone. */
async function alone(where: mysql.ConnectionOptions, statement: string): Promise<mysql.RowDataPacket[]> {
  const connection = guarded(createConnection(where));
  try {
    const [rows] = await connection.promise().query<mysql.RowDataPacket[]>(statement);
    return rows;
  } finally {
    connection.destroy();
    streamOf(connection).destroy();
  }
}

const hungUp = (): Error => Object.assign(new Error('The connection was given up.'), { code: 'ECONNRESET' });

function settings(url: MysqlUrl, host: { host: string; port: number }): mysql.ConnectionOptions {
  return {
    ...host,
    user: url.user,
    password: url.password,
    database: url.database,
    charset: 'utf8mb4',
    timezone: 'Z',
    connectTimeout: 5_000,
    supportBigNumbers: true,
    // no server may ask for a file of this machine
    flags: ['-LOCAL_FILES'],
    stream: () => connectWatched(host.host, host.port),
    // a server keeps at most 16,382 prepared statements for all its clients together
    maxPreparedStatements: 200,
    ...(url.tls && { ssl: tlsSettings(url.tls) }),
  };
}

function tlsSettings({ ca, cert, key, verify }: DatabaseTls): mysql.SslOptions {
  return {
    ...(ca !== undefined && { ca: contentOf(ca) }),
    ...(cert !== undefined && key !== undefined && { cert: contentOf(cert), key: contentOf(key) }),
    ...{ rejectUnauthorized: verify, verifyIdentity: verify, minVersion: 'TLSv1.2' },
  };
}

function contentOf(file: string): string {
  try {
    return readWhole(file).toString();
  } catch (error) {
    const why = whyUnreadable(error);
    throw new RepositoryError('REPOSITORY_URL', `${file}, which the repository URL names, ${why}.`, { cause: error });
  }
}

function unreachable(url: MysqlUrl, error: unknown): RepositoryError {
  const where = url.hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
  const why = codeOf(error) || 'no answer';
  return new RepositoryError(
    'REPOSITORY_UNREACHABLE',
    `The repository database ${url.database} at ${where} cannot be reached as user "${url.user}" (${why}).`,
    { cause: error },
  );
}
