// A file that lines are added to while a run is made.
import { createWriteStream } from 'node:fs';

export interface LineFile {
  add(line: unknown): void;
  /** Rejects where not all of it could be written. */
  close(): Promise<void>;
}

/** Each line is JSON. `onFailure` is told once, at once: a run that nobody will be able to read need not go on. */
export function openLines(file: string, onFailure: (error: Error) => void): LineFile {
  const stream = createWriteStream(file);
  const closed = new Promise<void>((resolve, reject) => {
    stream.once('close', () => (stream.errored === null ? resolve() : reject(stream.errored)));
  });
  closed.catch(() => undefined); // who closes it is told
  stream.once('error', onFailure);
  return {
    add: (line) => void (stream.errored === null && stream.write(`${JSON.stringify(line)}\n`)),
    close: () => {
      stream.end();
      return closed;
    },
  };
}
