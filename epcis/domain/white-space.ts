// White space as XML has it, the only one that surrounds a value: other spaces of Unicode (U+00A0, U+2028, U+3000) are part of it.

const SPACES = ' \t\r\n';

/** No regular expression: `[ ]+$` takes quadratic time for a million spaces inside a value. */
export function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && SPACES.includes(text.charAt(from))) from++;
  while (to > from && SPACES.includes(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

/** Without what surrounds it, and one space for each run of them inside. */
export const collapsed = (text: string): string => trimmed(text).replace(/[ \t\r\n]+/g, ' ');

export const isBlank = (text: string): boolean => trimmed(text) === '';
