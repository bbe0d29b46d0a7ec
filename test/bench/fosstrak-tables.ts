// Fosstrak's repository as its documentation draws it: four families of tables, vocabularies as look-up tables, an index where it
// has one and none where it has none.
import type { EpcisEvent } from '../../epcis/domain/event.ts';
import type { Database, SqlValue } from '../../epcis/repository/database/database.ts';
import { insertRows } from '../../epcis/repository/database/insert.ts';
import { textOf } from '../../epcis/repository/terms.ts';

const TYPES = ['ObjectEvent', 'AggregationEvent', 'QuantityEvent', 'TransactionEvent'] as const;
const VOCABULARIES = ['BizStep', 'Disposition', 'ReadPoint', 'BizLoc'] as const;
const COLUMN = {
  BizStep: 'bizStep',
  Disposition: 'disposition',
  ReadPoint: 'readPoint',
  BizLoc: 'bizLocation',
} as const;

export async function createTables(database: Database): Promise<void> {
  for (const vocabulary of VOCABULARIES)
    await database.run(
      `CREATE TABLE voc_${vocabulary} (id BIGINT NOT NULL PRIMARY KEY, uri VARCHAR(255), INDEX (uri))`,
    );
  for (const type of TYPES) {
    await database.run(`CREATE TABLE event_${type} (
      id BIGINT NOT NULL PRIMARY KEY, eventTime DATETIME, eventTimeMs BIGINT, recordTimeMs BIGINT,
      eventTimeZoneOffset VARCHAR(8), bizStep BIGINT, disposition BIGINT, readPoint BIGINT, bizLocation BIGINT,
      action VARCHAR(8), parentID VARCHAR(255),
      INDEX (eventTime), INDEX (bizStep), INDEX (disposition), INDEX (readPoint), INDEX (bizLocation), INDEX (action))`);
    await database.run(
      `CREATE TABLE event_${type}_EPCs (event_id BIGINT, epc VARCHAR(255), INDEX (event_id), INDEX (epc))`,
    );
    await database.run(
      `CREATE TABLE event_${type}_bizTrans (event_id BIGINT, bizTrans VARCHAR(255), type VARCHAR(255), INDEX (event_id))`,
    );
    await database.run(`CREATE TABLE event_${type}_extensions (
      event_id BIGINT, fieldname VARCHAR(255), prefix VARCHAR(50), intValue INT, floatValue FLOAT, dateValue DATETIME,
      strValue VARCHAR(255), INDEX (event_id))`);
  }
}

