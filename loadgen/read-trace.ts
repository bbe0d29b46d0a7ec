// A recorded load from its file, as it is kept: packed by gzip or zstd or not, in UTF-8 or in the UTF-16 of Windows.
import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { parseTrace } from './profiles/trace-file.ts';
import type { Trace } from './profiles/trace.ts';
import { OptionError } from './workload/option-error.ts';

export async function readTrace(path: string, mostBytes = MOST_BYTES): Promise<Trace> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size > mostBytes) throw tooLarge(path, mostBytes);
  const file = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new OptionError(`The trace file ${path} can't be read (${error.code}).`);
  });
  const text = decoded(await unpacked(file, path, mostBytes), path);
  return parseTrace(text, path.replace(/\.(gz|zst)$/i, ''));
}

/** A little less than what JavaScript holds in one text. */
const MOST_BYTES = 500e6;

const tooLarge = (path: string, mostBytes: number): OptionError =>
  new OptionError(
    `The trace file ${path} has more than ${mostBytes / 1e6} MB of text: leave its times and counts only, or count its arrivals by the second.`,
  );

/** How files begin that can't be read here. */
const OTHERS: readonly (readonly [string, string])[] = [
  ['\xfd7zXZ', 'is packed by xz: unpack it first (unxz)'],
  ['BZh', 'is packed by bzip2: unpack it first (bunzip2)'],
  ['7z\xbc\xaf', 'is a 7z archive: unpack it first'],
  ['PK\x03\x04', 'is a zip archive, or a sheet of Excel: unpack it, or save it as CSV'],
  ['PAR1', 'is Parquet: write it as CSV'],
];

async function unpacked(file: Buffer, path: string, mostBytes: number): Promise<Buffer> {
  const start = file.toString('latin1', 0, 8);
  const other = OTHERS.find(([begin]) => start.startsWith(begin));
  if (other !== undefined) throw new OptionError(`The trace file ${path} ${other[1]}.`);
  const unpack = start.startsWith('\x1f\x8b')
    ? promisify(gunzip)
    : start.startsWith('\x28\xb5\x2f\xfd')
      ? promisify(zstdDecompress)
      : undefined;
  if (unpack === undefined) return file;
  return unpack(file, { maxOutputLength: mostBytes }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(path, mostBytes);
    throw new OptionError(`The trace file ${path} can't be unpacked: ${error.message}.`);
  });
}

function decoded(file: Buffer, path: string): string {
  const encoding =
    file[0] === 0xff && file[1] === 0xfe ? 'utf-16le' : file[0] === 0xfe && file[1] === 0xff ? 'utf-16be' : 'utf-8';
  // what is no UTF-8 is what Excel writes in the west, or an old log: only its names are other letters then
  const western = encoding === 'utf-8' && !isUtf8(file);
  const text = new TextDecoder(western ? 'windows-1252' : encoding).decode(file);
  if (text.includes('\0')) throw new OptionError(`The trace file ${path} is no text.`);
  return text;
}
