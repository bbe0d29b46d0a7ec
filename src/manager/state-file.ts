// The manager's state on disk: whole or as it was before, also when the machine stops in the middle of a save.
import { readFile } from 'node:fs/promises';
import type { SavedState, StateStore } from '../loop/saved-state.ts';
import { MmeliotError } from '../errors.ts';
import { writeWhole } from '../files/write-whole.ts';

/** Its name in the data folder. */
export const STATE_FILE = 'manager-state.json';

export function openStateFile(path: string): StateStore {
  let saving: Promise<void> = Promise.resolve();
  return {
    async load() {
      let text: string;
      try {
        text = await readFile(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        const what = `The manager's state in ${path} cannot be read (${(error as NodeJS.ErrnoException).code}): may this user read it?`;
        throw new MmeliotError('CONFIG_INVALID', what, { cause: error });
      }
      try {
        const state = JSON.parse(text) as Partial<SavedState> | null;
        if (!Array.isArray(state?.entries) || typeof state.changes !== 'object') throw new TypeError('It is no state.');
        return state as SavedState;
      } catch (error) {
        const what = `The manager's state in ${path} is damaged: put it aside, and the VMs are taken over as the provider lists them.`;
        throw new MmeliotError('CONFIG_INVALID', what, { cause: error });
      }
    },
    // one after another, so that the newest state is what stays
    save: (state) =>
      (saving = saving.catch(() => undefined).then(() => writeWhole(path, JSON.stringify(state), { durable: true }))),
  };
}
