// Random events whose values are odd on purpose, and few enough of each kind that questions find them.
import type {
  EpcisEvent,
  Field,
  QuantityElement,
  SensorReport,
  VocabularyElement,
} from '../../../epcis/domain/event.ts';
import { below, maybe, pick, some, type Random } from './chance.ts';
import { anyClass, anyInstance, distinct, OTHER_URIS, type Thing } from './epcs.ts';

export const CBV = 'https://ref.gs1.org/cbv/';
export const MEASURES = ['value', 'minValue', 'maxValue', 'meanValue', 'sDev', 'percValue'] as const;

/** As written, and whether it names a time with an offset. */
export const TIMES = [
  '2024-02-29T12:00:00Z',
  '2024-02-29T13:00:00+01:00',
  '2024-02-28T22:00:00-14:00',
  '2024-02-29T12:00:00.000Z',
  '2024-02-29T12:00:00.0000001Z',
  '2024-02-29T12:00:00.000001Z',
  '2024-02-29T12:00:00.000002+00:00',
  '2024-02-29T12:00:00.001Z',
  '2024-02-29T11:59:59.999999Z',
  '1969-12-31T23:59:59.999999Z',
  '1970-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59.999999-14:00',
  '2000-02-29T00:00:00Z',
  '2024-03-01T00:00:00+05:30',
] as const;

export const NUMBERS = [
  0, 1, -1, 2, 2.5, 0.1, 0.3, 20, 68, 1000, 1e-7, 1e15, -273.15, 1.7976931348623157e308, 5e-324, 123456.789012,
];

/** Such as stay apart, or equal, in all units. */
export const MEASURED = [0, 1, -1, 2.5, 20, 68, 1000, 0.45359237, 273.15, -40, 1e5];

export const TEXTS = [
  ...['red', 'Red', 'red ', ' red', 'r\u0435d', 'é', 'e\u0301', '😀', 'ß', 'ss', 'ı', 'i', 'I', 'İ'],
  ...['5', '5.0', '05', '+5', '5e0', '50e-1', '.5', '0.5', '0.50', '-0', '0', '-5', '1e3', '1000', ' 5', '5 '],
  ...[
    '123456789012345',
    '123456789012345.0',
    '1234567890123456',
    '1234567890123456.0',
    '1234567890123457',
    '0.1234567890123456',
    '1e400',
    '1e-400',
  ],
  ...[
    'true',
    'null',
    'NaN',
    'Infinity',
    '%',
    '_',
    '*',
    '?',
    '\\',
    "' OR 1=1 --",
    '"',
    'a|b',
    '\u0001',
    '\u2028',
    '\ufeff',
  ],
  ...[
    '2024-02-30T12:00:00Z',
    '2024-02-29',
    '2024-02-29T12:00:00',
    '2024-02-29T12:00:00Z.',
    'x'.repeat(41),
    'x'.repeat(3000),
    `${'x'.repeat(3000)}y`,
  ],
  ...TIMES,
];

export interface Name {
  readonly namespace: string;
  readonly name: string;
  /** What parameters call it. */
  readonly spellings: readonly string[];
}

const spelt = (namespace: string, name: string, ...more: readonly string[]): Name => ({
  namespace,
  name,
  spellings: [`${namespace}#${name}`, ...more],
});
export const NAMES: readonly Name[] = [
  spelt('http://a.example/ns', 'color'),
  spelt('http://a.example/ns', 'Color'),
  { namespace: 'http://a.example/ns#', name: 'size', spellings: ['http://a.example/ns#size'] },
  spelt('http://b.example/ns/', 'size', 'http://b.example/ns/size'),
  spelt('urn:x:ns:', 'größe', 'urn:x:ns:größe'),
  spelt('urn:x:ns', 'a.b-c'),
  spelt('', 'plain'),
  spelt('http://ILMD_x/ns', 'lot'),
];
/** Text that JSON-LD or XML wraps is that of what it stands in. */
export const WRAPPERS = ['#text', '@value', '@id', '@list', '@set'];

