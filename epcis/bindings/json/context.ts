// `@context`: which prefix stands for which namespace. Contexts behind a URL are never fetched; the one of the
// standard is known, from others nothing is needed, since every prefix in use must be declared in the document.
import { expandCurie } from '../../domain/curies.ts';
import { checkNamespace, MAX_CONTEXT, tooLarge } from '../../domain/document-limits.ts';
import { EVENT_TYPES } from '../../domain/event.ts';
import { FIELD_KINDS } from '../../domain/event-shape.ts';
import { readUri } from './read-strings.ts';
import { invalidAt, type JsonMember, type JsonValue } from './value.ts';

/** The standard's own context, as we write it. */
export const JSON_CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';

/** Prefixes that the standard's own context declares. cbvmda as in XML; a document may declare it otherwise. */
export const STANDARD_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['epcis', 'https://ref.gs1.org/epcis/'],
  ['cbv', 'https://ref.gs1.org/cbv/'],
  ['cbvmda', 'urn:epcglobal:cbv:mda'],
  ['gs1', 'https://gs1.org/voc/'],
  ['rdfs', 'http://www.w3.org/2000/01/rdf-schema#'],
  ['owl', 'http://www.w3.org/2002/07/owl#'],
  ['xsd', 'http://www.w3.org/2001/XMLSchema#'],
  ['dcterms', 'http://purl.org/dc/terms/'],
]);

/** Terms of the standard's own context, which protects them: a document that makes prefixes of them is none to readers of JSON-LD. */
export const STANDARD_TERMS: ReadonlySet<string> = new Set([
  ...['id', 'type', 'baseURL', 'Collection', 'member', ...EVENT_TYPES, ...Object.keys(FIELD_KINDS)],
  ...[
    'creationDate',
    'sender',
    'receiver',
    'instanceIdentifier',
    'schemaVersion',
    'EPCISDocument',
    'EPCISQueryDocument',
  ],
  ...['epcisHeader', 'masterData', 'vocabularyList', 'epcisBody', 'queryResults', 'subscriptionID', 'queryName'],
  ...['resultsBody', 'eventList', 'children', 'uom'],
]);

/** Beside the prefixes: the namespace of names that have none. */
const VOCABULARY = '@vocab';

export type Prefixes = ReadonlyMap<string, string>;

/** Prefixes that are only looked up. */
export type Names = Pick<Prefixes, 'get'>;

/** The prefixes in force in a document: those of its context, and `outer`. */
export function withContext(context: JsonValue, outer: Prefixes, pointer: string): Prefixes {
  return new Map([...outer, ...declaredBy(context, outer, pointer)]);
}

/** The prefixes in force where a member may be a context: many small ones below a large one take no copy of it each. */
export function withinContext(context: JsonMember | undefined, outer: Names, pointer: string): Names {
  if (context === undefined) return outer;
  checkContextSize(context.end - context.start);
  return layered(declaredBy(context.value, outer, pointer), outer);
}

export function checkContextSize(size: number): void {
  if (size > MAX_CONTEXT) throw tooLarge('@context is larger than allowed', MAX_CONTEXT);
}

/** The standard's own prefixes and those of the GS1-Extensions header. */
export function givenPrefixes(extensions: Prefixes): Prefixes {
  for (const [prefix, uri] of extensions) checkNamespace(prefix, uri);
  return new Map([...STANDARD_PREFIXES, ...extensions]);
}

const layered = (first: Names, then: Names): Names => ({ get: (prefix) => first.get(prefix) ?? then.get(prefix) });

