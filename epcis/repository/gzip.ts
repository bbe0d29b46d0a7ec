// gzip in pieces that are made at different times, by different VMs if need be: what one piece must know of those before is two numbers.
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

/** Of all text so far, before compression. */
export interface Sum {
  readonly crc: number;
  /** Modulo 2^32, as gzip wants it. */
  readonly size: number;
}

export const NO_TEXT: Sum = { crc: 0, size: 0 };

const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty block that is the last. */
const LAST_BLOCK = Buffer.from([3, 0]);

const deflate = promisify(deflateRaw);

/** Blocks that end at a byte and look at nothing before them. `isFirst`: the head stands before. */
export async function piece(text: Uint8Array, isFirst: boolean): Promise<Buffer> {
  const blocks = await deflate(text, { finishFlush: constants.Z_SYNC_FLUSH });
  return isFirst ? Buffer.concat([HEAD, blocks]) : blocks;
}

export const sumWith = (text: Uint8Array, { crc, size }: Sum): Sum => ({
  crc: crc32(text, crc),
  size: (size + text.length) % 2 ** 32,
});

/** Behind the last piece; `isAll`: there was none. */
export function ending({ crc, size }: Sum, isAll: boolean): Buffer {
  const sums = Buffer.alloc(8);
  sums.writeUInt32LE(crc, 0);
  sums.writeUInt32LE(size, 4);
  return Buffer.concat([...(isAll ? [HEAD] : []), LAST_BLOCK, sums]);
}
