// JSON values as they were written: numbers keep their text, members their order and place. No JavaScript objects are
// made from a document's names, so `__proto__` is a name like any other.
import { EpcisException } from '../../domain/exceptions.ts';

export type JsonValue =
  | JsonObject
  | JsonArray
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' };

export interface JsonObject {
  readonly kind: 'object';
  readonly members: readonly JsonMember[];
}

export interface JsonArray {
  readonly kind: 'array';
  readonly items: readonly JsonValue[];
  /** Where each item's text stands: [start, end). */
  readonly places: readonly (readonly [start: number, end: number])[];
}

export interface JsonMember {
  readonly key: string;
  readonly value: JsonValue;
  /** The member's text is [start, end) of the parsed text. */
  readonly start: number;
  readonly end: number;
}

export const invalidAt = (reason: string, pointer: string): EpcisException =>
  new EpcisException('ValidationException', reason, pointer === '' ? '/' : pointer);

/** One step down a JSON pointer. */
export const below = (pointer: string, key: string | number): string =>
  `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const LITERALS: readonly (readonly [string, JsonValue])[] = [
  ['true', { kind: 'boolean', value: true }],
  ['false', { kind: 'boolean', value: false }],
  ['null', { kind: 'null' }],
];

/** Strict JSON, no name twice in an object, no deeper than `depth`. `pointer` says where in its document the text stands. */
export function parseJson(text: string, depth: number, pointer = ''): JsonValue {
  let at = 0;

  const fail = (what: string, where: string): never => {
    throw invalidAt(`not valid JSON: ${what} at character ${at + 1}`, where);
  };
  const skipSpace = (): void => {
    SPACE.lastIndex = at;
    SPACE.test(text);
    at = SPACE.lastIndex;
  };
  const expect = (char: string, where: string): void => {
    if (text[at] !== char) fail(`‘${char}’ expected`, where);
    at++;
  };

  const string = (where: string): string => {
    expect('"', where);
    for (let end = at; ; end++) {
      const code = text.charCodeAt(end);
      if (code === 0x22) {
        const value = text.slice(at, end);
        at = end + 1;
        return value;
      }
      if (code === 0x5c) return escapedString(where);
      if (!(code >= 0x20)) fail('unfinished string or control character', where); // NaN: the end of the text
    }
  };
  const escapedString = (where: string): string => {
    const rest = /(?:[^"\\]|\\.)*"/suy;
    rest.lastIndex = at;
    if (!rest.test(text)) fail('unfinished string', where);
    const token = `"${text.slice(at, rest.lastIndex)}`;
    at = rest.lastIndex;
    try {
      return JSON.parse(token) as string;
    } catch {
      return fail('wrong escape in string', where);
    }
  };

  const value = (where: string, level: number): JsonValue => {
    skipSpace();
    const char = text[at];
    if (char === '"') return { kind: 'string', value: string(where) };
    if (char === '{' || char === '[') {
      if (level >= depth)
        throw new EpcisException(
          'CaptureLimitExceededException',
          `objects and arrays are nested deeper than the limit of ${depth}`,
          where,
        );
      return char === '{' ? object(where, level + 1) : array(where, level + 1);
    }
    for (const [literal, meaning] of LITERALS) {
      if (text.startsWith(literal, at)) {
        at += literal.length;
        return meaning;
      }
    }
    NUMBER.lastIndex = at;
    if (!NUMBER.test(text)) fail('value expected', where);
    const number = text.slice(at, NUMBER.lastIndex);
    at = NUMBER.lastIndex;
    return { kind: 'number', text: number };
  };

  const object = (where: string, level: number): JsonObject => {
    at++;
    const members: JsonMember[] = [];
    const keys = new Set<string>();
    skipSpace();
    if (text[at] === '}') return (at++, { kind: 'object', members });
    for (;;) {
      skipSpace();
      const start = at;
      const key = string(where);
      if (keys.has(key)) throw invalidAt(`member ‘${key}’ stands twice`, where);
      keys.add(key);
      skipSpace();
      expect(':', below(where, key));
      members.push({ key, value: value(below(where, key), level), start, end: at });
      skipSpace();
      if (text[at] === '}') return (at++, { kind: 'object', members });
      expect(',', where);
    }
  };

  const array = (where: string, level: number): JsonArray => {
    at++;
    const items: JsonValue[] = [];
    const places: [number, number][] = [];
    skipSpace();
    if (text[at] === ']') return (at++, { kind: 'array', items, places });
    for (;;) {
      skipSpace();
      const start = at;
      items.push(value(below(where, items.length), level));
      places.push([start, at]);
      skipSpace();
      if (text[at] === ']') return (at++, { kind: 'array', items, places });
      expect(',', where);
    }
  };

  const result = value(pointer, 0);
  skipSpace();
  if (at < text.length) fail('nothing more expected', pointer);
  return result;
}
