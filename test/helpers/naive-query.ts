// The query parameters once more, each as one plain predicate over an event: what the index must agree with.
import fc from 'fast-check';
import type { EpcisEvent, Field, QuantityElement, SensorReport } from '../../epcis/domain/event.ts';
import { CLASSES, epcIndex, EPCS, NAMES, PATTERNS, PLACES, STEPS, step, TEXTS, TIMES } from './epcis-samples.ts';

export interface NaiveParameter {
  readonly name: string;
  readonly values: fc.Arbitrary<string[]>;
  readonly holds: (event: EpcisEvent, values: readonly string[]) => boolean;
}

const list = (...pool: readonly string[]): fc.Arbitrary<string[]> =>
  fc.array(fc.constantFrom(...pool), { minLength: 1, maxLength: 3 });
const one = (...pool: readonly string[]): fc.Arbitrary<string[]> => fc.constantFrom(...pool).map((value) => [value]);
const none: fc.Arbitrary<string[]> = fc.constant([]);

/** A list parameter on what `of` finds. */
function listed(
  name: string,
  pool: readonly string[],
  of: (event: EpcisEvent) => readonly (string | undefined)[],
): NaiveParameter {
  return {
    name,
    values: list(...pool),
    holds: (event, values) => of(event).some((value) => value !== undefined && values.includes(value)),
  };
}

// ---- EPCs -----------------------------------------------------------------------------------------------------------

const spellings = [...EPCS.flat(), ...PATTERNS.keys()];
const matches = (value: string, epc: string): boolean =>
  PATTERNS.get(value)?.includes(epcIndex(epc)) ?? (epcIndex(value) >= 0 && epcIndex(value) === epcIndex(epc));

function match(name: string, of: (event: EpcisEvent) => readonly (readonly string[] | undefined)[]): NaiveParameter {
  return {
    name,
    values: list(...spellings),
    holds: (event, values) =>
      of(event).some((epcs) => epcs?.some((epc) => values.some((value) => matches(value, epc)))),
  };
}

type Quantities = readonly (readonly QuantityElement[] | undefined)[];
const classPatterns = ['urn:epc:idpat:lgtin:0614141.107346.*', ...CLASSES];
function matchClass(name: string, of: (event: EpcisEvent) => Quantities): NaiveParameter {
  return {
    name,
    values: list(...classPatterns),
    holds: (event, values) =>
      of(event).some((elements) =>
        elements?.some(({ epcClass }) =>
          values.some(
            (value) => value === epcClass || (value.endsWith('*') && epcClass.startsWith('urn:epc:class:lgtin')),
          ),
        ),
      ),
  };
}
const classes = (event: EpcisEvent): Quantities => [event.quantityList, event.childQuantityList];
const allClasses = (event: EpcisEvent): Quantities => [
  ...classes(event),
  event.inputQuantityList,
  event.outputQuantityList,
];

// ---- numbers and times ----------------------------------------------------------------------------------------------

const TESTS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  EQ: (a, b) => a === b,
  GT: (a, b) => a > b,
  GE: (a, b) => a >= b,
  LT: (a, b) => a < b,
  LE: (a, b) => a <= b,
};

/** Exact to the microsecond. */
const instant = (text: string): number =>
  Date.parse(text) * 1000 + (text.includes('.0005') ? 500 - (Date.parse(text) % 1) : 0);

function compared(
  suffix: string,
  operators: readonly string[],
  pool: readonly string[],
  of: (event: EpcisEvent) => readonly (number | undefined)[],
  read: (value: string) => number = Number,
): readonly NaiveParameter[] {
  return operators.map((operator) => ({
    name: `${operator}_${suffix}`,
    values: one(...pool),
    holds: (event, [value = '']) =>
      of(event).some((number) => number !== undefined && TESTS[operator]?.(number, read(value))),
  }));
}

const times = (suffix: string, of: (event: EpcisEvent) => readonly (string | undefined)[]) =>
  compared(
    suffix,
    ['GE', 'LT'],
    TIMES,
    (event) => of(event).map((time) => (time === undefined ? undefined : instant(time))),
    instant,
  );

const reports = (event: EpcisEvent): readonly SensorReport[] =>
  (event.sensorElementList ?? []).flatMap(({ sensorReport }) => sensorReport);
const metadata = (event: EpcisEvent) => (event.sensorElementList ?? []).map(({ sensorMetadata }) => sensorMetadata);
/** 20 °C are 68 °F: the pool's values are chosen so that rounding does not matter. */
const celsius = (value: number | undefined, uom: string | undefined): number | undefined => {
  if (value === undefined) return undefined;
  if (uom === 'CEL') return value;
  return uom === 'FAH' ? Math.round(((value - 32) / 1.8) * 1e6) / 1e6 : undefined;
};
const kilograms = ({ quantity, uom }: QuantityElement): number | undefined =>
  quantity === undefined ? undefined : uom === 'KGM' ? quantity : uom === 'GRM' ? quantity / 1000 : undefined;

