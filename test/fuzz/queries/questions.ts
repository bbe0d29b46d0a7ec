// Random parameters of SimpleEventQuery, each with what it means of an event, said as plainly as the standard does: no index, no keys.
import type {
  EpcisEvent,
  Field,
  QuantityElement,
  SensorReport,
  VocabularyElement,
} from '../../../epcis/domain/event.ts';
import { below, pick, some, type Random } from './chance.ts';
import { wantedOf, type Thing } from './epcs.ts';
import {
  ATTRIBUTE_TEXTS,
  ATTRIBUTES,
  DEVICES,
  EVENT_TYPES,
  IDS,
  MEASURED,
  MEASURES,
  NAMES,
  NUMBERS,
  placeOf,
  PLACES,
  TEXTS,
  TIMES,
  TRANSACTIONS,
  UNIT_NAMES,
  UNITS,
  WORDS,
  WRAPPERS,
  type Name,
  type Pools,
} from './events.ts';

export interface Stored {
  readonly event: EpcisEvent;
  readonly hash: string;
  readonly recordTime: string;
}

export interface Question {
  readonly name: string;
  readonly values: readonly string[];
  readonly holds: (stored: Stored) => boolean;
}

export interface Asked extends Pools {
  readonly random: Random;
  readonly elements: readonly VocabularyElement[];
  /** Of the repository. */
  readonly recordTimes: readonly string[];
  readonly hashes: readonly string[];
}

// ---- what values say ------------------------------------------------------------------------------------------------

/** Microseconds since 1970; what is finer is not told apart. */
export function instant(text: string, offset: 'required' | 'optional' = 'optional'): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (match === null || (offset === 'required' && match[4] === undefined)) return undefined;
  const [, day = '', clock = '', fraction = '', zone = 'Z'] = match;
  const seconds = Date.parse(`${day}${clock}Z`) / 1000;
  if (Number.isNaN(seconds) || new Date(seconds * 1000).toISOString().slice(0, 10) !== day) return undefined;
  const minutes = zone === 'Z' ? 0 : Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  return (seconds - minutes * 60) * 1e6 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

const bare = (text: string): string => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');

function number(text: string): number | undefined {
  const digits = bare(text);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(digits)) return undefined;
  return Number.isFinite(Number(digits)) ? Number(digits) : undefined;
}

/** Numbers as people write them (not 05, +5, 1e3 or what a double cannot tell), and times, are equal however they are written. */
function comparable(written: string): string | number {
  const text = bare(written);
  if (text.length > 40) return text;
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) {
    const significant = (text.includes('.') ? text.replace(/0+$/, '') : text).replace(/\D/g, '');
    return significant.length > 15 ? text : Number(text) + 0;
  }
  const time = instant(text, 'required');
  return time === undefined ? text : `at ${time}`;
}
const equal = (a: string, b: string): boolean => comparable(a) === comparable(b);

const TESTS = {
  EQ: (a: number, b: number) => a === b,
  GT: (a: number, b: number) => a > b,
  GE: (a: number, b: number) => a >= b,
  LT: (a: number, b: number) => a < b,
  LE: (a: number, b: number) => a <= b,
} as const;
type Operator = keyof typeof TESTS;
const OPERATORS = Object.keys(TESTS) as Operator[];
const ORDERS = ['GT', 'GE', 'LT', 'LE'] as const;

/** A number as one may write it. */
const written = (random: Random, n: number): string =>
  pick(random, [
    String(n),
    n.toExponential(),
    ` ${n} `,
    Number.isInteger(n) && Math.abs(n) < 1e20 ? `${n}.00` : String(n),
  ]);

const without = <T>(values: readonly (T | undefined)[]): T[] => values.filter((value) => value !== undefined);

// ---- kinds of parameters --------------------------------------------------------------------------------------------

type Ask = (asked: Asked) => Question;

/** Any of a list: each value with what it matches. An empty one is none. */
function anyOf<T>(
  name: string,
  { random }: Asked,
  draw: () => { readonly value: string; readonly matches: (of: T) => boolean },
  of: (stored: Stored) => readonly T[],
): Question {
  const wanted = some(random, random() < 0.05 ? 40 : 3, draw);
  const values = wanted.map(({ value }) => value);
  if (random() < 0.05) values.splice(below(random, values.length + 1), 0, '');
  return { name, values, holds: (stored) => of(stored).some((each) => wanted.some(({ matches }) => matches(each))) };
}

