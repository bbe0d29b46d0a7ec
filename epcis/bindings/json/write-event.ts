// One event as a JSON object. Its `@context` declares the namespaces of its extensions; the standard's own context
// stands at the document.
import { cbvWord, type CbvKind } from '../../domain/cbv.ts';
import { curieNamespaces, schemesOf, withCuries } from '../../domain/curies.ts';
import { FIELD_KINDS, fieldsOf, TYPED_LISTS } from '../../domain/event-shape.ts';
import { allocatePrefixes, extensionsOf } from '../../domain/namespaces.ts';
import { METADATA_FIELDS, REPORT_FIELDS, type SensorValueKind } from '../../domain/sensor-shape.ts';
import { STANDARD_PREFIXES, STANDARD_TERMS } from './context.ts';
import { writeFields, type Keys } from './write-fields.ts';
import type { FieldName, TypedList } from '../../domain/event-shape.ts';
import type { EpcisEvent, Field, QuantityElement, SensorElement, TypedValue } from '../../domain/event.ts';

const isPrefix = (text: string): boolean =>
  /^[A-Za-z][\w.-]*$/.test(text) && text !== 'urn' && !/^https?$/.test(text) && !STANDARD_TERMS.has(text);

/** cbvmda may be declared with or without a colon at its end: both are in use, and are two namespaces. */
const FIXED = new Map([...STANDARD_PREFIXES].filter(([prefix]) => prefix !== 'cbvmda'));

/** XML's namespace of CBV's master data, by whatever prefix, is what the standard's context has a prefix for: readers of JSON-LD know no other way. */
const withOwnPrefix = <T extends { readonly namespace: string }>(named: T): T =>
  named.namespace === STANDARD_PREFIXES.get('cbvmda') ? { ...named, prefix: 'cbvmda' } : named;

export function writeJsonEvent(captured: EpcisEvent): string {
  const named = [...curieNamespaces(captured), ...extensionsOf(captured)].map(withOwnPrefix);
  const prefixes = allocatePrefixes(named, FIXED, isPrefix, schemesOf(captured));
  const event = withCuries(captured, prefixes);
  const keys: Keys = { prefixes };
  const members = [
    ...contextMember(prefixes),
    `"type":${string(jsonEventType(event.type))}`,
    ...fieldsOf(event.type)
      .filter((name) => event[name] !== undefined)
      .map((name) => `"${name}":${writeField(event, name, keys)}`),
    ...writeFields(event.extensions, keys),
  ];
  return `{${members.join(',')}}`;
}

/** JSON came after QuantityEvent was given up: there it is an event type of someone's own, whose name is a URI. */
export const jsonEventType = (type: string): string => (type === 'QuantityEvent' ? `epcis:${type}` : type);

function contextMember(prefixes: ReadonlyMap<string, string>): string[] {
  const declared = [...prefixes].filter(([uri, prefix]) => STANDARD_PREFIXES.get(prefix) !== uri);
  const entries = declared.map(([uri, prefix]) => `{${string(prefix)}:${string(uri)}}`);
  return entries.length === 0 ? [] : [`"@context":[${entries.join(',')}]`];
}

const string = (text: string): string => JSON.stringify(text);
const array = (items: readonly string[]): string => `[${items.join(',')}]`;
const strings = (texts: readonly string[]): string => array(texts.map(string));
const object = (members: readonly string[]): string => `{${members.join(',')}}`;
const word = (kind: CbvKind, uri: string): string => string(cbvWord(kind, uri));
const words = (kind: CbvKind, uris: readonly string[]): string => array(uris.map((uri) => word(kind, uri)));

function writeField(event: EpcisEvent, name: FieldName, keys: Keys): string {
  const value: unknown = event[name];
  switch (FIELD_KINDS[name]) {
    case 'time':
    case 'offset':
    case 'uri':
    case 'action':
      return string(value as string);
    case 'number':
      return String(value);
    case 'word':
      return word(name === 'bizStep' ? 'bizStep' : 'disposition', value as string);
    case 'uris': {
      const uris = value as readonly string[];
      return uris.length === 1 ? string(uris.join('')) : strings(uris);
    }
    case 'epcs':
      return strings(value as readonly string[]);
    case 'quantities':
      return array((value as readonly QuantityElement[]).map((element) => plainObject(element)));
    case 'place':
      return extended(value as { id: string; extensions?: readonly Field[] }, keys);
    case 'typed':
      return writeTyped(name as TypedList, value as readonly TypedValue[]);
    case 'dispositions': {
      const { set, unset } = value as NonNullable<EpcisEvent['persistentDisposition']>;
      const of = (key: string, uris: readonly string[]): string[] =>
        uris.length === 0 ? [] : [`"${key}":${words('disposition', uris)}`];
      return object([...of('set', set), ...of('unset', unset)]);
    }
    case 'error': {
      const { reason, ...rest } = value as NonNullable<EpcisEvent['errorDeclaration']>;
      return extended({ ...rest, ...(reason === undefined ? {} : { reason: cbvWord('errorReason', reason) }) }, keys);
    }
    case 'sensors':
      return array((value as readonly SensorElement[]).map((element) => writeSensorElement(element, keys)));
    case 'fields':
      return object(writeFields(value as readonly Field[], keys));
  }
}

const plainObject = (value: object): string => JSON.stringify(value);

/** An object of plain members and extensions. */
function extended({ extensions, ...plain }: { readonly extensions?: readonly Field[] }, keys: Keys): string {
  const members = Object.entries(plain).map(([key, value]) => `${string(key)}:${JSON.stringify(value)}`);
  return object([...members, ...writeFields(extensions, keys)]);
}

function writeTyped(name: TypedList, values: readonly TypedValue[]): string {
  const { entry, kind } = TYPED_LISTS[name];
  return array(
    values.map(({ type, value }) =>
      object([...(type === undefined ? [] : [`"type":${word(kind, type)}`]), `"${entry}":${string(value)}`]),
    ),
  );
}

function writeSensorElement({ sensorMetadata, sensorReport, extensions }: SensorElement, keys: Keys): string {
  return object([
    ...(sensorMetadata === undefined
      ? []
      : [`"sensorMetadata":${sensorObject(sensorMetadata, METADATA_FIELDS, keys)}`]),
    `"sensorReport":${array(sensorReport.map((report) => sensorObject(report, REPORT_FIELDS, keys)))}`,
    ...writeFields(extensions, keys),
  ]);
}

function sensorObject(
  { extensions, ...fields }: { readonly extensions?: readonly Field[] },
  kinds: Readonly<Record<string, SensorValueKind>>,
  keys: Keys,
): string {
  const members = Object.entries(fields as Readonly<Record<string, unknown>>).map(([key, value]) => {
    const kind = kinds[key];
    return `${string(key)}:${typeof kind === 'object' ? word(kind.word, value as string) : JSON.stringify(value)}`;
  });
  return object([...members, ...writeFields(extensions, keys)]);
}
