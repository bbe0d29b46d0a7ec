// Who changed what, when and from where: JSON lines in the data folder. Two files at most, the older one audit.1.jsonl.
import { readFileSync, renameSync, statSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import type { AuditEntry, AuditLog } from '../admin/source.ts';

const MOST_BYTES = 4 * 1024 * 1024;
/** An entry longer than this is told without what was changed. */
const LONGEST = 16_384;

export interface AuditFileOptions {
  readonly file: string;
  readonly now: () => number;
  readonly onProblem: (error: Error) => void;
  /** Default: 4 MB. */
  readonly mostBytes?: number;
}

export interface AuditFile extends AuditLog {
  /** Resolves when everything noted so far is on disk (or could not be written). */
  flush(): Promise<void>;
}

export function openAuditFile({ file, now, onProblem, mostBytes = MOST_BYTES }: AuditFileOptions): AuditFile {
  const older = file.replace(/(\.\w+)$/, '.1$1');
  let last: Promise<void> = Promise.resolve();
  /** What is last in the file may be the beginning of a line: of who was killed, or when the disk was full. */
  let torn = true;
  const write = async (line: string): Promise<void> => {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size + line.length > mostBytes) renameSync(file, older);
    const begins = torn && size > 0 ? '\n' : '';
    torn = true;
    await appendFile(file, begins + line, { mode: 0o600 });
    torn = false;
  };
  return {
    note(entry) {
      const whole = { at: new Date(now()).toISOString(), ...entry };
      const text = JSON.stringify(whole);
      const line = `${text.length > LONGEST ? JSON.stringify({ ...whole, change: undefined }) : text}\n`;
      last = last.then(() => write(line)).catch(onProblem);
    },
    async latest(limit) {
      await last;
      return [...entriesIn(older), ...entriesIn(file)].slice(-limit).reverse();
    },
    flush: () => last,
  };
}

function entriesIn(file: string): AuditEntry[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap(entryIn);
}

/** None in a torn line. */
function entryIn(line: string): readonly AuditEntry[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as AuditEntry];
  } catch {
    return [];
  }
}