const texts =
  (name: string, pool: readonly string[], of: (event: EpcisEvent) => readonly (string | undefined)[]): Ask =>
  (asked) =>
    anyOf(
      name,
      asked,
      () => {
        const value = pick(asked.random, pool);
        return { value, matches: (each: string) => device(each) === device(value) };
      },
      ({ event }) => without(of(event)),
    );

/** The first two are one. */
const device = (uri: string): string => (uri === DEVICES[1] ? (DEVICES[0] ?? uri) : uri);

/** Words, URNs and CURIEs of the standard are its URIs. */
const words =
  (
    name: string,
    pool: readonly (readonly string[])[],
    of: (event: EpcisEvent) => readonly (string | undefined)[],
  ): Ask =>
  (asked) =>
    anyOf(
      name,
      asked,
      () => {
        const spellings = asked.random() < 0.15 ? ['urn:x:own'] : pick(asked.random, pool);
        return { value: pick(asked.random, spellings), matches: (each: string) => each === spellings[0] };
      },
      ({ event }) => without(of(event)),
    );

const numbers =
  (suffix: string, operators: readonly Operator[], of: (event: EpcisEvent) => readonly (number | undefined)[]): Ask =>
  ({ random }) => {
    const operator = pick(random, operators);
    const asked = operator === 'EQ' ? some(random, 3, () => pick(random, NUMBERS)) : [pick(random, NUMBERS)];
    return {
      name: `${operator}_${suffix}`,
      values: asked.map((n) => written(random, n)),
      holds: ({ event }) => without(of(event)).some((n) => asked.some((each) => TESTS[operator](n, each))),
    };
  };

const times =
  (
    name: string,
    of: (stored: Stored) => readonly (string | undefined)[],
    pool: (asked: Asked) => readonly string[] = () => TIMES,
  ): Ask =>
  (asked) => {
    const operator = pick(asked.random, ['GE', 'LT'] as const);
    const given = pick(asked.random, pool(asked));
    const value = asked.random() < 0.2 && given.endsWith('Z') ? given.slice(0, -1) : given; // without an offset it is UTC
    const at = instant(value) ?? NaN;
    return {
      name: `${operator}_${name}`,
      values: [value],
      holds: (stored) => without(of(stored)).some((time) => TESTS[operator](instant(time) ?? NaN, at)),
    };
  };

const exists =
  (name: string, holds: (event: EpcisEvent) => boolean): Ask =>
  ({ random }) => ({
    name: `EXISTS_${name}`,
    values: random() < 0.2 ? ['true'] : [],
    holds: ({ event }) => holds(event),
  });

// ---- EPCs -----------------------------------------------------------------------------------------------------------

/** Which thing a URI names: those of the pools. */
const things = new WeakMap<readonly Thing[], Map<string, Thing>>();
function thingOf(uri: string, pool: readonly Thing[]): Thing | undefined {
  let known = things.get(pool);
  if (known === undefined)
    things.set(pool, (known = new Map(pool.flatMap((thing) => thing.spellings.map((spelling) => [spelling, thing])))));
  return known.get(uri);
}

const match =
  (name: string, pool: keyof Pools, of: (event: EpcisEvent) => readonly (readonly string[] | undefined)[]): Ask =>
  (asked) =>
    anyOf(
      name,
      asked,
      () => wantedOf(pick(asked.random, asked[pool]), asked.random),
      ({ event }) =>
        without(
          of(event)
            .flatMap((uris) => uris ?? [])
            .map((uri) => thingOf(uri, asked[pool])),
        ),
    );

const classes = (list: readonly QuantityElement[] | undefined): readonly string[] | undefined =>
  list?.map(({ epcClass }) => epcClass);
const parent = ({ parentID }: EpcisEvent): readonly string[] => without([parentID]);
const quantities = (event: EpcisEvent): readonly QuantityElement[] =>
  [event.quantityList, event.childQuantityList, event.inputQuantityList, event.outputQuantityList].flatMap(
    (list) => list ?? [],
  );

// ---- sensors and units ----------------------------------------------------------------------------------------------

