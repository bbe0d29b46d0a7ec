// One event from its JSON object.
import { eventTypeOf, FIELD_KINDS, fieldsOf, isEventType, TYPED_LISTS, wholeEvent } from '../../domain/event-shape.ts';
import { METADATA_FIELDS, REPORT_FIELDS, type SensorValueKind } from '../../domain/sensor-shape.ts';
import { below, invalidAt, type JsonMember, type JsonValue } from './value.ts';
import { resolveName, type Names } from './context.ts';
import { readExtensions } from './read-fields.ts';
import { nameAt, readString, readUri } from './read-strings.ts';
import * as values from './read-values.ts';
import { isUri } from '../../domain/uri.ts';
import type { FieldName, TypedList } from '../../domain/event-shape.ts';
import type { EpcisEvent, SensorElement } from '../../domain/event.ts';

/** `prefixes` are those in force inside the event, its own `@context` included. */
export function readJsonEvent(value: JsonValue, prefixes: Names, pointer: string): EpcisEvent {
  const members = values.readMembers(value, pointer);
  const type = readType(members, prefixes, pointer);
  const names: readonly string[] = fieldsOf(type);
  const fields = new Map<string, unknown>();
  const others: JsonMember[] = [];
  for (const member of members) {
    const { key } = member;
    if (key === '@context' || key === 'type') continue;
    if (names.includes(key)) {
      fields.set(key, readField(key as FieldName, member.value, below(pointer, key), prefixes));
    } else if (Object.hasOwn(FIELD_KINDS, key))
      throw invalidAt('unknown', `${type} has no field ${key}`, below(pointer, key));
    else others.push(member);
  }
  const extensions = readExtensions(others, prefixes, pointer);
  return wholeEvent(type, Object.fromEntries(fields), extensions, pointer === '' ? '/' : pointer);
}

function readType(members: readonly JsonMember[], prefixes: Names, pointer: string): string {
  const member = members.find(({ key }) => key === 'type');
  if (member === undefined) throw invalidAt('required', 'the event lacks its type', pointer);
  const type = readString(member.value, below(pointer, 'type'));
  if (isEventType(type)) return type;
  const name = resolveName(type, prefixes);
  if (name === undefined || !isUri(type))
    throw invalidAt('event-type', `unknown event type ‘${type}’`, below(pointer, 'type'));
  return eventTypeOf(name.namespace + name.name);
}

function readField(name: FieldName, value: JsonValue, pointer: string, prefixes: Names): unknown {
  switch (FIELD_KINDS[name]) {
    case 'time':
      return values.readTime(value, pointer);
    case 'offset':
      return values.readOffset(value, pointer);
    case 'uri':
      return readUri(value, pointer);
    case 'uris':
      return value.kind === 'array' ? values.readUris(value, pointer) : [readUri(value, pointer)];
    case 'number':
      return values.readNumber(value, pointer);
    case 'action':
      return values.readAction(value, pointer);
    case 'word':
      return values.readWord(name === 'bizStep' ? 'bizStep' : 'disposition', value, pointer);
    case 'epcs':
      return values.readUris(value, pointer);
    case 'quantities':
      return values.mapItems(value, pointer, values.readQuantity);
    case 'place':
      return values.readPlace(value, pointer, prefixes);
    case 'typed': {
      const { entry, kind, typeRequired } = TYPED_LISTS[name as TypedList];
      return values.mapItems(value, pointer, (item, at) => values.readTyped(item, at, entry, kind, typeRequired));
    }
    case 'dispositions':
      return values.readDispositions(value, pointer);
    case 'error':
      return values.readErrorDeclaration(value, pointer, prefixes);
    case 'sensors':
      return values.mapItems(value, pointer, (item, at) => readSensorElement(item, at, prefixes));
    case 'fields':
      return readExtensions(values.readMembers(value, pointer), prefixes, pointer);
  }
}

function readSensorElement(value: JsonValue, pointer: string, prefixes: Names): SensorElement {
  const readers = {
    sensorMetadata: (item: JsonValue, at: string) => values.readObject(item, at, METADATA_READERS, prefixes),
    sensorReport: (list: JsonValue, at: string) =>
      values.mapItems(list, at, (item, where) => {
        const report = values.readObject(item, where, REPORT_READERS, prefixes);
        if (report.type === undefined) throw invalidAt('required', 'sensorReport lacks its type', where);
        return report;
      }),
  };
  const element = values.readObject(value, pointer, readers, prefixes) as unknown as SensorElement;
  if ((element.sensorReport as unknown) === undefined || element.sensorReport.length === 0) {
    throw invalidAt('required', 'sensorElement lacks sensorReport', pointer);
  }
  return element;
}

type Reader = (value: JsonValue, pointer: string) => unknown;
const readersOf = (kinds: Readonly<Record<string, SensorValueKind>>): Readonly<Record<string, Reader>> =>
  Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, sensorReader(kind)]));

function sensorReader(kind: SensorValueKind): Reader {
  if (typeof kind === 'object') return (value, at) => values.readWord(kind.word, value, at);
  switch (kind) {
    case 'time':
      return values.readTime;
    case 'uri':
      return readUri;
    case 'number':
      return values.readNumber;
    case 'string':
      return readString;
    case 'boolean':
      return (value, at) => {
        if (value.kind === 'boolean') return value.value;
        throw invalidAt('type', `${nameAt(at)} is neither true nor false`, at);
      };
    case 'hex':
      return (value, at) => {
        const text = readString(value, at);
        if (/^[0-9A-Fa-f]+$/.test(text)) return text;
        throw invalidAt('type', `‘${text}’ is not hexadecimal`, at);
      };
  }
}

const METADATA_READERS = readersOf(METADATA_FIELDS);
const REPORT_READERS = readersOf(REPORT_FIELDS);