/** Fills the tables; sensor elements, which Fosstrak does not know, are left out. */
export class FosstrakWriter {
  readonly #database: Database;
  readonly #terms = new Map<string, number>();
  #id = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async write(events: readonly EpcisEvent[]): Promise<void> {
    for (const type of TYPES) {
      const own = events.filter((event) => event.type === type).map((event) => ({ event, id: (this.#id += 1) }));
      if (own.length === 0) continue;
      const rows: SqlValue[][] = [];
      for (const { event, id } of own) {
        const ms = Date.parse(event.eventTime);
        const time = new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
        const places = [event.bizStep, event.disposition, event.readPoint?.id, event.bizLocation?.id];
        const terms = await Promise.all(places.map((uri, n) => this.#term(VOCABULARIES[n] ?? 'BizStep', uri)));
        rows.push([id, time, ms, Date.now(), '+00:00', ...terms, event.action ?? null, event.parentID ?? null]);
      }
      const columns = [
        'id',
        'eventTime',
        'eventTimeMs',
        'recordTimeMs',
        'eventTimeZoneOffset',
        ...Object.values(COLUMN),
        'action',
        'parentID',
      ];
      const all = <T>(of: (event: EpcisEvent) => readonly T[], row: (item: T) => SqlValue[]): SqlValue[][] =>
        own.flatMap(({ event, id }) => of(event).map((item) => [id, ...row(item)]));
      await this.#database.transaction(async (connection) => {
        await insertRows(connection, `event_${type}`, columns, rows);
        await insertRows(
          connection,
          `event_${type}_EPCs`,
          ['event_id', 'epc'],
          all(
            (event) => event.epcList ?? event.childEPCs ?? [],
            (epc) => [epc],
          ),
        );
        await insertRows(
          connection,
          `event_${type}_bizTrans`,
          ['event_id', 'bizTrans', 'type'],
          all(
            (event) => event.bizTransactionList ?? [],
            ({ value, type: kind }) => [value, kind ?? null],
          ),
        );
        await insertRows(
          connection,
          `event_${type}_extensions`,
          ['event_id', 'fieldname', 'prefix', 'strValue'],
          all(
            (event) => [...(event.extensions ?? []), ...(event.ilmd ?? [])],
            ({ namespace, name, prefix, value }) => [
              `${namespace}#${name}`,
              prefix ?? null,
              typeof value === 'string' ? value : null,
            ],
          ),
        );
      });
    }
  }

  async #term(vocabulary: string, uri: string | undefined): Promise<number | null> {
    if (uri === undefined) return null;
    const key = `${vocabulary} ${uri}`;
    let id = this.#terms.get(key);
    if (id === undefined) {
      id = this.#terms.size + 1;
      this.#terms.set(key, id);
      await this.#database.run(`INSERT INTO voc_${vocabulary} (id, uri) VALUES (?, ?)`, [id, uri]);
    }
    return id;
  }
}

export interface FosstrakQuestion {
  /** Joins and conditions, with {type} for the event type. */
  readonly joins?: string;
  readonly where: string;
  readonly values: readonly SqlValue[];
  /** Given to the database, which is kinder than Fosstrak: it sorts in memory. */
  readonly newest?: number;
}

type Type = (typeof TYPES)[number];

function select(type: Type, { joins = '', where, newest }: FosstrakQuestion): string {
  return `SELECT DISTINCT e.id, e.eventTimeMs, e.recordTimeMs, e.eventTimeZoneOffset, e.action, e.parentID,
      s.uri AS bizStepUri, d.uri AS dispositionUri, r.uri AS readPointUri, l.uri AS bizLocationUri
    FROM event_${type} e
    LEFT JOIN voc_BizStep s ON e.bizStep = s.id LEFT JOIN voc_Disposition d ON e.disposition = d.id
    LEFT JOIN voc_ReadPoint r ON e.readPoint = r.id LEFT JOIN voc_BizLoc l ON e.bizLocation = l.id
    ${joins.replaceAll('{type}', type)} WHERE ${where}
    ${newest === undefined ? '' : `ORDER BY e.eventTimeMs DESC LIMIT ${newest}`}`;
}

/** The index by which the database finds a question's events in these tables; undefined where it reads a whole table. */
export async function indexOf(database: Database, question: FosstrakQuestion): Promise<string | undefined> {
  const plan = await database.all(`EXPLAIN ${select('ObjectEvent', question)}`, question.values);
  // e, and what is joined for the question, after or before it; not the vocabularies
  const tables = plan.filter(({ table }) => ['e', 'p', 'x', 'b'].includes(textOf(table)));
  if (tables.some(({ key }) => key === null)) return undefined;
  return textOf(tables[0]?.['key']);
}

/** Resolves to the number of events, each with its EPCs, transactions and extensions. */
export async function ask(database: Database, question: FosstrakQuestion): Promise<number> {
  const { values, newest } = question;
  const found: { time: number }[] = [];
  for (const type of TYPES) {
    const rows = await database.all(select(type, question), values);
    for (const { id = null, eventTimeMs } of rows) {
      for (const part of ['EPCs', 'bizTrans', 'extensions'])
        await database.all(`SELECT * FROM event_${type}_${part} WHERE event_id = ?`, [id]);
      found.push({ time: Number(eventTimeMs) });
    }
  }
  found.sort((a, b) => b.time - a.time);
  return newest === undefined ? found.length : Math.min(newest, found.length);
}
