// What can be asked about an event: the rows of its index, derived from the event alone by the tables of what is queryable
// (queryable-*.ts). Capture writes them, pruning removes them again, and the parameter registry asks for them by the same
// tables.
import { epcKey } from '../domain/epc.ts';
import type { EpcisEvent, Field, SensorElement } from '../domain/event.ts';
import { atOnce, type InPieces } from '../domain/in-pieces.ts';
import { COLUMNS, ROW_TIMES, type Column } from './queryable-columns.ts';
import { FIELD_FAMILIES, FIELDS, fieldKey, fieldName, type FieldFamily } from './queryable-fields.ts';
import {
  measured,
  SENSOR_MEASURES,
  SENSOR_NUMBERS,
  SENSOR_TIMES,
  STANDARD_MEASURES,
  STANDARD_NUMBERS,
  STANDARD_TIMES,
  timeName,
  type MeasureFact,
  type NumberFact,
  type TimeFact,
} from './queryable-numbers.ts';
import { PLACES } from './queryable-places.ts';
import {
  EVENT_ID,
  EXISTS,
  PRESENCES,
  SENSOR_TEXTS,
  STANDARD_TEXTS,
  TYPED_TEXTS,
  typedName,
  type TextFact,
} from './queryable-texts.ts';
import { comparableText, numberOf, plainNumber, timeOf } from './text-values.ts';

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

interface Named {
  readonly texts: readonly TextFact[];
  readonly times: readonly TimeFact[];
  readonly numbers: readonly NumberFact[];
  readonly measures: readonly MeasureFact[];
}

const STANDARD: Named = {
  texts: STANDARD_TEXTS,
  times: STANDARD_TIMES,
  numbers: STANDARD_NUMBERS,
  measures: STANDARD_MEASURES,
};

/** Few events have sensor elements. */
const SENSOR: Named = { texts: SENSOR_TEXTS, times: SENSOR_TIMES, numbers: SENSOR_NUMBERS, measures: SENSOR_MEASURES };

export const factsOf = (event: EpcisEvent, hash: string): Facts => atOnce(factsIn(event, hash));

/** EPCs, fields beside each other, or reports of sensors, in one piece. */
const PIECE = 500;

/** The same in pieces. */
export function* factsIn(event: EpcisEvent, hash: string): InPieces<Facts> {
  const facts = new Collector();
  facts.text(EVENT_ID.name, EVENT_ID.of(event, hash));
  for (const { name, of } of PRESENCES) if (of(event)) facts.text(name, EXISTS);
  for (const { stored, of } of PLACES) {
    const uris = of(event);
    if (uris === undefined) continue;
    if (uris.length <= PIECE) facts.epc(stored, uris);
    else yield* eachPiece(uris, (some) => facts.epc(stored, some));
  }
  for (const typed of TYPED_TEXTS)
    for (const { type, value } of typed.of(event) ?? []) facts.text(typedName(typed, type), epcKey(value));
  facts.named(event, STANDARD);
  for (const [n, some] of [...byReports(event)].entries()) {
    if (n > 0) yield;
    facts.named(some, SENSOR);
  }
  for (const family of FIELD_FAMILIES)
    for (const fields of FIELDS[family].of(event)) {
      if (fields === undefined) continue;
      if (fields.length <= PIECE) facts.fields(family, fields);
      else yield* eachPiece(fields, (some) => facts.fields(family, some));
    }
  return {
    columns: columnsOf(event),
    eventTime: ROW_TIMES.eventTime.of(event),
    epcs: facts.epcs,
    texts: [...facts.texts.values()],
    numbers: [...facts.numbers.values()],
  };
}

function* eachPiece<T>(all: readonly T[], work: (some: readonly T[]) => void): InPieces<void> {
  for (let from = 0; from < all.length; from += PIECE) {
    work(all.slice(from, from + PIECE));
    yield;
  }
}

/** The event with some of its sensors' reports at a time; what an element says of each of its pieces is one row, also where it has no report. */
function* byReports(event: EpcisEvent): Generator<EpcisEvent> {
  let some: SensorElement[] = [];
  let size = 0;
  for (const element of event.sensorElementList ?? [])
    for (let from = 0; from === 0 || from < element.sensorReport.length; from += PIECE) {
      const sensorReport = element.sensorReport.slice(from, from + PIECE);
      some.push({ ...element, sensorReport });
      size += 1 + sensorReport.length;
      if (size < PIECE) continue;
      yield { ...event, sensorElementList: some };
      [some, size] = [[], 0];
    }
  if (some.length > 0) yield { ...event, sensorElementList: some };
}

function columnsOf(event: EpcisEvent): Facts['columns'] {
  const columns: Partial<Record<Column, string>> = {};
  for (const [name, { of }] of COLUMNS) {
    const value = of(event);
    if (value !== undefined && value !== '') columns[name] = value;
  }
  return columns;
}

/** JSON-LD's, and the text beside attributes or children. */
const WRAPPERS: ReadonlySet<string> = new Set(['@value', '@id', '@list', '@set', '#text']);

/** Sets of rows: what an event says twice is one row. */
class Collector {
  readonly epcs = new Map<string, number>();
  readonly texts = new Map<string, NamedText>();
  readonly numbers = new Map<string, NamedNumber>();

  named(event: EpcisEvent, { texts, times, numbers, measures }: Named): void {
    for (const { name, of } of texts) for (const value of of(event)) this.text(name, value);
    for (const { name, of } of times) for (const value of of(event)) this.time(name, value);
    for (const { name, of } of numbers) for (const value of of(event)) this.number(name, value);
    for (const measure of measures) for (const { value, uom } of measure.of(event)) this.#measure(measure, value, uom);
  }

  text(name: string, value: string | undefined): void {
    if (value !== undefined) this.texts.set(`${name}\u0000${value}`, { name, value });
  }

  number(name: string, value: number | undefined): void {
    if (value !== undefined && Number.isFinite(value)) this.numbers.set(`${name}\u0000${value}`, { name, value });
  }

  time(name: string, text: string | undefined): void {
    if (text !== undefined) this.number(timeName(name), timeOf(text, 'optional'));
  }

  epc(role: number, uris: readonly string[]): void {
    for (const uri of uris) {
      const key = epcKey(uri);
      this.epcs.set(key, (this.epcs.get(key) ?? 0) | role);
    }
  }

  fields(family: FieldFamily, fields: readonly Field[], inner = false): void {
    for (const field of fields) {
      const name = fieldName(family, inner, fieldKey(field.namespace, field.name));
      this.text(name, EXISTS);
      this.#held(name, field);
      if (typeof field.value !== 'string') this.fields(family, field.value, true);
    }
  }

  /** What a field says, as JSON-LD or XML may wrap it: a rule that denies a value is not to be got round by how that is written. */
  #held(name: string, { value, json }: Field): void {
    if (typeof value === 'string') this.#leaf(name, json === 'number' ? plainNumber(value) : value);
    else for (const inner of value) if (inner.namespace === '' && WRAPPERS.has(inner.name)) this.#held(name, inner);
  }

  #measure(measure: MeasureFact, value: number | undefined, uom: string | undefined): void {
    if (value === undefined || uom === undefined) return;
    const stored = measured(measure, value, uom);
    this.number(stored.name, stored.value);
  }

  #leaf(name: string, text: string): void {
    this.text(name, comparableText(text));
    const number = numberOf(text);
    if (number === undefined) this.time(name, text);
    else this.number(name, number);
  }
}
