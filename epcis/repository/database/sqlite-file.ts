// A file that is open goes on to be read and written after it was deleted or moved away: what is captured then is lost without a word.
import { statSync } from 'node:fs';
import { RepositoryError } from './errors.ts';

/** Between two looks of those who only read. */
const LOOK_EVERY_MS = 100;

export class SameFile {
  readonly #file: string;
  readonly #opened: string;
  #lookedAt = -Infinity;

  /** The file is there, and open. */
  constructor(file: string) {
    this.#file = file;
    this.#opened = identityOf(file) ?? '';
  }

  /** Throws where the file is not at its place any more. */
  look(): void {
    this.#lookedAt = -Infinity;
    const now = identityOf(this.#file);
    if (now === this.#opened) {
      this.#lookedAt = performance.now();
      return;
    }
    const what =
      now === undefined
        ? 'is not there any more: put it back'
        : 'is another one than the VM opened: put that one back, or start all VMs again';
    throw new RepositoryError('REPOSITORY_UNREACHABLE', `The repository file ${this.#file} ${what}.`);
  }

  lookNowAndThen(): void {
    if (performance.now() - this.#lookedAt > LOOK_EVERY_MS) this.look();
  }
}

function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
