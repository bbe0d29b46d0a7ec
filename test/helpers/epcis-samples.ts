// Random events over small pools of values, so that random questions find some of them.
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { eventHash } from '../../epcis/domain/hash.ts';
import type { CapturedEvent, EpcisEvent, Field, VocabularyElement } from '../../epcis/domain/event.ts';
import type { CaptureItem } from '../../epcis/service/services.ts';

/** Each EPC in two spellings, with the patterns that match it. */
export const EPCS = [
  ['urn:epc:id:sgtin:0614141.107346.1', 'https://example.com/01/10614141073464/21/1'],
  ['urn:epc:id:sgtin:0614141.107346.2', 'https://id.gs1.org/01/10614141073464/21/2'],
  ['urn:epc:id:sgtin:0614141.207346.1', 'https://id.gs1.org/01/20614141073461/21/1'],
  ['urn:epc:id:sgtin:4012345.011111.1', 'https://id.gs1.org/01/04012345111118/21/1'],
  ['urn:epc:id:sscc:0614141.1234567890', 'https://id.gs1.org/00/106141412345678908'],
  ['https://example.com/own/1', 'https://example.com/own/1'],
  ['urn:epc:id:gid:95100000.12345.400', 'urn:epc:id:gid:95100000.12345.400'],
] as const;
export const PATTERNS = new Map<string, readonly number[]>([
  ['urn:epc:idpat:sgtin:0614141.107346.*', [0, 1]],
  ['urn:epc:idpat:sgtin:0614141.*.*', [0, 1, 2]],
  ['urn:epc:idpat:sgtin:*.*.*', [0, 1, 2, 3]],
  ['urn:epc:idpat:sscc:0614141.*', [4]],
  ['urn:epc:idpat:sscc:0614141.1234567890', [4]],
  ['urn:epc:idpat:gid:95100000.*.*', [6]],
]);
export const epcIndex = (uri: string): number => EPCS.findIndex((spellings) => spellings.some((each) => each === uri));

export const CLASSES = [
  'urn:epc:class:lgtin:0614141.107346.A',
  'urn:epc:class:lgtin:0614141.107346.B',
  'urn:x:class:1',
];
export const STEPS = ['shipping', 'receiving', 'packing'];
export const step = (word: string): string => `https://ref.gs1.org/cbv/BizStep-${word}`;
export const PLACES = ['urn:epc:id:sgln:0614141.00001.0', 'urn:epc:id:sgln:0614141.00002.0', 'urn:x:place:3'];
export const NAMES = ['http://a.example/ns#color', 'http://a.example/ns#weight', '#plain'];
export const TEXTS = ['red', '5', '5.0', '12.25', '007', '2024-01-01T12:00:00Z', '2024-01-01T13:00:00+01:00', 'Ü|x'];
export const TIMES = [
  '2024-01-01T00:00:00Z',
  '2024-01-01T00:00:00.0005Z',
  '2024-01-02T01:00:00+01:00',
  '2024-01-03T00:00:00Z',
];

/** Region 1 holds place 1 and region 2, which holds place 2. */
export const MASTER_DATA: readonly VocabularyElement[] = [
  element('urn:x:region:1', [['urn:x:mda#kind', 'big']], [PLACES[0] ?? '', 'urn:x:region:2']),
  element('urn:x:region:2', [['urn:x:mda#kind', 'small']], [PLACES[1] ?? '', 'urn:x:region:1']),
  element(PLACES[0] ?? '', [['urn:x:mda#city', 'Porto']], []),
  element(PLACES[1] ?? '', [['urn:x:mda#city', 'São Leopoldo']], []),
];

function element(id: string, attributes: readonly (readonly [string, string])[], children: readonly string[]) {
  return {
    vocabulary: 'urn:epcglobal:epcis:vtype:BusinessLocation',
    id,
    attributes: attributes.map(([name, value]) => ({ id: name, value })),
    children,
  };
}

const from = <T>(pool: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...pool);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: 2 });
const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T[] | undefined> =>
  maybe(fc.array(value, { minLength: 1, maxLength: 3 }));

const epc = from(EPCS).chain((spellings) => from(spellings));
const typed = (kind: string, types: readonly string[]) =>
  some(
    fc.record({
      type: from(types).map((type) => `https://ref.gs1.org/cbv/${kind}-${type}`),
      value: from(['urn:x:1', 'urn:x:2']),
    }),
  );
