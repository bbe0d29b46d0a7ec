// Thrift's compact protocol, as far as Parquet's headers need it: structures of numbers, texts, lists and structures.

/** By the number of each field; absent ones are left out. A number is an i32, a bigint an i64. */
export type Struct = ReadonlyMap<number, Value | undefined>;
export type Value = number | bigint | string | Struct | readonly Value[];

const [I32, I64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12] as const;

export const struct = (fields: Readonly<Record<number, Value | undefined>>): Struct =>
  new Map(Object.entries(fields).map(([number, value]) => [Number(number), value]));

export function encoded(of: Struct): Buffer {
  const bytes: number[] = [];
  writeStruct(of, bytes);
  return Buffer.from(bytes);
}

function writeStruct(of: Struct, bytes: number[]): void {
  let before = 0;
  for (const [number, value] of [...of].sort(([a], [b]) => a - b)) {
    if (value === undefined) continue;
    bytes.push(((number - before) << 4) | typeOf(value)); // no gap of Parquet's is larger than 15
    write(value, bytes);
    before = number;
  }
  bytes.push(0);
}

function write(value: Value, bytes: number[]): void {
  if (typeof value === 'number' || typeof value === 'bigint') varint(zigzag(BigInt(value)), bytes);
  else if (typeof value === 'string') {
    const text = Buffer.from(value);
    varint(BigInt(text.length), bytes);
    for (const byte of text) bytes.push(byte);
  } else if (isStruct(value)) writeStruct(value, bytes);
  else writeList(value, bytes);
}

function writeList(values: readonly Value[], bytes: number[]): void {
  const [first] = values;
  const type = first === undefined ? STRUCT : typeOf(first);
  if (values.length < 15) bytes.push((values.length << 4) | type);
  else {
    bytes.push(0xf0 | type);
    varint(BigInt(values.length), bytes);
  }
  for (const value of values) write(value, bytes);
}

const isStruct = (value: Struct | readonly Value[]): value is Struct => value instanceof Map;

function typeOf(value: Value): number {
  if (typeof value === 'number') return I32;
  if (typeof value === 'bigint') return I64;
  if (typeof value === 'string') return BINARY;
  return isStruct(value) ? STRUCT : LIST;
}

/** 0, -1, 1, -2 are 0, 1, 2, 3. */
const zigzag = (value: bigint): bigint => BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));

function varint(value: bigint, bytes: number[]): void {
  for (; value > 127n; value >>= 7n) bytes.push(Number(value & 127n) | 128);
  bytes.push(Number(value));
}
