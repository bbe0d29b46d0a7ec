import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

interface Writing {
  readonly durable?: boolean;
  readonly mode?: number;
  /** Whose file it is to be; without: the writer's. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

/**
 * Whole or not at all: who reads at any time, or after the writer was killed, finds the old text or the new one; with
 * `durable` also after the machine stopped.
 */
export async function writeWhole(path: string, text: string, writing: Writing = {}): Promise<void> {
  const { durable = false, mode = 0o644, owner } = writing;
  const draft = `${path}.new`;
  const file = await open(draft, 'w', mode);
  try {
    if (owner !== undefined) await file.chown(owner.uid, owner.gid);
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
