// What an event of each type is made of, in one table: which fields it may have, in the order XML wants them, what kind
// each one is, and what must be there. Readers and writers of both forms go by it.
import { EVENT_TYPES, type EpcisEvent, type EventType, type Field } from './event.ts';
import type { CbvKind } from './cbv.ts';
import type { DocumentRule } from './document-rules.ts';
import { EpcisException } from './exceptions.ts';

/** Fields that stand for themselves; type, extensions, CURIEs and 1.x wrappers are the bindings' business. */
export type FieldName = Exclude<keyof EpcisEvent, 'type' | 'extensions' | 'curies'>;

export type FieldKind =
  | 'time'
  | 'offset'
  | 'uri'
  | 'uris'
  | 'number'
  | 'action'
  | 'word'
  | 'epcs'
  | 'quantities'
  | 'place'
  | 'typed'
  | 'dispositions'
  | 'error'
  | 'sensors'
  | 'fields';

export const FIELD_KINDS: Readonly<Record<FieldName, FieldKind>> = {
  eventTime: 'time',
  recordTime: 'time',
  eventTimeZoneOffset: 'offset',
  eventID: 'uri',
  errorDeclaration: 'error',
  certificationInfo: 'uris',
  epcList: 'epcs',
  childEPCs: 'epcs',
  inputEPCList: 'epcs',
  outputEPCList: 'epcs',
  quantityList: 'quantities',
  childQuantityList: 'quantities',
  inputQuantityList: 'quantities',
  outputQuantityList: 'quantities',
  parentID: 'uri',
  transformationID: 'uri',
  epcClass: 'uri',
  quantity: 'number',
  action: 'action',
  bizStep: 'word',
  disposition: 'word',
  persistentDisposition: 'dispositions',
  readPoint: 'place',
  bizLocation: 'place',
  bizTransactionList: 'typed',
  sourceList: 'typed',
  destinationList: 'typed',
  sensorElementList: 'sensors',
  ilmd: 'fields',
};

/** The lists of typed values: the name of an entry, the vocabulary of its type, whether it must have one. */
export const TYPED_LISTS = {
  bizTransactionList: { entry: 'bizTransaction', kind: 'bizTransaction', typeRequired: false },
  sourceList: { entry: 'source', kind: 'sourceDestination', typeRequired: true },
  destinationList: { entry: 'destination', kind: 'sourceDestination', typeRequired: true },
} as const satisfies Partial<Record<FieldName, { entry: string; kind: CbvKind; typeRequired: boolean }>>;
export type TypedList = keyof typeof TYPED_LISTS;

type Names = readonly FieldName[];
const COMMON: Names = [
  'eventTime',
  'recordTime',
  'eventTimeZoneOffset',
  'eventID',
  'errorDeclaration',
  'certificationInfo',
];
const WHY_AND_WHERE: Names = ['bizStep', 'disposition', 'readPoint', 'bizLocation'];
const PARTIES: Names = ['sourceList', 'destinationList', 'sensorElementList', 'persistentDisposition'];
const order = (...names: (FieldName | Names)[]): Names => [...COMMON, ...names.flat()];

/** In the order of the XML schema 2.0, which holds for 1.x as well once its wrappers are taken away. */
const EVENT_FIELDS: Readonly<Record<EventType, Names>> = {
  ObjectEvent: order('epcList', 'action', WHY_AND_WHERE, 'bizTransactionList', 'quantityList', PARTIES, 'ilmd'),
  AggregationEvent: order(
    ['parentID', 'childEPCs', 'action'],
    WHY_AND_WHERE,
    ['bizTransactionList', 'childQuantityList'],
    PARTIES,
  ),
  QuantityEvent: order('epcClass', 'quantity', WHY_AND_WHERE, 'bizTransactionList'),
  TransactionEvent: order(
    ['bizTransactionList', 'parentID', 'epcList', 'action'],
    WHY_AND_WHERE,
    'quantityList',
    PARTIES,
  ),
  TransformationEvent: order(
    ['inputEPCList', 'inputQuantityList', 'outputEPCList', 'outputQuantityList', 'transformationID'],
    WHY_AND_WHERE,
    'bizTransactionList',
    PARTIES,
    'ilmd',
  ),
  AssociationEvent: order(
    ['parentID', 'childEPCs', 'childQuantityList', 'action'],
    WHY_AND_WHERE,
    'bizTransactionList',
    PARTIES,
  ),
};

