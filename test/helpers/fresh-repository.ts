// Fresh, empty databases of both kinds, for the tests that must hold on each.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshMariaDb } from './mariadb.ts';

let folder: string | undefined;
let files = 0;

async function freshSqlite(): Promise<string> {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'mmeliot-work-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return `sqlite://${folder}/${++files}.db`;
}

/** Resolves to the URL of an empty database. */
export const KINDS: readonly (readonly [kind: 'sqlite' | 'mysql', freshUrl: () => Promise<string>])[] = [
  ['sqlite', freshSqlite],
  ['mysql', freshMariaDb],
];
