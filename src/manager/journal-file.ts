// The journal on disk: JSON lines, appended, in files that are changed when they grow large. Only the newest files stay.
//   journal.jsonl          being written
//   journal.1.jsonl …      older ones, 1 the newest
import { closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { appendFile, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeEntry, encodeEntry, type JournalEntry, type JournalSink } from '../loop/journal.ts';

export interface JournalFileOptions {
  readonly folder: string;
  /** A file that has grown to this size is put aside: default 16 MiB. */
  readonly maxBytes?: number;
  /** How many are kept, the one being written included: default 8. */
  readonly files?: number;
  /** Called once for each failure in a row to write. */
  readonly onProblem?: (error: Error) => void;
}

export interface JournalFile extends JournalSink {
  /** Resolves when everything appended so far is on disk (or could not be written). */
  flush(): Promise<void>;
}

const NAME = 'journal.jsonl';
const NEWLINE = 10;
const ROTATE = Symbol('begin a new file');
/** Where the disk is full, what waits to be written must not fill the memory as well. */
const MAX_WAITING = 1_000;

export function openJournalFile(options: JournalFileOptions): JournalFile {
  const { folder, maxBytes = 16 * 1024 * 1024, files = 8, onProblem = () => undefined } = options;
  mkdirSync(folder, { recursive: true });
  const path = join(folder, NAME);
  let bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let waiting: (string | typeof ROTATE)[] = [];
  /** The torn line of a killed process, or of a disk that was full, must not swallow the next one. */
  let mayBeTorn = isTorn(path);
  let writing: Promise<void> | undefined;
  let failing = false;

  const take = (line: string): void => {
    bytes += line.length;
    waiting.push(line);
  };
  const put = async (lines: string): Promise<void> => {
    const begins = mayBeTorn && isTorn(path) ? '\n' : '';
    mayBeTorn = true;
    await appendFile(path, begins + lines);
    mayBeTorn = false;
  };
  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const work = waiting;
      waiting = [];
      try {
        for (const part of partsOf(work)) await (part === ROTATE ? rotate(folder, files) : put(part));
        failing = false;
      } catch (error) {
        if (!failing) onProblem(error as Error);
        failing = true;
        // for what is not written no older file goes
        bytes = await stat(path).then(
          ({ size }) => size,
          () => 0,
        );
      }
    }
  };

  return {
    append(entry, head) {
      if (waiting.length >= MAX_WAITING) return;
      if (bytes >= maxBytes) {
        waiting.push(ROTATE);
        bytes = 0;
        if (entry.kind !== 'settings') take(`${encodeEntry(head())}\n`);
      }
      take(`${encodeEntry(entry)}\n`);
      writing ??= Promise.resolve()
        .then(write)
        .finally(() => (writing = undefined));
    },
    async flush() {
      while (writing !== undefined) await writing;
    },
  };
}

function isTorn(path: string): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return false;
  const file = openSync(path, 'r');
  try {
    const last = Buffer.alloc(1);
    readSync(file, last, 0, 1, size - 1);
    return last[0] !== NEWLINE;
  } finally {
    closeSync(file);
  }
}

/** Lines that follow each other become one write. */
function partsOf(work: readonly (string | typeof ROTATE)[]): readonly (string | typeof ROTATE)[] {
  const parts: (string | typeof ROTATE)[] = [];
  for (const item of work) {
    const last = parts.at(-1);
    if (typeof item === 'string' && typeof last === 'string') parts[parts.length - 1] = last + item;
    else parts.push(item);
  }
  return parts;
}

/**
 * What a folder's journal (or one journal file) tells, oldest first; of a folder at most the `newest` files. Torn lines
 * are left out. A folder without a journal tells nothing.
 */
export async function readJournal(folderOrFile: string, newest = Infinity): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (const path of (await filesOf(folderOrFile)).slice(-newest))
    for (const line of (await readFile(path, 'utf8')).split('\n')) {
      const entry = line === '' ? undefined : decodeEntry(line);
      if (entry !== undefined) entries.push(entry);
    }
  return entries;
}

export async function filesOf(folderOrFile: string): Promise<readonly string[]> {
  const found = await stat(folderOrFile).catch(ignoreMissing);
  if (found === undefined) return [];
  if (found.isFile()) return [folderOrFile];
  const numbers = (await readdir(folderOrFile)).map(numberOf).filter((number) => number !== undefined);
  return numbers.sort((a, b) => b - a).map((number) => join(folderOrFile, nameOf(number)));
}

async function rotate(folder: string, files: number): Promise<void> {
  for (let number = files - 1; number >= 0; number--) {
    const from = join(folder, nameOf(number));
    if (number === files - 1) await rm(from, { force: true });
    else await rename(from, join(folder, nameOf(number + 1))).catch(ignoreMissing);
  }
}

const nameOf = (number: number): string => (number === 0 ? NAME : `journal.${number}.jsonl`);

/** `journal.3.jsonl` → 3, `journal.jsonl` → 0. */
function numberOf(name: string): number | undefined {
  const match = /^journal(?:\.(\d+))?\.jsonl$/.exec(name);
  return match === null ? undefined : Number(match[1] ?? 0);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
