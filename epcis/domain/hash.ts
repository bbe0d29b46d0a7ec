// The event hash of CBV 2.0 (section 8.9.2): what identifies an event by what it says, whichever form says it.
// `preHash` writes the event as one canonical string: fields in a fixed order as name=value, lists sorted, times in
// UTC, identifiers as canonical digital links, vocabulary as web URIs, numbers without trailing zeros. The hash is the
// SHA-256 of that string. Not part of it: eventID, recordTime, errorDeclaration and comments.
import { cbvValue } from './cbv.ts';
import { gs1Key } from './epc.ts';
import { fieldName, isComment, numberText, sortTexts } from './hash-text.ts';
import { parseTime, utcMilliseconds } from './time.ts';
import { atOnce, type InPieces } from './in-pieces.ts';
import type { EpcisEvent, Field, Place, QuantityElement, SensorElement, SensorReport, TypedValue } from './event.ts';

export type Sha256 = (text: string) => string;

/** `ignore` holds names (`{namespace}name`) of extension fields that a repository added and declared as its own. */
export interface HashOptions {
  readonly ignore?: ReadonlySet<string>;
}

/** Extension fields as the hash has them, whatever their order and their prefixes are. */
export const fieldsText = (fields: readonly Field[]): string =>
  sorted(fields.map((field) => fieldText(field, NOTHING)));
const NOTHING: ReadonlySet<string> = new Set();

/** `sha256` gives the digest of a string's UTF-8 form in lower-case hexadecimal. */
export function eventHash(event: EpcisEvent, sha256: Sha256, options: HashOptions = {}): string {
  return named(sha256(preHash(event, options)));
}

/** The same in pieces. */
export function* hashing(event: EpcisEvent, sha256: Sha256, options: HashOptions): InPieces<string> {
  const lists = yield* longLists(event);
  const sensors = yield* sensorTexts(event.sensorElementList, fieldsIn(options));
  const text = preHash(event, options, lists, sensors);
  if (lists.size > 0) yield;
  return named(sha256(text));
}

const named = (digest: string): string => `ni:///sha-256;${digest}?ver=CBV2.0`;

/** What the hash has of a list of EPCs. */
type Lists = ReadonlyMap<readonly string[], string>;
const NO_LISTS: Lists = new Map();
/** A longer list is read in pieces of so many. */
const LONG = 1000;

function* longLists(event: EpcisEvent): InPieces<Lists> {
  const { epcList, inputEPCList, childEPCs, outputEPCList } = event;
  let lists = NO_LISTS;
  for (const list of [epcList, inputEPCList, childEPCs, outputEPCList]) {
    if (list === undefined || list.length <= LONG) continue;
    const texts: string[] = [];
    for (const epc of list) if (texts.push(text('epc', epc)) % LONG === 0) yield;
    lists = new Map([...lists, [list, sorted(texts)]]);
    yield;
  }
  return lists;
}

type FieldsText = (list: readonly Field[] | undefined) => string;
const fieldsIn =
  ({ ignore = NOTHING }: HashOptions): FieldsText =>
  (list) =>
    sorted((list ?? []).map((field) => fieldText(field, ignore)));

/** What it has of sensor elements: each, and its business rules, which stand further behind. */
interface SensorTexts {
  readonly elements: readonly string[];
  readonly rules: readonly string[];
}
/** Reports are read in pieces of so many. */
const REPORTS = 200;

function* sensorTexts(all: readonly SensorElement[] = [], fields: FieldsText): InPieces<SensorTexts> {
  const made = { elements: [] as string[], rules: [] as string[] };
  let read = 0;
  for (const element of all) {
    const [reports, rules]: [string[], string[]] = [[], []];
    for (const report of element.sensorReport) {
      if (++read % REPORTS === 0) yield;
      reports.push(reportText(report, fields));
      rules.push(group('sensorReport', text('bizRules', report.bizRules)));
    }
    made.elements.push(sensorElement(element, reports, fields));
    made.rules.push(listed('sensorElement', rules));
  }
  return made;
}

