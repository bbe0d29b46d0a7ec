// One event from its XML element: 1.0 to 2.0. The `extension` and `baseExtension` elements that 1.1 and 1.2 wrapped
// their new fields in are taken away; below them, as at the top, elements must come in the schema's order.
import { eventTypeOf, FIELD_KINDS, fieldsOf, isEventType, TYPED_LISTS, wholeEvent } from '../../domain/event-shape.ts';
import { checkUnqualified, elementsOf, invalid, isEmpty, type XmlElement } from './tree.ts';
import { readFields } from './read-fields.ts';
import { readSensorElements } from './read-sensors.ts';
import * as values from './read-values.ts';
import type { FieldName, TypedList } from '../../domain/event-shape.ts';
import type { EpcisEvent } from '../../domain/event.ts';

interface Parts {
  readonly fields: Map<FieldName, XmlElement[]>;
  readonly foreign: XmlElement[];
}

export function readXmlEvent(element: XmlElement): EpcisEvent {
  if (element.namespace === '' && !isEventType(element.name))
    throw invalid('event-type', `unknown event type ${element.name}`, element);
  checkUnqualified(element);
  const parts: Parts = { fields: new Map(), foreign: [] };
  const type = eventTypeOf(element.namespace + element.name);
  collect(element, fieldsOf(type), parts, element.name);

  const fields: Partial<Record<FieldName, unknown>> = {};
  for (const [name, elements] of parts.fields) {
    elements.forEach(values.checkAttributes);
    const value = readFieldOf(
      name,
      elements.filter((each) => !isEmpty(each)),
    );
    if (value !== undefined) fields[name] = value;
  }
  return wholeEvent(type, fields, readFields(parts.foreign, element.name), `line ${element.line}`);
}

const LAST_FIELDS: readonly FieldName[] = ['sensorElementList', 'persistentDisposition', 'ilmd'];

/** Sorts the children of one level into known fields and extensions, and checks their order. */
function collect(element: XmlElement, order: readonly FieldName[], parts: Parts, type: string): void {
  let last = -1;
  let previous = '';
  for (const child of elementsOf(element)) {
    const rank = rankOf(child, order);
    if (rank < 0) throw invalid('unknown', `unknown element ${child.name} in ${type}`, child);
    if (rank < last) throw invalid('order', `${child.name} must come before ${previous} in ${type}`, child);
    if (child.namespace !== '') parts.foreign.push(child);
    else if (child.name === 'extension' || child.name === 'baseExtension') collect(child, order, parts, type);
    else addField(child, parts, type);
    // recordTime may stand on either side of eventTimeZoneOffset: clients of 1.0 do both
    if (child.name !== 'recordTime' || child.namespace !== '') [last, previous] = [rank, child.name];
  }
}

function addField(child: XmlElement, { fields }: Parts, type: string): void {
  const name = child.name as FieldName;
  const elements = fields.get(name);
  if (elements === undefined) fields.set(name, [child]);
  else if (name === 'certificationInfo') elements.push(child);
  else throw invalid('order', `${name} stands twice in ${type}`, child);
}

/** Position in the schema: fields in their order, then `extension`, then other namespaces; -1 for what is unknown. */
function rankOf(child: XmlElement, order: readonly FieldName[]): number {
  if (child.namespace !== '') return order.length + 1;
  if (child.name === 'extension') return order.length;
  if (child.name === 'baseExtension') return order.indexOf('certificationInfo');
  // 1.2's nesting put new fields behind ilmd, 2.0 puts them before it: both are taken
  const name = child.name as FieldName;
  const rank = order.indexOf(LAST_FIELDS.includes(name) && order.includes(name) ? 'sensorElementList' : name);
  return child.name === 'recordTime' && rank >= 0 ? order.indexOf('eventTimeZoneOffset') : rank;
}

function readFieldOf(name: FieldName, elements: readonly XmlElement[]): unknown {
  const [element] = elements;
  if (element === undefined) return undefined;
  switch (FIELD_KINDS[name]) {
    case 'time':
      return values.readTime(element);
    case 'offset':
      return values.readOffset(element);
    case 'uri':
      return values.readUri(element);
    case 'uris':
      return elements.map(values.readUri);
    case 'number':
      return values.readQuantity(element);
    case 'action':
      return values.readAction(element);
    case 'word':
      return values.readWord(name === 'bizStep' ? 'bizStep' : 'disposition', element);
    case 'epcs':
      return values.readList(element, 'epc');
    case 'quantities':
      return values.readQuantities(element);
    case 'place':
      return values.readPlace(element);
    case 'typed': {
      const { entry, kind, typeRequired } = TYPED_LISTS[name as TypedList];
      return values.readTyped(element, entry, kind, typeRequired);
    }
    case 'dispositions':
      return values.readDispositions(element);
    case 'error':
      return values.readErrorDeclaration(element);
    case 'sensors':
      return readSensorElements(element);
    case 'fields':
      return readFields(
        elementsOf(element).flatMap((child) => (isWrapper(child) ? elementsOf(child) : [child])),
        name,
      );
  }
}

const isWrapper = (child: XmlElement): boolean => child.namespace === '' && child.name === 'extension';
