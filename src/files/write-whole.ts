import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Whole or not at all: who reads at any time, or after the writer was killed, finds the old text or the new one; with
 * `durable` also after the machine stopped.
 */
export async function writeWhole(path: string, text: string, { durable = false, mode = 0o644 } = {}): Promise<void> {
  const draft = `${path}.new`;
  const file = await open(draft, 'w', mode);
  try {
    await file.writeFile(text);
    if (durable) await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  if (durable) await syncFolder(dirname(path));
}

/** Only then has the new name come to the disk. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
