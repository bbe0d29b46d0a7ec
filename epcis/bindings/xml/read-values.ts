// Single values and small structures of an event, from their XML elements.
import { cbvUri, type CbvKind } from '../../domain/cbv.ts';
import { isUnit } from '../../domain/event-shape.ts';
import { isOffset, parseTime, withoutHour24 } from '../../domain/time.ts';
import { isUri } from '../../domain/uri.ts';
import { collapsed, trimmed } from '../../domain/white-space.ts';
import { attributeOf, elementsOf, invalid, isEmpty, textOf, XSI, type XmlElement } from './tree.ts';
import { readFields } from './read-fields.ts';
import type {
  BusinessAction,
  ErrorDeclaration,
  EpcisEvent,
  Place,
  QuantityElement,
  TypedValue,
} from '../../domain/event.ts';

export const readTime = (element: XmlElement): string => checkTime(textOf(element), element.name, element);

export function checkTime(text: string, name: string, at: XmlElement): string {
  if (parseTime(text) !== undefined) return withoutHour24(text);
  throw invalid('time', `${name} ‘${text}’ is no date and time with offset, like 2024-05-17T10:30:00.000+02:00`, at);
}

export const readUri = (element: XmlElement): string => checkUri(textOf(element), element.name, element);

export function checkUri(text: string, name: string, at: XmlElement): string {
  if (isUri(text)) return text;
  throw invalid('uri', `${name} ‘${text.slice(0, 80)}’ is no URI`, at);
}

export function readOffset(element: XmlElement): string {
  const text = textOf(element);
  if (!isOffset(text))
    throw invalid('offset', `eventTimeZoneOffset ‘${text}’ is not like +02:00, from -14:00 to +14:00`, element);
  return text;
}

export function readAction(element: XmlElement): BusinessAction {
  const text = textOf(element);
  if (text === 'ADD' || text === 'OBSERVE' || text === 'DELETE') return text;
  throw invalid('action', `action ‘${text}’ is none of ADD, OBSERVE, DELETE`, element);
}

export const readWord = (kind: CbvKind, element: XmlElement): string =>
  checkWord(kind, textOf(element), element.name, element);

