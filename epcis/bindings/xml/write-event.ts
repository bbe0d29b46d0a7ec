// One event as an XML element of its own: every namespace it needs is declared on it.
// 2.0 writes fields in the schema's order; 1.2 nests what it added to 1.0 in `baseExtension` and `extension`, and what
// came with 2.0 one level deeper, where a client of 1.x passes it over.
import { curieNamespaces, schemesOf, withCuries } from '../../domain/curies.ts';
import { EVENT_TYPE_NAMESPACE, FIELD_KINDS, fieldsOf, isEventType, TYPED_LISTS } from '../../domain/event-shape.ts';
import { fieldName } from '../../domain/hash-text.ts';
import { allocatePrefixes, extensionsOf } from '../../domain/namespaces.ts';
import { METADATA_FIELDS, REPORT_FIELDS } from '../../domain/sensor-shape.ts';
import { isXmlName } from './names.ts';
import { declaredTypes, FIXED_PREFIXES, writeAttribute, writeFields, type Prefixes } from './write-fields.ts';
import { escapeText, escapeXml } from './source.ts';
import type { CbvKind } from '../../domain/cbv.ts';
import type { FieldName, TypedList } from '../../domain/event-shape.ts';
import type { EpcisEvent, Field, Place, QuantityElement, SensorElement } from '../../domain/event.ts';

export type XmlVersion = '1.2' | '2.0';
/** How a canonical vocabulary URI is written. */
export type WriteWord = (kind: CbvKind, uri: string) => string;

/** 1.2 knows no CURIEs: there their URIs stand whole. */
export function writeXmlEvent(captured: EpcisEvent, version: XmlVersion, word: WriteWord): string {
  const foreign = isOwn(captured.type, version) ? [] : [eventName(captured.type)];
  const curies = version === '2.0' ? curieNamespaces(captured) : [];
  const named = [...foreign, ...curies, ...extensionsOf(captured)];
  const prefixes = allocatePrefixes(
    named,
    FIXED_PREFIXES,
    isXmlName,
    version === '2.0' ? schemesOf(captured) : undefined,
  );
  const event = version === '2.0' ? withCuries(captured, prefixes) : captured;
  const write = (name: FieldName): string => writeField(event, name, { prefixes, word });
  const body = version === '2.0' ? body2(event, write) : body1(event, write);
  const name = foreign[0] === undefined ? event.type : `${prefixes.get(foreign[0].namespace)}:${foreign[0].name}`;
  const declarations = [...prefixes].map(([uri, prefix]) => ` xmlns:${prefix}="${escapeXml(uri)}"`).join('');
  const content = body + writeFields(event.extensions, prefixes);
  return `<${name}${declarations}${declaredTypes(content)}>${content}</${name}>`;
}

/** Whether the version's schema has the type. 2.0 has no QuantityEvent any more: there it is a type of the standard's namespace. */
export const isOwn = (type: string, version: XmlVersion): boolean =>
  isEventType(type) && !(type === 'QuantityEvent' && version === '2.0');

function eventName(type: string): Field {
  if (isEventType(type)) return { namespace: EVENT_TYPE_NAMESPACE, prefix: 'epcis', name: type, value: '' };
  const cut = Math.max(type.lastIndexOf('/'), type.lastIndexOf('#'), type.lastIndexOf(':')) + 1;
  return { namespace: type.slice(0, cut), name: type.slice(cut), value: '' };
}

const body2 = (event: EpcisEvent, write: (name: FieldName) => string): string =>
  fieldsOf(event.type).map(write).join('');

const BASE_1_2: readonly FieldName[] = ['eventID', 'errorDeclaration'];
const SINCE_2_0: readonly FieldName[] = ['certificationInfo', 'sensorElementList', 'persistentDisposition'];
const SINCE_1_1: readonly FieldName[] = ['quantityList', 'childQuantityList', 'sourceList', 'destinationList', 'ilmd'];

