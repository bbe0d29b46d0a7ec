// Inputs made of other inputs: cut, doubled, joined, with bytes changed and words put in. Pure; chance is given.

type Random = () => number;

/** What readers of numbers, text and structure stumble over. */
const WORDS = [
  ...['0', '-1', '1e309', '99999999999999999999', '0x10', 'NaN', '٣', 'null', 'true', '__proto__', 'constructor'],
  ...['\0', '\r\n', '\r\n\r\n', '\n', '\t', ' ', '%00', '%', '%zz', '\u2028', '\ufeff', '\ud800', '😀', 'é', 'ß', 'İ'],
  ...["'", '"', '<', '>', '&', ']]>', '<![CDATA[', '&#0;', '&amp;', '{', '}', '[', ']', ',', ':', ';', '|', '*', '.'],
];
const LONGEST = 8_000;

const below = (random: Random, end: number): number => Math.floor(random() * end);
const pick = <T>(random: Random, of: readonly T[]): T => of[below(random, of.length)] as T;

/** One of the inputs, changed in one to eight places. */
export function mutate(inputs: readonly Buffer[], words: readonly string[], random: Random): Buffer {
  let input = pick(random, inputs);
  for (let left = 1 + below(random, 8) * below(random, 2); left > 0; left--) {
    input = pick(random, CHANGES)(input, { inputs, words, random });
  }
  return input.subarray(0, LONGEST);
}

interface Means {
  readonly inputs: readonly Buffer[];
  readonly words: readonly string[];
  readonly random: Random;
}

type Change = (input: Buffer, means: Means) => Buffer;

/** Two places, the first not behind the second. */
function range(input: Buffer, random: Random): [number, number] {
  const [a, b] = [below(random, input.length + 1), below(random, input.length + 1)];
  // mostly near each other
  return random() < 0.3 ? [Math.min(a, b), Math.max(a, b)] : [a, Math.min(input.length, a + below(random, 16))];
}

const replaced = (input: Buffer, [from, to]: [number, number], by: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, from), by, input.subarray(to)]);

/** Where a whole element is, or of a text that has none a pair of brackets: undefined where neither is. */
function element(text: string, from: number): [number, number] | undefined {
  const at = text.indexOf('<', from);
  const name = at < 0 ? undefined : /^<([\w:.-]+)/.exec(text.slice(at, at + 60))?.[1];
  if (name !== undefined) {
    const end = text.indexOf(`</${name}>`, at);
    return end < 0 ? undefined : [at, end + name.length + 3];
  }
  const open = text.slice(from).search(/[[{]/);
  const close = open < 0 ? -1 : text.slice(from + open).search(/[\]}]/);
  return close < 0 ? undefined : [from + open, from + open + close + 1];
}

/** A word, a name or a number at that place; empty where there is none. */
function token(text: string, at: number): [number, number] {
  const before = /[\w:.+-]*$/.exec(text.slice(Math.max(0, at - 40), at))?.[0].length ?? 0;
  const after = /^[\w:.+-]*/.exec(text.slice(at, at + 40))?.[0].length ?? 0;
  return [at - before, at + after];
}

const CHANGES: readonly Change[] = [
  (input, { random }) => {
    const found = element(input.toString('latin1'), below(random, input.length + 1));
    if (found === undefined) return input;
    // out of it, or once more
    return random() < 0.5
      ? replaced(input, found, Buffer.of())
      : replaced(input, [found[1], found[1]], input.subarray(...found));
  },
  (input, { random, inputs, words }) => {
    const text = input.toString('latin1');
    const place = token(text, below(random, input.length + 1));
    const other = pick(random, inputs);
    const by = pick(random, [
      () => Buffer.from(pick(random, random() < 0.5 ? WORDS : words)),
      () => other.subarray(...token(other.toString('latin1'), below(random, other.length + 1))),
      () => input.subarray(place[0], Math.min(place[1], place[0] + 1 + below(random, 3))),
    ]);
    return replaced(input, place, by());
  },
  (input, { random }) => replaced(input, range(input, random), Buffer.of()),
  (input, { random }) => {
    const [from, to] = range(input, random);
    return replaced(input, [to, to], input.subarray(from, to));
  },
  (input, { random }) => replaced(input, range(input, random), Buffer.of(below(random, 256))),
  (input, { random, words }) => {
    const at = below(random, input.length + 1);
    return replaced(input, [at, at], Buffer.from(pick(random, random() < 0.5 ? WORDS : words)));
  },
  (input, { random, words }) =>
    replaced(input, range(input, random), Buffer.from(pick(random, random() < 0.5 ? WORDS : words))),
  (input, { random, inputs }) => {
    const other = pick(random, inputs);
    return replaced(input, range(input, random), other.subarray(...range(other, random)));
  },
  (input, { random }) => {
    const [from, to] = range(input, random);
    return replaced(input, [to, to], Buffer.concat(Array.from({ length: 50 }, () => input.subarray(from, to))));
  },
];