export const PLACES = [
  ['urn:epc:id:sgln:0614141.00001.0', 'https://id.gs1.org/414/0614141000012'],
  ['urn:epc:id:sgln:0614141.00001.a', 'https://x.example.org/414/0614141000012/254/a'],
  ['urn:epc:id:sgln:4012345.00002.7', 'https://id.gs1.org/gln/4012345000023/254/7'],
  ['urn:x:place:1', 'urn:x:place:1'],
  ['urn:x:place:Ä', 'urn:x:place:Ä'],
  ['urn:x:region:1', 'urn:x:region:1'],
  ['urn:x:region:2', 'urn:x:region:2'],
] as const;
export const placeOf = (uri: string): number => PLACES.findIndex((spellings) => spellings.some((each) => each === uri));

export const WORDS = {
  bizStep: ['shipping', 'receiving', 'packing'].map((word) => [
    `${CBV}BizStep-${word}`,
    word,
    `urn:epcglobal:cbv:bizstep:${word}`,
    `cbv:BizStep-${word}`,
  ]),
  disposition: ['active', 'damaged', 'in_transit'].map((word) => [
    `${CBV}Disp-${word}`,
    word,
    `urn:epcglobal:cbv:disp:${word}`,
    `cbv:Disp-${word}`,
  ]),
  errorReason: ['did_not_occur', 'incorrect_data'].map((word) => [
    `${CBV}ER-${word}`,
    word,
    `urn:epcglobal:cbv:er:${word}`,
  ]),
  bizTransaction: ['po', 'inv'].map((word) => [
    `${CBV}BTT-${word}`,
    word,
    `urn:epcglobal:cbv:btt:${word}`,
    `cbv:BTT-${word}`,
  ]),
  party: ['owning_party', 'location'].map((word) => [`${CBV}SDT-${word}`, word, `urn:epcglobal:cbv:sdt:${word}`]),
  type: ['Temperature', 'Mass', 'ALARM_CONDITION'].map((word) => [
    `https://gs1.org/voc/${word}`,
    word,
    `gs1:${word}`,
    `https://www.gs1.org/voc/${word}`,
  ]),
} as const;
const OWN = ['https://mine.example.org/own', 'urn:x:own'];

export const EVENT_TYPES = [
  'ObjectEvent',
  'AggregationEvent',
  'QuantityEvent',
  'TransactionEvent',
  'TransformationEvent',
  'AssociationEvent',
  'https://x.example/OwnEvent',
];
export const IDS = ['urn:uuid:1', 'urn:uuid:2', 'urn:x:ID', 'urn:x:id', 'https://x.example.org/e/1?a=b'];
export const DEVICES = ['urn:epc:id:giai:4000001.111', 'https://id.gs1.org/8004/4000001111', 'urn:x:dev:2'];
export const TRANSACTIONS = [
  'urn:epc:id:gdti:0614141.00002.PO-1',
  'https://id.gs1.org/253/0614141000029PO-1',
  'urn:x:po:2',
];

/** Of a kind each in its base unit: what one is of them, and what is added. */
export const UNITS: Readonly<Record<string, readonly [kind: string, factor: number, offset: number]>> = {
  CEL: ['temperature', 1, 273.15],
  FAH: ['temperature', 5 / 9, 459.67 * (5 / 9)],
  KEL: ['temperature', 1, 0],
  KGM: ['mass', 1, 0],
  GRM: ['mass', 1e-3, 0],
  LBR: ['mass', 0.45359237, 0],
  PAL: ['pressure', 1, 0],
  BAR: ['pressure', 1e5, 0],
  P1: ['share', 0.01, 0],
  C62: ['share', 1, 0],
  ZZ9: ['own', 1, 0],
};
export const UNIT_NAMES = Object.keys(UNITS);

const word = (random: Random, words: readonly (readonly string[])[]): string =>
  random() < 0.15 ? pick(random, OWN) : (pick(random, words)[0] ?? '');
const value = (random: Random): Pick<Field, 'value' | 'json'> => {
  if (random() < 0.15) return { value: String(pick(random, NUMBERS)), json: 'number' };
  return { value: pick(random, TEXTS) };
};