export function preHash(
  event: EpcisEvent,
  options: HashOptions = {},
  lists = NO_LISTS,
  sensors = atOnce(sensorTexts(event.sensorElementList, fieldsIn(options))),
): string {
  const { ignore = NOTHING } = options;
  const epcs = (name: string, list: readonly string[] | undefined): string =>
    group(name, (list && lists.get(list)) ?? sorted((list ?? []).map((epc) => text('epc', epc))));
  const fields = fieldsIn(options);
  const place = (name: string, value: Place | undefined): string =>
    value === undefined ? '' : name + text('id', value.id) + fields(value.extensions);
  const quantities = (name: string, list: readonly QuantityElement[] | undefined): string =>
    listed(
      name,
      list?.map((q) =>
        group(
          'quantityElement',
          text('epcClass', q.epcClass) + number('quantity', q.quantity) + text('uom', q.uom) + fields(q.extensions),
        ),
      ),
    );

  const ordered =
    time('eventTime', event.eventTime) +
    text('eventTimeZoneOffset', event.eventTimeZoneOffset) +
    sorted((event.certificationInfo ?? []).map((uri) => text('certificationInfo', uri))) +
    epcs('epcList', event.epcList) +
    text('parentID', event.parentID) +
    epcs('inputEPCList', event.inputEPCList) +
    epcs('childEPCs', event.childEPCs) +
    quantities('quantityList', event.quantityList) +
    quantities('childQuantityList', event.childQuantityList) +
    quantities('inputQuantityList', event.inputQuantityList) +
    epcs('outputEPCList', event.outputEPCList) +
    quantities('outputQuantityList', event.outputQuantityList) +
    text('action', event.action) +
    text('transformationID', event.transformationID) +
    text('bizStep', event.bizStep) +
    text('disposition', event.disposition) +
    dispositions(event.persistentDisposition) +
    place('readPoint', event.readPoint) +
    place('bizLocation', event.bizLocation) +
    listed('sensorElementList', sensors.elements);

  const rest = [
    typed('bizTransactionList', 'bizTransaction', event.bizTransactionList),
    typed('destinationList', 'destination', event.destinationList),
    typed('sourceList', 'source', event.sourceList),
    group('ilmd', fields(event.ilmd)),
    text('epcClass', event.epcClass),
    number('quantity', event.quantity),
    listed('sensorElementList', sensors.rules),
    ...(event.extensions ?? []).map((field) => fieldText(field, ignore)),
  ];
  return `eventType=${event.type}${ordered}${sorted(rest)}`;
}

// ---- pieces --------------------------------------------------------------------------------------------------------

const sorted = (texts: readonly string[]): string => sortTexts(texts).join('');
const group = (name: string, content: string): string => (content === '' ? '' : name + content);
const listed = (name: string, items: readonly string[] = []): string => group(name, sorted(items));

function text(name: string, value: string | undefined): string {
  const canonical = value === undefined ? '' : canonicalValue(value);
  return canonical === '' ? '' : `${name}=${canonical}`;
}
const number = (name: string, value: number | undefined): string => text(name, value?.toString());

function time(name: string, value: string | undefined): string {
  if (value === undefined) return '';
  const instant = parseTime(value, 'optional');
  return `${name}=${instant === undefined ? value : utcMilliseconds(instant)}`;
}

/** Any value: vocabulary as web URI, numbers shortened (0815 becomes 815, 26.0 becomes 26), identifiers canonical. */
export function canonicalValue(value: string): string {
  return gs1Key(numberText(cbvValue(value.trim())));
}

function dispositions(value: EpcisEvent['persistentDisposition']): string {
  if (value === undefined) return '';
  const of = (name: 'set' | 'unset'): string => sorted(value[name].map((uri) => text(name, uri)));
  return group('persistentDisposition', of('set') + of('unset'));
}

const typed = (list: string, name: string, values: readonly TypedValue[] | undefined): string =>
  listed(
    list,
    values?.map(({ type, value }) => text('type', type) + text(name, value)),
  );

function sensorElement(element: SensorElement, reports: readonly string[], fields: FieldsText): string {
  const { sensorMetadata: meta } = element;
  const metadata =
    meta === undefined
      ? ''
      : time('time', meta.time) +
        time('startTime', meta.startTime) +
        time('endTime', meta.endTime) +
        (['deviceID', 'deviceMetadata', 'rawData', 'dataProcessingMethod', 'bizRules'] as const)
          .map((name) => text(name, meta[name]))
          .join('') +
        fields(meta.extensions);
  return group('sensorElement', group('sensorMetadata', metadata) + sorted(reports) + fields(element.extensions));
}

/** Its bizRules are no part of the standard's order: like all such fields they come last, with their whole path. */
const reportText = (report: SensorReport, fields: FieldsText): string =>
  group(
    'sensorReport',
    REPORT_ORDER.map((name) => (name === 'time' ? time(name, report.time) : text(name, report[name]?.toString()))).join(
      '',
    ) + fields(report.extensions),
  );

const REPORT_ORDER = [
  'type',
  'exception',
  'deviceID',
  'deviceMetadata',
  'rawData',
  'dataProcessingMethod',
  'time',
  'microorganism',
  'chemicalSubstance',
  'value',
  'component',
  'stringValue',
  'booleanValue',
  'hexBinaryValue',
  'uriValue',
  'minValue',
  'maxValue',
  'meanValue',
  'sDev',
  'percRank',
  'percValue',
  'uom',
  'coordinateReferenceSystem',
] as const;

function fieldText(field: Field, ignore: ReadonlySet<string>): string {
  const name = fieldName(field);
  if (isComment(field) || ignore.has(name)) return '';
  const attributes = (field.attributes ?? []).map((a) => attributeText(fieldName(a), a.value));
  if (typeof field.value === 'string') return attributeText(name, field.value) + sorted(attributes);
  const inner = field.value.filter((child) => child.name !== '#text');
  const own = field.value.find((child) => child.name === '#text')?.value;
  const start = attributeText(name, typeof own === 'string' ? own : '');
  return start + sorted([...attributes, ...inner.map((child) => fieldText(child, ignore))]);
}

function attributeText(name: string, value: string): string {
  const canonical = value.trim() === '' ? '' : canonicalValue(value);
  return canonical === '' ? name : `${name}=${canonical}`;
}
