// What somebody meant who wrote a name that there isn't.

/** The name that differs by the fewest letters, if by few: `hihg` → high. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((each) => ({ each, letters: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, letters }) => letters <= Math.max(1, Math.ceil(Math.min(each.length, name.length) / 3)))
    .sort((a, b) => a.letters - b.letters);
  return best?.each;
}

/** `; did you mean high?`, or all names where none is near. */
export function hint(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  return meant === undefined ? `; there are: ${names.join(', ') || 'none'}` : `; did you mean ${meant}?`;
}

/** Letters to change, add or leave out, two in the wrong order counting as one: `hihg` → `high` is 1. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? Infinity) + 1 : Infinity;
      next[j] = Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
