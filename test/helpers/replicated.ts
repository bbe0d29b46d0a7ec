// A MariaDB with a replica, which lags as long as a test wants.
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { startMariaDb, type MariaDb } from './mariadb.ts';
import { until } from './until.ts';

export interface Replicated {
  readonly primary: MariaDb;
  readonly replica: MariaDb;
  /** Nothing of the primary's is seen at the replica until it goes on. */
  hold(): Promise<void>;
  goOn(): Promise<void>;
  /** Waits until the replica has all that the primary has now. */
  caughtUp(): Promise<void>;
  /** From now on it is a primary of its own. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** Of the server's operator. */
export async function ask(server: MariaDb, ...statements: readonly string[]): Promise<RowDataPacket[]> {
  const connection = await createConnection(server.url('mysql'));
  try {
    let rows: RowDataPacket[] = [];
    for (const statement of statements) [rows] = await connection.query<RowDataPacket[]>(statement);
    return rows;
  } finally {
    await connection.end();
  }
}

export async function startReplicated(): Promise<Replicated> {
  const primary = await startMariaDb(['--server-id=1', '--log-bin=log', '--binlog-format=ROW']);
  const replica = await startMariaDb(['--server-id=2', '--log-bin=log', '--read-only=1']);
  // a replica goes on by what its primary logs from here: both are as they were installed
  await ask(
    primary,
    'RESET MASTER',
    "CREATE USER copy@'127.0.0.1'",
    "GRANT REPLICATION SLAVE ON *.* TO copy@'127.0.0.1'",
  );
  await ask(
    replica,
    'RESET MASTER',
    `CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = ${primary.port}, MASTER_USER = 'copy', MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1`,
    'START SLAVE',
  );
  return {
    ...{ primary, replica },
    hold: async () => void (await ask(replica, 'STOP SLAVE SQL_THREAD')),
    goOn: async () => void (await ask(replica, 'START SLAVE SQL_THREAD')),
    caughtUp: async () => {
      const [row] = await ask(primary, 'SELECT @@gtid_binlog_pos AS at');
      await until('the replica has it', async () => {
        const [waited] = await ask(replica, `SELECT MASTER_GTID_WAIT('${String(row?.['at'])}', 1) AS late`);
        return Number(waited?.['late']) === 0;
      });
    },
    promote: async () => void (await ask(replica, 'STOP SLAVE', 'RESET SLAVE ALL', 'SET GLOBAL read_only = 0')),
    stop: async () => {
      await replica.stop();
      await primary.stop();
    },
  };
}
