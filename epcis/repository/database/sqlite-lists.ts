// The lists of values that one connection to SQLite has at hand, in a table of its own that statements ask for them (sql/at-hand.ts).
import { isList, type Bound, type SqlValue, type ValueList } from './database.ts';

const LISTED = 'CREATE TEMP TABLE IF NOT EXISTS listed (list INTEGER, value, PRIMARY KEY (list, value)) WITHOUT ROWID';

/** What is needed of one. */
interface SqliteConnection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
}

interface Statement {
  run(...values: SqlValue[]): unknown;
}

export class ListsOfConnection {
  readonly #database: SqliteConnection;
  #insert: Statement | undefined;
  #numbers = new WeakMap<ValueList, number>();
  /** Rules are read again and again, with the same values. */
  readonly #byContent = new Map<string, number>();
  readonly #most: number;
  #values = 0;
  #last = 0;

  /** Of more values all are forgotten, and those still in use come again. */
  constructor(database: SqliteConnection, most = 200_000) {
    this.#most = most;
    this.#database = database;
  }

  /** Each list as its number. */
  bound(values: readonly Bound[]): readonly SqlValue[] {
    if (!values.some(isList)) return values as readonly SqlValue[];
    if (this.#values > this.#most) this.forget();
    return values.map((value) => (isList(value) ? this.#numberOf(value) : value));
  }

  #numberOf(list: ValueList): number {
    const known = this.#numbers.get(list) ?? this.#keep(list);
    this.#numbers.set(list, known);
    return known;
  }

  #keep({ list }: ValueList): number {
    const content = JSON.stringify(list.map((value) => [typeof value, String(value)]));
    const known = this.#byContent.get(content);
    if (known !== undefined) return known;
    if (this.#insert === undefined) {
      this.#database.exec(LISTED);
      this.#insert = this.#database.prepare('INSERT OR IGNORE INTO temp.listed (list, value) VALUES (?, ?)');
    }
    const number = (this.#last += 1);
    for (const value of list) this.#insert.run(number, value);
    this.#byContent.set(content, number);
    this.#values += list.length;
    return number;
  }

  /** Also after a rollback, which takes them away. */
  forget(): void {
    if (this.#insert === undefined) return;
    this.#database.exec(`${LISTED}; DELETE FROM temp.listed`);
    this.#numbers = new WeakMap();
    this.#byContent.clear();
    this.#values = 0;
  }
}
