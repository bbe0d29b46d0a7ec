// The event repository on a database. Whoever wires the service does, in this order:
//   const database = await openDatabase({ url, readUrl, poolSize });
//   await migrate(database);
//   const repository = createEventRepository(database, { now: () => Date.now() });
//   const capture = createCaptureService(repository);   // service/capture.ts: CaptureService
//   const query = createQueryService(repository);       // service/query.ts: QueryService & RunQuery (subscriptions)
//   const secret = await repositorySecret(database);    // signs page tokens, the same on every VM
// planEvents (service/parameters.ts) and planMasterData check a named query's parameters.
import { randomBytes } from 'node:crypto';
import type { EventQuery } from '../service/criteria.ts';
import type { EpcisEvent } from '../domain/event.ts';
import { DEFAULT_LIMITS } from '../domain/document-limits.ts';
import { EpcisException } from '../domain/exceptions.ts';
import type { Database, Values } from './database/database.ts';
import { codeOf } from './database/errors.ts';
import { countSql, eventsSql, MAX_BRANCHES } from './sql/event-sql.ts';
import { insertEvents, type BeforeRows } from './event-writer.ts';
import { holdsEvent } from './event-ids.ts';
import { ElementsBelow } from './elements-below.ts';
import { announce } from './feed.ts';
import { hashWith, keys } from './keys.ts';
import { readElements, storeElements, type ElementLimits } from './master-data.ts';
import { sourceBytes, unpackEvent, unpackSource } from './payload.ts';
import type { EventRepository, EventRow, EventWriter } from '../service/repository.ts';
import { PIECE } from '../service/question-turns.ts';
import { lettingIn } from '../turns/letting-in.ts';
import { ownTurn } from '../turns/own-turn.ts';
import type { Turn } from '../service/tenant-turns.ts';
import { KnownTerms, TermWriter, textOf } from './terms.ts';
import { epcsHeld, termsHeld } from './values.ts';
import { setOf, type Fragment } from './sql/sql.ts';

export interface EventRepositoryOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A query that runs longer ends with QueryTooComplexException. Default 60 s; writing to a slow client counts. */
  readonly queryTimeoutMs?: number;
  /** What a vocabulary element may have; default: as a document. */
  readonly elementLimits?: ElementLimits;
  /** How what is written lets other tenants in; default: it does not. */
  readonly turn?: Turn;
}

/** Units of work (service/question-turns.ts) that a criterion takes, and each of its values, and a row beside its payload; and bytes of that in one. */
const CRITERION_UNITS = 4;
const VALUE_UNITS = 0.2;
const ROW_UNITS = 2;
const PAYLOAD_BYTES = 64;

/**
 * A transaction keeps other writers waiting, all of them where the repository is a file, and those whom it lets in make it longer: one that
 * writes no more, as a capture of some events, lets nobody in.
 */
const FEW_ROWS = 1000;

export function createEventRepository(
  database: Database,
  { now, queryTimeoutMs = 60_000, elementLimits = DEFAULT_LIMITS, turn }: EventRepositoryOptions,
): EventRepository {
  const known = new KnownTerms();
  const context = { dialect: database.dialect, keys };
  const below = new ElementsBelow(database, now);
  const rows = ({ sql, values }: Fragment): AsyncIterable<readonly Values[]> =>
    database.stream(sql, values, { timeoutMs: queryTimeoutMs });

  return {
    async write<T>(work: (writer: EventWriter) => Promise<T>): Promise<T> {
      let hasElements = false;
      const { result, terms } = await database.transaction(async (connection) => {
        const terms = new TermWriter(known);
        const inserted: (readonly bigint[])[] = [];
        hasElements = false;
        let written = 0;
        const before: BeforeRows = (rows) => ((written += rows) > FEW_ROWS ? lettingIn.letIn() : undefined);
        const result = await work({
          async events(all) {
            let count = 0;
            for await (const batch of turn?.batches(all) ?? [all]) {
              const ids = await insertEvents(connection, batch, now() * 1000, terms, before);
              inserted.push(ids);
              count += ids.length;
            }
            return count;
          },
          holds: (eventID) => holdsEvent(connection, eventID),
          vocabulary: async (elements) => {
            await storeElements(connection, elements, elementLimits);
            hasElements ||= elements.length > 0;
          },
        });
        for (const ids of inserted) await announce(connection, ids);
        return { result, terms };
      });
      terms.committed();
      if (hasElements) below.forget();
      return result;
    },

    async *events(query) {
      try {
        const found = await below.inQuery(query);
        const asked = isBelow(found) ? await withElements(database, found) : found;
        const spend = ownTurn();
        // between the three that take long where there are many values: to read the question, to write it in SQL, and to ask it
        const units = unitsOf(asked);
        await spend(units);
        const sql = eventsSql(asked, context);
        await spend(units);
        for await (const some of rows(sql)) {
          for (const row of some) {
            const turn = spend(ROW_UNITS + (row[4] as Uint8Array).length / PAYLOAD_BYTES);
            if (turn !== undefined) await turn;
            yield new StoredRow(row);
          }
        }
      } catch (error) {
        throw tooComplex(error);
      }
    },

    async count(query, atMost) {
      try {
        const found = await below.inQuery(query);
        const { sql, values } = countSql({ ...found, limit: Math.min(atMost, found.limit ?? atMost) }, context);
        let count = 0; // read to the end: a cursor left early costs its connection
        for await (const [row] of rows({ sql, values })) count = Number(row?.[0]);
        return count;
      } catch (error) {
        throw tooComplex(error);
      }
    },

    vocabulary: (query) => readElements(database, query),

    async values(of, limit, after, criteria = []) {
      try {
        const seen = await below.inAll(criteria);
        if (of === 'epc') return await epcsHeld(database, limit, after, seen);
        return await termsHeld(database, of, limit, after, seen);
      } catch (error) {
        throw tooComplex(error);
      }
    },
  };
}