/** The fields that an event of the type may have; those of all types for an extension type. */
export const fieldsOf = (type: string): Names => (isEventType(type) ? EVENT_FIELDS[type] : ALL_FIELDS);

const ALL_FIELDS: Names = [...new Set(Object.values(EVENT_FIELDS).flat())];

export const isEventType = (type: string): type is EventType => (EVENT_TYPES as readonly string[]).includes(type);

/** The namespace in which the standard's JSON-LD has its event types. */
export const EVENT_TYPE_NAMESPACE = 'https://ref.gs1.org/epcis/';

/** An event type of the standard by its name, whether that, its URI or its CURIE is given; any other type as it is. */
export function eventTypeOf(type: string): string {
  const [, name = ''] = /^(?:epcis:|https:\/\/ref\.gs1\.org\/epcis\/)(\w+)$/.exec(type) ?? [];
  return isEventType(name) ? name : type;
}

/** Fields that every event of the type must have. */
const REQUIRED: Readonly<Record<EventType, readonly FieldName[]>> = {
  ObjectEvent: ['action'],
  AggregationEvent: ['action'],
  QuantityEvent: ['epcClass', 'quantity'],
  TransactionEvent: ['bizTransactionList', 'action'],
  TransformationEvent: [],
  AssociationEvent: ['parentID', 'action'],
};

export interface EventFault {
  readonly rule: DocumentRule;
  /** One sentence. */
  readonly reason: string;
  /** The fields that it is about. */
  readonly about: readonly string[];
}

/** The first thing that is wrong with an event as a whole; undefined if nothing is. */
export function eventFault(event: EpcisEvent): EventFault | undefined {
  for (const fault of eventFaults(event)) return fault;
  return undefined;
}

/** All that is wrong with an event as a whole. */
export function* eventFaults(event: EpcisEvent): Generator<EventFault> {
  for (const name of ['eventTime', 'eventTimeZoneOffset'] as const) {
    if (!event[name]) yield { rule: 'required', reason: `${event.type} lacks ${name}`, about: [name] };
  }
  for (const fault of quantityFaults(event)) yield { ...fault, about: QUANTITY_LISTS };
  const sensor = sensorFault(event);
  if (sensor !== undefined) yield { rule: 'document', reason: sensor, about: ['sensorElementList'] };
  if (!isEventType(event.type)) return;
  for (const name of REQUIRED[event.type]) {
    if (event[name] === undefined) yield { rule: 'required', reason: `${event.type} lacks ${name}`, about: [name] };
  }
  if (event.bizTransactionList?.length === 0 && event.type === 'TransactionEvent') {
    yield {
      rule: 'required',
      reason: 'bizTransactionList of a TransactionEvent is empty',
      about: ['bizTransactionList'],
    };
  }
  if (event.ilmd !== undefined && event.action !== undefined && event.action !== 'ADD') {
    yield {
      rule: 'action',
      reason: `ilmd is allowed only with action ADD, not ${event.action}`,
      about: ['ilmd', 'action'],
    };
  }
  if (event.type === 'QuantityEvent' && event.quantity !== undefined && !Number.isInteger(event.quantity)) {
    yield { rule: 'quantity', reason: 'quantity of a QuantityEvent is a whole number', about: ['quantity'] };
  }
  const objects = objectsFault(event);
  if (objects !== undefined) yield { rule: 'required', reason: objects, about: OBJECT_FIELDS };
}

/** An event of parts that are right. One that is wrong as a whole is refused for its first fault, and is the cause of that. */
export function wholeEvent(type: string, fields: object, extensions: readonly Field[], at: string): EpcisEvent {
  const event = { type, ...fields, ...(extensions.length === 0 ? {} : { extensions }) } as EpcisEvent;
  const fault = eventFault(event);
  if (fault === undefined) return event;
  const { rule, reason } = fault;
  throw new EpcisException('ValidationException', reason, at, { cause: event, broken: { rule } });
}

