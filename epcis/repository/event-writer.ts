// Writes batches of events with their index, inside one transaction.
import { randomInt } from 'node:crypto';
import type { CapturedEvent } from '../domain/event.ts';
import { EpcisException } from '../domain/exceptions.ts';
import { factsOf, type Facts } from '../service/facts.ts';
import { COLUMNS } from '../service/queryable-columns.ts';
import type { Connection, Row, SqlValue, Values } from './database/database.ts';
import { isDuplicate } from './database/errors.ts';
import { insertRows, pieces } from './database/insert.ts';
import { digestOf, keys, variantOf } from './keys.ts';
import { packEvent } from './payload.ts';
import { inList } from './sql/sql.ts';
import type { TermWriter } from './terms.ts';

/** Hashes looked up in one statement. */
const LOOK_UP = 256;

interface NewEvent {
  readonly captured: CapturedEvent;
  readonly hash: Buffer;
  readonly variant: bigint;
  /** Hash and variant in one text. */
  readonly identity: string;
}

interface NewRow {
  readonly event: NewEvent;
  readonly facts: Facts;
  readonly id: bigint;
  readonly recordTime: number;
}

/** Inserts what is new and returns the ids of the new rows. `recordTime` in microseconds. */
export async function insertEvents(
  connection: Connection,
  batch: readonly CapturedEvent[],
  recordTime: number,
  terms: TermWriter,
): Promise<readonly bigint[]> {
  const events = distinct(batch.map(identified));
  const known = await knownOf(connection, events);
  const fresh = events.filter(({ identity }) => !known.has(identity));
  const ids = newIds(fresh.length, recordTime);
  const rows = fresh.map((event, n): NewRow => {
    const facts = factsOf(event.captured.event, event.captured.hash);
    return { event, facts, id: ids[n] as bigint, recordTime };
  });
  const inserted: NewRow[] = [];
  for (const piece of pieces(rows)) inserted.push(...(await insertPiece(connection, piece)));
  await insertIndex(connection, inserted);
  await terms.add(connection, inserted);
  return inserted.map(({ id }) => id);
}

/** Returns what was inserted: not what another VM captured since the look-up. */
async function insertPiece(connection: Connection, rows: readonly NewRow[]): Promise<readonly NewRow[]> {
  try {
    await insertRows(connection, 'event', EVENT_COLUMNS, rows.map(eventRow));
    return rows;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
  const inserted: NewRow[] = [];
  for (const row of rows) inserted.push(...(await insertOne(connection, row)));
  return inserted;
}

/** The identity is there already, or another VM drew the same id: then draw again. */
async function insertOne(connection: Connection, row: NewRow): Promise<readonly NewRow[]> {
  for (let tried = 0; ; tried += 1) {
    const known = await knownOf(connection, [row.event]);
    if (known.has(row.event.identity)) return [];
    const [id = row.id] = newIds(1, row.recordTime);
    const again = { ...row, id };
    try {
      await insertRows(connection, 'event', EVENT_COLUMNS, [eventRow(again)]);
      return [again];
    } catch (error) {
      if (tried >= 5 || !isDuplicate(error)) throw error;
    }
  }
}

function identified(captured: CapturedEvent): NewEvent {
  const { event } = captured;
  const hash = digestOf(captured.hash);
  if (hash === undefined)
    throw new EpcisException('ImplementationException', `The event hash '${captured.hash}' is none of CBV 2.0.`);
  const variant = variantOf(event.eventID === captured.hash ? undefined : event.eventID, event.errorDeclaration);
  return { captured, hash, variant, identity: `${hash.toString('hex')}${variant}` };
}

function distinct(events: readonly NewEvent[]): readonly NewEvent[] {
  return [...new Map(events.map((event) => [event.identity, event])).values()];
}

async function knownOf(connection: Connection, events: readonly NewEvent[]): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (let from = 0; from < events.length; from += LOOK_UP) {
    const list = inList(
      'hash',
      events.slice(from, from + LOOK_UP).map(({ hash }) => hash),
    );
    const rows = await connection.all(
      `SELECT hash, CAST(variant AS CHAR(20)) AS variant FROM event WHERE ${list.sql}`,
      list.values,
    );
    for (const row of rows) known.add(identityOf(row));
  }
  return known;
}

function identityOf({ hash, variant }: Row): string {
  return `${Buffer.from(hash as Uint8Array).toString('hex')}${String(variant)}`;
}

let last = 0n;

/**
 * 63 bits: 41 of milliseconds since 2020 (enough until 2089), so that new rows stand at the end of the table, and 22 of
 * chance. Two VMs that write 500 events each in the same millisecond meet once in 4,000 times, and then one draws again.
 */
export function newIds(count: number, recordTime: number): readonly bigint[] {
  const milliseconds = Math.floor(recordTime / 1000) - Date.UTC(2020, 0);
  const drawn = (BigInt(milliseconds) << 22n) + BigInt(randomInt(2 ** 22));
  // of one millisecond and one VM: in the order of capture
  const first = drawn >> 22n === last >> 22n && drawn <= last ? last + 1n : drawn;
  last = first + BigInt(count - 1);
  return Array.from({ length: count }, (_, n) => first + BigInt(n));
}

const EVENT_COLUMNS = [
  'id',
  'hash',
  'variant',
  'event_time',
  'record_time',
  ...COLUMNS.map(([, { stored }]) => stored.column),
  'payload',
];

function eventRow({ event: { captured, hash, variant }, facts, id, recordTime }: NewRow): Values {
  const terms = COLUMNS.map(([column]): SqlValue => {
    const value = facts.columns[column];
    return value === undefined ? null : keys.term(value);
  });
  return [id, hash, variant, facts.eventTime, recordTime, ...terms, packEvent(captured)];
}

export interface IndexRows {
  readonly epcs: Values[];
  readonly texts: Values[];
  readonly numbers: Values[];
}

export function indexRows({ epcs, texts, numbers, eventTime }: Facts, id: bigint): IndexRows {
  return {
    epcs: [...epcs].map(([epc, roles]) => [keys.epc(epc), eventTime, id, roles]),
    texts: texts.map(({ name, value }) => [keys.posting(name, value), eventTime, id]),
    numbers: numbers.map(({ name, value }) => [keys.name(name), value, id]),
  };
}

async function insertIndex(connection: Connection, inserted: readonly NewRow[]): Promise<void> {
  const rows = inserted.map(({ facts, id }) => indexRows(facts, id));
  // in the order of their keys: neighbours in the index, and competing VMs lock them in the same order
  const epcs = rows.flatMap((row) => row.epcs).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  const texts = rows.flatMap((row) => row.texts).sort(([a], [b]) => Buffer.compare(a as Buffer, b as Buffer));
  const numbers = rows.flatMap((row) => row.numbers);
  await insertRows(connection, 'event_epc', ['epc', 'event_time', 'event_id', 'roles'], epcs);
  await insertRows(connection, 'event_text', ['posting', 'event_time', 'event_id'], texts);
  await insertRows(connection, 'event_number', ['name', 'value', 'event_id'], numbers);
}