/** Of the lists in it, whatever they are of; what may have many rows waits for its turn before it has one. */
function unitsOf({ criteria, limit = Infinity }: EventQuery): number {
  if (limit * ROW_UNITS >= PIECE) return PIECE;
  const values = criteria.flatMap((criterion) => Object.values(criterion).filter((each) => Array.isArray(each)));
  return criteria.length * CRITERION_UNITS + values.reduce((sum, list) => sum + list.length * VALUE_UNITS, 0);
}

function isBelow({ limit, criteria }: EventQuery): boolean {
  return limit !== undefined && criteria.some(({ kind }) => kind === 'within');
}

/**
 * The newest of a few places: each place has them in order, so that a few rows of each are enough. So where there is a
 * limit, and only few elements are below the roots, they are looked up first.
 */
async function withElements(database: Database, query: EventQuery): Promise<EventQuery> {
  const criteria = query.criteria.map(async (criterion) => {
    // the roots are among them
    if (criterion.kind !== 'within' || new Set(criterion.roots).size > MAX_BRANCHES) return criterion;
    const { sql, values } = setOf(criterion, { dialect: database.dialect, keys });
    const rows = await database.all(
      `SELECT CAST(w.id AS CHAR(20)) AS id FROM (${sql}) w LIMIT ${MAX_BRANCHES + 1}`,
      values,
    );
    if (rows.length > MAX_BRANCHES) return criterion;
    return { kind: 'elements', column: criterion.column, ids: rows.map(({ id }) => BigInt(textOf(id))) } as const;
  });
  return { ...query, criteria: await Promise.all(criteria) };
}

/** A larger one is unpacked again each time: a few hundred bytes may stand for megabytes, and many rows may be held at once. */
const KEPT = 64 * 1024;

/** It unpacks what is looked at: who asks for the form an event was captured in needs its source only. */
class StoredRow implements EventRow {
  /** The columns of eventsSql: id, at, record time, hash, payload, marks. */
  readonly #row: Values;
  #event: EpcisEvent | undefined;

  constructor(row: Values) {
    this.#row = row;
  }

  get source(): EventRow['source'] {
    return unpackSource(this.#row[4] as Uint8Array);
  }

  get event(): EpcisEvent {
    if (this.#event !== undefined) return this.#event;
    const event = unpackEvent(this.#row[4] as Uint8Array);
    if (this.size <= KEPT) this.#event = event;
    return event;
  }

  get size(): number {
    return sourceBytes(this.#row[4] as Uint8Array);
  }

  get hash(): string {
    return hashWith(this.#row[3] as Uint8Array);
  }

  get recordTime(): string {
    return new Date(Number(this.#row[2]) / 1000).toISOString();
  }

  get marks(): EventRow['marks'] {
    return this.#row.slice(5).map((mark) => Number(mark) === 1);
  }

  get position(): EventRow['position'] {
    return { time: Number(this.#row[1]), id: textOf(this.#row[0]) };
  }
}

/** What the database ended for taking too long; everything else as it is. */
function tooComplex(error: unknown): unknown {
  if (codeOf(error) !== 'REPOSITORY_TIMEOUT') return error;
  return new EpcisException(
    'QueryTooComplexException',
    'The query took too long; ask for less: a shorter time, fewer values, or a maxEventCount.',
    undefined,
    { cause: error },
  );
}

/** The secret that signs page tokens, made once and the same on every VM. */
export async function repositorySecret(database: Database): Promise<string> {
  // a VM that starts while another one writes for long waits for nobody
  const known = await secretIn(database);
  if (known !== undefined) return known;
  const verb = database.dialect === 'mysql' ? 'INSERT IGNORE' : 'INSERT OR IGNORE';
  await database.run(`${verb} INTO setting (name, value) VALUES ('secret', ?)`, [
    randomBytes(32).toString('base64url'),
  ]);
  const made = await secretIn(database);
  if (made === undefined) throw new Error('The repository has just been given a secret, and has none.');
  return made;
}

async function secretIn(database: Database): Promise<string | undefined> {
  const [row] = await database.all(`SELECT value FROM setting WHERE name = 'secret'`);
  return row && textOf(row['value']);
}
