import type { Connection, Values } from './database.ts';

/** Rows of one statement: few different sizes, so that few statements need preparing. */
const SIZES = [128, 64, 48, 32, 24, 16, 12, 8, 6, 5, 4, 3, 2, 1];

interface Inserting {
  readonly verb?: string;
  readonly ending?: string;
  /** Called before each statement, with its rows: what waits for it waits. */
  readonly before?: (rows: number) => Promise<void> | undefined;
}

/** Many rows in few statements. `ending` follows the rows, e.g. what to do with those that are there already. */
export async function insertRows(
  connection: Connection,
  into: string,
  columns: readonly string[],
  rows: readonly Values[],
  { verb = 'INSERT', ending = '', before }: Inserting = {},
): Promise<void> {
  const row = `(${columns.map(() => '?').join(', ')})`;
  for (const piece of pieces(rows)) {
    const turn = before?.(piece.length);
    if (turn !== undefined) await turn;
    const places = new Array<string>(piece.length).fill(row).join(', ');
    await connection.run(`${verb} INTO ${into} (${columns.join(', ')}) VALUES ${places} ${ending}`, piece.flat());
  }
}

/** Each as long as one statement of insertRows: inserted as a whole or, if it fails, not at all. */
export function* pieces<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length;) {
    const size = SIZES.find((each) => each <= rows.length - from) ?? 1;
    yield rows.slice(from, from + size);
    from += size;
  }
}
