// How much a JSON text says, before anything is made of it: a small text may be a very large tree.
import { isLongList, tooLarge, ValueCount } from '../../domain/document-limits.ts';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c] as const;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d] as const;

/** Refuses a value, an event for example, that holds more members and items than `limit`. Whether it is JSON is for the parser. */
export function checkValues(text: string, limit: number, pointer: string): void {
  const count = new ValueCount(limit);
  let depth = 0;
  let inList = false;
  let [nameFrom, nameTo] = [0, 0]; // of the last string that stands directly in the value
  const add = (): void => {
    if (!count.add(inList && depth === 2))
      throw tooLarge(`${pointer || 'the event'} holds more values than allowed`, limit);
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const from = at + 1;
      at = endOfString(text, from);
      if (depth === 1) [nameFrom, nameTo] = [from, at];
    } else if (code === COMMA) add();
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth === 2) inList = code === OPEN_BRACKET && isLongList(text.slice(nameFrom, nameTo));
      add();
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
}

/** Of the quote. */
function endOfString(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code !== QUOTE && at < text.length; code = text.charCodeAt(++at))
    if (code === BACKSLASH) at++;
  return at;
}
