// A connection of the operator's to the database, for what a service may not do.
import { createConnection } from 'mysql2/promise';
import type { RowDataPacket } from 'mysql2/promise';
import type { MariaDb } from '../../helpers/mariadb.ts';

type Query = (sql: string) => Promise<RowDataPacket[]>;

export async function connectTo(database: MariaDb, work: (query: Query) => Promise<void>): Promise<void> {
  const connection = await createConnection(database.url('mysql'));
  try {
    await work(async (sql) => (await connection.query<RowDataPacket[]>(sql))[0]);
  } finally {
    await connection.end();
  }
}
