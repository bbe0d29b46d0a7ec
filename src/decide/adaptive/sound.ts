// Whether what a journal holds of the past is what was learned: a file may be cut off, changed by hand, or another version's.
// It is asked once of each, at the restart; what was made here needs no asking.

const asked = new WeakSet<object>();

/** What was made here. */
export function made<T extends object>(value: T): T {
  asked.add(value);
  return value;
}

type Fields = Readonly<Record<string, unknown>>;

export function isSound<T extends object>(value: unknown, holds: (fields: Fields) => boolean): value is T {
  if (typeof value !== 'object' || value === null) return false;
  if (asked.has(value)) return true;
  if (!holds(value as Fields)) return false;
  asked.add(value);
  return true;
}

/** Times since 1970 in ms are below that, and all else. */
const MOST = 1e14;

export const isNumber = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) < MOST;
/** Not below 0. */
export const isAmount = (value: unknown): value is number => isNumber(value) && value >= 0;

export const areAll = (values: unknown, is: (value: unknown) => boolean, count?: number): boolean =>
  Array.isArray(values) && (count === undefined || values.length === count) && values.every(is);

/** Whether that is an object whose fields are so. */
export const has = (value: unknown, fields: Readonly<Record<string, (value: unknown) => boolean>>): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(fields).every(([name, is]) => is((value as Fields)[name]));
