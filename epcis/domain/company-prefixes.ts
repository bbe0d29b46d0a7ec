// How long a company prefix is, by the digits that a key begins with. GS1 hands out prefixes of 6 to 12 digits and tells in
// a table which; nothing in a key itself says so. Worked number: 9521141 begins with 9521, whose prefixes have 7 digits.

/** The length of the company prefix, given a key's first digits; undefined where the table doesn't say, or the digits are too few. */
export type CompanyPrefixes = (digits: string) => number | undefined;

/** From these twelve digits on, the length is this; 0: none is handed out. In ascending order. */
export type LengthChange = readonly [from: number, length: number];

const DIGITS = 12;
const padded = (digits: string, pad: '0' | '9'): number => Number(digits.slice(0, DIGITS).padEnd(DIGITS, pad));

export function companyPrefixes(changes: readonly LengthChange[]): CompanyPrefixes {
  const starts = Float64Array.from(changes, ([from]) => from);
  const lengths = Uint8Array.from(changes, ([, length]) => length);
  /** The last change at or before. */
  const at = (value: number): number => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= value) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  return (digits) => {
    const place = at(padded(digits, '0'));
    // fewer than twelve digits may be the beginning of prefixes of several lengths
    if (digits === '' || (digits.length < DIGITS && at(padded(digits, '9')) !== place)) return undefined;
    const length = lengths[place] ?? 0;
    return length === 0 || length > digits.length ? undefined : length;
  };
}

/** Our own form of the table: a change a line, its digits without the zeros at their end. */
export const readChanges = (text: string): LengthChange[] =>
  Array.from(text.matchAll(/^(\d+) (\d+)$/gm), ([, digits = '', length]) => [padded(digits, '0'), Number(length)]);

const ENTRY = /"?prefix"?\s*[:=]\s*"(\d{1,12})"\s*(?:,\s*)?"?gcpLength"?\s*[:=]\s*"?(\d{1,2})\b/g;

/** GS1's own form, JSON or XML: what begins with a prefix has the length; where prefixes begin alike, the longer counts. */
export function readGs1Table(text: string): LengthChange[] {
  const entries = Array.from(text.matchAll(ENTRY), ([, prefix = '', length]) => ({
    from: padded(prefix, '0'),
    to: padded(prefix, '9') + 1,
    length: Number(length),
  })).sort((a, b) => a.from - b.from || b.to - a.to);
  const changes: [number, number][] = [];
  const open: (typeof entries)[number][] = [];
  const change = (from: number): void => {
    const length = open.at(-1)?.length ?? 0;
    if (changes.at(-1)?.[0] === from) changes.pop();
    if ((changes.at(-1)?.[1] ?? 0) !== length) changes.push([from, length]);
  };
  const closeUpTo = (limit: number): void => {
    for (let last = open.at(-1); last !== undefined && last.to <= limit; last = open.at(-1)) {
      open.pop();
      change(last.to);
    }
  };
  for (const entry of entries) {
    closeUpTo(entry.from);
    open.push(entry);
    change(entry.from);
  }
  closeUpTo(Infinity);
  return changes;
}
