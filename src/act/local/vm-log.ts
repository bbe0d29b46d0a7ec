// What a local VM printed: bounded while it runs, and kept for a while when it is gone.
import { mkdir, open, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A log that has grown beyond this is moved to `vm.log.1`, as far back as KEPT_BYTES. */
const LONGEST_BYTES = 1_000_000;
const KEPT_BYTES = 256_000;
/** Of VMs that are gone, so many logs: 20 × 256 kB are 5 MB at most. */
const KEPT_LOGS = 20;
const LONGEST_LINE = 200;

/**
 * The VM goes on writing at the end of the emptied file, since it appends. What it prints between the copy and the cut
 * is lost, and so is what a full disk has no room for.
 */
export async function rotate(log: string, longest = LONGEST_BYTES): Promise<void> {
  const { size } = await stat(log);
  if (size <= longest) return;
  await writeFile(`${log}.1`, await tail(log)).catch(() => undefined);
  await truncate(log);
}

/** Copies the end of the log to `folder/id.log`, drops the oldest there, and returns its path; undefined where nothing was printed. */
export async function keepLog(log: string, folder: string, id: string): Promise<string | undefined> {
  const text = await tail(log);
  if (text.length === 0) return undefined;
  const kept = join(folder, `${id}.log`);
  await mkdir(folder, { recursive: true });
  await writeFile(kept, text);
  // numbers are not used twice: the highest is the newest
  const names = (await readdir(folder)).toSorted((a, b) => numberIn(b) - numberIn(a));
  for (const name of names.slice(KEPT_LOGS)) await rm(join(folder, name), { force: true });
  return kept;
}

const numberIn = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);

export async function tail(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, KEPT_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Frames of a stack, braces of a printed object, and what Node.js says of itself tell nobody why. */
const TELLS_NOTHING = /^(\s.*|[\s{}[\]()]*|Node\.js v\d.*)$/;

/** The last line that says something, for a person; undefined where none does. */
export async function lastLine(file: string): Promise<string | undefined> {
  const lines = (await tail(file)).toString('utf8').split('\n');
  const last = lines.findLast((line) => !TELLS_NOTHING.test(line));
  if (last === undefined) return undefined;
  const text = messageOf(last).trim();
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
}

/** A line of our own log is JSON: its message, and the error's. */
function messageOf(line: string): string {
  try {
    const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
    return [msg, err?.message].filter((part) => part !== undefined).join(': ') || line;
  } catch {
    return line;
  }
}
