import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OptionError } from '../../../loadgen/workload/option-error.ts';
import { makeFolders } from '../../files/make-folder.ts';

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

/** The same of a folder, which is made where there is none. */
export async function makeFolder(option: string, folder: string): Promise<void> {
  try {
    makeFolders(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? '';
    throw new OptionError(
      why === 'EEXIST' || why === 'ENOTDIR'
        ? `${option} ${folder}: that is a file, and a folder is expected.`
        : `${option} ${folder}: it can't be made or written here (${why}); name a folder that this user may write.`,
    );
  }
}
