import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OptionError } from '../../../loadgen/workload/option-error.ts';

/** Before minutes of work: can its result be written? */
export async function checkOutput(option: string, file: string): Promise<void> {
  const folder = dirname(file);
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) throw new OptionError(`${option} ${file}: that is a folder, and a file is expected.`);
  await access(found === undefined ? folder : file, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? `there is no folder ${folder}` : `it may not be written (${error.code})`;
    throw new OptionError(`${option} ${file}: ${why}.`);
  });
}