/** Every event says which objects it is about, except where the standard says that their absence means something. */
function objectsFault(event: EpcisEvent): string | undefined {
  const filled = (list: readonly unknown[] | undefined): boolean => (list?.length ?? 0) > 0;
  switch (event.type) {
    case 'ObjectEvent':
      // sensor data may be about a place alone
      if (filled(event.epcList) || filled(event.quantityList)) return undefined;
      return filled(event.sensorElementList) && event.readPoint !== undefined
        ? undefined
        : 'ObjectEvent needs epcList or quantityList, or sensorElementList with readPoint';
    case 'AggregationEvent':
    case 'AssociationEvent':
      if (event.action !== 'OBSERVE' && event.parentID === undefined) {
        return `${event.type} with action ${event.action} lacks parentID`;
      }
      return event.action === 'DELETE' || filled(event.childEPCs) || filled(event.childQuantityList)
        ? undefined
        : `${event.type} needs childEPCs or childQuantityList`;
    case 'TransactionEvent':
      return event.action === 'DELETE' || filled(event.epcList) || filled(event.quantityList)
        ? undefined
        : 'TransactionEvent needs epcList or quantityList';
    case 'TransformationEvent':
      return transformationFault(event, filled);
    default:
      return undefined;
  }
}

function transformationFault(event: EpcisEvent, filled: (list: readonly unknown[] | undefined) => boolean) {
  const input = filled(event.inputEPCList) || filled(event.inputQuantityList);
  const output = filled(event.outputEPCList) || filled(event.outputQuantityList);
  if (event.transformationID === undefined ? input && output : input || output) return undefined;
  return event.transformationID === undefined
    ? 'TransformationEvent without transformationID needs inputs and outputs'
    : 'TransformationEvent needs inputs or outputs';
}

const QUANTITY_LISTS = ['quantityList', 'childQuantityList', 'inputQuantityList', 'outputQuantityList'] as const;

/** What an event's objects are told by, or follow from. */
const OBJECT_FIELDS = Object.keys(FIELD_KINDS)
  .filter((name) => ['epcs', 'quantities', 'sensors'].includes(FIELD_KINDS[name as FieldName]))
  .concat('parentID', 'transformationID', 'action', 'readPoint');

/** A unit of UNECE recommendation 20. */
export const isUnit = (text: string): boolean => /^[A-Z0-9]{2,3}$/.test(text);

/** A unit needs an amount; without a unit the amount is a number of pieces. */
function* quantityFaults(event: EpcisEvent): Generator<Pick<EventFault, 'rule' | 'reason'>> {
  for (const { epcClass, quantity, uom } of QUANTITY_LISTS.flatMap((name) => event[name] ?? [])) {
    if (quantity === undefined && uom !== undefined)
      yield { rule: 'unit', reason: `${epcClass} has the unit ${uom} but no quantity` };
    if (quantity !== undefined && uom === undefined && !Number.isInteger(quantity))
      yield {
        rule: 'quantity',
        reason: `${epcClass} has the quantity ${quantity} without a unit; that must be a whole number`,
      };
  }
}

/** What sensor metadata says for all reports, and what a report may say for itself, instead. */
const ONCE = ['deviceID', 'deviceMetadata', 'rawData', 'dataProcessingMethod'] as const;

/** GS1's own examples repeat the same value in both places; two different ones say nothing that can be relied on. */
function sensorFault({ sensorElementList = [] }: EpcisEvent): string | undefined {
  for (const { sensorMetadata, sensorReport } of sensorElementList) {
    for (const name of ONCE) {
      const general = sensorMetadata?.[name];
      const own = sensorReport.find((report) => (report[name] ?? general) !== general)?.[name];
      if (general !== undefined && own !== undefined)
        return `${name} is ${general} in sensorMetadata and ${own} in a sensorReport`;
    }
  }
  return undefined;
}
