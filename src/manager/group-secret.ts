// The group's secret while it is changed: the file holds the new one, and below it the one of before, which VMs of before still know. Whoever
// has it open sees a change within half a second; nothing is restarted.
import { readFileSync, statSync } from 'node:fs';
import { writeWhole } from '../files/write-whole.ts';
import { groupSecret, newSecret, type DataFolder } from './data-folder.ts';

export interface GroupSecret {
  /** The newest first: one, or two while it is changed. The same list until it changes. */
  readonly all: () => readonly string[];
  /** What a VM is told that is made now. */
  newest(): string;
  /** What everybody knows who is there. */
  oldest(): string;
  close(): void;
}

const LOOK_MS = 500;
/** A file with more lines than this is none of ours. */
const MOST = 2;

export async function openGroupSecret(
  configured: string,
  folder: DataFolder,
  ofFleet: () => Promise<string | undefined>,
  learn: (secret: string) => void = () => undefined,
): Promise<GroupSecret> {
  const made = await groupSecret(configured, folder, ofFleet);
  let secrets = configured === '' ? linesOf(made) : [configured];
  secrets.forEach(learn);
  const file = folder.file('secret');
  let seen = '';
  const look = (): readonly string[] => {
    if (configured !== '') return secrets;
    const found = changed(file, seen);
    if (found === undefined) return secrets;
    seen = found.version;
    if (found.secrets.join() !== secrets.join()) secrets = found.secrets;
    secrets.forEach(learn);
    return secrets;
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return {
    all: () => secrets,
    newest: () => look()[0] ?? '',
    oldest: () => secrets.at(-1) ?? '',
    close: () => clearInterval(timer),
  };
}

/** What is away or no secret changes nothing. */
function changed(file: string, seen: string): { version: string; secrets: readonly string[] } | undefined {
  try {
    const { mtimeMs, ino, size } = statSync(file);
    const version = `${mtimeMs} ${ino} ${size}`;
    if (version === seen) return undefined;
    const secrets = linesOf(readFileSync(file, 'utf8'));
    return secrets.length === 0 || secrets.length > MOST ? undefined : { version, secrets };
  } catch {
    return undefined;
  }
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** The next one, and that of before: both are good from now on. `goesOn`: it was begun earlier. */
export async function beginSecret(file: string): Promise<{ next: string; before: string; goesOn: boolean }> {
  const [first = '', second] = linesOf(readFileSync(file, 'utf8'));
  if (second !== undefined) return { next: first, before: second, goesOn: true };
  const next = newSecret();
  await rewrite(file, `${next}\n${first}\n`);
  return { next, before: first, goesOn: false };
}

/** From now on the one of before is nobody's. */
export async function endSecret(file: string): Promise<void> {
  const [newest = ''] = linesOf(readFileSync(file, 'utf8'));
  await rewrite(file, newest);
}

/** It stays its owner's: root may be who changes it, and the manager has to read it. */
const rewrite = (file: string, text: string): Promise<void> =>
  writeWhole(file, text, { durable: true, mode: 0o600, owner: statSync(file) });

/** What is made of something, made anew when that is another. */
export function whileSame<T, U>(read: () => T, make: (from: T) => U): () => U {
  let last: { readonly from: T; readonly made: U } | undefined;
  return () => {
    const from = read();
    if (last?.from !== from) last = { from, made: make(from) };
    return last.made;
  };
}
