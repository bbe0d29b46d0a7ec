// Recorded prices as a user names them: a file, or a folder of them.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parsePriceTraces, type PriceTrace } from '../../simulate/price-trace.ts';
import { OptionError } from '../../../loadgen/workload/option-error.ts';

export async function readPriceTraces(path: string): Promise<readonly PriceTrace[]> {
  try {
    const names = (await stat(path)).isDirectory()
      ? (await readdir(path)).filter((name) => PRICES.test(name)).map((name) => join(path, name))
      : [path];
    if (names.length === 0)
      throw new OptionError(`There is no price trace in ${path}: files such as m3.medium-us-east-1a.csv.`);
    const files = [];
    for (const name of names.sort()) files.push({ name: basename(name), text: textOf(await readFile(name), name) });
    return parsePriceTraces(files);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EACCES') throw new OptionError(`The prices in ${path} can't be read (${code}).`);
    throw error;
  }
}

/** A .txt is to be named itself: there may be any in a folder. */
const PRICES = /\.(csv|tsv|json)(\.gz)?$/;

/** What gzip may unfold to. */
const MOST_BYTES = 1 << 29;

/** Windows' shell redirects the output of programs in UTF-16. */
function textOf(bytes: Buffer, name: string): string {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? unzipped(bytes, name) : bytes;
  const encoding = plain[0] === 0xff && plain[1] === 0xfe ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding).decode(plain);
}

function unzipped(bytes: Buffer, name: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
  } catch (error) {
    throw new OptionError(`The price trace ${name} can't be unzipped: ${(error as Error).message}.`);
  }
}
