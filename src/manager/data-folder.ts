// The data folder: one mmeliot at a time, and the group's secret.
import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isAlive, startTicks } from '../act/local/process-info.ts';
import { MmeliotError } from '../errors.ts';
import { makeFolders } from '../files/make-folder.ts';
import { writeWhole } from '../files/write-whole.ts';

export interface DataFolder {
  readonly path: string;
  file(name: string): string;
  unlock(): void;
}

/**
 * Throws ALREADY_RUNNING while another process holds the lock of that name; what a killed process left is taken over.
 * A gateway beside a manager has a lock of its own in the same folder.
 */
export function openDataFolder(dataDir: string, name = 'lock'): DataFolder {
  const path = resolve(dataDir);
  try {
    // events, keys and the journal are nobody else's on this machine
    makeFolders(path, 0o700);
  } catch (error) {
    throw notOurs(path, 'made', error);
  }
  const lock = join(path, name === 'lock' ? name : `${name}.lock`);
  takeLock(lock, path);
  return { path, file: (name) => join(path, name), unlock: () => unlock(lock) };
}

/** Where the folder was removed meanwhile, another may have begun anew there. */
function unlock(lock: string): void {
  if (look(lock).pid === process.pid) rmSync(lock, { force: true });
}

function notOurs(path: string, done: string, error: unknown): MmeliotError {
  const { code = '' } = error as NodeJS.ErrnoException;
  const todo = /^(ENOSPC|EDQUOT)$/.test(code)
    ? 'make room on its disk, or name a folder on another one'
    : code === 'ENAMETOOLONG'
      ? 'name one with a shorter path'
      : 'name a folder that this user may write';
  return new MmeliotError('CONFIG_INVALID', `dataDir ${path} cannot be ${done} (${code}): ${todo}.`, { cause: error });
}

/** Something else stands where a file or folder of ours should: that in a sentence, any other error as it is. */
export function inTheWay(error: unknown, folder: Pick<DataFolder, 'path'>): unknown {
  const { code = '', path } = error as NodeJS.ErrnoException;
  const isOurs = path?.startsWith(folder.path) ?? code === 'EISDIR'; // which reading a folder as a file says, and no path
  if (!isOurs || !/^(EISDIR|ENOTDIR|ELOOP|EEXIST|ENOENT|EACCES|EPERM)$/.test(code)) return error;
  const what = `${path ?? `A file in ${folder.path}`} cannot be used (${code}): something else stands there, or it is another user's. Put it aside.`;
  return new MmeliotError('CONFIG_INVALID', what, { cause: error });
}

/** Where two start at once over what a killed one left, only who has the turn removes that, and looks before. */
function takeLock(lock: string, path: string): void {
  const turn = `${lock}.turn`;
  try {
    while (!made(lock)) {
      refuseBeside(lock, path);
      if (made(turn)) removeLeft(lock, turn);
      else if (refuseBeside(turn, path) === 'left') rmSync(turn, { force: true });
    }
  } catch (error) {
    throw error instanceof MmeliotError ? error : notOurs(path, 'written', error);
  }
}

function removeLeft(lock: string, turn: string): void {
  try {
    if (look(lock).is === 'left') rmSync(lock, { force: true });
  } finally {
    rmSync(turn, { force: true });
  }
}

function refuseBeside(lock: string, path: string): Look['is'] {
  const { is, pid } = look(lock);
  if (is !== 'held') return is;
  throw new MmeliotError(
    'ALREADY_RUNNING',
    `mmeliot runs already on ${path} (process ${pid}): stop it first, or start this one with another --set dataDir=<folder>.`,
  );
}

/** False where there is one. It is there with what it says, or not at all: an empty one would be taken for what a killed one left. */
function made(lock: string): boolean {
  const mine = JSON.stringify({ pid: process.pid, start: startTicks(process.pid) });
  const draft = `${lock}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, mine);
    linkSync(draft, lock);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // a file system without links
    if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK)$/.test(code)) throw error;
    return madeWithoutLink(lock, mine);
  } finally {
    rmSync(draft, { force: true });
  }
}

function madeWithoutLink(lock: string, mine: string): boolean {
  try {
    writeFileSync(lock, mine, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

interface Look {
  readonly is: 'absent' | 'held' | 'left';
  readonly pid?: number;
}

function look(lock: string): Look {
  // one that leads nowhere is no lock, and in the way all the same
  const isLink = lstatSync(lock, { throwIfNoEntry: false })?.isSymbolicLink();
  try {
    const { pid, start } = JSON.parse(readFileSync(lock, 'utf8')) as { pid: number; start?: number };
    return { is: isAlive(pid, start) ? 'held' : 'left', pid };
  } catch (error) {
    return { is: (error as NodeJS.ErrnoException).code === 'ENOENT' && isLink !== true ? 'absent' : 'left' };
  }
}

/**
 * The secret that signs load reports: configured, or made once and kept where only this user reads it. Where the folder
 * has none, VMs that are there may know it: an emptied data folder is no new group.
 */
export const groupSecret = async (
  configured: string,
  folder: DataFolder,
  ofFleet: () => Promise<string | undefined>,
): Promise<string> => known(configured, folder) ?? keep(folder, (await ofFleet()) ?? newSecret());

function known(configured: string, folder: DataFolder): string | undefined {
  if (configured !== '') return configured;
  const file = folder.file('secret');
  try {
    // an empty one is the rest of a stop of the machine
    return readFileSync(file, 'utf8') || undefined;
  } catch (error) {
    // one that others may read only is the group's all the same
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw notOurs(file, 'read', error);
  }
}

export const newSecret = (): string => randomBytes(24).toString('base64url');

/** Before any VM knows it. */
async function keep(folder: DataFolder, secret: string): Promise<string> {
  await writeWhole(folder.file('secret'), secret, { durable: true, mode: 0o600 });
  return secret;
}
