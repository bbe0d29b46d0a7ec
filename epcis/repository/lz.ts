// A small LZ77 with a preset dictionary, in the block format of LZ4. Of a typical event's 1,220 bytes it leaves 230. zlib
// leaves 135, but costs a native handle and its garbage for every text: writing one takes 40 µs instead of 5, reading one 12
// instead of 2, and reading a few events took five times the CPU of fetching them.
//
// A block is a series of sequences: a token (high half: number of literals, low half: length of the match − 4; 15 means that
// bytes follow to be added, up to the first below 255), the literals, two bytes of distance, low one first. The last
// sequence ends after its literals.

import type { InPieces } from '../domain/in-pieces.ts';

const MIN_MATCH = 4;
const MAX_DISTANCE = 65_535;
const HASH_BITS = 13;
/** Fewer bytes are copied faster by a loop than by a call of a native function. */
const SHORT = 32;
/** What is encoded on end where it is done in pieces: 1 ms. */
const PIECE = 64 * 1024;

export class Codec {
  readonly #dictionary: Buffer;
  /** Hash of four bytes → where they stand in the dictionary, as encoding starts. */
  readonly #known = new Int32Array(2 ** HASH_BITS).fill(-1);
  readonly #table = new Int32Array(2 ** HASH_BITS);
  /** The dictionary, and behind it the text at work. Used by one call at a time: nothing here waits. */
  #text: Buffer;

  constructor(dictionary: string) {
    this.#dictionary = Buffer.from(dictionary);
    this.#text = this.#room(16_384);
    for (let at = 0; at + MIN_MATCH <= this.#dictionary.length; at += 1) this.#known[hashAt(this.#text, at)] = at;
  }

  encode(text: string): Buffer {
    const length = Buffer.byteLength(text);
    const encoding = this.#begin(text, length, this.#roomFor(length), this.#table);
    encodeUpTo(encoding, Infinity);
    return encoded(encoding);
  }

  /** The same in pieces. */
  *encoding(text: string): InPieces<Buffer> {
    const length = Buffer.byteLength(text);
    const room = this.#room(this.#dictionary.length + length + 8);
    const encoding = this.#begin(text, length, room, new Int32Array(2 ** HASH_BITS));
    while (encoding.at + MIN_MATCH <= encoding.end) {
      yield;
      encodeUpTo(encoding, encoding.at + PIECE);
    }
    return encoded(encoding);
  }

  #begin(text: string, length: number, bytes: Buffer, table: Int32Array): Encoding {
    const start = this.#dictionary.length;
    const end = start + bytes.write(text, start);
    table.set(this.#known);
    const out = Buffer.allocUnsafe(length + Math.ceil(length / 255) + 16);
    return { length, bytes, table, out, end, at: start, literals: start, to: 0 };
  }

  /** Of the text in the block that begins at a byte of `block`: from one byte to another. What comes later is not decoded. */
  decode(block: Buffer, begin = 0, { from = 0, until = Infinity } = {}): string {
    const length = block.readUInt32LE(begin);
    const bytes = this.#roomFor(length);
    const start = this.#dictionary.length;
    const end = start + Math.min(length, until);
    let to = start;
    for (let at = begin + 4; ;) {
      const token = block[at++] ?? 0;
      let literals = token >> 4;
      if (literals === 15) for (let more = 255; more === 255; literals += more) more = block[at++] ?? 0;
      if (literals > SHORT) block.copy(bytes, to, at, at + literals);
      else for (let n = 0; n < literals; n += 1) bytes[to + n] = block[at + n] ?? 0;
      at += literals;
      to += literals;
      if (to >= end || at >= block.length) return bytes.toString('utf8', start + from, end);
      const source = to - ((block[at] ?? 0) | ((block[at + 1] ?? 0) << 8));
      at += 2;
      let matched = token & 15;
      if (matched === 15) for (let more = 255; more === 255; matched += more) more = block[at++] ?? 0;
      matched += MIN_MATCH;
      // what is copied may be what was just written: byte by byte, then, as also what is short
      if (matched > SHORT && source + matched <= to) bytes.copyWithin(to, source, source + matched);
      else for (let n = 0; n < matched; n += 1) bytes[to + n] = bytes[source + n] ?? 0;
      to += matched;
      if (to >= end) return bytes.toString('utf8', start + from, end);
    }
  }

  #roomFor(length: number): Buffer {
    const needed = this.#dictionary.length + length + 8;
    if (needed > this.#text.length) {
      // a huge text gets room of its own, which nobody keeps
      if (needed > 1_048_576) return this.#room(needed);
      this.#text = this.#room(2 * needed);
    }
    return this.#text;
  }

  #room(size: number): Buffer {
    const room = Buffer.alloc(size);
    this.#dictionary.copy(room);
    return room;
  }
}

interface Encoding {
  /** Of the text, in bytes. */
  readonly length: number;
  /** The dictionary and behind it the text, which ends at `end`. */
  readonly bytes: Buffer;
  readonly table: Int32Array;
  readonly out: Buffer;
  readonly end: number;
  /** How far it has come; where the literals begin that are not written; where the next byte goes. */
  at: number;
  literals: number;
  to: number;
}

function encodeUpTo(encoding: Encoding, until: number): void {
  const { bytes, table, out, end } = encoding;
  let { at, literals, to } = encoding;
  while (at < until && at + MIN_MATCH <= end) {
    const hash = hashAt(bytes, at);
    const from = table[hash] ?? -1;
    table[hash] = at;
    if (from < 0 || at - from > MAX_DISTANCE || bytes.readInt32LE(from) !== bytes.readInt32LE(at)) {
      at += 1;
      continue;
    }
    let matched = MIN_MATCH;
    while (at + matched < end && bytes[from + matched] === bytes[at + matched]) matched += 1;
    to = writeLiterals(out, to, bytes, literals, at, matched - MIN_MATCH);
    to = out.writeUInt16LE(at - from, to);
    to = writeLength(out, to, matched - MIN_MATCH);
    at += matched;
    literals = at;
  }
  encoding.at = at;
  encoding.literals = literals;
  encoding.to = to;
}

function encoded({ length, bytes, out, end, literals, to }: Encoding): Buffer {
  const size = Buffer.allocUnsafe(4);
  size.writeUInt32LE(length);
  return Buffer.concat([size, out.subarray(0, writeLiterals(out, to, bytes, literals, end, 0))]);
}

function hashAt(bytes: Buffer, at: number): number {
  return Math.imul(bytes.readInt32LE(at), 0x9e3779b1) >>> (32 - HASH_BITS);
}

function writeLiterals(out: Buffer, to: number, bytes: Buffer, from: number, until: number, matched: number): number {
  const count = until - from;
  out[to++] = (Math.min(count, 15) << 4) | Math.min(matched, 15);
  const at = writeLength(out, to, count);
  bytes.copy(out, at, from, until);
  return at + count;
}

function writeLength(out: Buffer, to: number, length: number): number {
  if (length < 15) return to;
  let rest = length - 15;
  for (; rest >= 255; rest -= 255) out[to++] = 255;
  out[to++] = rest;
  return to;
}
