// A disk of a test's own that can be filled up, where this user may mount one.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export const mount = (size: string, folder: string): void =>
  void execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);

export const unmount = (folder: string): void => void execFileSync('umount', ['--lazy', folder]);

/** Why not; undefined: it may. */
export const mayMount = (): string | undefined =>
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
    ? undefined
    : 'only root may mount a small disk';

/** Until there is no room for a byte; returns what makes room again. */
export function fillUp(folder: string): () => void {
  const ballast = join(folder, 'ballast');
  const descriptor = openSync(ballast, 'w');
  try {
    for (const piece of [Buffer.alloc(65_536), Buffer.alloc(1)]) writeUntilFull(descriptor, piece);
  } finally {
    closeSync(descriptor);
  }
  return () => rmSync(ballast);
}

function writeUntilFull(descriptor: number, piece: Buffer): void {
  try {
    for (;;) writeSync(descriptor, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
