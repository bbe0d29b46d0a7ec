// XML as a stream, by saxes: reports the structure of a document and builds a tree only of the elements it is asked
// to, each with its text exactly as it stood. No document type that says anything, no entities beyond XML's own five.
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { EpcisException } from '../domain/exceptions.ts';
import { isBlank, trimmed } from '../domain/white-space.ts';
import {
  checkNamespace,
  isLongList,
  isSensorField,
  MAX_CONTEXT,
  tooLarge,
  ValueCount,
  WORTH,
  type DocumentLimits,
} from '../domain/document-limits.ts';
import type { XmlAttribute, XmlElement } from './xml/tree.ts';

export interface XmlHandler {
  /** `enter` to be told of its children, `tree` to get it whole. */
  open(element: XmlElement): 'enter' | 'tree';
  /** The end of an entered element. */
  close(): void;
  /**
   * The element with its text as it stood, the namespace prefixes that its ancestors had declared, and all that are in
   * force in it; of a prefix that is declared again further in, what the outer declaration says.
   */
  tree(element: XmlElement, text: string, inherited: Scope, inForce: Scope): void;
}

/** What each prefix stands for. */
export type Scope = Pick<ReadonlyMap<string, string>, 'get'>;

export interface XmlParser {
  write(text: string): void;
  end(): void;
}

interface OpenElement extends XmlElement {
  readonly children: (XmlElement | string)[];
}

/** A parser that knows XML's own five entities only, takes any fault as the end, and refuses what says more than `itemValues` until `startAnew`. */
export function strictParser(itemValues: number) {
  const parser = new SaxesParser({ xmlns: true, position: true });
  parser.ENTITIES = Object.assign(Object.create(null) as Record<string, string>, ENTITIES);
  const fail = (reason: string): never => {
    throw new EpcisException('ValidationException', reason, `line ${parser.line}`, { broken: { rule: 'well-formed' } });
  };
  parser.on('error', (error) => fail(`not well-formed XML: ${error.message.replace(/^(?:[^:]*:)?\d+:\d+: /, '')}`));
  parser.on('doctype', (type) => {
    // a name alone declares nothing: examples that GS1 publishes begin so
    if (!/^\s*[\w:.-]+\s*$/.test(type)) fail('a document type declaration (DOCTYPE) is not accepted');
  });
  const values = new ValueCount(itemValues);
  const count = (worth?: number): void => {
    if (!values.add(worth))
      throw tooLarge(`one element holds more values than allowed (line ${parser.line})`, itemValues);
  };
  parser.on('attribute', () => count());
  let inSensors = false;
  return {
    parser,
    fail,
    /** `depth`: elements around it in the event, or whatever it is part of. Its attributes have been counted as any are. */
    countElement: (tag: SaxesTagNS, parent: string | undefined, depth: number): void => {
      const isPlain = tag.uri === '';
      if (depth < 2) inSensors = depth === 1 && isPlain && tag.name === 'sensorElementList';
      const isListed = depth === 2 && isPlain && (tag.name === 'epc' || tag.name === 'id') && isLongList(parent ?? '');
      if (isListed) return count(WORTH.listed);
      const isSensed = inSensors && isPlain && depth < SENSING.length && SENSING[depth] === parent;
      if (!isSensed) return count();
      count(WORTH.sensed);
      for (const { prefix, local } of Object.values(tag.attributes))
        if (prefix === '' && isSensorField(local)) count(WORTH.sensed - WORTH.any);
    },
    startAnew: (): void => values.startAnew(),
  };
}

/** By depth in an event, whose sensor elements and their parts stand there. */
const SENSING: readonly (string | undefined)[] = ['', '', 'sensorElementList', 'sensorElement'];

const ENTITIES = { amp: '&', gt: '>', lt: '<', quot: '"', apos: "'" };

type Limits = Pick<DocumentLimits, 'depth' | 'itemBytes' | 'itemValues'>;

