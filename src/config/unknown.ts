// A name that is no setting: what was meant, in one sentence.
import { ownersOf } from '../decide/own-parameters.ts';
import type { Sections } from '../settings/declaration.ts';
import { hint } from '../settings/nearest.ts';
import { writtenName } from './names.ts';

/** `there is no setting gateway.prt; did you mean port?` */
export function unknownSetting(section: Sections, path: readonly PropertyKey[], key: string): string {
  const sentence = `there is no setting ${[...path, key].join('.')}`;
  const owners = 'policyParameters' in section ? ownersOf(key) : [];
  if (owners.length > 0)
    return `${sentence}: ${key} is a parameter of the policy ${owners.join(', ')} itself; write ${[...path, 'policyParameters', key].join('.')}`;
  return `${sentence}${hint(key, Object.keys(section).map(writtenName))}`;
}
