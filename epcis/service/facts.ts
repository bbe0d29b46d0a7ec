// What can be asked about an event: the rows of its index, derived from the event alone by the tables of what is queryable.
// Capture writes them, pruning removes them again, and the parameter registry asks for them by the same names. The names
// are hashed into the index: repositories hold them, so a name never changes.
import { epcKey } from '../domain/epc.ts';
import type { EpcisEvent, Field, QuantityElement, SensorElement, TypedValue } from '../domain/event.ts';
import { COLUMNS, type Column } from './queryable-columns.ts';
import { PLACES } from './queryable-places.ts';
import { SENSOR_TEXTS, STANDARD_TEXTS, type TextFact } from './queryable-texts.ts';
import { comparableText, numberOf, timeOf } from './text-values.ts';
import { toBaseUnit } from './units.ts';

export interface Facts {
  readonly columns: Readonly<Partial<Record<Column, string>>>;
  /** Microseconds since 1970. */
  readonly eventTime: number;
  /** Canonical key of an EPC or class → the roles it has in the event. */
  readonly epcs: ReadonlyMap<string, number>;
  readonly texts: readonly NamedText[];
  readonly numbers: readonly NamedNumber[];
}

export interface NamedText {
  readonly name: string;
  readonly value: string;
}

export interface NamedNumber {
  readonly name: string;
  readonly value: number;
}

/** The parts of an event that hold extension fields, each with its prefix in parameter names. */
export const FIELD_FAMILIES = {
  event: '',
  ilmd: 'ILMD_',
  errorDeclaration: 'ERROR_DECLARATION_',
  sensorElement: 'SENSORELEMENT_',
  sensorMetadata: 'SENSORMETADATA_',
  sensorReport: 'SENSORREPORT_',
  readPoint: 'readPoint_',
  bizLocation: 'bizLocation_',
} as const;

export type FieldFamily = keyof typeof FIELD_FAMILIES;

/** The value that stands for "there is one", whatever it is. */
export const EXISTS = '\u0000exists';

/** `INNER_ILMD_http://ns#lot`, after the operator, is also what parameters call it. */
export function fieldName(family: FieldFamily, inner: boolean, key: string): string {
  return `field ${inner ? 'INNER_' : ''}${FIELD_FAMILIES[family]}${key}`;
}

/** A namespace that ends with # gets no second one. */
export function fieldKey(namespace: string, name: string): string {
  return `${namespace.replace(/#$/, '')}#${name}`;
}

/** Times of a name are numbers under a name of their own, so that they never compare with plain numbers. */
export const timeName = (name: string): string => `time ${name}`;

export function factsOf(event: EpcisEvent, hash: string): Facts {
  const facts = new Collector();
  identity(facts, event, hash);
  objects(facts, event);
  context(facts, event);
  facts.of(event, STANDARD_TEXTS);
  if (event.sensorElementList) facts.of(event, SENSOR_TEXTS);
  for (const element of event.sensorElementList ?? []) sensor(facts, element);
  if (event.sensorElementList?.length) facts.text('sensorElementList', EXISTS);
  facts.fields('event', event.extensions);
  facts.fields('ilmd', event.ilmd);
  return {
    columns: columnsOf(event),
    eventTime: timeOf(event.eventTime, 'optional') ?? 0,
    epcs: facts.epcs,
    texts: [...facts.texts.values()],
    numbers: [...facts.numbers.values()],
  };
}

function columnsOf(event: EpcisEvent): Facts['columns'] {
  const columns: Partial<Record<Column, string>> = {};
  for (const [name, { of }] of COLUMNS) {
    const value = of(event);
    if (value !== undefined && value !== '') columns[name] = value;
  }
  return columns;
}