export function checkWord(kind: CbvKind, text: string, name: string, at: XmlElement): string {
  const uri = cbvUri(kind, collapsed(text));
  if (uri !== undefined && isUri(uri)) return uri;
  throw invalid('vocabulary', `${name} ‘${text}’ is neither a word of the core business vocabulary nor a URI`, at);
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const DOUBLE = new RegExp(`${DECIMAL.source.slice(0, -1)}(?:[eE][+-]?\\d+)?$`);

export function checkNumber(text: string, name: string, at: XmlElement): number {
  const value = Number(text);
  if (!DOUBLE.test(text) || !Number.isFinite(value)) throw invalid('type', `${name} ‘${text}’ is no number`, at);
  return value;
}

export function readQuantity(element: XmlElement): number | undefined {
  if (attributeOf(element, 'nil', XSI) === 'true') return undefined;
  const text = textOf(element);
  const value = checkNumber(text, element.name, element);
  if (!DECIMAL.test(text)) throw invalid('type', `${element.name} ‘${text}’ is no decimal number`, element);
  return value;
}

export function readList(element: XmlElement, entry: string): readonly string[] {
  return entriesOf(element, entry).map(readUri);
}

function entriesOf(element: XmlElement, entry: string): readonly XmlElement[] {
  const entries = elementsOf(element);
  for (const child of entries) {
    if (child.name !== entry || child.namespace !== '')
      throw invalid('unknown', `${element.name} holds ${child.name}, not ${entry}`, child);
  }
  return entries;
}

export function readQuantities(element: XmlElement): readonly QuantityElement[] {
  return entriesOf(element, 'quantityElement').map((entry) => {
    const [epcClass, quantity, uom] = inOrder(entry, ['epcClass', 'quantity', 'uom']).map(present);
    if (epcClass === undefined) throw invalid('required', 'quantityElement lacks epcClass', entry);
    const amount = quantity === undefined ? undefined : readQuantity(quantity);
    return {
      epcClass: readUri(epcClass),
      ...(amount === undefined ? {} : { quantity: amount }),
      ...(uom === undefined ? {} : { uom: readUom(uom) }),
    };
  });
}

const present = (element: XmlElement | undefined): XmlElement | undefined =>
  element === undefined || isEmpty(element) ? undefined : element;

function readUom(element: XmlElement): string {
  const text = textOf(element);
  if (isUnit(text)) return text;
  throw invalid('unit', `uom ‘${text}’ is no unit of measure: two or three capital letters or digits`, element);
}

/** The children by name, each once at most, in this order and no others. */
function inOrder(element: XmlElement, names: readonly string[]): readonly (XmlElement | undefined)[] {
  const found: (XmlElement | undefined)[] = names.map(() => undefined);
  let last = -1;
  for (const child of elementsOf(element)) {
    const rank = child.namespace === '' ? names.indexOf(child.name) : -1;
    if (rank < 0) throw invalid('unknown', `unknown element ${child.name} in ${element.name}`, child);
    if (rank <= last)
      throw invalid('order', `${child.name} of ${element.name} is out of order (${names.join(', ')})`, child);
    found[rank] = child;
    last = rank;
  }
  return found;
}

export function readTyped(
  element: XmlElement,
  entry: string,
  kind: CbvKind,
  typeRequired: boolean,
): readonly TypedValue[] {
  return entriesOf(element, entry).map((child) => {
    const type = trimmed(attributeOf(child, 'type') ?? '');
    if (type === '' && typeRequired) throw invalid('required', `${entry} lacks its type`, child);
    const value = readUri(child);
    return type === '' ? { value } : { type: checkWord(kind, type, `type of ${entry}`, child), value };
  });
}

const TYPED = new Set(['bizTransaction', 'source', 'destination']);

/** Elements of the standard have no attributes but the type of a typed value; sensors and what holds extensions may have any. */
export function checkAttributes(element: XmlElement): void {
  if (element.namespace !== '') return;
  const wrong = (ANY_ATTRIBUTE.has(element.name) ? [] : element.attributes).find(
    ({ namespace, name }) => namespace !== XSI && !(namespace === '' && name === 'type' && TYPED.has(element.name)),
  );
  if (wrong !== undefined) {
    const name = wrong.prefix === '' ? wrong.name : `${wrong.prefix}:${wrong.name}`;
    throw invalid('unknown', `${element.name} has the attribute ${name}, which it has not in the standard`, element);
  }
  for (const child of element.children) if (typeof child !== 'string') checkAttributes(child);
}

const ANY_ATTRIBUTE = new Set(['sensorMetadata', 'sensorReport', 'errorDeclaration', 'ilmd', 'extension']);

/** Standard children and, after them or in an `extension`, those of other namespaces. */
function splitExtensions(element: XmlElement): { standard: readonly XmlElement[]; foreign: readonly XmlElement[] } {
  const children = elementsOf(element).flatMap((child) =>
    child.namespace === '' && child.name === 'extension' ? elementsOf(child) : [child],
  );
  return {
    standard: children.filter(({ namespace }) => namespace === ''),
    foreign: children.filter(({ namespace }) => namespace !== ''),
  };
}

/** A place with an empty id and nothing else is empty, too. */
export function readPlace(element: XmlElement): Place | undefined {
  const { standard, foreign } = splitExtensions(element);
  const [id, other] = standard;
  const first = elementsOf(element)[0];
  if (id?.name === 'id' && first !== id && first?.name !== 'extension')
    throw invalid('order', `id must come before ${first?.name} in ${element.name}`, element);
  if (id?.name === 'id' && isEmpty(id) && standard.length + foreign.length === 1) return undefined;
  if (id?.name !== 'id') throw invalid('required', `${element.name} lacks id`, element);
  if (other !== undefined) throw invalid('unknown', `unknown element ${other.name} in ${element.name}`, other);
  const extensions = readFields(foreign, element.name);
  return { id: readUri(id), ...(extensions.length === 0 ? {} : { extensions }) };
}

export function readDispositions(element: XmlElement): NonNullable<EpcisEvent['persistentDisposition']> {
  const set: string[] = [];
  const unset: string[] = [];
  for (const child of elementsOf(element)) {
    const into =
      child.namespace !== '' ? undefined : child.name === 'set' ? set : child.name === 'unset' ? unset : undefined;
    if (into === undefined) throw invalid('unknown', `unknown element ${child.name} in persistentDisposition`, child);
    if (into === unset && set.length > 0) throw invalid('order', 'unset must come before set', child);
    into.push(readWord('disposition', child));
  }
  if (set.length + unset.length === 0)
    throw invalid('required', 'persistentDisposition sets and unsets nothing', element);
  return { set, unset };
}

export function readErrorDeclaration(element: XmlElement): ErrorDeclaration {
  const { standard, foreign } = splitExtensions(element);
  let declarationTime: string | undefined;
  let reason: string | undefined;
  let correctiveEventIDs: readonly string[] | undefined;
  for (const [n, child] of standard.entries()) {
    // the schema of 2.0 has them in any order, that of 1.2 in one
    if (standard.slice(0, n).some(({ name }) => name === child.name))
      throw invalid('order', `${child.name} stands twice in errorDeclaration`, child);
    if (isEmpty(child) && ['reason', 'correctiveEventIDs'].includes(child.name)) continue;
    if (child.name === 'declarationTime') declarationTime = readTime(child);
    else if (child.name === 'reason') reason = readWord('errorReason', child);
    else if (child.name === 'correctiveEventIDs') correctiveEventIDs = readList(child, 'correctiveEventID');
    else throw invalid('unknown', `unknown element ${child.name} in errorDeclaration`, child);
  }
  if (declarationTime === undefined) throw invalid('required', 'errorDeclaration lacks declarationTime', element);
  const extensions = readFields(foreign, 'errorDeclaration');
  return {
    declarationTime,
    ...(reason === undefined ? {} : { reason }),
    ...(correctiveEventIDs === undefined ? {} : { correctiveEventIDs }),
    ...(extensions.length === 0 ? {} : { extensions }),
  };
}