// ---- fields ---------------------------------------------------------------------------------------------------------

type Fields = readonly Field[];
const FAMILIES: Readonly<Record<string, (event: EpcisEvent) => Fields>> = {
  '': (event) => event.extensions ?? [],
  ILMD_: (event) => event.ilmd ?? [],
  ERROR_DECLARATION_: (event) => event.errorDeclaration?.extensions ?? [],
  SENSORELEMENT_: (event) => (event.sensorElementList ?? []).flatMap(({ extensions }) => extensions ?? []),
  SENSORMETADATA_: (event) => metadata(event).flatMap((each) => each?.extensions ?? []),
  SENSORREPORT_: (event) => reports(event).flatMap(({ extensions }) => extensions ?? []),
  readPoint_: (event) => event.readPoint?.extensions ?? [],
  bizLocation_: (event) => event.bizLocation?.extensions ?? [],
};

const below = (fields: Fields): Fields =>
  fields.flatMap(({ value }) => (typeof value === 'string' ? [] : [...value, ...below(value)]));
const keyed = (fields: Fields, key: string): Fields =>
  fields.filter(({ namespace, name }) => `${namespace}#${name}` === key);
const number = (text: string): number | undefined => (/^[\d.]+$/.test(text) ? Number(text) : undefined);
const time = (text: string): number | undefined => (text.startsWith('2024') ? Date.parse(text) : undefined);

function same(a: string, b: string): boolean {
  if (a === b) return true;
  if ([a, b].includes('007')) return false;
  const [x, y] = [number(a) ?? time(a), number(b) ?? time(b)];
  return x !== undefined && x === y;
}

function fieldParameters(prefix: string, of: (event: EpcisEvent) => Fields): readonly NaiveParameter[] {
  return NAMES.flatMap((key) => {
    const texts = (event: EpcisEvent): readonly string[] =>
      keyed(of(event), key).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
    return [
      {
        name: `EQ_${prefix}${key}`,
        values: list(...TEXTS),
        holds: (event, values) => texts(event).some((text) => values.some((value) => same(text, value))),
      },
      ...['GT', 'GE', 'LT', 'LE'].map((operator): NaiveParameter => ({
        name: `${operator}_${prefix}${key}`,
        values: one('5', '10', '2024-01-01T12:00:00Z'),
        holds: (event, [value = '']) => {
          const read = number(value) === undefined ? time : number;
          return texts(event).some((text) => {
            const known = read(text);
            return known !== undefined && TESTS[operator]?.(known, read(value) ?? 0);
          });
        },
      })),
      { name: `EXISTS_${prefix}${key}`, values: none, holds: (event) => keyed(of(event), key).length > 0 },
    ] satisfies NaiveParameter[];
  });
}

// ---- master data ----------------------------------------------------------------------------------------------------

const UNDER: Readonly<Record<string, readonly string[]>> = {
  'urn:x:region:1': PLACES.slice(0, 2),
  'urn:x:region:2': PLACES.slice(0, 2), // the two regions hold each other
};
const within = (name: string, of: (event: EpcisEvent) => string | undefined): NaiveParameter => ({
  name,
  values: list('urn:x:region:1', 'urn:x:region:2', ...PLACES),
  holds: (event, values) => values.some((value) => value === of(event) || UNDER[value]?.includes(of(event) ?? '')),
});

