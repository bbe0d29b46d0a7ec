// A recorded load from its file, as it is kept: packed by gzip or not, in UTF-8 or in the UTF-16 of Windows.
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { parseTrace } from './profiles/trace-file.ts';
import type { Trace } from './profiles/trace.ts';
import { OptionError } from './workload/option-error.ts';

export async function readTrace(path: string): Promise<Trace> {
  const file = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new OptionError(`The trace file ${path} can't be read (${error.code}).`);
  });
  return parseTrace(decoded(await unpacked(file, path)), path.replace(/\.gz$/i, ''));
}

async function unpacked(file: Buffer, path: string): Promise<Buffer> {
  if (file[0] !== 0x1f || file[1] !== 0x8b) return file;
  return promisify(gunzip)(file).catch((error: Error) => {
    throw new OptionError(`The trace file ${path} can't be unpacked: ${error.message}.`);
  });
}

const decoded = (file: Buffer): string =>
  new TextDecoder(file[0] === 0xff && file[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(file);
