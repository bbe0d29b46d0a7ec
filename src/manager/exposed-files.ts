// Which files every user of this machine may read: themselves, and the folders on the way to them.
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

const LOOK_EVERY_MS = 15_000;

const READ = 0o004;
const ENTER = 0o001;

export async function exposedAmong(files: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all([...new Set(files)].map(async (file) => ((await isExposed(file)) ? [file] : [])));
  return found.flat();
}

/** What can't be asked is no news: whoever needs the file says so. */
async function isExposed(file: string): Promise<boolean> {
  const may = (path: string, right: number) =>
    stat(path).then(
      ({ mode }) => (mode & right) !== 0,
      () => false,
    );
  if (!(await may(file, READ))) return false;
  for (let folder = dirname(resolve(file)); ; folder = dirname(folder)) {
    if (!(await may(folder, ENTER))) return false;
    if (folder === dirname(folder)) return true;
  }
}

export interface ExposedFiles {
  readonly newest: () => readonly string[];
  readonly close: () => Promise<void>;
}

export async function watchExposed(files: readonly string[], everyMs = LOOK_EVERY_MS): Promise<ExposedFiles> {
  let newest = await exposedAmong(files);
  const timer = setInterval(() => void exposedAmong(files).then((now) => (newest = now)), everyMs).unref();
  return { newest: () => newest, close: async () => clearInterval(timer) };
}