const elements = ({ sensorElementList = [] }: EpcisEvent) => sensorElementList;
const metadata = (event: EpcisEvent) => without(elements(event).map(({ sensorMetadata }) => sensorMetadata));
const reports = (event: EpcisEvent): readonly SensorReport[] =>
  elements(event).flatMap(({ sensorReport }) => sensorReport);

interface Measured {
  readonly value?: number | undefined;
  readonly uom?: string | undefined;
}

/** In another unit of the same kind; doubles that differ by their last digits are equal. */
function compareMeasured(
  { value, uom = '' }: Measured,
  asked: number,
  unit: string,
  operator: Operator,
  isDifference: boolean,
): boolean {
  const [from, to] = [UNITS[uom], UNITS[unit]];
  if (value === undefined || from === undefined || to === undefined || from[0] !== to[0]) return false;
  const inBase = (n: number, [, factor, offset]: readonly [string, number, number]): number =>
    n * factor + (isDifference ? 0 : offset);
  const [a, b] = [inBase(value, from), inBase(asked, to)];
  const isEqual = Math.abs(a - b) <= 1e-11 * Math.max(Math.abs(a), Math.abs(b));
  return TESTS[operator](isEqual ? 0 : a, isEqual ? 0 : b);
}

const measure =
  (name: string, of: (event: EpcisEvent) => readonly Measured[]): Ask =>
  ({ random }) => {
    const operator = pick(random, OPERATORS);
    const unit = pick(random, UNIT_NAMES);
    const asked = operator === 'EQ' ? some(random, 3, () => pick(random, MEASURED)) : [pick(random, MEASURED)];
    return {
      name: `${operator}_${name}_${unit}`,
      values: asked.map((n) => written(random, n)),
      holds: ({ event }) =>
        of(event).some((each) => asked.some((n) => compareMeasured(each, n, unit, operator, name === 'sDev'))),
    };
  };

// ---- fields ---------------------------------------------------------------------------------------------------------

type Fields = readonly Field[];
const FAMILIES: Readonly<Record<string, (event: EpcisEvent) => Fields>> = {
  '': ({ extensions = [] }) => extensions,
  ILMD_: ({ ilmd = [] }) => ilmd,
  ERROR_DECLARATION_: ({ errorDeclaration }) => errorDeclaration?.extensions ?? [],
  SENSORELEMENT_: (event) => elements(event).flatMap(({ extensions }) => extensions ?? []),
  SENSORMETADATA_: (event) => metadata(event).flatMap(({ extensions }) => extensions ?? []),
  SENSORREPORT_: (event) => reports(event).flatMap(({ extensions }) => extensions ?? []),
  readPoint_: ({ readPoint }) => readPoint?.extensions ?? [],
  bizLocation_: ({ bizLocation }) => bizLocation?.extensions ?? [],
};

const inside = (fields: Fields): Fields =>
  fields.flatMap(({ value }) => (typeof value === 'string' ? [] : [...value, ...inside(value)]));

/** What a field says by itself, or by what JSON-LD and XML wrap its text in. */
const said = ({ value, json }: Field): readonly string[] =>
  typeof value === 'string'
    ? [
        json === 'number' && /e/i.test(value) && Math.abs(Number(value)) < 1e20 && Math.abs(Number(value)) > 1e-6
          ? String(Number(value))
          : value,
      ]
    : value.filter(({ namespace, name }) => namespace === '' && WRAPPERS.includes(name)).flatMap(said);

const isCalled = ({ namespace, name }: Field, wanted: Name): boolean =>
  namespace === wanted.namespace && name === wanted.name;

