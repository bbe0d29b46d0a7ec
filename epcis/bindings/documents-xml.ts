// An EPCIS document in XML, of any version: EPCISDocument, EPCISQueryDocument (or bare QueryResults) and
// EPCISMasterDataDocument. Knows where events and master data may stand; everything else is passed over.
import { expandElement, expandEvent } from '../domain/curies.ts';
import { hashing, type Sha256 } from '../domain/hash.ts';
import { atOnce, LARGE_ITEM, type InPieces } from '../domain/in-pieces.ts';
import { fieldName } from '../domain/hash-text.ts';
import { attributeOf, checkUnqualified, invalid, withoutElement, type XmlElement } from './xml/tree.ts';
import { checkBusinessHeader, isBusinessHeader } from './xml/header.ts';
import { readXmlEvent } from './xml/read-event.ts';
import { checkUri } from './xml/read-values.ts';
import { readXmlVocabularyElement } from './xml/vocabulary.ts';
import { masterDataPrefixes, ownPrefixes, type Names } from './json/context.ts';
import { selfContained } from './xml/source.ts';
import { readEveryFault, readItem, readPart, type Faults, type FaultSearch, type OnFault } from './faults.ts';
import { LargeItems } from './large-items.ts';
import { isVersion } from '../domain/document-limits.ts';
import { EpcisException } from '../domain/exceptions.ts';
import { parseTime } from '../domain/time.ts';
import { trimmed } from '../domain/white-space.ts';
import type { CaptureItem } from '../service/services.ts';
import type { XmlHandler } from './xml-parser.ts';

/** Where each structural element may stand: name → names of its possible parents. */
const STRUCTURE: Readonly<Record<string, readonly string[]>> = {
  EPCISHeader: ['#root'],
  EPCISBody: ['#root'],
  extension: ['EPCISHeader', 'EventList', 'extension'],
  EPCISMasterData: ['extension', 'EPCISHeader'],
  VocabularyList: ['EPCISMasterData', 'EPCISBody', 'resultsBody'],
  Vocabulary: ['VocabularyList'],
  VocabularyElementList: ['Vocabulary'],
  QueryResults: ['EPCISBody'],
  resultsBody: ['QueryResults', '#root'],
  EventList: ['EPCISBody', 'resultsBody'],
};

/** Structural elements that may stand more than once. */
const REPEATED = new Set(['Vocabulary', 'extension']);

/** Elements of the standard that say nothing about events. */
const PASSED_OVER = new Set(['queryName', 'subscriptionID', 'extension']);

const ROOTS: Readonly<Record<string, RegExp>> = {
  EPCISDocument: /^urn:epcglobal:epcis:xsd:[12]$/,
  EPCISQueryDocument: /^urn:epcglobal:epcis-query:xsd:[12]$/,
  QueryResults: /^urn:epcglobal:epcis-query:xsd:[12]$/,
  EPCISMasterDataDocument: /^urn:epcglobal:epcis-masterdata:xsd:[12]$/,
};

const NONE: Names = new Map();

export interface XmlDocument extends XmlHandler {
  /** Reads what is large of what has been written since the last call, in pieces. */
  large(): InPieces<void>;
  /** What has been read since the last call. */
  take(): CaptureItem[];
  /** Complains if no document has been read. */
  finish(): void;
}

