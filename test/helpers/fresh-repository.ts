// Fresh, empty databases of both kinds, for the tests that must hold on each.
import { freshMariaDb } from './mariadb.ts';
import { temporaryFolder } from './temporary-folder.ts';

let folder: string | undefined;
let files = 0;

async function freshSqlite(): Promise<string> {
  folder ??= temporaryFolder('mmeliot-work-').path;
  return `sqlite://${folder}/${++files}.db`;
}

/** Resolves to the URL of an empty database. */
export const KINDS: readonly (readonly [kind: 'sqlite' | 'mysql', freshUrl: () => Promise<string>])[] = [
  ['sqlite', freshSqlite],
  ['mysql', freshMariaDb],
];
