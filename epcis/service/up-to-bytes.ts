/** The first of these, up to the one that brings them to so many bytes; at least one where there is any. */
export function upToBytes<T>(items: readonly T[], bytesOf: (item: T) => number, most: number): readonly T[] {
  let bytes = 0;
  const last = items.findIndex((item) => (bytes += bytesOf(item)) >= most);
  return last === -1 ? items : items.slice(0, last + 1);
}
