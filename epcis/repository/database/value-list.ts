// Many values that are looked for in query after query, as those of rules are. A connection to SQLite keeps them in a table of its own, so that a
// statement has one value for all of them: to bind a hundred costs more than most queries. Not for MySQL, where such a table would be a write.

export type Listed = bigint | string | Uint8Array;

/** The same object in each statement, so that it is found again. */
export class ValueList {
  readonly values: readonly Listed[];

  constructor(values: readonly Listed[]) {
    this.values = values;
  }
}

/** That the column is among them; `?` is the list. Without its sign a column's type would keep SQLite from the index. */
export const inListed = (column: string): string =>
  `+EXISTS (SELECT 1 FROM temp.listed l WHERE l.list = ? AND l.value = +${column})`;

export const LISTED =
  'CREATE TEMP TABLE IF NOT EXISTS listed (list INTEGER, value, PRIMARY KEY (list, value)) WITHOUT ROWID';