export const NAIVE: readonly NaiveParameter[] = [
  listed('eventType', ['ObjectEvent', 'AggregationEvent', 'https://x.example/OwnEvent'], (event) => [event.type]),
  listed('EQ_action', ['ADD', 'DELETE'], (event) => [event.action]),
  {
    name: 'EQ_bizStep',
    values: list(...STEPS, 'urn:epcglobal:cbv:bizstep:shipping', step('receiving')),
    holds: (event, values) => values.some((value) => event.bizStep === step(/\w+$/.exec(value)?.[0] ?? '')),
  },
  {
    name: 'EQ_persistentDisposition_set',
    values: list('active', 'urn:epcglobal:cbv:disp:damaged'),
    holds: (event, values) =>
      values.some((value) =>
        event.persistentDisposition?.set.some((set) => set.endsWith(/\w+$/.exec(value)?.[0] ?? '')),
      ),
  },
  listed('EQ_readPoint', PLACES, (event) => [event.readPoint?.id]),
  listed('EQ_bizLocation', PLACES, (event) => [event.bizLocation?.id]),
  within('WD_readPoint', (event) => event.readPoint?.id),
  within('WD_bizLocation', (event) => event.bizLocation?.id),
  {
    name: 'HASATTR_bizLocation',
    values: list('urn:x:mda#city', 'urn:x:mda#kind'),
    holds: (event, values) =>
      values.includes('urn:x:mda#city') && PLACES.slice(0, 2).includes(event.bizLocation?.id ?? ''),
  },
  {
    name: 'EQATTR_readPoint_urn:x:mda#city',
    values: list('Porto', 'Lisboa'),
    holds: (event, values) => values.includes('Porto') && event.readPoint?.id === PLACES[0],
  },
  listed('EQ_eventID', ['urn:uuid:1', 'urn:uuid:2'], (event) => [event.eventID]),
  listed('EQ_transformationID', ['urn:x:t:1', 'urn:x:t:2'], (event) => [event.transformationID]),
  listed(
    'EQ_correctiveEventID',
    ['urn:uuid:1', 'urn:uuid:3'],
    (event) => event.errorDeclaration?.correctiveEventIDs ?? [],
  ),
  { name: 'EXISTS_errorDeclaration', values: none, holds: (event) => event.errorDeclaration !== undefined },
  { name: 'EXISTS_sensorElementList', values: none, holds: (event) => event.sensorElementList !== undefined },
  ...times('eventTime', (event) => [event.eventTime]),
  ...times('errorDeclarationTime', (event) => [event.errorDeclaration?.declarationTime]),
  ...times('time', (event) => metadata(event).map((each) => each?.time)),
  ...(['bizTransaction', 'source', 'destination'] as const).map((kind): NaiveParameter => {
    const [vocabulary, type] = kind === 'bizTransaction' ? ['BTT', 'po'] : ['SDT', 'owning_party'];
    return listed(`EQ_${kind}_${type}`, ['urn:x:1', 'urn:x:2'], (event) =>
      (event[`${kind}List`] ?? []).flatMap((each) =>
        each.type === `https://ref.gs1.org/cbv/${vocabulary}-${type}` ? [each.value] : [],
      ),
    );
  }),
  match('MATCH_epc', (event) => [event.epcList, event.childEPCs]),
  match('MATCH_parentID', (event) => [event.parentID === undefined ? undefined : [event.parentID]]),
  match('MATCH_inputEPC', (event) => [event.inputEPCList]),
  match('MATCH_outputEPC', (event) => [event.outputEPCList]),
  match('MATCH_anyEPC', (event) => [
    event.epcList,
    event.childEPCs,
    event.parentID === undefined ? undefined : [event.parentID],
    event.inputEPCList,
    event.outputEPCList,
  ]),
  matchClass('MATCH_epcClass', classes),
  matchClass('MATCH_inputEPCClass', (event) => [event.inputQuantityList]),
  matchClass('MATCH_outputEPCClass', (event) => [event.outputQuantityList]),
  matchClass('MATCH_anyEPCClass', allClasses),
  ...compared('quantity', Object.keys(TESTS), ['1', '2'], (event) => [
    event.quantity,
    ...allClasses(event).flatMap((elements) => (elements ?? []).map((element) => element.quantity)),
  ]),
  ...compared('quantity_KGM', Object.keys(TESTS), ['1', '2.5', '0.002'], (event) =>
    allClasses(event).flatMap((elements) => (elements ?? []).map(kilograms)),
  ),
  listed('EQ_deviceID', ['urn:x:dev:1', 'urn:x:dev:2'], (event) => metadata(event).map((each) => each?.deviceID)),
  {
    name: 'EQ_type',
    values: list('Temperature', 'gs1:Temperature', 'https://gs1.org/voc/Temperature'),
    holds: (event) => reports(event).some(({ type }) => type?.endsWith('Temperature')),
  },
  listed('EQ_booleanValue', ['true', 'false'], (event) =>
    reports(event).map(({ booleanValue: value }) => (value === undefined ? undefined : String(value))),
  ),
  ...compared('percRank', ['GE', 'GT', 'LE', 'LT'], ['10', '20'], (event) =>
    reports(event).map(({ percRank }) => percRank),
  ),
  ...compared('value_CEL', Object.keys(TESTS), ['20', '21'], (event) =>
    reports(event).map(({ value, uom }) => celsius(value, uom)),
  ),
  ...compared('maxValue_FAH', Object.keys(TESTS), ['68', '70'], (event) =>
    reports(event).map(({ maxValue, uom }) => {
      const degrees = celsius(maxValue, uom);
      return degrees === undefined ? undefined : Math.round((degrees * 1.8 + 32) * 1e6) / 1e6;
    }),
  ),
  ...Object.entries(FAMILIES).flatMap(([prefix, of]) => [
    ...fieldParameters(prefix, of),
    ...fieldParameters(`INNER_${prefix}`, (event) => below(of(event))),
  ]),
];
