import type { NamedQuery, NamedQueryStore } from '../service/named-queries.ts';
import type { Database, Row } from './database/database.ts';
import { insertNew, iso, nowSql, text } from './leases.ts';

export function createNamedQueryStore(database: Database): NamedQueryStore {
  return {
    async create({ name, parameters, definition = '' }) {
      const inserted = await database.run(
        `${insertNew(database.dialect)} named_query (name, parameters, definition, created_at)
         VALUES (?, ?, ?, ${nowSql(database.dialect)})`,
        [name, JSON.stringify(parameters), definition],
      );
      return inserted === 1;
    },
    async find(name) {
      const rows = await database.all('SELECT * FROM named_query WHERE name = ?', [name]);
      return rows[0] && queryOf(rows[0]);
    },
    async list(after, limit) {
      const rows = await database.all('SELECT * FROM named_query WHERE name > ? ORDER BY name LIMIT ?', [after, limit]);
      return rows.map(queryOf);
    },
    delete: (name) =>
      database.transaction(async (connection) => {
        const deleted = await connection.run('DELETE FROM named_query WHERE name = ?', [name]);
        if (deleted === 1) await connection.run('DELETE FROM subscription WHERE query_name = ?', [name]);
        return deleted === 1;
      }),
  };
}

function queryOf(row: Row): NamedQuery {
  return {
    name: text(row, 'name'),
    kind: 'events',
    parameters: JSON.parse(text(row, 'parameters')) as NamedQuery['parameters'],
    definition: text(row, 'definition'),
    createdAt: iso(Number(row['created_at'])),
  };
}
