/** What a test knows to be there. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected a value');
  return value;
}
