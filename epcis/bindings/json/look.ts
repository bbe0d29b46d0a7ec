// What a document in JSON holds, without reading it: is it well-formed and within the limits, and where does each event stand?
import type { DocumentLimits } from '../../domain/document-limits.ts';
import { checkValues } from './count.ts';
import { ENTERED, EVENTS, isList, VOCABULARY_ELEMENTS } from './places.ts';
import { createScanner, type Scanner } from './scanner.ts';
import { textOf } from './text.ts';
import { invalidAt } from './value.ts';

/** Whether bytes are well-formed and within the limits; `onItem` is called for each event and vocabulary element. */
export function jsonChecker(limits: DocumentLimits, onItem: () => void): Scanner {
  return createScanner({
    enters: (path, array, pointer) => {
      if (path === '' && array) throw invalidAt('type', 'the document is no object', pointer);
      return ENTERED.has(path) && array === isList(path);
    },
    value: (path, raw, pointer) => {
      if (path === '') throw invalidAt('type', 'the document is no object', pointer);
      const text = textOf(raw, pointer);
      checkValues(text, limits.itemValues, pointer);
      checkJson(text, pointer);
      if (EVENTS.has(path) || VOCABULARY_ELEMENTS.has(path)) onItem();
    },
    ...limits,
  });
}

/** Tells where each event of a well-formed document stands, in bytes. */
export function jsonEventFinder(
  limits: DocumentLimits,
  onEvent: (from: number, to: number) => void,
): Pick<Scanner, 'write'> & { readonly lists: number } {
  const lists = new Set<string>();
  const scanner = createScanner({
    enters: (path, array) => ENTERED.has(path) && array === isList(path),
    value: (path, raw, _pointer, end) => {
      if (!EVENTS.has(path) || !path.endsWith('/*')) return;
      lists.add(path);
      onEvent(end - raw.length, end);
    },
    ...limits,
  });
  return {
    write: (bytes) => scanner.write(bytes),
    get lists() {
      return lists.size;
    },
  };
}

/** JavaScript's own parser knows as well what JSON is, and knows it faster. */
function checkJson(text: string, pointer: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    throw invalidAt('well-formed', `not valid JSON: ${(error as Error).message}`, pointer);
  }
}
