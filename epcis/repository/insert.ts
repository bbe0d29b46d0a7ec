import type { Connection, SqlValue } from './database.ts';

/** Rows of one statement: few different sizes, so that few statements need preparing. */
const SIZES = [128, 64, 48, 32, 24, 16, 12, 8, 6, 5, 4, 3, 2, 1];

export type Values = readonly SqlValue[];

/** Many rows in few statements. `ending` follows the rows, e.g. what to do with those that are there already. */
export async function insertRows(
  connection: Connection,
  into: string,
  columns: readonly string[],
  rows: readonly Values[],
  { verb = 'INSERT', ending = '' } = {},
): Promise<void> {
  const row = `(${columns.map(() => '?').join(', ')})`;
  for (let from = 0; from < rows.length;) {
    const size = SIZES.find((each) => each <= rows.length - from) ?? 1;
    const places = new Array<string>(size).fill(row).join(', ');
    await connection.run(
      `${verb} INTO ${into} (${columns.join(', ')}) VALUES ${places} ${ending}`,
      rows.slice(from, from + size).flat(),
    );
    from += size;
  }
}
