// Whether events and their index are as they should be, and how the index is made so, while VMs serve.
import { hash } from 'node:crypto';
import type { EpcisEvent } from '../domain/event.ts';
import { eventHash } from '../domain/hash.ts';
import type { Place, Step, Task } from '../service/tasks.ts';
import type { Connection, Database, Row, Values } from './database/database.ts';
import { insertRows } from './database/insert.ts';
import type { IndexRows } from './event-writer.ts';
import { EVENT, eventOf, hashOf, idOf, indexOf, lookUps, numberLookUps } from './index-rows.ts';
import { stats } from './maintenance.ts';
import { inList } from './sql/sql.ts';
import { textOf } from './terms.ts';

/** How a fault begins that is mended by making the index anew. */
const MISSES = 'misses rows in';
/** A repository with more has one cause, and a person is not helped by the rest. */
const MOST_FAULTS = 100;
/** Events of one step. */
const STEP = 200;
/** Of these, whose index is looked for together. */
const TOGETHER = 20;

export interface CheckResult {
  readonly events: number;
  /** One sentence each, the first hundred. */
  readonly faults: readonly string[];
}

const INDEX = ['event_epc', 'event_text', 'event_number'] as const;

/** Reads every event, and looks for each row of its index; then for index rows without an event. */
export async function check(database: Database): Promise<CheckResult> {
  let events = 0;
  const faults: string[] = [];
  for await (const { done, text = '' } of checkSteps(database, { kind: 'check', asked: {}, done: 0, total: 0 })) {
    events = done;
    faults.push(...text.split('\n').slice(0, -1));
  }
  return { events, faults };
}

/** The same as stored work: each fault is a line of its document. */
export async function* checkSteps(database: Database, { reached, done, total }: Task): AsyncGenerator<Step> {
  let events = done;
  let faults = Number(reached?.['faults'] ?? 0);
  if (faults === MOST_FAULTS) return;
  const all = total ?? (await stats(database)).events;
  const step = (found: readonly string[], place: Place): Step => {
    const told = found.slice(0, MOST_FAULTS - faults);
    faults += told.length;
    const text = told.map((fault) => `${fault}\n`).join('');
    return { reached: { ...place, faults }, done: events, total: Math.max(all, events), text };
  };
  if (reached?.['tables'] === undefined)
    for await (const rows of eventsBehind(database, reached)) {
      const found: string[] = [];
      for await (const [row, fault] of faultsOf(database, rows))
        // an event pruned meanwhile is no fault
        if (await exists(database, row)) found.push(`Event ${textOf(row['id'])} ${fault}.`);
      events += rows.length;
      yield step(found, { after: textOf(rows.at(-1)?.['id']) });
      if (faults === MOST_FAULTS) return;
    }
  for (let n = Number(reached?.['tables'] ?? 0); n < INDEX.length; n += 1) {
    const ids = await withoutEvent(database, INDEX[n], MOST_FAULTS - faults);
    const found = ids.map((id) => `${INDEX[n]} has a row of event ${id}, which is not there.`);
    yield step(found, { tables: n + 1 });
    if (faults === MOST_FAULTS) return;
  }
}

/** Makes the index of every event anew where it is not as it should be, and deletes rows of events that are not there. As stored work. */
export async function* reindexSteps(database: Database, { reached, done, total }: Task): AsyncGenerator<Step> {
  const all = total ?? (await stats(database)).events;
  let events = done;
  let mended = Number(reached?.['mended'] ?? 0);
  for await (const rows of eventsBehind(database, reached)) {
    const faulty: Row[] = [];
    for await (const [row, fault] of faultsOf(database, rows)) if (fault.startsWith(MISSES)) faulty.push(row);
    await database.transaction((connection) => insertIndex(connection, faulty));
    events += rows.length;
    mended += faulty.length;
    const after = textOf(rows.at(-1)?.['id']);
    yield { reached: { after, mended }, done: events, total: Math.max(all, events) };
  }
  for (const table of INDEX)
    for (let isMore = true; isMore;) {
      const ids = await withoutEvent(database, table, STEP);
      const list = inList('event_id', ids.map(BigInt));
      if (ids.length > 0) await database.run(`DELETE FROM ${table} WHERE ${list.sql}`, list.values);
      mended += ids.length;
      isMore = ids.length > 0;
    }
  if (reached?.['isAll'] === undefined) {
    const text = `${mended} events had an index that was wrong.\n`;
    yield { reached: { after: LAST_ID, mended, isAll: 1 }, done: events, total: Math.max(all, events), text };
  }
}

