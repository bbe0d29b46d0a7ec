// JSON values as they were written: numbers keep their text, members their order and place. No JavaScript objects are
// made from a document's names, so `__proto__` is a name like any other.
import type { DocumentRule } from '../../domain/document-rules.ts';
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

export const invalidAt = (rule: DocumentRule, reason: string, pointer: string): EpcisException =>
  new EpcisException('ValidationException', reason, pointer === '' ? '/' : pointer, { broken: { rule } });

/** One step down a JSON pointer. */
export const below = (pointer: string, key: string | number): string =>
  `${pointer}/${typeof key === 'number' || !/[~/]/.test(key) ? key : key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERALS: readonly (readonly [string, JsonValue])[] = [
  ['true', { kind: 'boolean', value: true }],
  ['false', { kind: 'boolean', value: false }],
  ['null', { kind: 'null' }],
];

/** Strict JSON, no name twice in an object, no deeper than `depth`. `pointer` says where in its document the text stands. */
export function parseJson(text: string, depth: number, pointer = ''): JsonValue {
  let at = 0;
  const path: (string | number)[] = [];

  const here = (): string => path.reduce<string>(below, pointer);
  const fail = (what: string): never => {
    throw invalidAt('well-formed', `not valid JSON: ${what} at character ${at + 1}`, here());
  };
  const skipSpace = (): void => {
    for (let code = text.charCodeAt(at); code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;) {
      code = text.charCodeAt(++at);
    }
  };
  const expect = (char: string): void => {
    if (text[at] !== char) fail(`‘${char}’ expected`);
    at++;
  };

  const string = (): string => {
    expect('"');
    for (let end = at; ; end++) {
      const code = text.charCodeAt(end);
      if (code === 0x22) {
        const value = text.slice(at, end);
        at = end + 1;
        return value;
      }
      if (code === 0x5c) return escapedString();
      if (!(code >= 0x20)) fail('unfinished string or control character'); // NaN: the end of the text
    }
  };
  const escapedString = (): string => {
    const start = at;
    for (at = start; text[at] !== '"'; at += text[at] === '\\' ? 2 : 1)
      if (at >= text.length) fail('unfinished string');
    at++;
    try {
      return JSON.parse(`"${text.slice(start, at)}`) as string;
    } catch {
      return fail('wrong escape or control character in a string');
    }
  };

  const value = (): JsonValue => {
    skipSpace();
    const char = text[at];
    if (char === '"') return { kind: 'string', value: string() };
    if (char === '{' || char === '[') {
      if (path.length >= depth) {
        const reason = `objects and arrays are nested deeper than the limit of ${depth}`;
        throw new EpcisException('CaptureLimitExceededException', reason, here());
      }
      return char === '{' ? object() : array();
    }
    for (const [literal, meaning] of LITERALS) {
      if (text.startsWith(literal, at)) {
        at += literal.length;
        return meaning;
      }
    }
    NUMBER.lastIndex = at;
    if (!NUMBER.test(text)) fail('value expected');
    const number = text.slice(at, NUMBER.lastIndex);
    at = NUMBER.lastIndex;
    return { kind: 'number', text: number };
  };

  const object = (): JsonObject => {
    at++;
    const members: JsonMember[] = [];
    const keys = new Set<string>();
    skipSpace();
    if (text[at] === '}') return (at++, { kind: 'object', members });
    for (;;) {
      skipSpace();
      const start = at;
      const key = string();
      if (keys.has(key)) throw invalidAt('order', `member ‘${key}’ stands twice`, here());
      keys.add(key);
      skipSpace();
      expect(':');
      path.push(key);
      members.push({ key, value: value(), start, end: at });
      path.pop();
      skipSpace();
      if (text[at] === '}') return (at++, { kind: 'object', members });
      expect(',');
    }
  };

  const array = (): JsonArray => {
    at++;
    const items: JsonValue[] = [];
    const places: [number, number][] = [];
    skipSpace();
    if (text[at] === ']') return (at++, { kind: 'array', items, places });
    for (;;) {
      skipSpace();
      const start = at;
      path.push(items.length);
      items.push(value());
      path.pop();
      places.push([start, at]);
      skipSpace();
      if (text[at] === ']') return (at++, { kind: 'array', items, places });
      expect(',');
    }
  };

  const result = value();
  skipSpace();
  if (at < text.length) fail('nothing more expected');
  return result;
}

/** The value without what stands at `pointer`, which begins with the value's own place, `root`. */
export function withoutMember(value: JsonValue, root: string, pointer: string): JsonValue {
  if (value.kind === 'object') {
    const members = value.members.flatMap((member) => {
      const at = below(root, member.key);
      if (at === pointer) return [];
      return pointer.startsWith(`${at}/`) ? [{ ...member, value: withoutMember(member.value, at, pointer) }] : [member];
    });
    return { ...value, members };
  }
  if (value.kind !== 'array') return value;
  // items keep their places, so that later faults are told where they are: what is taken out leaves a hole
  const items = new Array<JsonValue>(value.items.length);
  value.items.forEach((item, i) => {
    const at = below(root, i);
    if (at !== pointer) items[i] = pointer.startsWith(`${at}/`) ? withoutMember(item, at, pointer) : item;
  });
  return { ...value, items };
}
