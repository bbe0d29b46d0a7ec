// A supply chain for benches: the life of one case after the other, ten events each, the same for the same seed.
import { hash } from 'node:crypto';
import { eventHash } from '../../epcis/domain/hash.ts';
import type { CapturedEvent, EpcisEvent, VocabularyElement } from '../../epcis/domain/event.ts';
import { createRandom, type Random } from '../../loadgen/workload/random.ts';

export const EVENTS_PER_LIFE = 10;
const ITEMS = 5;
const PRODUCTS = 200;
const SITES = 100;
const START = Date.UTC(2024, 0, 1);
const MINUTE = 60_000;
const NAMESPACE = 'https://example.com/bench/';

export const item = (life: number, n: number): string =>
  `urn:epc:id:sgtin:0614141.1${String(life % PRODUCTS).padStart(5, '0')}.${life * ITEMS + n}`;
export const itemsOfProduct = (product: number): string =>
  `urn:epc:idpat:sgtin:0614141.1${String(product).padStart(5, '0')}.*`;
const carton = (life: number): string => `urn:epc:id:sscc:0614141.${String(life).padStart(10, '0')}`;
export const site = (n: number): string => `urn:epc:id:sgln:0614141.${String(n).padStart(5, '0')}.0`;
export const door = (n: number, k: number): string => `urn:epc:id:sgln:0614141.${String(n).padStart(5, '0')}.${k}`;
export const order = (life: number): string => `urn:epcglobal:cbv:bt:0614141000005:${life}`;
export const lot = (life: number): string => `LOT-${Math.floor(life / 20)}`;
export const startOf = (life: number): number => START + life * MINUTE;
export { NAMESPACE, PRODUCTS, SITES };

const cbv = (kind: string, word: string): string => `https://ref.gs1.org/cbv/${kind}-${word}`;

/** Sites in ten regions in one country, as master data. */
export function masterData(): readonly VocabularyElement[] {
  const vocabulary = 'urn:epcglobal:epcis:vtype:BusinessLocation';
  const name = (text: string): VocabularyElement['attributes'] => [
    { id: 'urn:epcglobal:cbv:mda#name', value: text },
    { id: 'urn:epcglobal:cbv:mda#countryCode', value: 'BR' },
  ];
  const regions = Array.from({ length: 10 }, (_, n) => ({
    vocabulary,
    id: `urn:example:region:${n}`,
    attributes: name(`Region ${n}`),
    children: Array.from({ length: SITES / 10 }, (__, k) => site(n * 10 + k)),
  }));
  const sites = Array.from({ length: SITES }, (_, n) => ({
    vocabulary,
    id: site(n),
    attributes: name(`Site ${n}`),
    children: [],
  }));
  const country = {
    vocabulary,
    id: 'urn:example:country',
    attributes: name('Country'),
    children: regions.map((r) => r.id),
  };
  return [country, ...regions, ...sites];
}

/** Event number `n` of all. */
export function eventOf(seed: number, n: number): EpcisEvent {
  const life = Math.floor(n / EVENTS_PER_LIFE);
  const random = createRandom(seed * 1_000_003 + n);
  return STAGES[n % EVENTS_PER_LIFE]?.(life, random) as EpcisEvent;
}

export function captured(event: EpcisEvent): CapturedEvent {
  const { extensions, ilmd, ...standard } = event;
  const members = (fields: EpcisEvent['ilmd']): [string, unknown][] =>
    (fields ?? []).map(({ prefix, name, value }) => [`${prefix}:${name}`, value]);
  const json = {
    '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld', { bench: NAMESPACE }],
    ...standard,
    ...(ilmd && { ilmd: Object.fromEntries(members(ilmd)) }),
    ...Object.fromEntries(members(extensions)),
  };
  return {
    event,
    hash: eventHash(event, (text) => hash('sha256', text)),
    source: { format: 'json', text: JSON.stringify(json) },
  };
}

type Stage = (life: number, random: Random) => EpcisEvent;

const field = (name: string, value: string) => ({ namespace: NAMESPACE, name, prefix: 'bench', value });

