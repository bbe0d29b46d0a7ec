// Names of settings as they stand in a file.
import { isDeclaration, type Declaration, type Sections } from '../settings/declaration.ts';

/** In code a name may say what its value counts; in a file people write the unit with the value: `deadlineMs` → deadline. */
export const writtenName = (name: string): string => name.replace(/(Ms|Seconds)$/, '');

/** What stands at a path, or undefined. */
export function entryAt(sections: Sections, path: readonly PropertyKey[]): Declaration | Sections | undefined {
  return path.reduce<Declaration | Sections | undefined>((entry, key) => {
    if (entry === undefined || isDeclaration(entry)) return undefined;
    return Object.entries(entry).find(([name]) => writtenName(name) === key)?.[1];
  }, sections);
}
