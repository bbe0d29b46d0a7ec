// The manager's state on disk: whole or as it was before, also when the machine stops in the middle of a save.
import { open, readFile, rename } from 'node:fs/promises';
import type { SavedState, StateStore } from '../loop/saved-state.ts';
import { MmeliotError } from '../errors.ts';

export function openStateFile(path: string): StateStore {
  let saving: Promise<void> = Promise.resolve();
  const write = async (state: SavedState) => {
    const file = await open(`${path}.new`, 'w');
    try {
      await file.writeFile(JSON.stringify(state));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
  };
  return {
    async load() {
      let text: string;
      try {
        text = await readFile(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
      try {
        return JSON.parse(text) as SavedState;
      } catch (error) {
        const what = `The manager's state in ${path} is damaged: put it aside, and the VMs are taken over as the provider lists them.`;
        throw new MmeliotError('CONFIG_INVALID', what, { cause: error });
      }
    },
    // one after another, so that the newest state is what stays
    save: (state) => (saving = saving.catch(() => undefined).then(() => write(state))),
  };
}