const field: Ask = ({ random }) => {
  const family = pick(random, Object.keys(FAMILIES));
  const inner = random() < 0.35;
  const wanted = pick(random, NAMES);
  const suffix = `${inner ? 'INNER_' : ''}${family}${pick(random, wanted.spellings)}`;
  const found = ({ event }: Stored): Fields => {
    const all = FAMILIES[family]?.(event) ?? [];
    return (inner ? inside(all) : all).filter((each) => isCalled(each, wanted));
  };
  const kind = random();
  if (kind < 0.2) return { name: `EXISTS_${suffix}`, values: [], holds: (stored) => found(stored).length > 0 };
  if (kind < 0.6) {
    const values = some(random, 4, () => pick(random, TEXTS));
    return {
      name: `EQ_${suffix}`,
      values,
      holds: (stored) =>
        found(stored)
          .flatMap(said)
          .some((text) => values.some((value) => value !== '' && equal(text, value))),
    };
  }
  const operator = pick(random, ORDERS);
  const isNumber = random() < 0.6;
  const value = isNumber ? written(random, pick(random, NUMBERS)) : pick(random, TIMES);
  const read = isNumber ? number : (text: string) => (number(text) === undefined ? instant(bare(text)) : undefined);
  return {
    name: `${operator}_${suffix}`,
    values: [value],
    holds: (stored) =>
      without(found(stored).flatMap(said).map(read)).some((known) => TESTS[operator](known, read(value) ?? NaN)),
  };
};

// ---- master data ----------------------------------------------------------------------------------------------------

/** One thing, however it is spelt. */
export const identity = (uri: string, { classes: pool }: Pick<Pools, 'classes'>): string => {
  const place = placeOf(uri);
  return place >= 0 ? (PLACES[place]?.[0] ?? uri) : (thingOf(uri, pool)?.spellings[0] ?? uri);
};

export function under(roots: readonly string[], asked: Pick<Asked, 'elements' | 'classes'>): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (id: string): void => {
    if (seen.has(id)) return;
    seen.add(id);
    for (const element of asked.elements)
      if (identity(element.id, asked) === id) for (const child of element.children) visit(identity(child, asked));
  };
  for (const root of roots) visit(identity(root, asked));
  return seen;
}

const within =
  (name: string, of: (event: EpcisEvent) => string | undefined): Ask =>
  (asked) => {
    const values = some(asked.random, 3, () => pick(asked.random, pick(asked.random, PLACES)));
    const all = under(values, asked);
    return {
      name,
      values,
      holds: ({ event }) => {
        const place = of(event);
        return place !== undefined && all.has(identity(place, asked));
      },
    };
  };

const places =
  (name: string, of: (event: EpcisEvent) => string | undefined): Ask =>
  (asked) =>
    anyOf(
      name,
      asked,
      () => {
        const place = below(asked.random, PLACES.length);
        return { value: pick(asked.random, PLACES[place] ?? []), matches: (each: string) => placeOf(each) === place };
      },
      ({ event }) => without([of(event)]),
    );

const ATTRIBUTED: Readonly<Record<string, (event: EpcisEvent) => readonly (string | undefined)[]>> = {
  bizStep: ({ bizStep }) => [bizStep],
  disposition: ({ disposition }) => [disposition],
  readPoint: ({ readPoint }) => [readPoint?.id],
  bizLocation: ({ bizLocation }) => [bizLocation?.id],
  epcClass: (event) => [event.epcClass, ...quantities(event).map(({ epcClass }) => epcClass)],
};

const attribute: Ask = (asked) => {
  const { random, elements: known } = asked;
  const of = pick(random, Object.keys(ATTRIBUTED));
  const isEqual = random() < 0.5;
  const names = isEqual ? [pick(random, ATTRIBUTES)] : some(random, 2, () => pick(random, ATTRIBUTES));
  const values = isEqual ? some(random, 2, () => pick(random, ATTRIBUTE_TEXTS)) : names;
  const ids = new Set(
    known
      .filter(({ attributes }) =>
        attributes.some(
          ({ id, value }) =>
            names.includes(id) && (!isEqual || (value !== '' && typeof value === 'string' && values.includes(value))),
        ),
      )
      .map(({ id }) => identity(id, asked)),
  );
  return {
    name: isEqual ? `EQATTR_${of}_${names[0]}` : `HASATTR_${of}`,
    values,
    holds: ({ event }) => without(ATTRIBUTED[of]?.(event) ?? []).some((id) => ids.has(identity(id, asked))),
  };
};

// ---- all of them ----------------------------------------------------------------------------------------------------

