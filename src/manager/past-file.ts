// The past on disk: for each level a file of JSON lines, one a point, written anew with the newest of them when it has twice as
// many as are kept. About 2 MB for 31 days.
import { mkdirSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../files/write-whole.ts';
import type { BoundRecord } from '../loop/history.ts';
import { LEVELS, Past, pointOf, type Closed, type Level, type PastPoint } from '../loop/past.ts';
import type { Millis } from '../model.ts';

export interface PastFileOptions {
  readonly folder: string;
  readonly levels?: readonly Level[];
  /** Called once for each failure in a row to write. */
  readonly onProblem: (error: Error) => void;
}

export interface PastFile {
  add(record: BoundRecord): void;
  /** `records`: those that are remembered one by one, newest first. */
  read(from: Millis, until: Millis, records: readonly BoundRecord[]): readonly PastPoint[];
  /** Resolves when everything so far is on disk (or could not be written). */
  flush(): Promise<void>;
}

/** `records`: what the journal remembers, newest first; those that are not in the files yet are taken up. */
export async function openPastFile(
  { folder, levels = LEVELS, onProblem }: PastFileOptions,
  records: readonly BoundRecord[] = [],
): Promise<PastFile> {
  mkdirSync(folder, { recursive: true });
  const paths = levels.map(({ every }) => join(folder, `past-${every / 1000}s.jsonl`));
  const kept = await Promise.all(paths.map(pointsIn));
  const lines = kept.map(({ length }) => length);
  const rings = levels.map(({ keep }, i) => (kept[i] ?? []).slice(-keep));
  const past = new Past(rings, levels);
  let writing: Promise<void> = Promise.resolve();
  let failing = false;

  const write = async ({ level, point }: Closed): Promise<void> => {
    const [path, keep] = [paths[level], levels[level]?.keep];
    const ring = rings[level];
    if (path === undefined || keep === undefined || ring === undefined) return;
    ring.push(point);
    if (ring.length > keep) ring.shift();
    try {
      if ((lines[level] ?? 0) >= 2 * keep) {
        await writeWhole(path, ring.map(lineOf).join(''));
        lines[level] = ring.length;
      } else {
        await appendFile(path, lineOf(point));
        lines[level] = (lines[level] ?? 0) + 1;
      }
      failing = false;
    } catch (error) {
      if (!failing) onProblem(error as Error);
      failing = true;
    }
  };
  const add = (record: BoundRecord): void => {
    for (const closed of past.add(pointOf(record))) writing = writing.then(() => write(closed));
  };
  for (const record of records.toReversed()) if (record.at > past.keptUpTo) add(record);
  return {
    add,
    read: (from, until, now) => past.read(from, until, now.toReversed().map(pointOf)),
    flush: () => writing,
  };
}

/** After a torn line (a killed process, a full disk) the next one begins on a line of its own. */
const lineOf = (point: PastPoint): string => `\n${JSON.stringify(point)}`;

async function pointsIn(path: string): Promise<PastPoint[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  return text.split('\n').flatMap((line) => {
    try {
      const point = JSON.parse(line) as Partial<PastPoint> | null;
      return typeof point?.at === 'number' && typeof point.span === 'number' ? [point as PastPoint] : [];
    } catch {
      return [];
    }
  });
}
