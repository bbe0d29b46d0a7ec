// Recorded prices as a user names them: a file, or a folder of them.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parsePriceTrace, type PriceTrace } from '../../simulate/price-trace.ts';
import { OptionError } from '../../../loadgen/workload/option-error.ts';

export async function readPriceTraces(path: string): Promise<readonly PriceTrace[]> {
  try {
    const names = (await stat(path)).isDirectory()
      ? (await readdir(path)).filter((name) => name.endsWith('.csv')).map((name) => join(path, name))
      : [path];
    if (names.length === 0)
      throw new OptionError(`There is no price trace in ${path}: files such as m3.medium-us-east-1a.csv.`);
    return await Promise.all(
      names.sort().map(async (name) => parsePriceTrace(await readFile(name, 'utf8'), basename(name))),
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EACCES') throw new OptionError(`The prices in ${path} can't be read (${code}).`);
    throw error;
  }
}