const typed =
  (
    kind: 'bizTransaction' | 'source' | 'destination',
    types: readonly (readonly string[])[],
    pool: readonly string[],
  ): Ask =>
  (asked) => {
    const type = asked.random() < 0.15 ? ['urn:x:own'] : pick(asked.random, types);
    const name = `EQ_${kind}_${pick(asked.random, type)}`;
    const of = ({ event }: Stored): readonly string[] =>
      (event[`${kind}List`] ?? []).filter((each) => each.type === type[0]).map(({ value }) => value);
    return anyOf(
      name,
      asked,
      () => {
        if (asked.random() < 0.5) {
          const thing = pick(asked.random, asked.instances);
          return {
            value: pick(asked.random, thing.spellings),
            matches: (each: string) =>
              thing.spellings.includes(each) || thingOf(each, asked.instances)?.spellings[0] === thing.spellings[0],
          };
        }
        const value = pick(asked.random, pool);
        return {
          value,
          matches: (each: string) =>
            each === value ||
            (placeOf(each) >= 0 && placeOf(each) === placeOf(value)) ||
            (/PO-1$/.test(each) && /PO-1$/.test(value)),
        };
      },
      of,
    );
  };

const ALL: readonly Ask[] = [
  (asked) =>
    anyOf(
      'eventType',
      asked,
      () => {
        const type = pick(asked.random, EVENT_TYPES);
        const own = type.includes(':');
        return {
          value: own ? type : pick(asked.random, [type, `epcis:${type}`, `https://ref.gs1.org/epcis/${type}`]),
          matches: (each: string) => each === type,
        };
      },
      ({ event }) => [event.type],
    ),
  texts('EQ_action', ['ADD', 'OBSERVE', 'DELETE'], ({ action }) => [action]),
  words('EQ_bizStep', WORDS.bizStep, ({ bizStep }) => [bizStep]),
  words('EQ_disposition', WORDS.disposition, ({ disposition }) => [disposition]),
  words(
    'EQ_persistentDisposition_set',
    WORDS.disposition,
    ({ persistentDisposition }) => persistentDisposition?.set ?? [],
  ),
  words(
    'EQ_persistentDisposition_unset',
    WORDS.disposition,
    ({ persistentDisposition }) => persistentDisposition?.unset ?? [],
  ),
  words('EQ_errorReason', WORDS.errorReason, ({ errorDeclaration }) => [errorDeclaration?.reason]),
  texts('EQ_correctiveEventID', IDS, ({ errorDeclaration }) => errorDeclaration?.correctiveEventIDs ?? []),
  texts('EQ_transformationID', IDS, ({ transformationID }) => [transformationID]),
  (asked) =>
    anyOf(
      'EQ_eventID',
      asked,
      () => {
        const value = pick(asked.random, asked.random() < 0.5 ? IDS : asked.hashes);
        return { value, matches: (each: string) => each === value };
      },
      ({ event, hash }) => [event.eventID ?? hash],
    ),
  places('EQ_readPoint', ({ readPoint }) => readPoint?.id),
  places('EQ_bizLocation', ({ bizLocation }) => bizLocation?.id),
  within('WD_readPoint', ({ readPoint }) => readPoint?.id),
  within('WD_bizLocation', ({ bizLocation }) => bizLocation?.id),
  attribute,
  attribute,
  times('eventTime', ({ event }) => [event.eventTime]),
  times(
    'recordTime',
    ({ recordTime }) => [recordTime],
    ({ recordTimes }) => recordTimes,
  ),
  times('errorDeclarationTime', ({ event }) => [event.errorDeclaration?.declarationTime]),
  times('errorDeclaration_Time', ({ event }) => [event.errorDeclaration?.declarationTime]),
  times('time', ({ event }) => [...metadata(event), ...reports(event)].map(({ time }) => time)),
  times('startTime', ({ event }) => metadata(event).map(({ startTime }) => startTime)),
  times('endTime', ({ event }) => metadata(event).map(({ endTime }) => endTime)),
  exists('errorDeclaration', ({ errorDeclaration }) => errorDeclaration !== undefined),
  exists('sensorElementList', (event) => elements(event).length > 0),
  typed('bizTransaction', WORDS.bizTransaction, TRANSACTIONS),
  typed('source', WORDS.party, PLACES.flat()),
  typed('destination', WORDS.party, PLACES.flat()),
  match('MATCH_epc', 'instances', ({ epcList, childEPCs }) => [epcList, childEPCs]),
  match('MATCH_parentID', 'instances', (event) => [parent(event)]),
  match('MATCH_inputEPC', 'instances', ({ inputEPCList }) => [inputEPCList]),
  match('MATCH_outputEPC', 'instances', ({ outputEPCList }) => [outputEPCList]),
  ...[1, 2, 3].map(() =>
    match('MATCH_anyEPC', 'instances', (event) => [
      event.epcList,
      event.childEPCs,
      parent(event),
      event.inputEPCList,
      event.outputEPCList,
    ]),
  ),
  match('MATCH_epcClass', 'classes', (event) => [
    without([event.epcClass]),
    classes(event.quantityList),
    classes(event.childQuantityList),
  ]),
  match('MATCH_inputEPCClass', 'classes', (event) => [classes(event.inputQuantityList)]),
  match('MATCH_outputEPCClass', 'classes', (event) => [classes(event.outputQuantityList)]),
  match('MATCH_anyEPCClass', 'classes', (event) => [
    without([event.epcClass]),
    quantities(event).map(({ epcClass }) => epcClass),
  ]),
  numbers('quantity', OPERATORS, (event) => [event.quantity, ...quantities(event).map(({ quantity }) => quantity)]),
  numbers('percRank', ORDERS, (event) => reports(event).map(({ percRank }) => percRank)),
  measure('quantity', (event) => quantities(event).map(({ quantity, uom }) => ({ value: quantity, uom }))),
  ...MEASURES.map((name) =>
    measure(name, (event) => reports(event).map((report) => ({ value: report[name], uom: report.uom }))),
  ),
  words('EQ_type', WORDS.type, (event) => reports(event).map(({ type }) => type)),
  texts('EQ_deviceID', DEVICES, (event) => [...metadata(event), ...reports(event)].map(({ deviceID }) => deviceID)),
  texts('EQ_dataProcessingMethod', IDS, (event) =>
    [...metadata(event), ...reports(event)].map(({ dataProcessingMethod: method }) => method),
  ),
  texts('EQ_microorganism', IDS, (event) => reports(event).map(({ microorganism }) => microorganism)),
  texts('EQ_chemicalSubstance', IDS, (event) => reports(event).map(({ chemicalSubstance }) => chemicalSubstance)),
  texts('EQ_bizRules', IDS, (event) => metadata(event).map(({ bizRules }) => bizRules)),
  texts('EQ_stringValue', TEXTS, (event) => reports(event).map(({ stringValue }) => stringValue)),
  texts('EQ_uriValue', [...IDS, ...DEVICES], (event) => reports(event).map(({ uriValue }) => uriValue)),
  (asked) =>
    anyOf(
      'EQ_booleanValue',
      asked,
      () => {
        const [value = '', means] = pick(asked.random, [
          ['true', true],
          ['1', true],
          ['false', false],
          ['0', false],
        ] as const);
        return { value, matches: (each: boolean) => each === means };
      },
      ({ event }) => without(reports(event).map(({ booleanValue }) => booleanValue)),
    ),
  (asked) =>
    anyOf(
      'EQ_hexBinaryValue',
      asked,
      () => {
        const value = pick(asked.random, ['0fa0', '0FA0', 'FF', 'fF', '00']);
        return { value, matches: (each: string) => each.toLowerCase() === value.toLowerCase() };
      },
      ({ event }) => without(reports(event).map(({ hexBinaryValue }) => hexBinaryValue)),
    ),
  ...Array.from({ length: 20 }, () => field),
];

export const question: Ask = (asked) => {
  const drawn = pick(asked.random, ALL)(asked);
  // an empty value is no parameter
  const isNone = drawn.values.length > 0 && drawn.values.every((value) => value === '');
  return isNone ? { ...drawn, holds: () => true } : drawn;
};

// ---- the order of an extension field --------------------------------------------------------------------------------

/** Numbers, then times, then texts; undefined where the event has none. */
export function sortKey(
  { event }: Pick<Stored, 'event'>,
  wanted: Name,
): readonly [number, number | string] | undefined {
  const found = (event.extensions ?? []).find((each) => isCalled(each, wanted));
  if (found === undefined || typeof found.value !== 'string') return undefined;
  const known = number(found.value);
  if (known !== undefined) return [0, known];
  const time = instant(bare(found.value), 'required');
  return time === undefined ? [2, found.value] : [1, time];
}