function body1(event: EpcisEvent, write: (name: FieldName) => string): string {
  // TransformationEvent came with 1.1 and AssociationEvent with 2.0: nothing of them is an addition to 1.0
  const newType = event.type === 'TransformationEvent' || event.type === 'AssociationEvent';
  const added = newType ? [] : SINCE_1_1;
  const of = (names: readonly FieldName[]): string =>
    names
      .filter((name) => fieldsOf(event.type).includes(name))
      .map(write)
      .join('');
  const nested = wrap('extension', of(added) + (newType ? of(SINCE_2_0) : wrap('extension', of(SINCE_2_0))));
  const plain = fieldsOf(event.type).filter((name) => ![...BASE_1_2, ...SINCE_2_0, ...added].includes(name));
  const offsetAt = plain.indexOf('eventTimeZoneOffset') + 1;
  return (
    of(plain.slice(0, offsetAt)) +
    wrap('baseExtension', of(BASE_1_2)) +
    requiredLists(event, of, plain.slice(offsetAt)) +
    nested
  );
}

/** 1.x wants an empty list where 2.0 has none. */
function requiredLists(
  event: EpcisEvent,
  of: (names: readonly FieldName[]) => string,
  names: readonly FieldName[],
): string {
  const list = REQUIRED_LISTS[event.type];
  if (list === undefined || event[list] !== undefined) return of(names);
  const at = names.indexOf(list);
  return `${of(names.slice(0, at))}<${list}/>${of(names.slice(at))}`;
}

const REQUIRED_LISTS: Readonly<Record<string, 'epcList' | 'childEPCs' | undefined>> = {
  ObjectEvent: 'epcList',
  TransactionEvent: 'epcList',
  AggregationEvent: 'childEPCs',
};

const wrap = (name: string, content: string): string => (content === '' ? '' : `<${name}>${content}</${name}>`);
const element = (name: string, text: string): string => `<${name}>${escapeText(text)}</${name}>`;
const list = (name: string, entries: readonly string[]): string => `<${name}>${entries.join('')}</${name}>`;

interface Style {
  readonly prefixes: Prefixes;
  readonly word: WriteWord;
}

function writeField(event: EpcisEvent, name: FieldName, style: Style): string {
  const value: unknown = event[name];
  if (value === undefined) return '';
  const kind = FIELD_KINDS[name];
  // lists that the schema doesn't let be empty
  if ((kind === 'typed' || kind === 'sensors') && (value as readonly unknown[]).length === 0) return '';
  switch (kind) {
    case 'time':
    case 'offset':
    case 'uri':
    case 'action':
      return element(name, value as string);
    case 'number':
      return element(name, decimal(value as number));
    case 'uris':
      return (value as readonly string[]).map((uri) => element(name, uri)).join('');
    case 'word':
      return element(name, style.word(name === 'bizStep' ? 'bizStep' : 'disposition', value as string));
    case 'epcs':
      return list(
        name,
        (value as readonly string[]).map((epc) => element('epc', epc)),
      );
    case 'quantities':
      return list(name, (value as readonly QuantityElement[]).map(writeQuantity));
    case 'place':
      return writePlace(name, value as Place, style);
    case 'typed':
      return writeTyped(event, name as TypedList, style);
    case 'dispositions':
      return writeDispositions(event, style);
    case 'error':
      return writeErrorDeclaration(event, style);
    case 'sensors':
      return list(
        name,
        (value as readonly SensorElement[]).map((sensor) => writeSensorElement(sensor, style)),
      );
    case 'fields':
      return list(name, [writeFields(value as readonly Field[], style.prefixes)]);
  }
}

function writeQuantity({ epcClass, quantity, uom }: QuantityElement): string {
  const amount = quantity === undefined ? '' : element('quantity', decimal(quantity));
  return wrap(
    'quantityElement',
    element('epcClass', epcClass) + amount + (uom === undefined ? '' : element('uom', uom)),
  );
}

