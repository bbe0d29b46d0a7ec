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
  const write = async (line: string): Promise<void> => {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) + line.length > mostBytes) renameSync(file, older);
    await appendFile(file, line, { mode: 0o600 });
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
  // the last line may be torn where the process was killed
  return text.split('\n').flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as AuditEntry] : []));
}
