// What SQLite commits goes into a log first, and from there into the file. Whoever commits when the log is long does that,
// too, which for a document in a large repository is a quarter of the time; so a process that writes much has a thread for it.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export class Checkpoints {
  readonly #thread: Worker;
  readonly #ended: Promise<unknown>;

  constructor(file: string) {
    this.#thread = new Worker(new URL('./sqlite-checkpoints-thread.ts', import.meta.url), { workerData: file });
    this.#thread.unref();
    // if it fails, those who commit do its work; and what made it fail is told to them
    this.#ended = once(this.#thread, 'exit').catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#thread.ref();
    this.#thread.postMessage('close');
    await this.#ended;
  }
}
