// Settings as a VM is told them: those that differ from the defaults, so that a VM of another version is told little it
// doesn't know. What it doesn't know it leaves alone; a value that can't be is refused.
import { isDeclaration, type Sections } from '../settings/declaration.ts';
import { refusal } from '../settings/values.ts';

/** Any of the values, in their sections. */
export type Changed<T> = {
  readonly [K in keyof T]?: T[K] extends readonly unknown[] ? T[K] : T[K] extends object ? Changed<T[K]> : T[K];
};

export function changed<T extends object>(sections: Sections, values: Changed<T>): Changed<T> {
  const entries = Object.entries(sections).flatMap(([name, entry]): [string, unknown][] => {
    const value = (values as Record<string, unknown>)[name];
    if (value === undefined) return [];
    if (isDeclaration(entry)) return same(value, entry.default) ? [] : [[name, value]];
    const inside = changed(entry, value as object);
    return Object.keys(inside).length === 0 ? [] : [[name, inside]];
  });
  return Object.fromEntries(entries) as Changed<T>;
}

export function checked<T>(
  sections: Sections,
  given: unknown,
  path = '',
): { readonly settings: Changed<T>; readonly refused?: string } {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { settings: {}, refused: `${path || 'it'} is no section` };
  const settings: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const entry = Object.hasOwn(sections, name) ? sections[name] : undefined;
    if (entry === undefined) continue;
    const here = path === '' ? name : `${path}.${name}`;
    const inside = isDeclaration(entry)
      ? { settings: value as unknown, refused: refusal(entry, value) }
      : checked(entry, value, here);
    if (inside.refused !== undefined)
      return { settings: {}, refused: isDeclaration(entry) ? `${here} ${inside.refused}` : inside.refused };
    settings[name] = inside.settings;
  }
  return { settings: settings as Changed<T> };
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