const LAST_ID = String(2n ** 63n - 1n);

async function* eventsBehind(database: Database, reached: Place | undefined): AsyncGenerator<readonly Row[]> {
  for (let after = BigInt(reached?.['after'] ?? -1); ;) {
    const rows = await database.all(`SELECT ${EVENT} FROM event WHERE id > ? ORDER BY id LIMIT ${STEP}`, [after]);
    if (rows.length === 0) return;
    after = idOf(rows.at(-1) as Row);
    yield rows;
  }
}

/** The events, each once, that rows of the index are of and that are not there. */
async function withoutEvent(database: Database, table: string | undefined, most: number): Promise<readonly string[]> {
  const rows = await database.all(
    `SELECT DISTINCT CAST(d.event_id AS CHAR(20)) AS id FROM ${table} d LEFT JOIN event e ON e.id = d.event_id
     WHERE e.id IS NULL LIMIT ${most}`,
  );
  return rows.map(({ id }) => textOf(id));
}

/** Of events that are still there: one that is being pruned has to be left alone. */
async function insertIndex(connection: Connection, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = inList('id', rows.map(idOf));
  const lock = connection.dialect === 'mysql' ? ' FOR UPDATE' : '';
  const held = await connection.all(`SELECT CAST(id AS CHAR(20)) AS id FROM event WHERE ${ids.sql}${lock}`, ids.values);
  const there = new Set(held.map(({ id }) => textOf(id)));
  for (const row of rows.filter(({ id }) => there.has(textOf(id)))) {
    for (const [table, columns, those] of rowsOf(indexOf(row, eventOf(row))))
      await insertRows(connection, table, columns, those, { verb: 'REPLACE' });
  }
}

const rowsOf = ({
  epcs,
  texts,
  numbers,
}: IndexRows): readonly (readonly [string, readonly string[], readonly Values[]])[] => [
  ['event_epc', ['epc', 'event_time', 'event_id', 'roles'], epcs],
  ['event_text', ['posting', 'event_time', 'event_id'], texts],
  ['event_number', ['name', 'value', 'event_id'], numbers],
];

/** Those at fault, each with what it is. One by one only where something of some is missing. */
async function* faultsOf(database: Database, rows: readonly Row[]): AsyncGenerator<readonly [Row, string]> {
  for (let from = 0; from < rows.length; from += TOGETHER) {
    const whole: (readonly [Row, IndexRows])[] = [];
    for (const row of rows.slice(from, from + TOGETHER)) {
      const event = wholeEvent(row);
      if (typeof event === 'string') yield [row, event];
      else whole.push([row, indexOf(row, event)]);
    }
    const indexes = whole.map(([, index]) => index);
    if ((await missedIn(database, indexes)) === undefined) continue;
    for (const [row, index] of whole) {
      const table = await missedIn(database, [index]);
      if (table !== undefined) yield [row, `${MISSES} ${table}`];
    }
  }
}

/** The event, or what is wrong with it. */
function wholeEvent(row: Row): EpcisEvent | string {
  let event: EpcisEvent;
  try {
    event = eventOf(row);
  } catch {
    return 'cannot be unpacked';
  }
  const isAsStored = eventHash(event, (text) => hash('sha256', text)) === hashOf(row);
  return isAsStored ? event : 'does not have the hash it is stored with';
}

/** A table that misses rows of these events. */
async function missedIn(database: Database, indexes: readonly IndexRows[]): Promise<string | undefined> {
  for (const { table, condition, rows } of [...lookUps(indexes), ...numberLookUps(indexes)]) {
    const [found] = await database.all(`SELECT COUNT(*) AS n FROM ${table} WHERE ${condition.sql}`, condition.values);
    if (Number(found?.['n']) !== rows) return table;
  }
  return undefined;
}

async function exists(database: Database, row: Row): Promise<boolean> {
  return (await database.all('SELECT 1 FROM event WHERE id = ?', [idOf(row)])).length > 0;
}
