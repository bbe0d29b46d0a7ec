// Single values and small structures of an event, from their JSON.
import { cbvUri, type CbvKind } from '../../domain/cbv.ts';
import { isUnit } from '../../domain/event-shape.ts';
import { isOffset, parseTime } from '../../domain/time.ts';
import { isUri } from '../../domain/uri.ts';
import { below, invalidAt, type JsonMember, type JsonValue } from './value.ts';
import { readExtensions } from './read-fields.ts';
import { nameAt, readString, readUri } from './read-strings.ts';
import type { Names } from './context.ts';
import type {
  BusinessAction,
  ErrorDeclaration,
  EpcisEvent,
  Place,
  QuantityElement,
  TypedValue,
} from '../../domain/event.ts';

function readItems(value: JsonValue, pointer: string): readonly JsonValue[] {
  if (value.kind === 'array') return value.items;
  throw invalidAt('type', `${nameAt(pointer)} is no array`, pointer);
}

export function readMembers(value: JsonValue, pointer: string): readonly JsonMember[] {
  if (value.kind === 'object') return value.members;
  throw invalidAt('type', `${nameAt(pointer)} is no object`, pointer);
}

export const mapItems = <T>(
  value: JsonValue,
  pointer: string,
  read: (item: JsonValue, pointer: string) => T,
): readonly T[] =>
  readItems(value, pointer)
    .map((item, i) => read(item, below(pointer, i)))
    // without the holes that a search for all faults leaves (value.ts: withoutMember)
    .flat<T[], 0>(0);

export const readUris = (value: JsonValue, pointer: string): readonly string[] => mapItems(value, pointer, readUri);

export function readTime(value: JsonValue, pointer: string): string {
  const text = readString(value, pointer);
  // hour 24 is XML's alone
  if (parseTime(text) !== undefined && !text.includes('T24')) return text;
  throw invalidAt('time', `‘${text}’ is no date and time with offset, like 2024-05-17T10:30:00.000+02:00`, pointer);
}

export function readOffset(value: JsonValue, pointer: string): string {
  const text = readString(value, pointer);
  if (isOffset(text)) return text;
  throw invalidAt('offset', `‘${text}’ is not like +02:00, from -14:00 to +14:00`, pointer);
}

export function readAction(value: JsonValue, pointer: string): BusinessAction {
  const text = readString(value, pointer);
  if (text === 'ADD' || text === 'OBSERVE' || text === 'DELETE') return text;
  throw invalidAt('action', `action ‘${text}’ is none of ADD, OBSERVE, DELETE`, pointer);
}

export function readWord(kind: CbvKind, value: JsonValue, pointer: string): string {
  const text = readString(value, pointer);
  const uri = cbvUri(kind, text);
  if (uri !== undefined && isUri(uri)) return uri;
  throw invalidAt('vocabulary', `‘${text}’ is neither a word of the core business vocabulary nor a URI`, pointer);
}

export function readNumber(value: JsonValue, pointer: string): number {
  if (value.kind !== 'number') throw invalidAt('type', `${nameAt(pointer)} is no number`, pointer);
  const number = Number(value.text);
  if (!Number.isFinite(number)) throw invalidAt('type', `${value.text.slice(0, 40)} is too large a number`, pointer);
  return number;
}

/** Members by name, each read by its reader; others must be extensions, where those are allowed. */
export function readObject(
  value: JsonValue,
  pointer: string,
  readers: Readonly<Record<string, (value: JsonValue, pointer: string) => unknown>>,
  prefixes: Names | undefined,
): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  const others: JsonMember[] = [];
  for (const member of readMembers(value, pointer)) {
    const read = Object.hasOwn(readers, member.key) ? readers[member.key] : undefined;
    if (read !== undefined) fields.set(member.key, read(member.value, below(pointer, member.key)));
    else if (prefixes !== undefined) others.push(member);
    else throw invalidAt('unknown', `unknown member ‘${member.key}’`, below(pointer, member.key));
  }
  const extensions = prefixes === undefined ? [] : readExtensions(others, prefixes, pointer);
  return { ...Object.fromEntries(fields), ...(extensions.length === 0 ? {} : { extensions }) };
}

function need(object: Record<string, unknown>, names: readonly string[], pointer: string): void {
  const missing = names.find((name) => object[name] === undefined);
  if (missing !== undefined) throw invalidAt('required', `${missing} is missing`, pointer);
}

function readUom(value: JsonValue, pointer: string): string {
  const text = readString(value, pointer);
  if (isUnit(text)) return text;
  throw invalidAt('unit', `‘${text}’ is no unit of measure: two or three capital letters or digits`, pointer);
}

export function readQuantity(value: JsonValue, pointer: string): QuantityElement {
  const readers = { epcClass: readUri, quantity: readNumber, uom: readUom };
  const element = readObject(value, pointer, readers, undefined);
  need(element, ['epcClass'], pointer);
  return element as unknown as QuantityElement;
}

export function readTyped(
  value: JsonValue,
  pointer: string,
  entry: string,
  kind: CbvKind,
  typeRequired: boolean,
): TypedValue {
  const type = (word: JsonValue, at: string): string => readWord(kind, word, at);
  const object = readObject(value, pointer, { type, [entry]: readUri }, undefined);
  need(object, typeRequired ? ['type', entry] : [entry], pointer);
  const { type: read, [entry]: target } = object as Record<string, string>;
  return { ...(read === undefined ? {} : { type: read }), value: target ?? '' };
}

export function readPlace(value: JsonValue, pointer: string, prefixes: Names): Place {
  const place = readObject(value, pointer, { id: readUri }, prefixes);
  need(place, ['id'], pointer);
  return place as unknown as Place;
}

export function readDispositions(value: JsonValue, pointer: string): NonNullable<EpcisEvent['persistentDisposition']> {
  const words = (list: JsonValue, at: string): readonly string[] =>
    filled(
      mapItems(list, at, (word, where) => readWord('disposition', word, where)),
      at,
    );
  const { set = [], unset = [] } = readObject(value, pointer, { set: words, unset: words }, undefined) as Record<
    string,
    readonly string[]
  >;
  if (set.length + unset.length === 0)
    throw invalidAt('required', 'persistentDisposition sets and unsets nothing', pointer);
  return { set, unset };
}

function filled(list: readonly string[], pointer: string): readonly string[] {
  if (list.length > 0) return list;
  throw invalidAt('required', `${nameAt(pointer)} is empty`, pointer);
}

export function readErrorDeclaration(value: JsonValue, pointer: string, prefixes: Names): ErrorDeclaration {
  const readers = {
    declarationTime: readTime,
    reason: (word: JsonValue, at: string) => readWord('errorReason', word, at),
    correctiveEventIDs: (list: JsonValue, at: string) => mapItems(list, at, readUri),
  };
  const declaration = readObject(value, pointer, readers, prefixes);
  need(declaration, ['declarationTime'], pointer);
  return declaration as unknown as ErrorDeclaration;
}