const leaf: fc.Arbitrary<Field> = fc.tuple(from(NAMES), from(TEXTS)).map(([key, value]) => {
  const [namespace = '', name = ''] = key.split('#');
  return { namespace, name, value };
});
const field: fc.Arbitrary<Field> = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 2 }).map((value) => ({ namespace: 'http://a.example/ns', name: 'group', value })),
);
const fields = some(field);
const quantity = fc.record({
  epcClass: from(CLASSES),
  quantity: from([1, 2, 2.5]),
  ...{ uom: maybe(from(['KGM', 'GRM'])) },
});
const place = fc.record({ id: from(PLACES), extensions: fields });
const report = fc.record({
  type: maybe(from(['https://gs1.org/voc/Temperature', 'https://gs1.org/voc/Humidity'])),
  value: maybe(from([20, 25.5])),
  maxValue: maybe(from([20, 25.5])),
  uom: from(['CEL', 'FAH', 'A93']),
  booleanValue: maybe(fc.boolean()),
  percRank: maybe(from([10, 50])),
  extensions: fields,
});
const sensor = fc.record({
  sensorMetadata: maybe(
    fc.record({ time: maybe(from(TIMES)), deviceID: maybe(from(['urn:x:dev:1', 'urn:x:dev:2'])), extensions: fields }),
  ),
  sensorReport: fc.array(report, { minLength: 1, maxLength: 2 }),
  extensions: fields,
});
const disposition = from(['active', 'damaged']).map((word) => `https://ref.gs1.org/cbv/Disp-${word}`);

export const anyEvent: fc.Arbitrary<EpcisEvent> = fc
  .record({
    type: from([
      'ObjectEvent',
      'AggregationEvent',
      'TransformationEvent',
      'QuantityEvent',
      'https://x.example/OwnEvent',
    ]),
    eventID: maybe(from(['urn:uuid:1', 'urn:uuid:2'])),
    eventTime: from(TIMES),
    eventTimeZoneOffset: fc.constant('+00:00'),
    errorDeclaration: maybe(
      fc.record({
        declarationTime: from(TIMES),
        reason: maybe(fc.constant('https://ref.gs1.org/cbv/ER-incorrect_data')),
        correctiveEventIDs: some(from(['urn:uuid:1', 'urn:uuid:3'])),
        extensions: fields,
      }),
    ),
    epcList: some(epc),
    childEPCs: some(epc),
    parentID: maybe(epc),
    inputEPCList: some(epc),
    outputEPCList: some(epc),
    quantityList: some(quantity),
    childQuantityList: some(quantity),
    inputQuantityList: some(quantity),
    outputQuantityList: some(quantity),
    quantity: maybe(from([1, 2])),
    transformationID: maybe(from(['urn:x:t:1', 'urn:x:t:2'])),
    action: maybe(from(['ADD', 'OBSERVE', 'DELETE'] as const)),
    bizStep: maybe(from(STEPS).map(step)),
    disposition: maybe(disposition),
    persistentDisposition: maybe(
      fc.record({ set: fc.array(disposition, { maxLength: 1 }), unset: fc.array(disposition, { maxLength: 1 }) }),
    ),
    readPoint: maybe(place),
    bizLocation: maybe(place),
    bizTransactionList: typed('BTT', ['po', 'inv']),
    sourceList: typed('SDT', ['owning_party', 'location']),
    destinationList: typed('SDT', ['owning_party', 'location']),
    sensorElementList: some(sensor),
    ilmd: fields,
    extensions: fields,
  })
  // as documents are: what is absent is not there
  .map((event) => JSON.parse(JSON.stringify(event)) as EpcisEvent);

export function captured(event: EpcisEvent): CapturedEvent {
  const source = { format: 'json', text: JSON.stringify(event) } as const;
  return { event, hash: eventHash(event, (text) => hash('sha256', text)), source };
}

export async function* itemsOf(events: readonly EpcisEvent[]): AsyncGenerator<CaptureItem> {
  for (const [n, event] of events.entries()) yield { kind: 'event', captured: captured(event), at: `/${n}` };
}

export async function* masterDataItems(): AsyncGenerator<CaptureItem> {
  for (const element of MASTER_DATA) yield { kind: 'vocabulary', element, at: '' };
}