function field(random: Random, depth: number): Field {
  const { namespace, name } = pick(random, NAMES);
  if (depth === 0 || random() < 0.65) return { namespace, name, ...value(random) };
  const wrapped = maybe(random, 0.3, (): Field => ({ namespace: '', name: pick(random, WRAPPERS), ...value(random) }));
  return {
    namespace,
    name,
    value: [...(wrapped ? [wrapped] : []), ...Array.from({ length: below(random, 3) }, () => field(random, depth - 1))],
  };
}
const fields = (random: Random, chance = 0.25): Field[] | undefined =>
  maybe(random, chance, () => some(random, 3, () => field(random, 2)));

export interface Pools {
  readonly instances: readonly Thing[];
  readonly classes: readonly Thing[];
}

export function poolsOf(random: Random): Pools {
  return {
    instances: distinct([...Array.from({ length: 24 }, () => anyInstance(random)), ...OTHER_URIS]),
    classes: distinct([...Array.from({ length: 12 }, () => anyClass(random)), ...OTHER_URIS.slice(0, 4)]),
  };
}

export function anyEvent(random: Random, { instances, classes }: Pools): EpcisEvent {
  const epc = (): string => pick(random, pick(random, instances).spellings);
  const epcs = (): string[] | undefined => maybe(random, 0.3, () => some(random, 4, epc));
  const time = (): string => pick(random, TIMES);
  const quantity = (): QuantityElement => ({
    epcClass: pick(random, pick(random, classes).spellings),
    ...(random() < 0.8 &&
      (random() < 0.7
        ? { quantity: pick(random, MEASURED), uom: pick(random, UNIT_NAMES) }
        : { quantity: pick(random, NUMBERS) })),
  });
  const quantities = (): QuantityElement[] | undefined => maybe(random, 0.2, () => some(random, 3, quantity));
  const place = () =>
    maybe(random, 0.5, () => ({ id: pick(random, pick(random, PLACES)), extensions: fields(random) }));
  const typed = (types: readonly (readonly string[])[], all: readonly string[]) =>
    maybe(random, 0.3, () =>
      some(random, 2, () => ({
        type: maybe(random, 0.8, () => word(random, types)),
        value: random() < 0.5 ? epc() : pick(random, all),
      })),
    );
  const device = () => maybe(random, 0.3, () => pick(random, DEVICES));
  const method = () => maybe(random, 0.2, () => pick(random, IDS));
  const report = (): SensorReport => ({
    type: maybe(random, 0.7, () => word(random, WORDS.type)),
    deviceID: device(),
    dataProcessingMethod: method(),
    time: maybe(random, 0.3, time),
    microorganism: maybe(random, 0.2, () => pick(random, IDS)),
    chemicalSubstance: maybe(random, 0.2, () => pick(random, IDS)),
    ...Object.fromEntries(MEASURES.map((name) => [name, maybe(random, 0.4, () => pick(random, MEASURED))])),
    uom: maybe(random, 0.9, () => pick(random, UNIT_NAMES)),
    stringValue: maybe(random, 0.3, () => pick(random, TEXTS)),
    booleanValue: maybe(random, 0.3, () => random() < 0.5),
    hexBinaryValue: maybe(random, 0.3, () => pick(random, ['0fA0', '0FA0', 'ff', 'FF', '00'])),
    uriValue: maybe(random, 0.3, () => pick(random, [...IDS, ...DEVICES])),
    percRank: maybe(random, 0.4, () => pick(random, NUMBERS)),
    extensions: fields(random),
  });
  const metadata = () => ({
    time: maybe(random, 0.4, time),
    startTime: maybe(random, 0.4, time),
    endTime: maybe(random, 0.4, time),
    deviceID: device(),
    dataProcessingMethod: method(),
    bizRules: maybe(random, 0.4, () => pick(random, IDS)),
    extensions: fields(random),
  });
  const event = {
    type: pick(random, EVENT_TYPES),
    eventID: maybe(random, 0.4, () => (random() < 0.5 ? pick(random, IDS) : `urn:uuid:n${below(random, 1e9)}`)),
    eventTime: time(),
    eventTimeZoneOffset: pick(random, ['+00:00', '-06:00', '+14:00']),
    errorDeclaration: maybe(random, 0.25, () => ({
      declarationTime: time(),
      reason: maybe(random, 0.7, () => word(random, WORDS.errorReason)),
      correctiveEventIDs: maybe(random, 0.5, () => some(random, 2, () => pick(random, IDS))),
      extensions: fields(random),
    })),
    epcList: epcs(),
    childEPCs: epcs(),
    parentID: maybe(random, 0.3, epc),
    inputEPCList: epcs(),
    outputEPCList: epcs(),
    quantityList: quantities(),
    childQuantityList: quantities(),
    inputQuantityList: quantities(),
    outputQuantityList: quantities(),
    transformationID: maybe(random, 0.2, () => pick(random, IDS)),
    action: maybe(random, 0.7, () => pick(random, ['ADD', 'OBSERVE', 'DELETE'] as const)),
    bizStep: maybe(random, 0.7, () => word(random, WORDS.bizStep)),
    disposition: maybe(random, 0.5, () => word(random, WORDS.disposition)),
    persistentDisposition: maybe(random, 0.2, () => ({
      set: some(random, 2, () => word(random, WORDS.disposition)),
      unset: random() < 0.5 ? [] : [word(random, WORDS.disposition)],
    })),
    readPoint: place(),
    bizLocation: place(),
    bizTransactionList: typed(WORDS.bizTransaction, TRANSACTIONS),
    sourceList: typed(
      WORDS.party,
      PLACES.map(([urn]) => urn),
    ),
    destinationList: typed(
      WORDS.party,
      PLACES.map(([, link]) => link),
    ),
    sensorElementList: maybe(random, 0.35, () =>
      some(random, 2, () => ({
        sensorMetadata: maybe(random, 0.7, metadata),
        sensorReport: Array.from({ length: below(random, 3) }, report),
        extensions: fields(random),
      })),
    ),
    ilmd: fields(random),
    extensions: fields(random, 0.5),
  };
  const one =
    event.type === 'QuantityEvent'
      ? { epcClass: pick(random, pick(random, classes).spellings), quantity: pick(random, NUMBERS) }
      : {};
  // as documents are: what is absent is not there
  return JSON.parse(
    JSON.stringify({ ...event, ...one, ...(one.epcClass && { quantityList: undefined }) }),
  ) as EpcisEvent;
}

