// A file that somebody named, read whole: it may as well be a device that never ends, a pipe into which nobody writes, or a folder.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const MIB = 2 ** 20;
/** Nobody writes that much by hand; certificates, keys and tokens have some kB. */
const MOST_BYTES = 8 * MIB;
const WAIT_MS = 10_000;
const LOOK_MS = 20;

/** `waitMs`: how long somebody may take who writes into a pipe. `mostBytes`: whole MiB. */
export function readWhole(file: string, { waitMs = WAIT_MS, mostBytes = MOST_BYTES } = {}): Buffer {
  // a pipe is opened whether somebody writes or not
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return contentOf(descriptor, waitMs, mostBytes);
  } finally {
    closeSync(descriptor);
  }
}

function contentOf(descriptor: number, waitMs: number, mostBytes: number): Buffer {
  const isPipe = fstatSync(descriptor).isFIFO();
  const chunks: Buffer[] = [];
  for (let [size, waited] = [0, 0]; ;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const read = readSome(descriptor, chunk);
    // into a pipe that nobody has written to somebody may do so yet
    if (read === undefined || (read === 0 && isPipe && size === 0)) {
      if (waited >= waitMs) throw coded('ETIMEDOUT', 'is a pipe into which nobody writes');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
      waited += LOOK_MS;
      continue;
    }
    size += read;
    if (size > mostBytes) throw coded('EFBIG', `has more than ${mostBytes / MIB} MiB`);
    if (read === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, read));
  }
}

/** Undefined: nothing yet. */
function readSome(descriptor: number, into: Buffer): number | undefined {
  try {
    return readSync(descriptor, into);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}

/** `why` goes on from the file's name. */
const coded = (code: string, why: string): Error => Object.assign(new Error(why), { code, why });

const REASONS: Readonly<Record<string, string>> = {
  EISDIR: 'is a folder',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is no text in UTF-8',
};

/** Goes on from its name: `is a folder`. */
export function whyUnreadable(error: unknown): string {
  const { code = String(error), why } = error as NodeJS.ErrnoException & { why?: string };
  return why ?? REASONS[code] ?? `cannot be read (${code})`;
}
