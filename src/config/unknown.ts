// A name that is no setting: what was meant, in one sentence.
import { ownersOf } from '../decide/own-parameters.ts';
import type { Sections } from '../settings/declaration.ts';
import { hint } from '../settings/nearest.ts';
import { writtenName } from './names.ts';

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
  return `${sentence}${hint(key, Object.keys(section).map(writtenName))}`;
}
