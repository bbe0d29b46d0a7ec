// Query parameters as REST writes them: in the query string (`EQ_bizStep=shipping|receiving`) or as a JSON object.
import { expandCurie } from '../../domain/curies.ts';
import { EpcisException } from '../../domain/exceptions.ts';
import { masterDataPrefixes, STANDARD_PREFIXES } from '../json/context.ts';
import type { QueryParameter } from '../../service/services.ts';

type Extensions = ReadonlyMap<string, string>;

/** The binding's own parameters: never part of the query. */
const CONTROLS = new Set(['perPage', 'nextPageToken']);

export interface QueryString {
  readonly parameters: readonly QueryParameter[];
  readonly controls: ReadonlyMap<string, string>;
}

export function readQueryString(
  url: string,
  extensions: Extensions,
  controls: ReadonlySet<string> = CONTROLS,
): QueryString {
  const at = url.indexOf('?');
  const query = at < 0 ? '' : url.slice(at + 1);
  const broken = query.split('&').find((part) => !isEncoded(part));
  if (broken !== undefined) throw wrong(`'${broken.slice(0, 80)}' is not percent-encoded UTF-8.`);
  const parameters: QueryParameter[] = [];
  const own = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!controls.has(name)) parameters.push(parameter(name, value === '' ? [] : value.split('|'), extensions));
    else if (own.has(name)) throw wrong(`'${name}' is given twice.`);
    else own.set(name, value);
  }
  return { parameters, controls: own };
}

/** URLSearchParams takes anything, and makes other characters of what is none. */
function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** `{"EQ_bizStep": ["shipping"], "GE_eventTime": "2024-…"}`, as a named query's definition has it. */
export function readQueryObject(query: unknown, extensions: Extensions): QueryParameter[] {
  if (typeof query !== 'object' || query === null || Array.isArray(query)) {
    throw new EpcisException('ValidationException', 'The query must be a JSON object of parameters.', '/query');
  }
  const known = new Map([...extensions, ...contextOf(query)]);
  return Object.entries(query).flatMap(([name, value]: [string, unknown]) =>
    name === '@context' ? [] : [parameter(name, jsonValues(name, value), known)],
  );
}

/** The standard's text has EQATTR_, its schema of queries EQ_ATTR_. */
function parameter(name: string, values: readonly string[], extensions: Extensions): QueryParameter {
  const whole = expandName(name.replace(/^EQ_ATTR_/, 'EQATTR_'), extensions);
  return { name: whole, values: values.flatMap((value) => valuesOf(whole, repairTime(value), extensions)) };
}

/** A value of the standard's fields is a URI; one of an extension field is text, which may only look like a CURIE. */
function valuesOf(name: string, value: string, extensions: Extensions): string[] {
  if (name === 'orderBy') return [expandName(`EQ_${value}`, extensions).slice('EQ_'.length)];
  const expanded = expandCurie(value, name.startsWith('HASATTR_') ? masterDataPrefixes(extensions) : extensions);
  return expanded === value || !/^EQ(?:ATTR)?_.*#/.test(name) ? [expanded] : [value, expanded];
}

function jsonValues(name: string, value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((entry) => {
    if (entry === null) return [];
    if (typeof entry === 'string' || typeof entry === 'number' || typeof entry === 'boolean') return [String(entry)];
    throw wrong(`The value of '${name}' must be text, a number, true or false, or a list of these.`);
  });
}

/** A definition with the context that stands around it, where JSON-LD has contexts. */
export function queryIn({ query, '@context': around }: Readonly<Record<string, unknown>>): unknown {
  if (around === undefined || typeof query !== 'object' || query === null || Array.isArray(query)) return query;
  return { ...query, '@context': [around, '@context' in query ? query['@context'] : []].flat() };
}

/** The prefixes that a definition declares in a context of its own: `"ex": "http://…"` or `"ex": {"@id": "http://…"}`. */
function contextOf(query: object): [string, string][] {
  if (!('@context' in query)) return [];
  const contexts: readonly unknown[] = [query['@context']].flat();
  return contexts.flatMap((context) =>
    typeof context === 'object' && context !== null
      ? Object.entries(context).flatMap(([prefix, term]: [string, unknown]): [string, string][] => {
          const uri: unknown = typeof term === 'object' && term !== null && '@id' in term ? term['@id'] : term;
          return typeof uri === 'string' ? [[prefix, uri]] : [];
        })
      : [],
  );
}

/** The types of business transactions, sources and destinations, and the attributes of master data, are values. */
const VALUE_IN_NAME =
  /^(EQ_(?:bizTransaction|source|destination)_|EQATTR_(?:bizStep|disposition|readPoint|bizLocation|epcClass)_)(.+)$/;

/** `EQ_ex:color` becomes `EQ_http://example.com/ns/#color`, the one spelling of fields that the service knows. */
function expandName(name: string, extensions: Extensions): string {
  const [, before, value] = VALUE_IN_NAME.exec(name) ?? [];
  if (before !== undefined && value !== undefined)
    return before + expandCurie(value, before.startsWith('EQATTR_') ? masterDataPrefixes(extensions) : extensions);
  const colon = name.indexOf(':');
  const [start, local] = [name.slice(0, Math.max(0, colon)), name.slice(colon + 1)];
  // what no prefix has is looked for first: else a very long name is looked through once for each of its words
  if (/[\s/#]/.test(start) || !/^[^/]/.test(local)) return name;
  const [, verb = '', prefix = ''] = /^((?:[A-Z]+_)+(?:(?:readPoint|bizLocation)_)?)(.+)$/.exec(start) ?? [];
  const namespace = extensions.get(prefix) ?? STANDARD_PREFIXES.get(prefix);
  if (namespace === undefined) return name;
  // EQATTR_ex:field_ex:attribute
  const [, field, attribute] = (verb === 'EQATTR_' && /^([^_]+)_(.+)$/.exec(local)) || [];
  if (field === undefined || attribute === undefined) return `${verb}${namespace}#${local}`;
  return `${verb}${namespace}#${field}_${expandCurie(attribute, masterDataPrefixes(extensions))}`;
}

/** A `+` that the client left unescaped in the query string arrives as a space: `2024-01-01T00:00:00 02:00`. */
function repairTime(value: string): string {
  return value.replace(/^(\d{4}-\d\d-\d\dT[\d:.]+) (\d\d:\d\d)$/, '$1+$2');
}

function wrong(reason: string): EpcisException {
  return new EpcisException('QueryParameterException', reason);
}
