// The lists of values that one connection to SQLite has at hand (value-list.ts).
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Bound, SqlValue } from './database.ts';
import { LISTED, ValueList } from './value-list.ts';

export class ListsOfConnection {
  readonly #database: DatabaseSync;
  #insert: StatementSync | undefined;
  #numbers = new WeakMap<ValueList, number>();
  /** Rules are read again and again, with the same values. */
  readonly #byContent = new Map<string, number>();
  readonly #most: number;
  #values = 0;
  #last = 0;

  /** Of more values all are forgotten, and those still in use come again. */
  constructor(database: DatabaseSync, most = 200_000) {
    this.#most = most;
    this.#database = database;
  }

  /** Each list as its number. */
  bound(values: readonly Bound[]): readonly SqlValue[] {
    const lists = values.filter((value) => value instanceof ValueList);
    if (lists.length === 0) return values as readonly SqlValue[];
    if (this.#values > this.#most) this.forget();
    return values.map((value) => (value instanceof ValueList ? this.#numberOf(value) : value));
  }

  #numberOf(list: ValueList): number {
    const known = this.#numbers.get(list) ?? this.#keep(list);
    this.#numbers.set(list, known);
    return known;
  }

  #keep({ values }: ValueList): number {
    const content = JSON.stringify(values.map((value) => [typeof value, String(value)]));
    const known = this.#byContent.get(content);
    if (known !== undefined) return known;
    if (this.#insert === undefined) {
      this.#database.exec(LISTED);
      this.#insert = this.#database.prepare('INSERT OR IGNORE INTO temp.listed (list, value) VALUES (?, ?)');
    }
    const number = (this.#last += 1);
    for (const value of values) this.#insert.run(number, value);
    this.#byContent.set(content, number);
    this.#values += values.length;
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
