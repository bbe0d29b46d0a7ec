// What can be asked about an event: the rows of its index, derived from the event alone. Capture writes them, pruning
// removes them again, and the parameter registry asks for them by the same names.
import { epcKey } from '../domain/epc.ts';
import type { EpcisEvent, Field, QuantityElement, SensorElement, TypedValue } from '../domain/event.ts';
import { ROLE, type Column } from './criteria.ts';
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
  for (const element of event.sensorElementList ?? []) sensor(facts, element);
  if (event.sensorElementList?.length) facts.text('sensorElementList', EXISTS);
  facts.fields('event', event.extensions);
  facts.fields('ilmd', event.ilmd);
  return {
    columns: {
      type: event.type,
      ...(event.action && { action: event.action }),
      ...(event.bizStep && { bizStep: event.bizStep }),
      ...(event.disposition && { disposition: event.disposition }),
      ...(event.readPoint && { readPoint: event.readPoint.id }),
      ...(event.bizLocation && { bizLocation: event.bizLocation.id }),
    },
    eventTime: timeOf(event.eventTime, 'optional') ?? 0,
    epcs: facts.epcs,
    texts: [...facts.texts.values()],
    numbers: [...facts.numbers.values()],
  };
}

function identity(facts: Collector, event: EpcisEvent, hash: string): void {
  // an event without an ID of its own is found by its hash
  if (event.eventID !== hash) facts.text('eventID', event.eventID);
  const declaration = event.errorDeclaration;
  if (!declaration) return;
  facts.text('errorDeclaration', EXISTS);
  facts.time('errorDeclarationTime', declaration.declarationTime);
  facts.text('errorReason', declaration.reason);
  for (const id of declaration.correctiveEventIDs ?? []) facts.text('correctiveEventID', id);
  facts.fields('errorDeclaration', declaration.extensions);
}

function objects(facts: Collector, event: EpcisEvent): void {
  facts.epc(ROLE.parentID, event.parentID === undefined ? [] : [event.parentID]);
  facts.epc(ROLE.epcList, event.epcList);
  facts.epc(ROLE.childEPCs, event.childEPCs);
  facts.epc(ROLE.inputEPCList, event.inputEPCList);
  facts.epc(ROLE.outputEPCList, event.outputEPCList);
  facts.quantities(ROLE.epcClass, event.quantityList);
  facts.quantities(ROLE.childQuantityList, event.childQuantityList);
  facts.quantities(ROLE.inputQuantityList, event.inputQuantityList);
  facts.quantities(ROLE.outputQuantityList, event.outputQuantityList);
  if (event.epcClass !== undefined) facts.epc(ROLE.epcClass, [event.epcClass]);
  facts.number('quantity', event.quantity);
  facts.text('transformationID', event.transformationID);
}

function context(facts: Collector, event: EpcisEvent): void {
  facts.typed('bizTransaction', event.bizTransactionList);
  facts.typed('source', event.sourceList);
  facts.typed('destination', event.destinationList);
  for (const value of event.persistentDisposition?.set ?? []) facts.text('persistentDisposition_set', value);
  for (const value of event.persistentDisposition?.unset ?? []) facts.text('persistentDisposition_unset', value);
  facts.fields('readPoint', event.readPoint?.extensions);
  facts.fields('bizLocation', event.bizLocation?.extensions);
}

const REPORT_TEXTS = [
  'type',
  'deviceID',
  'dataProcessingMethod',
  'microorganism',
  'chemicalSubstance',
  'stringValue',
  'hexBinaryValue',
  'uriValue',
] as const;
const MEASURES = ['value', 'minValue', 'maxValue', 'meanValue', 'percValue', 'sDev'] as const;

function sensor(facts: Collector, { sensorMetadata: about, sensorReport, extensions }: SensorElement): void {
  facts.fields('sensorElement', extensions);
  if (about) {
    facts.fields('sensorMetadata', about.extensions);
    for (const name of ['time', 'startTime', 'endTime'] as const) facts.time(name, about[name]);
    for (const name of ['deviceID', 'dataProcessingMethod', 'bizRules'] as const) facts.text(name, about[name]);
  }
  for (const report of sensorReport) {
    facts.fields('sensorReport', report.extensions);
    facts.time('time', report.time);
    for (const name of REPORT_TEXTS) facts.text(name, report[name]);
    if (report.booleanValue !== undefined) facts.text('booleanValue', String(report.booleanValue));
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

  quantities(role: number, elements: readonly QuantityElement[] = []): void {
    for (const { epcClass, quantity, uom } of elements) {
      this.epc(role, [epcClass]);
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
