// Extension fields as elements.
import { allocatePrefixes, deep } from '../../domain/namespaces.ts';
import { isXmlName, writeName } from './names.ts';
import { escapeText, escapeXml } from './source.ts';
import { XSI } from './tree.ts';
import type { Attribute, Field } from '../../domain/event.ts';

/** Prefixes that documents around an event or element use for namespaces of their own. */
export const FIXED_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['xml', 'http://www.w3.org/XML/1998/namespace'],
  ['xmlns', 'http://www.w3.org/2000/xmlns/'],
  ['xsi', XSI],
  ['xsd', 'http://www.w3.org/2001/XMLSchema'],
]);
const TYPES = ` xmlns:xsi="${XSI}" xmlns:xsd="${FIXED_PREFIXES.get('xsd')}"`;

/** What is to be declared around fields where one says what JSON made of it. */
export const declaredTypes = (content: string): string => (content.includes(' xsi:') ? TYPES : '');

/** Namespace → prefix, all declared further out. */
export type Prefixes = ReadonlyMap<string, string>;

export const writeFields = (fields: readonly Field[] | undefined, prefixes: Prefixes): string =>
  (fields ?? []).map((field) => writeField(field, prefixes)).join('');

/** A field as a document of its own, without what JSON said its values are. */
export function writeAlone(field: Field): string {
  const untyped = withoutTypes(field);
  const prefixes = allocatePrefixes(deep([untyped]), new Map(), isXmlName);
  const declared = [...prefixes].map(([uri, prefix]) => ` xmlns:${prefix}="${escapeXml(uri)}"`).join('');
  return writeField(untyped, prefixes).replace(/^<[^\s/>]+/, (tag) => tag + declared);
}

function withoutTypes({ json: _, ...field }: Field): Field {
  return typeof field.value === 'string' ? field : { ...field, value: field.value.map(withoutTypes) };
}

function writeField(field: Field, prefixes: Prefixes): string {
  if (field.name === '#text' && field.namespace === '' && typeof field.value === 'string')
    return escapeText(field.value);
  const name = qualified(field, prefixes);
  const attributes =
    (field.attributes ?? []).map((attribute) => writeAttribute(attribute, prefixes)).join('') + typeOf(field);
  const content = typeof field.value === 'string' ? escapeText(field.value) : writeFields(field.value, prefixes);
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;
}

/** What JSON said a value is, as xsi:type says it; both prefixes are declared around the fields (declaredTypes). */
function typeOf({ json, value }: Field): string {
  if (json === 'null') return ' xsi:nil="true"';
  if (json === 'boolean') return ' xsi:type="xsd:boolean"';
  if (json !== 'number') return '';
  return typeof value === 'string' && /^-?\d+$/.test(value) ? ' xsi:type="xsd:integer"' : ' xsi:type="xsd:double"';
}

export const writeAttribute = (attribute: Attribute, prefixes: Prefixes): string =>
  ` ${qualified(attribute, prefixes)}="${escapeXml(attribute.value)}"`;

function qualified({ namespace, name }: { namespace: string; name: string }, prefixes: Prefixes): string {
  const prefix = prefixes.get(namespace);
  return prefix === undefined ? writeName(name) : `${prefix}:${writeName(name)}`;
}