function base(life: number, day: number, random: Random, step: string, disposition: string, at: number) {
  return {
    eventTime: new Date(
      startOf(life) + day * 1440 * MINUTE + random.below(600) * MINUTE + random.below(60_000),
    ).toISOString(),
    eventTimeZoneOffset: '+00:00',
    bizStep: cbv('BizStep', step),
    disposition: cbv('Disp', disposition),
    readPoint: { id: door(at, 1 + random.below(4)) },
    bizLocation: { id: site(at) },
  };
}

const items = (life: number): string[] => Array.from({ length: ITEMS }, (_, n) => item(life, n));
const from = (life: number): number => life % SITES;
const to = (life: number): number => (life * 7 + 13) % SITES;
const purchase = (life: number) => [{ type: cbv('BTT', 'po'), value: order(life) }];

const seen = (type: 'ADD' | 'OBSERVE', epcList: string[]) => ({ type: 'ObjectEvent', action: type, epcList });
const packed = (life: number, action: 'ADD' | 'DELETE') => ({
  type: 'AggregationEvent',
  action,
  parentID: carton(life),
  childEPCs: items(life),
});

const STAGES: readonly Stage[] = [
  (life, random) => ({
    ...base(life, 0, random, 'commissioning', 'active', from(life)),
    ...seen('ADD', items(life)),
    ilmd: [field('lot', lot(life))],
    extensions: [field('line', String(random.below(12)))],
  }),
  (life, random) => ({ ...base(life, 1, random, 'packing', 'in_progress', from(life)), ...packed(life, 'ADD') }),
  (life, random) => ({
    ...base(life, 2, random, 'shipping', 'in_transit', from(life)),
    ...seen('OBSERVE', [carton(life)]),
    bizTransactionList: purchase(life),
    sourceList: [{ type: cbv('SDT', 'owning_party'), value: site(from(life)) }],
    destinationList: [{ type: cbv('SDT', 'owning_party'), value: site(to(life)) }],
  }),
  (life, random) => sensor(life, 3, random),
  (life, random) => sensor(life, 4, random),
  (life, random) => ({
    ...base(life, 5, random, 'receiving', 'in_progress', to(life)),
    ...seen('OBSERVE', [carton(life)]),
    bizTransactionList: purchase(life),
  }),
  (life, random) => ({ ...base(life, 6, random, 'unpacking', 'in_progress', to(life)), ...packed(life, 'DELETE') }),
  (life, random) => ({
    ...base(life, 7, random, 'storing', 'sellable_accessible', to(life)),
    ...seen('OBSERVE', items(life)),
  }),
  (life, random) => ({
    ...base(life, 9, random, 'retail_selling', 'retail_sold', to(life)),
    ...seen('OBSERVE', items(life).slice(0, 2)),
    extensions: [field('price', (random.below(10_000) / 100).toFixed(2))],
  }),
  (life, random) => (life % 20 === 0 ? declaredWrong(life, random) : inspected(life, random)),
];

function sensor(life: number, day: number, random: Random): EpcisEvent {
  const where = base(life, day, random, 'sensor_reporting', 'in_transit', to(life));
  const celsius = Number((2 + random.below(600) / 100).toFixed(2));
  return {
    ...where,
    ...seen('OBSERVE', [carton(life)]),
    sensorElementList: [
      {
        sensorMetadata: { time: where.eventTime, deviceID: `urn:epc:id:giai:0614141.${to(life)}` },
        sensorReport: [{ type: 'https://gs1.org/voc/Temperature', value: celsius, uom: 'CEL' }],
      },
    ],
  };
}

function inspected(life: number, random: Random): EpcisEvent {
  return {
    ...base(life, 8, random, 'inspecting', 'in_progress', to(life)),
    ...seen('OBSERVE', items(life).slice(0, 1)),
  };
}

/** The storing of this life was wrong. */
function declaredWrong(life: number, random: Random): EpcisEvent {
  return {
    ...base(life, 7, random, 'storing', 'sellable_accessible', to(life)),
    ...seen('OBSERVE', items(life)),
    eventID: `urn:example:event:${life}`,
    errorDeclaration: {
      declarationTime: new Date(startOf(life) + 8 * 1440 * MINUTE).toISOString(),
      reason: cbv('ER', 'incorrect_data'),
    },
  };
}
