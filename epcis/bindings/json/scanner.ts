// JSON as a stream of bytes: walks into the few objects and arrays that a document is built of and hands out everything
// below them whole, as bytes, one value at a time. What a value says inside is for the parser (value.ts).
import { EpcisException } from '../../domain/exceptions.ts';
import { below, invalidAt } from './value.ts';
import { tooLarge } from '../../domain/document-limits.ts';

export interface ScannerOptions {
  /** Whether to walk into the object or array at this path (array positions are `*`), or take it whole. */
  readonly enters: (path: string, array: boolean, pointer: string) => boolean;
  /** A value that was not walked into; `end`: where it ends, in bytes from the document's beginning. */
  readonly value: (path: string, raw: Uint8Array, pointer: string, end: number) => void;
  readonly depth: number;
  readonly itemBytes: number;
  /** Members of an object that is walked into. */
  readonly itemValues: number;
}

export interface Scanner {
  write(bytes: Uint8Array): void;
  end(): void;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a] as const;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

interface Container {
  readonly array: boolean;
  readonly path: string;
  readonly pointer: string;
  /** Key of the current member, or position of the current entry. */
  key: string | number;
  readonly keys: Set<string>;
}

/** What may come next. */
type Expectation = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing';
/** What is being taken whole, if anything: a member's name, a string, a number or literal, an object or array. */
type Taking = 'none' | 'name' | 'string' | 'word' | 'nest';

export function createScanner(options: ScannerOptions): Scanner {
  const stack: Container[] = [];
  let expected: Expectation = 'value';
  let taking: Taking = 'none';
  let pieces: Uint8Array[] = []; // of what is being taken, from chunks already gone
  let taken = 0;
  let nesting = 0;
  let inString = false;
  let escaped = false;
  let offset = 0; // of the current chunk

  const top = (): Container | undefined => stack.at(-1);
  const pointerHere = (): string => {
    const container = top();
    return container === undefined ? '' : below(container.pointer, container.key);
  };
  const pathHere = (): string => {
    const container = top();
    return container === undefined ? '' : `${container.path}/${container.array ? '*' : container.key}`;
  };
  const fail = (what: string, at: number): never => {
    throw invalidAt('well-formed', `not valid JSON: ${what} at byte ${offset + at + 1}`, pointerHere());
  };

  const finish = (chunk: Uint8Array, start: number, end: number): void => {
    const last = chunk.subarray(start, end);
    const raw = pieces.length === 0 ? last : concat([...pieces, last]);
    const was = taking;
    pieces = [];
    taken = 0;
    taking = 'none';
    if (was === 'name') nameMember(raw, end);
    else {
      expected = stack.length === 0 ? 'nothing' : 'comma-or-end';
      options.value(pathHere(), raw, pointerHere(), offset + end);
    }
  };
  const nameMember = (raw: Uint8Array, at: number): void => {
    const container = top();
    if (container === undefined) return;
    let key = '';
    try {
      key = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw)) as string;
    } catch {
      fail('wrong member name', at);
    }
    if (container.keys.has(key)) throw invalidAt('order', `member ‘${key}’ stands twice`, container.pointer);
    if (container.keys.size >= options.itemValues)
      throw tooLarge(`${container.pointer || 'the document'} holds more values than allowed`, options.itemValues);
    container.keys.add(key);
    container.key = key;
    expected = 'colon';
  };

  /** The first byte of something; true if the bytes from here on are taken. */
  const begin = (byte: number, at: number): boolean => {
    if (expected === 'key' || expected === 'key-or-end') {
      if (byte === QUOTE) return take('name');
      if (byte === CLOSE_BRACE && expected === 'key-or-end') return leave(false, at);
      return fail('member name expected', at);
    }
    if (expected === 'colon') return byte === COLON ? expect('value') : fail('‘:’ expected', at);
    if (expected === 'comma-or-end') return afterValue(byte, at);
    if (expected === 'nothing') return fail('nothing more expected', at);
    if (byte === CLOSE_BRACKET && expected === 'value-or-end') return leave(true, at);
    return beginValue(byte, at);
  };
  const expect = (what: Expectation): boolean => {
    expected = what;
    return false;
  };
  const take = (what: Taking): boolean => {
    taking = what;
    inString = what === 'name' || what === 'string';
    nesting = 0;
    return true;
  };
  const afterValue = (byte: number, at: number): boolean => {
    const container = top();
    if (byte === COMMA && container !== undefined) {
      if (!container.array) return expect('key');
      container.key = Number(container.key) + 1;
      return expect('value');
    }
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return leave(byte === CLOSE_BRACKET, at);
    return fail('‘,’ expected', at);
  };
  const leave = (array: boolean, at: number): boolean => {
    if (stack.pop()?.array !== array) fail('wrong bracket', at);
    return expect(stack.length === 0 ? 'nothing' : 'comma-or-end');
  };
  const beginValue = (byte: number, at: number): boolean => {
    const opens = byte === OPEN_BRACE || byte === OPEN_BRACKET;
    const path = pathHere();
    const array = byte === OPEN_BRACKET;
    if (opens && options.enters(path, array, pointerHere())) {
      stack.push({ array, path, pointer: pointerHere(), key: array ? 0 : '', keys: new Set() });
      return expect(array ? 'value-or-end' : 'key-or-end');
    }
    if (opens) return take('nest');
    if (byte === QUOTE) return take('string');
    return /[-0-9tfn]/.test(String.fromCharCode(byte)) ? take('word') : fail('value expected', at);
  };

  /** From `at`, inside what is being taken, to its end (exclusive), or the chunk's end if it goes on. */
  const advance = (chunk: Uint8Array, from: number): number => {
    let at = from;
    if (taking === 'word') {
      while (at < chunk.length && !isEndOfWord(chunk[at] ?? 0)) at++;
      if (at < chunk.length) finish(chunk, start, at);
      return at;
    }
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (escaped) escaped = false;
      else if (inString) {
        if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          inString = false;
          if (taking !== 'nest') return (finish(chunk, start, ++at), at);
        }
      } else if (byte === QUOTE) inString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (++nesting + stack.length > options.depth) deep();
      } else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --nesting === 0)
        return (finish(chunk, start, ++at), at);
    }
    return at;
  };
  const deep = (): never => {
    throw new EpcisException(
      'CaptureLimitExceededException',
      `objects and arrays are nested deeper than the limit of ${options.depth}`,
      pointerHere(),
    );
  };
  let start = 0; // in the current chunk, of what is being taken

  return {
    write(chunk) {
      start = 0;
      let at = offset === 0 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0;
      while (at < chunk.length) {
        if (taking !== 'none') at = advance(chunk, at);
        else if (isSpace(chunk[at] ?? 0)) at++;
        else {
          start = at;
          // a quote is the start of what is taken, not its end; words and nests are looked at from their first byte
          if (!begin(chunk[at] ?? 0, at) || inString) at++;
        }
      }
      if (taking !== 'none') {
        pieces.push(chunk.slice(start));
        taken += chunk.length - start;
        if (taken > options.itemBytes) throw tooLarge(`${pointerHere()} is larger than allowed`, options.itemBytes);
      }
      offset += chunk.length;
    },
    end() {
      if (taking === 'word' && stack.length === 0) finish(new Uint8Array(0), 0, 0);
      if (taking !== 'none' || expected !== 'nothing') fail('the document is cut off', 0);
    },
  };
}

const isEndOfWord = (byte: number): boolean =>
  isSpace(byte) || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET;

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
