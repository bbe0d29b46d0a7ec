// The texts behind the 64-bit keys in an event's row, to list a column's values.
import { epcKey } from '../domain/epc.ts';
import { EpcisException } from '../domain/exceptions.ts';
import type { Facts } from '../service/facts.ts';
import { COLUMN_FACTS, type Column } from '../service/queryable-columns.ts';
import type { Connection } from './database/database.ts';
import { insertRows } from './database/insert.ts';
import { keys } from './keys.ts';

/** The number of a column in `term.kind`. */
export function kindOf(column: Column): number {
  return COLUMN_FACTS[column].stored.kind;
}

/** Longer values are listed shortened. */
const MAX_BYTES = 1000;
export const shortened = (value: string): string => Buffer.from(value).subarray(0, MAX_BYTES).toString();

/** Terms known to be stored; forgetting them costs a look-up each. */
const REMEMBERED = 50_000;

/** Those that a committed transaction has stored need no further look. One set per process. */
export class KnownTerms {
  readonly #known = new Set<string>();

  has(term: string): boolean {
    return this.#known.has(term);
  }

  add(terms: Iterable<string>): void {
    if (this.#known.size > REMEMBERED) this.#known.clear();
    for (const term of terms) this.#known.add(term);
  }
}

/** The terms of one transaction. */
export class TermWriter {
  readonly #known: KnownTerms;
  readonly #added = new Set<string>();

  constructor(known: KnownTerms) {
    this.#known = known;
  }

  async add(
    connection: Connection,
    events: readonly { readonly facts: Facts }[],
    before: (rows: number) => Promise<void> | undefined,
  ): Promise<void> {
    const fresh = new Map<string, { kind: number; value: string }>();
    for (const {
      facts: { columns },
    } of events)
      for (const [column, value] of Object.entries(columns) as [Column, string][]) {
        const term = `${column} ${value}`;
        if (!this.#known.has(term) && !this.#added.has(term)) fresh.set(term, { kind: kindOf(column), value });
      }
    for (const { kind, value } of fresh.values()) {
      await before(1);
      await store(connection, kind, value);
    }
    for (const term of fresh.keys()) this.#added.add(term);
  }

  committed(): void {
    this.#known.add(this.#added);
  }
}

async function store(connection: Connection, kind: number, value: string): Promise<void> {
  const id = keys.term(value);
  const select = 'SELECT value FROM term WHERE kind = ? AND id = ?';
  let [row] = await connection.all(select, [kind, id]);
  if (!row) {
    const stored = shortened(value);
    const verb = connection.dialect === 'mysql' ? 'INSERT IGNORE' : 'INSERT OR IGNORE';
    await insertRows(connection, 'term', ['kind', 'id', 'value'], [[kind, id, stored]], { verb });
    [row] = await connection.all(select, [kind, id]);
  }
  // two texts of one hash among a million terms: once in 37 million repositories; refused rather than mixed up
  const known = textOf(row?.['value']);
  if (known.length < MAX_BYTES - 4 && epcKey(known) !== epcKey(value))
    throw new EpcisException('ImplementationException', `'${value}' cannot be told from '${known}'.`);
}

/** VARBINARY comes as bytes from MySQL, as text from SQLite. */
export function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
}
