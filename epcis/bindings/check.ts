// Whether bytes are a document at all, while they pass: well-formed, in UTF-8, without document type, within the limits.
// What the document says is read later, by a job; what no job could read is refused before there is one.
import { tooLarge, type DocumentLimits } from '../domain/document-limits.ts';
import { jsonChecker } from './json/look.ts';
import { utf8 } from './utf8.ts';
import { strictParser } from './xml-parser.ts';

export interface Checker {
  write(bytes: Uint8Array): void;
  end(): void;
}

/**
 * The same bytes; throws an EpcisException in their middle or at their end where they are no document. With `first`, what comes after so
 * many of them is not looked at.
 */
export async function* checked(
  body: AsyncIterable<Uint8Array>,
  format: 'xml' | 'json',
  limits: DocumentLimits,
  first = Infinity,
): AsyncGenerator<Uint8Array> {
  const checker = (format === 'xml' ? xmlChecker : jsonChecker)(limits, itemCounter(limits));
  let passed = 0;
  for await (const bytes of body) {
    if (passed < first) checker.write(bytes.subarray(0, first - passed));
    passed += bytes.length;
    yield bytes;
  }
  if (passed <= first) checker.end();
}

/** To be called for each event and vocabulary element. */
function itemCounter({ items }: DocumentLimits): () => void {
  let count = 0;
  return () => {
    if (++count > items) throw tooLarge('the document holds more events and vocabulary elements than allowed', items);
  };
}

/** An event or vocabulary element; 1.x wraps events that came after 1.0 in `extension`. */
const isItem = (name: string, path: readonly string[]): boolean =>
  path.at(-1) === 'VocabularyElementList' || (name !== 'extension' && path.includes('EventList'));

function xmlChecker(limits: DocumentLimits, onItem: () => void): Checker {
  const decoder = utf8();
  const { parser, countElement, startAnew } = strictParser(limits.itemValues);
  const path: string[] = [];
  let itemDepth = Infinity;
  let itemStart = 0;
  const refuseLarge = (): void => {
    if (parser.position - itemStart > limits.itemBytes && path.length >= itemDepth)
      throw tooLarge(`one element is larger than allowed (line ${parser.line})`, limits.itemBytes);
  };
  parser.on('opentag', (tag) => {
    const { name } = tag;
    if (path.length >= limits.depth)
      throw tooLarge(`elements are nested deeper than allowed (line ${parser.line})`, limits.depth);
    if (path.length < itemDepth && isItem(name, path)) {
      itemDepth = path.length + 1;
      itemStart = parser.position;
      onItem();
    }
    if (path.length < itemDepth - 1) startAnew();
    else countElement(tag, path.at(-1), path.length + 1 - itemDepth);
    path.push(name);
  });
  parser.on('closetag', () => {
    refuseLarge();
    if (path.length === itemDepth) itemDepth = Infinity;
    if (path.length < itemDepth) startAnew();
    path.pop();
  });
  return {
    write: (bytes) => {
      parser.write(decoder.decode(bytes));
      refuseLarge();
    },
    end: () => {
      parser.write(decoder.end());
      parser.close();
    },
  };
}