/** The schema's decimal has no exponent: 1.5e-7 is 0.00000015. */
function decimal(value: number): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value)) ?? [];
  if (exponent === undefined) return String(value);
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  return sign + (point <= 0 ? `0.${'0'.repeat(-point)}${digits}` : digits.padEnd(point, '0'));
}

const writePlace = (name: string, { id, extensions }: Place, { prefixes }: Style): string =>
  wrap(name, element('id', id) + writeFields(extensions, prefixes));

function writeTyped(event: EpcisEvent, name: TypedList, { word }: Style): string {
  const { entry, kind } = TYPED_LISTS[name];
  const entries = (event[name] ?? []).map(({ type, value }) => {
    const attribute = type === undefined ? '' : ` type="${escapeXml(word(kind, type))}"`;
    return `<${entry}${attribute}>${escapeText(value)}</${entry}>`;
  });
  return list(name, entries);
}

function writeDispositions({ persistentDisposition }: EpcisEvent, { word }: Style): string {
  const of = (name: 'set' | 'unset'): string =>
    (persistentDisposition?.[name] ?? []).map((uri) => element(name, word('disposition', uri))).join('');
  return wrap('persistentDisposition', of('unset') + of('set'));
}

function writeErrorDeclaration({ errorDeclaration }: EpcisEvent, { word, prefixes }: Style): string {
  if (errorDeclaration === undefined) return '';
  const { declarationTime, reason, correctiveEventIDs, extensions } = errorDeclaration;
  return wrap(
    'errorDeclaration',
    element('declarationTime', declarationTime) +
      (reason === undefined ? '' : element('reason', word('errorReason', reason))) +
      (correctiveEventIDs === undefined
        ? ''
        : list(
            'correctiveEventIDs',
            correctiveEventIDs.map((id) => element('correctiveEventID', id)),
          )) +
      writeFields(extensions, prefixes),
  );
}

function writeSensorElement({ sensorMetadata, sensorReport, extensions }: SensorElement, { prefixes }: Style): string {
  const metadata =
    sensorMetadata === undefined ? '' : attributed('sensorMetadata', sensorMetadata, METADATA_FIELDS, prefixes);
  const reports = sensorReport.map((report) => attributed('sensorReport', report, REPORT_FIELDS, prefixes));
  return wrap('sensorElement', metadata + reports.join('') + writeFields(extensions, prefixes));
}

/** XML has two digits for each byte; JSON's schema lets one be missing. */
const evenHex = (digits: string): string => (digits.length % 2 === 0 ? digits : `0${digits}`);

/** Fields as attributes. An extension that is no single text, or stands twice, can only be an element. */
function attributed(
  name: string,
  { extensions = [], ...fields }: { readonly extensions?: readonly Field[] },
  kinds: Readonly<Record<string, unknown>>,
  prefixes: Prefixes,
): string {
  const values = fields as Readonly<Record<string, string | number | boolean | undefined>>;
  const standard = Object.keys(kinds)
    .filter((key) => values[key] !== undefined)
    .map((key) => ` ${key}="${escapeXml(kinds[key] === 'hex' ? evenHex(String(values[key])) : String(values[key]))}"`)
    .join('');
  const times = new Map<string, number>();
  for (const field of extensions) times.set(fieldName(field), (times.get(fieldName(field)) ?? 0) + 1);
  const isAttribute = (field: Field): boolean =>
    typeof field.value === 'string' &&
    field.attributes === undefined &&
    !(field.namespace === '' && Object.hasOwn(kinds, field.name)) &&
    times.get(fieldName(field)) === 1;
  const attributes = extensions
    .filter(isAttribute)
    .map((field) => writeAttribute({ ...field, value: field.value as string }, prefixes))
    .join('');
  const content = writeFields(
    extensions.filter((field) => !isAttribute(field)),
    prefixes,
  );
  return content === ''
    ? `<${name}${standard}${attributes}/>`
    : `<${name}${standard}${attributes}>${content}</${name}>`;
}
