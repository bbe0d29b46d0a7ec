// Where something stands in a YAML file, for a person who has to put it right.
import { isMap, isNode, isPair, LineCounter, parseDocument, type Document } from 'yaml';

/** `mmeliot.yaml, line 3, column 7`; empty where it is not known. */
export type Place = (path: readonly PropertyKey[]) => string;

/** Undefined where it is nested deeper than the library can follow. */
export function parseYaml(text: string): { readonly document: Document; readonly lines: LineCounter } | undefined {
  const lines = new LineCounter();
  try {
    return { document: parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' }), lines };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export function placesIn(document: Document, lines: LineCounter, file: string) {
  const at = (offset: number | undefined): string => {
    if (offset === undefined) return '';
    const { line, col } = lines.linePos(offset);
    return `${file}, line ${line}, column ${col}`;
  };
  const place: Place = (path) => (path.length === 0 ? '' : at(offsetOf(document, path)));
  return { at, place };
}

/** Where the key of that path stands, or the entry of a list; of what isn't there, the nearest section above it. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number | undefined {
  const [key, section] = [path.at(-1), path.slice(0, -1)];
  const parent: unknown = section.length === 0 ? document.contents : document.getIn(section, true);
  if (isMap(parent)) {
    const pair = parent.items.find((each) => isPair(each) && String(each.key) === String(key));
    if (pair !== undefined && isNode(pair.key)) return pair.key.range?.[0];
  }
  const node: unknown = document.getIn(path, true);
  if (isNode(node)) return node.range?.[0];
  return path.length === 0 ? undefined : offsetOf(document, section);
}

interface Fault {
  /** For `at`. */
  readonly offset: number;
  readonly sentence: string;
  readonly cause: Error;
}

/** What keeps it from being read as it was meant, warnings of the parser (a tag that it does not know) included. */
export function faultIn({ errors, warnings }: Document): Fault | undefined {
  const [cause] = [...errors, ...warnings];
  if (cause === undefined) return undefined;
  const others: Readonly<Record<string, string>> = {
    MULTIPLE_DOCS: 'several documents stand in it (---), and one is read',
    TAG_RESOLVE_FAILED: `${cause.message.replace('Unresolved', 'nothing here knows the')}; write the value itself`,
  };
  return { offset: cause.pos[0], sentence: others[cause.code] ?? cause.message, cause };
}
