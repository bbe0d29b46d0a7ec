// Which settings are secrets: those that are declared so, and passwords in URLs.
import { z } from 'zod';
import { isDeclaration, type Declaration, type Sections } from '../settings/declaration.ts';
import { entryAt } from './names.ts';
import { LOGIN_IN_URL, passwordIn } from '../secrets.ts';
import { schema, settings, type Config } from './schema.ts';

type Entry = Declaration | Sections | undefined;

const isSecret = (entry: Entry): boolean => entry !== undefined && isDeclaration(entry) && entry.secret === true;
const below = (entry: Entry, name: string): Entry =>
  entry && !isDeclaration(entry) ? entryAt(entry, [name]) : undefined;

/** A configuration as people write it, with *** in place of each secret. */
export function hideSecrets(value: unknown, entry: Entry = settings): unknown {
  if (isSecret(entry) && value !== '') return '***';
  if (typeof value === 'string') return value.replace(LOGIN_IN_URL, '$1:***@');
  if (Array.isArray(value)) return value.map((each) => hideSecrets(each, entry));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hideSecrets(each, below(entry, name))]));
}

/** Each secret of a configuration; a password in a URL as it is written there, and as it is meant. */
export const secretsIn = (config: Config): readonly string[] => secretsOf(z.encode(schema, config), settings);

function secretsOf(value: unknown, entry: Entry): readonly string[] {
  if (typeof value === 'string') return isSecret(entry) ? [value] : passwordIn(value);
  if (Array.isArray(value)) return value.flatMap((each) => secretsOf(each, entry));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => secretsOf(each, below(entry, name)));
}
