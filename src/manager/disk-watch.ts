// Looks from time to time how much room the disk of the data folder has.
import { statfs } from 'node:fs/promises';
import type { Facts } from '../loop/finding.ts';

const LOOK_EVERY_MS = 15_000;

export interface DiskWatch {
  /** Undefined where the system doesn't tell. */
  readonly newest: () => Facts['disk'];
  readonly close: () => Promise<void>;
}

export async function watchDisk(path: string): Promise<DiskWatch> {
  let newest: Facts['disk'];
  const look = async (): Promise<void> => {
    newest = await statfs(path).then(
      ({ bavail, blocks, bsize }) => ({ path, freeBytes: bavail * bsize, totalBytes: blocks * bsize }),
      ({ code }: NodeJS.ErrnoException) => (code === 'ENOENT' ? { path, isGone: true } : undefined),
    );
  };
  await look();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  return { newest: () => newest, close: async () => clearInterval(timer) };
}