function identity(facts: Collector, event: EpcisEvent, hash: string): void {
  // an event without an ID of its own is found by its hash
  if (event.eventID !== hash) facts.text('eventID', event.eventID);
  const declaration = event.errorDeclaration;
  if (!declaration) return;
  facts.text('errorDeclaration', EXISTS);
  facts.time('errorDeclarationTime', declaration.declarationTime);
  facts.fields('errorDeclaration', declaration.extensions);
}

function objects(facts: Collector, event: EpcisEvent): void {
  for (const { stored, of } of PLACES) facts.epc(stored, of(event));
  facts.quantities(event.quantityList);
  facts.quantities(event.childQuantityList);
  facts.quantities(event.inputQuantityList);
  facts.quantities(event.outputQuantityList);
  facts.number('quantity', event.quantity);
}

function context(facts: Collector, event: EpcisEvent): void {
  facts.typed('bizTransaction', event.bizTransactionList);
  facts.typed('source', event.sourceList);
  facts.typed('destination', event.destinationList);
  facts.fields('readPoint', event.readPoint?.extensions);
  facts.fields('bizLocation', event.bizLocation?.extensions);
}

const MEASURES = ['value', 'minValue', 'maxValue', 'meanValue', 'percValue', 'sDev'] as const;

function sensor(facts: Collector, { sensorMetadata: about, sensorReport, extensions }: SensorElement): void {
  facts.fields('sensorElement', extensions);
  if (about) {
    facts.fields('sensorMetadata', about.extensions);
    for (const name of ['time', 'startTime', 'endTime'] as const) facts.time(name, about[name]);
  }
  for (const report of sensorReport) {
    facts.fields('sensorReport', report.extensions);
    facts.time('time', report.time);
    facts.number('percRank', report.percRank);
    for (const name of MEASURES) facts.measure(name, report[name], report.uom);
  }
}

/** Sets of rows: what an event says twice is one row. */
class Collector {
  readonly epcs = new Map<string, number>();
  readonly texts = new Map<string, NamedText>();
  readonly numbers = new Map<string, NamedNumber>();

  text(name: string, value: string | undefined): void {
    if (value !== undefined) this.texts.set(`${name}\u0000${value}`, { name, value });
  }

  of(event: EpcisEvent, texts: readonly TextFact[]): void {
    for (const { name, of } of texts) for (const value of of(event)) this.text(name, value);
  }

  number(name: string, value: number | undefined): void {
    if (value !== undefined && Number.isFinite(value)) this.numbers.set(`${name}\u0000${value}`, { name, value });
  }

  time(name: string, text: string | undefined): void {
    if (text !== undefined) this.number(timeName(name), timeOf(text, 'optional'));
  }

  measure(name: string, value: number | undefined, unit: string | undefined): void {
    if (value === undefined || unit === undefined) return;
    const base = toBaseUnit(value, unit, name === 'sDev' ? 'difference' : 'value');
    this.number(`${name}_${base.unit}`, base.value);
  }

  epc(role: number, uris: readonly string[] = []): void {
    for (const uri of uris) {
      const key = epcKey(uri);
      this.epcs.set(key, (this.epcs.get(key) ?? 0) | role);
    }
  }

  quantities(elements: readonly QuantityElement[] = []): void {
    for (const { quantity, uom } of elements) {
      this.number('quantity', quantity);
      this.measure('quantity', quantity, uom);
    }
  }

  typed(name: string, list: readonly TypedValue[] = []): void {
    for (const { type = '', value } of list) this.text(`${name}_${type}`, epcKey(value));
  }

  fields(family: FieldFamily, fields: readonly Field[] = [], inner = false): void {
    for (const field of fields) {
      const name = fieldName(family, inner, fieldKey(field.namespace, field.name));
      this.text(name, EXISTS);
      if (typeof field.value === 'string') this.#leaf(name, field.value);
      else this.fields(family, field.value, true);
    }
  }

  #leaf(name: string, text: string): void {
    this.text(name, comparableText(text));
    const number = numberOf(text);
    if (number === undefined) this.time(name, text);
    else this.number(name, number);
  }
}
