// The values that events have: EPCs, and those of a column, page by page.
import { epcKey } from '../domain/epc.ts';
import { sortTexts } from '../domain/hash-text.ts';
import type { Criterion } from '../service/criteria.ts';
import { COLUMN_FACTS, type Column } from '../service/queryable-columns.ts';
import { INSTANCE_ROLES } from '../service/queryable-places.ts';
import type { ValuePage } from '../service/services.ts';
import type { Database, Row } from './database/database.ts';
import { keys } from './keys.ts';
import { unpackEvent } from './payload.ts';
import { rowSql } from './sql/conditions.ts';
import { columnOf } from './sql/sql-drivers.ts';
import { inList } from './sql/sql.ts';
import { kindOf, shortened, textOf } from './terms.ts';

/** Of a client that does not see all, places are as events that it sees write them: a term is as the first event of all wrote it. */
export async function termsHeld(
  database: Database,
  column: Column,
  limit: number,
  after: string | undefined,
  criteria: readonly Criterion[],
): Promise<ValuePage> {
  const seen = rowSql(criteria, { dialect: database.dialect, keys });
  const isSpelt = criteria.length > 0 && (column === 'readPoint' || column === 'bizLocation');
  const of = `FROM event e WHERE e.${columnOf(column)} = t.id AND ${seen.sql}`;
  const event = isSpelt ? `(SELECT CAST(e.id AS CHAR(20)) ${of} LIMIT 1)` : 'NULL';
  const rows = await database.all(
    `SELECT t.value AS value, ${event} AS event_id FROM term t WHERE t.kind = ? AND t.value > ?
     AND EXISTS (SELECT 1 ${of}) ORDER BY t.value LIMIT ?`,
    [
      ...(isSpelt ? seen.values : []),
      ...[kindOf(column), bytes(database, after ?? '')],
      ...[...seen.values, limit + 1],
    ],
  );
  const page = rows.slice(0, limit);
  const known = page.map((row) => textOf(row['value']));
  const values = isSpelt ? await spelt(database, column, page) : known;
  return rows.length > limit ? { values, next: known.at(-1) ?? '' } : { values };
}

async function spelt(database: Database, column: Column, page: readonly Row[]): Promise<readonly string[]> {
  const ids = page.map((row) => textOf(row['event_id']));
  if (ids.length === 0) return [];
  const { sql, values } = inList('e.id', ids.map(BigInt));
  const rows = await database.all(
    `SELECT CAST(e.id AS CHAR(20)) AS id, e.payload AS payload FROM event e WHERE ${sql}`,
    values,
  );
  const written = new Map(
    rows.map((row) => [textOf(row['id']), COLUMN_FACTS[column].of(unpackEvent(row['payload'] as Uint8Array))]),
  );
  // one that was pruned meanwhile is none
  return sortTexts(ids.flatMap((id) => written.get(id) ?? []).map(shortened));
}

/** As one of its events wrote it: the index itself holds canonical forms. */
export async function epcsHeld(
  database: Database,
  limit: number,
  after: string | undefined,
  criteria: readonly Criterion[],
): Promise<ValuePage> {
  const seen = rowSql(criteria, { dialect: database.dialect, keys });
  const among = criteria.length === 0 ? '' : `JOIN event e ON e.id = d.event_id AND ${seen.sql}`;
  const rows = await database.all(
    `SELECT k.epc AS epc, e.payload AS payload FROM
       (SELECT d.epc AS epc, MAX(d.event_id) AS id FROM event_epc d ${among}
        WHERE d.epc > ? AND d.roles & ${INSTANCE_ROLES} <> 0 GROUP BY d.epc ORDER BY d.epc LIMIT ?) k
     JOIN event e ON e.id = k.id ORDER BY k.epc`,
    [...(criteria.length === 0 ? [] : seen.values), bytes(database, after ?? ''), limit + 1],
  );
  const found = rows.map((row) => textOf(row['epc']));
  const values = rows.slice(0, limit).map((row, n) => {
    const event = unpackEvent(row['payload'] as Uint8Array);
    const { parentID, epcList, childEPCs, inputEPCList, outputEPCList } = event;
    const all = [parentID ?? [], epcList ?? [], childEPCs ?? [], inputEPCList ?? [], outputEPCList ?? []].flat();
    return all.find((epc) => keys.epc(epcKey(epc)) === found[n]) ?? found[n] ?? '';
  });
  return found.length > limit ? { values, next: found[limit - 1] } : { values };
}

/** VARBINARY compares with bytes. */
function bytes(database: Database, text: string): Uint8Array | string {
  return database.dialect === 'mysql' ? Buffer.from(text) : text;
}