/** `root`: what the text is, a document or one event alone. */
export function xmlDocument(sha256: Sha256, root: 'document' | 'event', { onFault, everyFault }: Faults): XmlDocument {
  const path: string[] = [];
  /** What stands already in each element of the path. */
  const entered: Set<string>[] = [];
  const ignore = new Set<string>();
  let items: CaptureItem[] = [];
  const large = new LargeItems();
  let vocabulary = '';
  let hasCuries = true; // they came with 2.0; in 1.x a prefix in a value is part of the value
  let body = false;

  const curies = (inForce: Names): Names => (hasCuries ? ownPrefixes(inForce) : NONE);

  const openRoot = (element: XmlElement): void => {
    if (!Object.hasOwn(ROOTS, element.name) || ROOTS[element.name]?.test(element.namespace) !== true) {
      throw invalid('document', `{${element.namespace}}${element.name} is no EPCIS document`, element);
    }
    hasCuries = element.namespace.endsWith(':2');
    body = element.name === 'QueryResults';
    if (!body) for (const check of DOCUMENT_CHECKS) readPart(() => check(element), everyFault);
  };

  function* readEvent(element: XmlElement, text: string, inherited: Names, inForce: Names): InPieces<CaptureItem> {
    const isLarge = text.length > LARGE_ITEM;
    const event = readXmlEvent(element);
    if (isLarge) yield;
    const whole = expandEvent(event, curies(inForce), text.length);
    if (isLarge) yield;
    const source = { format: 'xml', text: selfContained(text, inherited) } as const;
    if (isLarge) yield;
    const captured = { event: whole, hash: yield* hashing(event, sha256, { ignore }), source };
    return { kind: 'event', captured, at: `line ${element.line}` };
  }

  function* readVocabularyElement(
    element: XmlElement,
    type: string,
    inForce: Names,
    size: number,
  ): InPieces<CaptureItem> {
    const prefixes = hasCuries ? masterDataPrefixes(inForce) : NONE;
    const read = expandElement(readXmlVocabularyElement(element, type), prefixes, size);
    return { kind: 'vocabulary', element: read, at: `line ${element.line}` };
  }

  /** What its faults are about stands in them as their cause. */
  const readEvery = (
    whole: XmlElement,
    size: number,
    read: (element: XmlElement) => CaptureItem,
    onEvery: OnFault,
  ): void => {
    const search: FaultSearch<XmlElement> = {
      size,
      read,
      without: (element, { cause }) =>
        cause === element || !holds(element, cause) ? undefined : withoutElement(element, cause),
      fieldOf: (element, { cause }) => fieldHolding(element, cause),
      gapOf: gapIn,
    };
    readEveryFault(whole, search, items, onEvery);
  };

  const readTree = (element: XmlElement, text: string, inherited: Names, inForce: Names): void => {
    const parent = path.at(-1);
    const isEvent = parent === undefined || path.includes('EventList');
    const type = vocabulary;
    const read = (part: XmlElement) =>
      isEvent ? readEvent(part, text, inherited, inForce) : readVocabularyElement(part, type, inForce, text.length);
    if (isEvent || parent === 'VocabularyElementList') {
      if (!isEvent && element.name !== 'VocabularyElement')
        throw invalid('unknown', `${element.name} in VocabularyElementList`, element);
      if (everyFault === undefined) large.read(text.length > LARGE_ITEM, readItem(read(element), items, onFault));
      else readEvery(element, text.length, (part) => atOnce(read(part)), everyFault);
    } else if (isBusinessHeader(element)) checkBusinessHeader(element);
    else if (element.name === 'ignoreFields' && element.namespace !== '') declareIgnored(element, ignore);
    else if (element.namespace === '' && !PASSED_OVER.has(element.name)) {
      throw invalid('unknown', `element ${element.name} is unknown in ${parent}`, element);
    } else checkUnqualified(element);
  };

  return {
    open(element) {
      const parent = path.at(-1);
      if (parent === undefined && root === 'event') return 'tree';
      if (parent === undefined) openRoot(element);
      else if (!isStructure(element, path)) return 'tree';
      if (path.length === 1 && /^EPCIS(?:Header|Body)$/.test(element.name)) {
        if (body)
          throw invalid('order', `${element.name} stands behind EPCISBody, which is the last and only one`, element);
      }
      if (element.name === 'EPCISBody' || element.name === 'resultsBody') body = true;
      if (parent !== undefined && entered.at(-1)?.has(element.name) === true && !REPEATED.has(element.name))
        throw invalid('order', `${element.name} stands twice in ${parent}`, element);
      entered.at(-1)?.add(element.name);
      if (element.name === 'Vocabulary') {
        vocabulary = trimmed(attributeOf(element, 'type') ?? '');
        if (vocabulary === '') throw invalid('required', 'Vocabulary lacks its type', element);
        checkUri(vocabulary, 'type of Vocabulary', element);
      }
      path.push(element.name);
      entered.push(new Set());
      return 'enter';
    },
    close() {
      path.pop();
      entered.pop();
    },
    tree: (element, text, inherited, inForce) =>
      readPart(() => readTree(element, text, inherited, inForce), everyFault),
    large: () => large.inPieces(),
    take() {
      const taken = items;
      items = [];
      return taken;
    },
    finish() {
      if (body) return;
      throw new EpcisException('ValidationException', 'the document has no EPCISBody', undefined, {
        broken: { rule: 'required' },
      });
    },
  };
}

function isStructure(element: XmlElement, path: readonly string[]): boolean {
  const parents = Object.hasOwn(STRUCTURE, element.name) ? STRUCTURE[element.name] : undefined;
  const parent = path.length === 1 ? '#root' : (path.at(-1) ?? '');
  // QueryResults is a root of its own in answers of the query interface, which qualify it inside documents, too
  const namespaced = element.namespace !== '' && element.name !== 'QueryResults';
  if (namespaced || parents === undefined) return false;
  return parents.includes(parent) || (parent === '#root' && parents.includes(path[0] ?? ''));
}

const DOCUMENT_CHECKS: readonly ((root: XmlElement) => void)[] = [
  (root) => {
    const schemaVersion = attributeOf(root, 'schemaVersion');
    if (schemaVersion === undefined) throw invalid('required', `${root.name} lacks schemaVersion`, root);
    if (!isVersion(schemaVersion)) {
      throw invalid('type', `schemaVersion ‘${schemaVersion}’ of ${root.name} is no version number`, root);
    }
  },
  (root) => {
    const creationDate = attributeOf(root, 'creationDate');
    if (creationDate === undefined) throw invalid('required', `${root.name} lacks creationDate`, root);
    // the schema's own type, which may leave the offset out
    if (parseTime(trimmed(creationDate), 'optional') === undefined)
      throw invalid('time', `creationDate ‘${creationDate.slice(0, 40)}’ of ${root.name} is no date and time`, root);
  },
];

const holds = (element: XmlElement, part: unknown): boolean =>
  element.children.some((child) => child === part || (typeof child !== 'string' && holds(child, part)));

function gapIn(element: XmlElement, fault: EpcisException): string {
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    if (child === fault.cause) return `line ${element.line} ${child.name}`;
    if (holds(child, fault.cause)) return gapIn(child, fault);
  }
  return '';
}

/** The event's own field, below the wrappers of 1.x, in which an element stands. */
function fieldHolding(element: XmlElement, part: unknown): string {
  for (const child of element.children) {
    if (typeof child === 'string' || (child !== part && !holds(child, part))) continue;
    const isWrapper = child !== part && (child.name === 'extension' || child.name === 'baseExtension');
    return isWrapper ? fieldHolding(child, part) : child.name;
  }
  return '';
}

/** A repository may name, in front of its results, the fields that it added to events and that are no part of their hash. */
function declareIgnored(element: XmlElement, ignore: Set<string>): void {
  for (const child of element.children) if (typeof child !== 'string') ignore.add(fieldName(child));
}
