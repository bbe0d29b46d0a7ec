// The rows of the index that an event has, by what is stored of it.
import type { EpcisEvent } from '../domain/event.ts';
import type { Row, Values } from './database/database.ts';
import { factsOf } from '../service/facts.ts';
import { indexRows, type IndexRows } from './event-writer.ts';
import { hashWith } from './keys.ts';
import { unpackEvent } from './payload.ts';
import { fragment, join, type Fragment } from './sql/sql.ts';
import { textOf } from './terms.ts';

/** What has to be known of an event. */
export const EVENT = 'CAST(id AS CHAR(20)) AS id, hash, payload';

export const hashOf = (row: Row): string => hashWith(row['hash'] as Uint8Array);

export const idOf = (row: Row): bigint => BigInt(textOf(row['id']));

export const eventOf = (row: Row): EpcisEvent => unpackEvent(row['payload'] as Uint8Array);

export const indexOf = (row: Row, event: EpcisEvent): IndexRows => indexRows(factsOf(event, hashOf(row)), idOf(row));

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
