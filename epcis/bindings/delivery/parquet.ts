// Events as a Parquet file (format version 1): a group of rows for each page of an export, in each a column after the other, and at the
// end a table of where all of them are. What that table needs is handed from page to page, so that another VM may go on.
// Columns are optional; times are UTC to the millisecond, lists are lists. Each is one page, PLAIN, gzipped.
import { gzipSync } from 'node:zlib';
import { COLUMNS, type Cell, type Column } from './table.ts';
import { encoded, struct, type Struct } from './thrift.ts';

/** A column of a group of rows, in the order of the file. */
interface Chunk {
  /** Of a list each of its elements is one. */
  readonly values: number;
  /** With its header. */
  readonly size: number;
  readonly stored: number;
}

/** What stands already: of each group its rows, and its columns. */
export interface Group {
  readonly rows: number;
  readonly chunks: readonly Chunk[];
}

const MAGIC = Buffer.from('PAR1');
const [INT64, BYTE_ARRAY] = [2, 6] as const;
const [OPTIONAL, REPEATED, REQUIRED] = [1, 2, 0] as const;
const [UTF8, LIST, TIMESTAMP_MILLIS] = [0, 3, 9] as const;
const [PLAIN, RLE] = [0, 3] as const;
const GZIP = 2;
const DATA_PAGE = 0;

export const parquetHead = (): Buffer => MAGIC;

export function parquetRows(rows: readonly (readonly Cell[])[]): { readonly bytes: Buffer; readonly group: Group } {
  const columns = COLUMNS.map(({ kind }, n) =>
    chunkOf(
      kind,
      rows.map((row) => row[n]),
    ),
  );
  return {
    bytes: Buffer.concat(columns.map(({ bytes }) => bytes)),
    group: { rows: rows.length, chunks: columns.map(({ chunk }) => chunk) },
  };
}

