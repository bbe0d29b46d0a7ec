// XML as a tree that knows where in the text each element stood, and its canonical form for comparing.
import { SaxesParser } from 'saxes';

export interface Node {
  readonly namespace: string;
  readonly name: string;
  readonly attributes: readonly { readonly namespace: string; readonly name: string; readonly value: string }[];
  readonly children: readonly Node[];
  readonly text: string;
  /** Of the element in the document's text. */
  readonly start: number;
  readonly end: number;
  /** Prefixes in scope. */
  readonly prefixes: Readonly<Record<string, string>>;
}

type Open = { -readonly [K in keyof Node]: Node[K] } & { children: Node[] };

export function parseXml(text: string): Node {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const root: Open = {
    namespace: '',
    name: '',
    attributes: [],
    children: [],
    text: '',
    start: 0,
    end: 0,
    prefixes: {},
  };
  const path: Open[] = [root];
  let start = 0;
  parser.on('error', (error) => {
    throw new Error(`not well-formed XML: ${error.message}`);
  });
  parser.on('opentagstart', () => (start = text.lastIndexOf('<', parser.position - 1)));
  parser.on('opentag', (tag) => {
    const attributes = Object.values(tag.attributes)
      .filter(({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns')
      .map(({ uri, local, value }) => ({ namespace: uri, name: local, value }));
    const prefixes = { ...path.at(-1)?.prefixes, ...tag.ns };
    const node: Open = {
      namespace: tag.uri,
      name: tag.local,
      attributes,
      children: [],
      text: '',
      start,
      end: 0,
      prefixes,
    };
    path.at(-1)?.children.push(node);
    path.push(node);
  });
  const addText = (data: string) => {
    const node = path.at(-1);
    if (node !== undefined) node.text += data;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const node = path.pop();
    if (node === undefined) return;
    node.text = node.text.trim();
    node.end = parser.position;
  });
  parser.write(text).close();
  const [document] = root.children;
  if (document === undefined) throw new Error('an empty XML document');
  return document;
}

/** The first descendant of that name, itself included. */
export function find(node: Node, name: string): Node | undefined {
  if (node.name === name) return node;
  for (const child of node.children) {
    const found = find(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function childText(node: Node, name: string): string | undefined {
  return node.children.find((child) => child.name === name)?.text;
}

/** The events of a document or an answer, out of the extension elements that 1.x wraps some of them in. */
export function eventsOf(node: Node): Node[] {
  const list = find(node, 'EventList');
  const unwrap = (event: Node): Node[] => (event.name === 'extension' ? event.children.flatMap(unwrap) : [event]);
  return list === undefined ? [] : list.children.flatMap(unwrap);
}

const TIMES = new Set(['eventTime', 'declarationTime']);

/** One text for everything that means the same: no prefixes, white space, comments or fields named in `without`. */
export function canonical(node: Node, without: ReadonlySet<string> = new Set(['recordTime'])): string {
  const attributes = node.attributes
    .filter(({ namespace }) => namespace !== 'http://www.w3.org/2001/XMLSchema-instance')
    .map(({ namespace, name, value }) => ` {${namespace}}${name}=${JSON.stringify(value.trim())}`)
    .sort()
    .join('');
  const children = node.children
    .filter(({ namespace, name }) => namespace !== '' || !without.has(name))
    .map((child) => canonical(child, without))
    // an extension element that held only what is left out
    .filter((text) => !/^<\{\}(baseExtension|extension)><\/>$/.test(text))
    .join('');
  const text = TIMES.has(node.name) ? new Date(node.text).toISOString() : node.text;
  return `<{${node.namespace}}${node.name}${attributes}>${text}${children}</>`;
}
