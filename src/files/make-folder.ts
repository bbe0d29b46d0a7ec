// Folders with all above them. Node's own way (mkdir with recursive) never ends where a file system lets nobody make folders and calls that
// ENOENT, as automounted homes and /proc do: it then makes the folder above, which is there, again and again.
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Throws what making the first one that is missing came to. */
export function makeFolders(path: string, mode?: number): void {
  const missing: string[] = [];
  for (let each = resolve(path); statSync(each, { throwIfNoEntry: false }) === undefined; each = dirname(each))
    missing.unshift(each);
  // what another process made meanwhile is there, and a file is told by making the folder itself
  for (const each of missing) if (!isFolder(each)) mkdirSync(each, { mode });
  if (!isFolder(path)) mkdirSync(path);
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
