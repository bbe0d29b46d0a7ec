// The data folder: one mmeliot at a time, and the group's secret.
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  return { path, file: (name) => join(path, name), unlock: () => rmSync(lock, { force: true }) };
}

function notOurs(path: string, done: string, error: unknown): MmeliotError {
  const { code = '' } = error as NodeJS.ErrnoException;
  const todo = /^(ENOSPC|EDQUOT)$/.test(code)
    ? 'make room on its disk, or name a folder on another one'
    : 'name a folder that this user may write';
  return new MmeliotError('CONFIG_INVALID', `dataDir ${path} cannot be ${done} (${code}): ${todo}.`, { cause: error });
}

function takeLock(lock: string, path: string): void {
  const mine = JSON.stringify({ pid: process.pid, start: startTicks(process.pid) });
  for (;;) {
    try {
      writeFileSync(lock, mine, { flag: 'wx' });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw notOurs(path, 'written', error);
    }
    const holder = readLock(lock);
    if (holder !== undefined && isAlive(holder.pid, holder.start)) {
      throw new MmeliotError(
        'ALREADY_RUNNING',
        `mmeliot runs already on ${path} (process ${holder.pid}): stop it first, or start this one with another --set dataDir=<folder>.`,
      );
    }
    rmSync(lock, { force: true });
  }
}

function readLock(lock: string): { pid: number; start?: number } | undefined {
  try {
    return JSON.parse(readFileSync(lock, 'utf8')) as { pid: number; start?: number };
  } catch {
    return undefined;
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
