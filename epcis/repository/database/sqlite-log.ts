// What was committed is safe once the log is on the disk. SQLite would wait for the disk within COMMIT, some milliseconds in which this process
// answers nobody: so a commit ends here when it is written, and whoever made it waits for the disk while others are answered.
import { open, type FileHandle } from 'node:fs/promises';
import { RepositoryError } from './errors.ts';

/** Something written that is to be on the disk. */
export interface Written {
  /** Resolves when all that was written before is there. */
  toDisk(): Promise<void>;
  close(): Promise<void>;
}

export function writtenFile(file: string): Written {
  let opened: Promise<FileHandle> | undefined;
  return {
    async toDisk() {
      opened ??= open(file, 'r+');
      await (await opened).datasync();
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

export class CommittedLog {
  readonly #log: Written;
  #last: Promise<void> = Promise.resolve();
  /** For those who come while the disk is busy. */
  #next: Promise<void> | undefined;

  constructor(log: Written) {
    this.#log = log;
  }

  /** Resolves when all that was committed before is safe: one way to the disk is for all who wait for it. */
  safe(): Promise<void> {
    return (this.#next ??= this.#after(this.#last));
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#log.close().catch(() => undefined);
  }

  #after(before: Promise<void>): Promise<void> {
    const written = before.then(() => {
      this.#next = undefined;
      return this.#log.toDisk();
    });
    this.#last = written.catch(() => undefined);
    return written.catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new RepositoryError('REPOSITORY_UNREACHABLE', `The disk does not take what is written to it: ${why}.`, {
        cause: error,
      });
    });
  }
}
