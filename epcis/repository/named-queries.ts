import type { ClientIdentity } from '../access/identity.ts';
import { EpcisException } from '../domain/exceptions.ts';
import type { NamedQuery, NamedQueryStore } from '../service/named-queries.ts';
import type { Connection, Database, Row } from './database/database.ts';
import { insertNew, iso, nowSql, text } from './leases.ts';
import { ownTurn } from '../turns/own-turn.ts';
import { rowsOf, UNIT_BYTES, upToSize } from './large-rows.ts';
import { BEHIND_KEY, shownName, storedName } from './ownership.ts';

/** In bytes, for which SQLite need not read what it counts: to count characters it read all queries, for each page of them. */
const SIZE = 'OCTET_LENGTH(parameters) + OCTET_LENGTH(definition) AS size';

/** `client`: whose queries are its own, and those made for all. What one makes who may administer is for all. */
export function createNamedQueryStore(database: Database, client?: ClientIdentity): NamedQueryStore {
  const administers = client === undefined || client.roles.includes('administer');
  /** The names that are greater, in their order, each with its size. */
  const listed = async (after: string, limit: number): Promise<readonly Row[]> => {
    const shared = await database.all(
      `SELECT name, ${SIZE} FROM named_query WHERE name > ? AND INSTR(name, '${BEHIND_KEY}') = 0 ORDER BY name LIMIT ?`,
      [after, limit],
    );
    if (client === undefined) return shared;
    const own = await database.all(
      `SELECT name, ${SIZE} FROM named_query WHERE name > ? AND name < ? ORDER BY name LIMIT ?`,
      [storedName(client, after), storedName(client, '\u{10FFFF}'), limit],
    );
    // an own one of the same name stands before it
    const both = new Map([...shared, ...own].map((row) => [shownName(text(row, 'name')), row]));
    return [...both]
      .sort(([a], [b]) => byName(a, b))
      .slice(0, limit)
      .map(([, row]) => row);
  };
  return {
    async create({ name, parameters, definition = '' }) {
      if (!administers && (await exists(database, name))) return false;
      const spend = ownTurn();
      await spend(definition.length / UNIT_BYTES);
      const written = JSON.stringify(parameters);
      await spend((written.length + definition.length) / UNIT_BYTES);
      const inserted = await database.run(
        `${insertNew(database.dialect)} named_query (name, parameters, definition, created_at)
         VALUES (?, ?, ?, ${nowSql(database.dialect)})`,
        [administers ? name : storedName(client, name), written, definition],
      );
      return inserted === 1;
    },
    async find(name) {
      const [row] = await database.all('SELECT * FROM named_query WHERE name = ?', [
        await storedQueryName(database, client, name),
      ]);
      return row && queryOf(row);
    },
    async list(after, limit) {
      const known = await listed(after, limit + 1);
      const page = upToSize(known.slice(0, limit));
      const queries = await rowsOf(database, 'named_query', 'name', page, queryOf);
      return { queries, isMore: page.length < known.length };
    },
    names: async (after, limit) => (await listed(after, limit)).map((row) => shownName(text(row, 'name'))),
    async count(most) {
      const [names, values] = administers
        ? [`INSTR(name, '${BEHIND_KEY}') = 0`, []]
        : ['name > ? AND name < ?', [storedName(client, ''), storedName(client, '\u{10FFFF}')]];
      const sql = `SELECT COUNT(*) AS n FROM (SELECT 1 FROM named_query WHERE ${names} LIMIT ?) q`;
      const [row] = await database.all(sql, [...values, most]);
      return Number(row?.['n']);
    },
    delete: (name) =>
      database.transaction(async (connection) => {
        const stored = await storedQueryName(connection, client, name);
        if (stored === name && !administers && (await exists(connection, name)))
          throw new EpcisException(
            'SecurityException',
            `The query '${name}' is for all; it takes the role administer to delete it.`,
          );
        const deleted = await connection.run('DELETE FROM named_query WHERE name = ?', [stored]);
        if (deleted === 1) await connection.run('DELETE FROM subscription WHERE query_name = ?', [stored]);
        return deleted === 1;
      }),
  };
}

/** The client's own query of this name, if it has one. */
export async function storedQueryName(
  connection: Connection,
  client: ClientIdentity | undefined,
  name: string,
): Promise<string> {
  const own = storedName(client, name);
  return own !== name && (await exists(connection, own)) ? own : name;
}

async function exists(connection: Connection, stored: string): Promise<boolean> {
  return (await connection.all('SELECT 1 FROM named_query WHERE name = ?', [stored])).length > 0;
}

/** As the database orders them: by their bytes. */
const byName = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function queryOf(row: Row): NamedQuery {
  return {
    name: shownName(text(row, 'name')),
    kind: 'events',
    parameters: JSON.parse(text(row, 'parameters')) as NamedQuery['parameters'],
    definition: text(row, 'definition'),
    createdAt: iso(Number(row['created_at'])),
  };
}