function declaredBy(context: JsonValue, outer: Names, pointer: string): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  const urls = new Set<string>();
  for (const entry of context.kind === 'array' ? context.items : [context]) {
    if (entry.kind === 'string') {
      const url = readUri(entry, pointer);
      if (urls.has(url)) throw invalidAt('order', `‘${url}’ stands twice`, pointer);
      urls.add(url);
      continue;
    }
    if (entry.kind !== 'object') throw invalidAt('type', '@context holds what is neither a URL nor an object', pointer);
    const declared = new Map<string, string>();
    for (const { key, value } of entry.members) {
      const uri = value.kind === 'object' ? value.members.find((member) => member.key === '@id')?.value : value;
      // keywords and definitions of single terms (rail:axles) declare no prefix
      const isPrefix = !key.startsWith('@') && !key.includes(':');
      // an empty one is no namespace in XML, nor an IRI in JSON-LD
      if (uri?.kind === 'string' && uri.value !== '' && (isPrefix || key === VOCABULARY)) declared.set(key, uri.value);
    }
    const known = layered(declared, layered(all, outer));
    const whole = [...declared].map(([prefix, uri]) => [prefix, wholeNamespace(prefix, uri, known)] as const);
    for (const [prefix, uri] of whole) {
      checkNamespace(prefix, uri);
      all.set(prefix, uri);
    }
  }
  return all;
}

/** More would be nobody's. */
const MOST_STEPS = 8;

/** JSON-LD lets a namespace begin with another prefix: with `base` declared, `base:voc/` is one. */
function wholeNamespace(prefix: string, uri: string, known: Names): string {
  let whole = uri;
  for (let step = 0; step < MOST_STEPS && !whole.startsWith(`${prefix}:`); step += 1) {
    const before = whole;
    whole = expandCurie(before, known);
    if (whole === before) break;
    checkNamespace(prefix, whole);
  }
  return whole;
}

/** Prefixes that the standard's own context doesn't declare, or declares otherwise. */
export const ownPrefixes = (prefixes: Names): Names => ({
  get: (prefix) => {
    const uri = prefixes.get(prefix);
    return uri === undefined || STANDARD_PREFIXES.get(prefix) === uri ? undefined : uri;
  },
});

/**
 * What prefixes of master data stand for. Attributes are values, and of values the standard's own cbvmda makes URNs
 * (urn:epcglobal:cbv:mda:site); the namespace of fields, as XML writes it, lacks the colon.
 */
export const masterDataPrefixes = (prefixes: Names): Names => {
  const own = ownPrefixes(prefixes);
  return { get: (prefix) => own.get(prefix) ?? (prefix === 'cbvmda' ? 'urn:epcglobal:cbv:mda:' : undefined) };
};

export interface Name {
  readonly namespace: string;
  readonly name: string;
  readonly prefix?: string;
}

/** `prefix:name`, or a whole URI, which is cut behind its last / # or : . Undefined for a name without namespace. */
export function resolveName(key: string, prefixes: Names): Name | undefined {
  const colon = key.indexOf(':');
  if (colon <= 0) return undefined;
  const prefix = key.slice(0, colon);
  const namespace = key.startsWith('//', colon + 1) ? undefined : prefixes.get(prefix);
  if (namespace !== undefined && colon + 1 < key.length) return { namespace, name: key.slice(colon + 1), prefix };
  return cutName(key);
}

/** A name inside of an extension, which needs no namespace but may have one by the context: a term for a whole URI, or `@vocab`. */
export function resolveInner(key: string, prefixes: Names): Name {
  const uri = STANDARD_PREFIXES.get(key) === prefixes.get(key) ? undefined : prefixes.get(key);
  const vocabulary = key.startsWith('@') || key.startsWith('#') ? undefined : prefixes.get(VOCABULARY);
  const named = resolveName(key, prefixes) ?? (uri === undefined ? undefined : cutName(uri));
  return named ?? { namespace: vocabulary ?? '', name: key };
}

function cutName(uri: string): Name | undefined {
  const cut = Math.max(uri.lastIndexOf('/'), uri.lastIndexOf('#'), uri.lastIndexOf(':')) + 1;
  return cut < uri.length ? { namespace: uri.slice(0, cut), name: uri.slice(cut) } : undefined;
}
