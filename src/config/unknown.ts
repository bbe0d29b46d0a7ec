// A name that is no setting: what was meant, in one sentence.
import { ownersOf } from '../decide/own-parameters.ts';
import { isDeclaration, type Sections } from '../settings/declaration.ts';
import { hint, nearest } from '../settings/nearest.ts';
import { entryAt, writtenName } from './names.ts';
import { settings } from './schema.ts';

/** In what has a form of its own: `there is no setting gateway.queue.classes.0.deadlineMs: write deadline, with its unit (5s)` */
export const unknownField = (path: readonly PropertyKey[], key: string): string =>
  `there is no setting ${[...path, key].join('.')}${writtenNote(key) ?? ''}`;

/** Of a name as code has it: `deadlineMs`. */
const writtenNote = (key: string): string | undefined =>
  writtenName(key) === key ? undefined : `: write ${writtenName(key)}, with its unit (5s)`;

/** `there is no setting gateway.prt; did you mean port?` */
export function unknownSetting(section: Sections, path: readonly PropertyKey[], key: string): string {
  const sentence = `there is no setting ${[...path, key].join('.')}`;
  const written = writtenNote(key);
  if (written !== undefined && Object.keys(section).includes(key)) return `${sentence}${written}`;
  const owners = 'policyParameters' in section ? ownersOf(key) : [];
  if (owners.length > 0)
    return `${sentence}: ${key} is a parameter of the policy ${owners.join(', ')} itself; write ${[...path, 'policyParameters', key].join('.')}`;
  const names = Object.keys(section).map(writtenName);
  const others = nearest(key, names) === undefined ? elsewhere(key) : [];
  return `${sentence}${others.length === 0 ? hint(key, names) : `; did you mean ${others.join(' or ')}?`}`;
}

/** Settings of other sections that are called so, or nearly so: who writes high, or a whole path as one key. */
function elsewhere(key: string): readonly string[] {
  if (key.includes('.')) return entryAt(settings, key.split('.')) === undefined ? [] : [asSections(key)];
  const paths = pathsOf(settings, []);
  const named = nearest(key, paths.map(nameOf));
  const found = paths.filter((path) => nameOf(path) === named);
  return found.length > MOST_MEANT ? [] : found.map((path) => path.join('.'));
}

/** More are no help. */
const MOST_MEANT = 3;

const nameOf = (path: readonly string[]): string => path.at(-1) ?? '';

/** `gateway: { port: … }` */
const asSections = (path: string): string => {
  const keys = path.split('.');
  return `${keys.join(': { ')}: …${' }'.repeat(keys.length - 1)}`;
};

const pathsOf = (section: Sections, above: readonly string[]): readonly (readonly string[])[] =>
  Object.entries(section).flatMap(([name, entry]) => {
    const path = [...above, writtenName(name)];
    return isDeclaration(entry) ? [path] : [path, ...pathsOf(entry, path)];
  });