export function parquetTail(groups: readonly Group[], createdBy: string): Buffer {
  let at = MAGIC.length;
  const rowGroups = groups.map(({ rows, chunks }) => {
    const columns = chunks.map((chunk, n) => {
      const from = at;
      at += chunk.stored;
      return columnChunk(COLUMNS[n] as Column, chunk, from);
    });
    const size = chunks.reduce((sum, chunk) => sum + chunk.size, 0);
    return struct({ 1: columns, 2: BigInt(size), 3: BigInt(rows) });
  });
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const table = encoded(struct({ 1: 1, 2: schema(), 3: BigInt(rows), 4: rowGroups, 6: createdBy }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(table.length);
  return Buffer.concat([table, length, MAGIC]);
}

function schema(): readonly Struct[] {
  const root = struct({ 4: 'events', 5: COLUMNS.length });
  const fields = COLUMNS.flatMap(({ name, kind }) => {
    if (kind === 'time') return [struct({ 1: INT64, 3: OPTIONAL, 4: name, 6: TIMESTAMP_MILLIS })];
    if (kind === 'text') return [struct({ 1: BYTE_ARRAY, 3: OPTIONAL, 4: name, 6: UTF8 })];
    return [
      struct({ 3: OPTIONAL, 4: name, 5: 1, 6: LIST }),
      struct({ 3: REPEATED, 4: 'list', 5: 1 }),
      struct({ 1: BYTE_ARRAY, 3: REQUIRED, 4: 'element', 6: UTF8 }),
    ];
  });
  return [root, ...fields];
}

function columnChunk({ name, kind }: Column, { values, size, stored }: Chunk, from: number): Struct {
  const about = struct({
    ...{ 1: kind === 'time' ? INT64 : BYTE_ARRAY, 2: [PLAIN, RLE] },
    ...{ 3: kind === 'list' ? [name, 'list', 'element'] : [name], 4: GZIP },
    ...{ 5: BigInt(values), 6: BigInt(size), 7: BigInt(stored), 9: BigInt(from) },
  });
  return struct({ 2: BigInt(from), 3: about });
}

function chunkOf(kind: Column['kind'], cells: readonly Cell[]): { readonly bytes: Buffer; readonly chunk: Chunk } {
  const { repetitions, definitions, data } = kind === 'list' ? lists(cells) : scalars(kind, cells);
  const plain = Buffer.concat([...(kind === 'list' ? [levels(repetitions)] : []), levels(definitions), ...data]);
  const packed = gzipSync(plain);
  const values = definitions.length;
  const page = struct({ 1: values, 2: PLAIN, 3: RLE, 4: RLE });
  const header = encoded(struct({ 1: DATA_PAGE, 2: plain.length, 3: packed.length, 5: page }));
  return {
    bytes: Buffer.concat([header, packed]),
    chunk: { values, size: header.length + plain.length, stored: header.length + packed.length },
  };
}

interface Encoded {
  /** 0 where a row begins. */
  readonly repetitions: readonly number[];
  /** How much of it is there: of a list 0 none, 1 an empty one, 2 an element. */
  readonly definitions: readonly number[];
  readonly data: readonly Buffer[];
}

function scalars(kind: Column['kind'], cells: readonly Cell[]): Encoded {
  const values = cells.map((cell) =>
    typeof cell !== 'string' ? undefined : kind === 'time' ? millis(cell) : bytes(cell),
  );
  return {
    repetitions: [],
    definitions: values.map((value) => Number(value !== undefined)),
    data: values.filter((value) => value !== undefined),
  };
}

function lists(cells: readonly Cell[]): Encoded {
  const [repetitions, definitions, data]: [number[], number[], Buffer[]] = [[], [], []];
  for (const cell of cells) {
    const elements = Array.isArray(cell) ? (cell as readonly string[]) : undefined;
    if (elements === undefined || elements.length === 0) {
      repetitions.push(0);
      definitions.push(Number(elements !== undefined));
    } else
      for (const [n, element] of elements.entries()) {
        repetitions.push(Number(n > 0));
        definitions.push(2);
        data.push(bytes(element));
      }
  }
  return { repetitions, definitions, data };
}

function bytes(text: string): Buffer {
  const value = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(value.length);
  return Buffer.concat([length, value]);
}

/** Undefined where it is none. */
function millis(time: string): Buffer | undefined {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return undefined;
  const value = Buffer.alloc(8);
  value.writeBigInt64LE(BigInt(at));
  return value;
}

/** Runs of the same level: how long, twice, and the level. All before with its length. */
function levels(of: readonly number[]): Buffer {
  const runs: number[] = [];
  for (let from = 0, to: number; from < of.length; from = to) {
    for (to = from; to < of.length && of[to] === of[from];) to++;
    let left = (to - from) * 2;
    for (; left > 127; left = Math.floor(left / 128)) runs.push((left % 128) | 128);
    runs.push(left, of[from] ?? 0);
  }
  const length = Buffer.alloc(4);
  length.writeUInt32LE(runs.length);
  return Buffer.concat([length, Buffer.from(runs)]);
}

/** In few letters: numbers to the base of 36. 500 rows of 16 columns: about 150. */
export const kept = (groups: readonly Group[]): string =>
  groups
    .map(({ rows, chunks }) => [rows, ...chunks.flatMap(({ values, size, stored }) => [values, size, stored])])
    .map((numbers) => numbers.map((number) => number.toString(36)).join(' '))
    .join(',');

export function unkept(text: string): readonly Group[] {
  if (text === '') return [];
  return text.split(',').map((group) => {
    const [rows = 0, ...numbers] = group.split(' ').map((number) => parseInt(number, 36));
    const chunks = COLUMNS.map((_, n) => {
      const [values = 0, size = 0, stored = 0] = numbers.slice(3 * n, 3 * n + 3);
      return { values, size, stored };
    });
    return { rows, chunks };
  });
}