export function createXmlParser(handler: XmlHandler, limits: Limits): XmlParser {
  const { parser, fail, countElement, startAnew } = strictParser(limits.itemValues);
  const scopes: Declarations[] = [];
  const branch: OpenElement[] = []; // open elements of the tree being built
  let text = ''; // of the document, from `textStart` on
  let textStart = 0;
  let treeStart = 0;
  let inForce = NOTHING;
  let line = 1;

  parser.on('opentagstart', () => {
    line = parser.line;
    if (branch.length === 0) treeStart = textStart + text.lastIndexOf('<', parser.position - 1 - textStart);
  });
  parser.on('opentag', (tag) => {
    const inherited = scopes.at(-1) ?? NOTHING;
    if (scopes.length >= limits.depth)
      throw tooLarge(`elements are nested deeper than allowed (line ${line})`, limits.depth);
    const declared = Object.entries(tag.ns ?? {});
    for (const [prefix, uri] of declared) checkNamespace(prefix, uri);
    const scope = declared.length === 0 ? inherited : new Declarations(inherited, declared, line);
    scopes.push(scope);
    if (branch.length === 0) inForce = scope;
    else if (declared.length > 0) {
      const further = declared.filter(([prefix]) => inForce.get(prefix) === undefined);
      if (inForce === scopes.at(-1 - branch.length)) inForce = new Declarations(inForce, further, line);
      else inForce.add(further, line);
    }

    const parent = branch.at(-1);
    countElement(tag, parent?.namespace === '' ? parent.name : undefined, branch.length);
    const element = elementOf(tag, line);
    if (parent !== undefined) parent.children.push(element);
    else if (handler.open(element) === 'enter') return startAnew();
    branch.push(element);
  });
  parser.on('closetag', () => {
    scopes.pop();
    const element = branch.pop();
    if (branch.length === 0) startAnew();
    if (element === undefined) handler.close();
    else if (branch.length === 0) {
      handler.tree(
        element,
        text.slice(treeStart - textStart, parser.position - textStart),
        scopes.at(-1) ?? NOTHING,
        inForce,
      );
    }
  });
  const onText = (data: string): void => {
    const parent = branch.at(-1);
    if (parent !== undefined) parent.children.push(data);
    else if (!isBlank(data)) fail(`text ‘${trimmed(data).slice(0, 40)}’ where only elements may stand`);
  };
  parser.on('text', onText);
  parser.on('cdata', onText);

  /** Forgets what no element can begin in any more. */
  const forget = (): void => {
    const keepFrom = branch.length > 0 ? treeStart - textStart : text.lastIndexOf('<');
    const cut = keepFrom < 0 ? text.length : keepFrom;
    text = text.slice(cut);
    textStart += cut;
    if (text.length > limits.itemBytes)
      throw tooLarge(`one element is larger than allowed (line ${line})`, limits.itemBytes);
  };

  return {
    write(chunk) {
      text += chunk;
      parser.write(chunk);
      forget();
    },
    end: () => {
      parser.close();
    },
  };
}

/** Those of an element around those of its ancestors, of which it takes no copy: they may be many, and it one of many. */
class Declarations implements Scope {
  readonly #outer: Declarations | undefined;
  readonly #own = new Map<string, string>();
  /** In characters. */
  #size: number;

  constructor(outer: Declarations | undefined, declared: readonly [string, string][], line: number) {
    this.#outer = outer;
    this.#size = outer === undefined ? 0 : outer.#size;
    this.add(declared, line);
  }

  add(declared: readonly [string, string][], line: number): void {
    for (const [prefix, uri] of declared) {
      this.#own.set(prefix, uri);
      this.#size += prefix.length + uri.length;
    }
    if (this.#size > MAX_CONTEXT)
      throw tooLarge(`more namespaces are declared than allowed (line ${line})`, MAX_CONTEXT);
  }

  get(prefix: string): string | undefined {
    return this.#own.get(prefix) ?? this.#outer?.get(prefix);
  }
}

const NOTHING = new Declarations(undefined, [], 0);

function elementOf(tag: SaxesTagNS, line: number): OpenElement {
  const attributes: XmlAttribute[] = [];
  for (const { prefix, local, uri, value } of Object.values(tag.attributes)) {
    if (prefix !== 'xmlns' && !(prefix === '' && local === 'xmlns')) {
      attributes.push({ namespace: uri, prefix, name: local, value });
    }
  }
  return { namespace: tag.uri, prefix: tag.prefix, name: tag.local, attributes, children: [], line };
}