// ---- master data ----------------------------------------------------------------------------------------------------

export const VOCABULARIES = ['BusinessLocation', 'ReadPoint', 'BusinessStep', 'EPCClass', 'Own'].map(
  (name) => `urn:epcglobal:epcis:vtype:${name}`,
);
export const ATTRIBUTES = ['urn:x:mda#city', 'urn:x:mda#kind', 'urn:x:mda:plain', 'http://x.example.org/a_b'];
export const ATTRIBUTE_TEXTS = ['Porto', 'porto', 'São Leopoldo', '5', '5.0', '', 'é', 'e\u0301'];

/** Any of them may hold any other, and itself; the same name may stand in two vocabularies. */
export function masterData(random: Random, { classes }: Pools): VocabularyElement[] {
  const ids = [
    ...PLACES.flat(),
    ...WORDS.bizStep.flatMap(([uri = '']) => uri),
    ...WORDS.disposition.map(([uri = '']) => uri),
    ...classes.flatMap(({ spellings }) => spellings),
    ...OWN,
  ];
  const seen = new Set<string>();
  return Array.from({ length: 30 }, (): VocabularyElement => ({
    vocabulary: pick(random, VOCABULARIES),
    id: pick(random, ids),
    attributes: ATTRIBUTES.filter(() => random() < 0.4).map((id) => ({ id, value: pick(random, ATTRIBUTE_TEXTS) })),
    children: random() < 0.5 ? [] : some(random, 2, () => pick(random, ids)),
  })).filter(({ vocabulary, id }) => {
    // each once: what comes again is merged, which is another test's
    const place = placeOf(id);
    const key = `${vocabulary} ${place >= 0 ? place : classes.findIndex(({ spellings }) => spellings.includes(id)) + 1 || id}`;
    return !seen.has(key) && seen.add(key);
  });
}
