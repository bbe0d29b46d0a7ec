// The rows of the index that an event has, by what is stored of it.
import type { Row, Values } from './database/database.ts';
import { factsOf } from '../service/facts.ts';
import { indexRows, type IndexRows } from './event-writer.ts';
import { unpackEvent } from './payload.ts';
import { fragment, join, type Fragment } from './sql/sql.ts';
import { textOf } from './terms.ts';

/** What has to be known of an event. */
export const EVENT = 'CAST(id AS CHAR(20)) AS id, hash, payload';

export function hashOf(row: Row): string {
  return `ni:///sha-256;${Buffer.from(row['hash'] as Uint8Array).toString('hex')}?ver=CBV2.0`;
}

export function indexed(row: Row): { readonly id: bigint; readonly index: IndexRows } {
  const id = BigInt(textOf(row['id']));
  return { id, index: indexRows(factsOf(unpackEvent(row['payload'] as Uint8Array), hashOf(row)), id) };
}

interface LookUp {
  readonly table: string;
  readonly condition: Fragment;
  readonly rows: number;
}

/** Index rows by their primary keys, some at a time. */
export function lookUps(indexes: readonly IndexRows[]): readonly LookUp[] {
  return [
    ...byKey(
      'event_epc',
      ['epc', 'event_time', 'event_id'],
      indexes.flatMap(({ epcs }) => epcs),
    ),
    ...byKey(
      'event_text',
      ['posting', 'event_time', 'event_id'],
      indexes.flatMap(({ texts }) => texts),
    ),
  ];
}

export function numberLookUps(indexes: readonly IndexRows[]): readonly LookUp[] {
  return byKey(
    'event_number',
    ['name', 'value', 'event_id'],
    indexes.flatMap(({ numbers }) => numbers),
  );
}

function byKey(table: string, columns: readonly string[], rows: readonly Values[]): readonly LookUp[] {
  const all: LookUp[] = [];
  const key = `(${columns.map((column) => `${column} = ?`).join(' AND ')})`;
  for (let from = 0; from < rows.length; from += 64) {
    const some = rows.slice(from, from + 64);
    const keys = some.map((row) => fragment(key, row.slice(0, columns.length)));
    all.push({ table, condition: join(keys, ' OR '), rows: some.length });
  }
  return all;
}
