// Writes batches of events with their index, inside one transaction.
import { randomInt } from 'node:crypto';
import type { CapturedEvent } from '../domain/event.ts';
import { EpcisException } from '../domain/exceptions.ts';
import { inPieces } from '../domain/in-pieces.ts';
import { factsIn, type Facts } from '../service/facts.ts';
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
  readonly payload: Uint8Array;
  readonly id: bigint;
  readonly recordTime: number;
}

/** Before so many rows are written, or made (0); a promise where others have their turn first. */
export type BeforeRows = (rows: number) => Promise<void> | undefined;

interface Writing {
  readonly connection: Connection;
  readonly terms: TermWriter;
  readonly before: BeforeRows;
}

/** Inserts what is new and returns the ids of the new rows. `recordTime` in microseconds. */
export async function insertEvents(
  connection: Connection,
  batch: readonly CapturedEvent[],
  recordTime: number,
  terms: TermWriter,
  before: BeforeRows = () => undefined,
): Promise<readonly bigint[]> {
  const ids: bigint[] = [];
  for (const portion of portions(batch))
    ids.push(...(await insertPortion({ connection, terms, before }, portion, recordTime)));
  return ids;
}

/**
 * The rows of so many characters are made at once, which lets nobody in, as the statements between do: some 60 events as most are. One
 * more is in it that goes beyond.
 */
const PORTION_CHARACTERS = 64 * 1024;

export function* portions(events: readonly CapturedEvent[]): Generator<readonly CapturedEvent[]> {
  let portion: CapturedEvent[] = [];
  let characters = 0;
  for (const event of events) {
    portion.push(event);
    characters += event.source.text.length;
    if (characters < PORTION_CHARACTERS) continue;
    yield portion;
    [portion, characters] = [[], 0];
  }
  if (portion.length > 0) yield portion;
}

/** A piece of a large event counts as so many rows: what it takes goes before the first of them is written. */
const LARGE_PIECE_ROWS = 100;

async function insertPortion(
  writing: Writing,
  batch: readonly CapturedEvent[],
  recordTime: number,
): Promise<readonly bigint[]> {
  const { connection, terms, before } = writing;
  const largePiece = () => before(LARGE_PIECE_ROWS);
  const events = distinct(batch.map(identified));
  const known = await knownOf(connection, events);
  const fresh = events.filter(({ identity }) => !known.has(identity));
  const ids = newIds(fresh.length, recordTime);
  const inserted: NewRow[] = [];
  for (const piece of pieces(fresh.map((event, n) => ({ event, id: ids[n] as bigint, recordTime })))) {
    const rows: NewRow[] = [];
    for (const row of piece) {
      const turn = before(0);
      if (turn !== undefined) await turn;
      const { captured } = row.event;
      const facts = await inPieces(factsIn(captured.event, captured.hash), largePiece);
      rows.push({ ...row, facts, payload: await inPieces(packEvent(captured), largePiece) });
    }
    await before(rows.length);
    inserted.push(...(await insertPiece(connection, rows)));
  }
  await insertIndex(writing, inserted);
  await terms.add(connection, inserted, before);
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

function eventRow({ event: { hash, variant }, facts, payload, id, recordTime }: NewRow): Values {
  const terms = COLUMNS.map(([column]): SqlValue => {
    const value = facts.columns[column];
    return value === undefined ? null : keys.term(value);
  });
  return [id, hash, variant, facts.eventTime, recordTime, ...terms, payload];
}

export interface IndexRows {
  readonly epcs: Values[];
  readonly texts: Values[];
  readonly numbers: Values[];
}

type RowsOf = (facts: Facts, id: bigint) => Iterable<Values>;

export function indexRows(facts: Facts, id: bigint): IndexRows {
  return { epcs: [...epcRows(facts, id)], texts: [...textRows(facts, id)], numbers: [...numberRows(facts, id)] };
}

function* epcRows({ epcs, eventTime }: Facts, id: bigint): Generator<Values> {
  for (const [epc, roles] of epcs) yield [keys.epc(epc), eventTime, id, roles];
}

function* textRows({ texts, eventTime }: Facts, id: bigint): Generator<Values> {
  for (const { name, value } of texts) yield [keys.posting(name, value), eventTime, id];
}

function* numberRows({ numbers }: Facts, id: bigint): Generator<Values> {
  for (const { name, value } of numbers) yield [keys.name(name), value, id];
}

type Order = (a: Values, b: Values) => number;

/** In the order of their keys, within a portion: neighbours in the index, and competing VMs lock those in the same order. */
const byEpc: Order = ([a], [b]) => (String(a) < String(b) ? -1 : 1);
/** By the begin of the posting: to compare all of it costs several times as much. */
const byPosting: Order = ([a], [b]) => beginOf(a) - beginOf(b);
const beginOf = (posting: SqlValue | undefined): number => (posting as Buffer).readUIntBE(0, 6);

async function insertIndex({ connection, before }: Writing, inserted: readonly NewRow[]): Promise<void> {
  const insert = (into: string, columns: readonly string[], rows: readonly Values[]): Promise<void> =>
    insertRows(connection, into, columns, rows, { before });
  for await (const rows of madeOf(inserted, epcRows, before))
    await insert('event_epc', ['epc', 'event_time', 'event_id', 'roles'], rows.sort(byEpc));
  for await (const rows of madeOf(inserted, textRows, before))
    await insert('event_text', ['posting', 'event_time', 'event_id'], rows.sort(byPosting));
  for await (const rows of madeOf(inserted, numberRows, before))
    await insert('event_number', ['name', 'value', 'event_id'], rows);
}

/** The same bound for the index of one event that has very many values. */
const MADE_AT_ONCE = 4096;
const MADE_ON_END = 64;

async function* madeOf(inserted: readonly NewRow[], rowsOf: RowsOf, before: BeforeRows): AsyncGenerator<Values[]> {
  let made: Values[] = [];
  for (const { facts, id } of inserted)
    for (const row of rowsOf(facts, id)) {
      const count = made.push(row);
      const turn = count % MADE_ON_END === 0 ? before(0) : undefined;
      if (turn !== undefined) await turn;
      if (count < MADE_AT_ONCE) continue;
      yield made;
      made = [];
    }
  yield made;
}
