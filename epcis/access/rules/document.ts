// Reading a document of rules piece by piece, with errors that say where.

/** `rules[2] (name).see` */
export type Place = string;

/** A document of rules that is not one: the message is for the operator who wrote it. */
export class RulesError extends Error {}

export function fail(place: Place, what: string): never {
  throw new RulesError(`${place} ${what}.`);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Refuses members of other names. */
export function only(record: Readonly<Record<string, unknown>>, names: readonly string[], place: Place): void {
  for (const name of Object.keys(record))
    if (!names.includes(name)) fail(place, `has '${name}'; possible are ${names.join(', ')}`);
}

/** One, or a list of some. */
export function each<T>(value: unknown, place: Place, read: (item: unknown, place: Place) => T): readonly T[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  if (items.length === 0) return fail(place, 'is missing or empty');
  return items.map((item, n) => read(item, Array.isArray(value) ? `${place}[${n}]` : place));
}

/** Texts; numbers and truth values as they are written. */
export function textsOf(value: unknown, place: Place): readonly string[] {
  return each(value, place, (item, at) => {
    if (typeof item === 'string' && item !== '') return item;
    if (typeof item === 'number' || typeof item === 'boolean') return String(item);
    return fail(at, 'must be a text');
  });
}
