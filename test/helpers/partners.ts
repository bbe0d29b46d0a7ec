// Two companies and their observer, who share a repository: who they are, what they may see, and what they capture.
import { client } from './access.ts';

export const ACME = client('acme', { roles: ['capture', 'query', 'subscribe'] });
export const BETA = client('beta', { groups: ['retailers'] });
export const OBSERVER = client('observer', { roles: ['capture', 'query', 'subscribe', 'administer'] });
export const STRANGER = client('stranger');

export const NS = 'https://acme.example/ns#';
export const DOCK = 'urn:epc:id:sgln:0614141.00001.0';
export const PILOT = 'urn:epc:id:sgln:0614141.00002.0';
export const SITE = 'urn:x:acme:site';
export const BETA_PARTY = 'urn:epc:id:pgln:9521141.00000';
export const acmeEpc = (n: number) => `urn:epc:id:sgtin:0614141.107346.${n}`;
export const betaEpc = (n: number) => `urn:epc:id:sgtin:9521141.012345.${n}`;

export const RULES = {
  rules: [
    { name: 'the observer', for: 'client:observer', see: 'everything' },
    { name: 'the observer captures', for: 'client:observer', capture: 'everything' },
    { name: 'the observer knows all places', for: 'client:observer', masterData: 'everything' },
    {
      name: 'acme sees its own',
      for: 'client:acme',
      see: { epc: ['urn:epc:idpat:sgtin:0614141.*.*', 'urn:epc:idpat:sscc:0614141.*'] },
    },
    {
      name: 'acme captures its own',
      for: 'client:acme',
      capture: { everyEPC: ['urn:epc:idpat:sgtin:0614141.*.*', 'urn:epc:idpat:sscc:0614141.*'] },
    },
    { name: 'beta sees its own', for: 'client:beta', see: { epc: 'urn:epc:idpat:sgtin:9521141.*.*' } },
    { name: 'beta captures its own', for: 'client:beta', capture: { everyEPC: 'urn:epc:idpat:sgtin:9521141.*.*' } },
    {
      name: 'retailers see what is shipped to them, without prices and temperatures',
      for: 'group:retailers',
      see: { EQ_bizStep: 'shipping', party: BETA_PARTY },
      hide: [`${NS}price`, 'sensorElementList'],
    },
    { name: 'nobody sees the pilot plant', for: ['client:beta', 'group:retailers'], deny: { EQ_readPoint: PILOT } },
    { name: 'retailers know the docks', for: 'group:retailers', masterData: { EQ_name: DOCK } },
  ],
};
export const EVERYTHING = {
  rules: [
    { name: 'see', for: 'everybody', see: 'everything' },
    { name: 'capture', for: 'everybody', capture: 'everything' },
    { name: 'places', for: 'everybody', masterData: 'everything' },
  ],
};

export interface Shape {
  readonly n: number;
  readonly epc: string;
  readonly bizStep: string;
  readonly readPoint: string;
  readonly disposition?: string;
  readonly to?: string;
  readonly price?: string;
  readonly warm?: boolean;
}

export const event = ({ n, epc, bizStep, readPoint, disposition = 'in_transit', to, price, warm }: Shape) => ({
  '@context': [{ acme: NS }],
  type: 'ObjectEvent',
  eventID: `urn:uuid:00000000-0000-4000-8000-00000000000${n}`,
  eventTime: `2026-01-0${n}T00:00:00Z`,
  eventTimeZoneOffset: '+00:00',
  epcList: [epc],
  action: 'OBSERVE',
  bizStep,
  disposition,
  readPoint: { id: readPoint },
  ...(to && { destinationList: [{ type: 'owning_party', destination: to }] }),
  ...(warm && { sensorElementList: [{ sensorReport: [{ type: 'Temperature', value: 7, uom: 'CEL' }] }] }),
  ...(price && { 'acme:price': price, 'acme:lot': 'L1' }),
});

export const ALL: readonly Shape[] = [
  { n: 1, epc: acmeEpc(1), bizStep: 'commissioning', readPoint: DOCK, price: '10', disposition: 'active' },
  { n: 2, epc: acmeEpc(1), bizStep: 'shipping', readPoint: DOCK, to: BETA_PARTY, price: '11', warm: true },
  { n: 3, epc: acmeEpc(2), bizStep: 'shipping', readPoint: PILOT, to: BETA_PARTY, price: '12' },
  { n: 4, epc: acmeEpc(3), bizStep: 'shipping', readPoint: DOCK, to: 'urn:epc:id:pgln:0000000.00000', price: '13' },
  { n: 5, epc: betaEpc(1), bizStep: 'receiving', readPoint: 'urn:x:beta:gate', disposition: 'in_progress' },
  { n: 6, epc: betaEpc(2), bizStep: 'receiving', readPoint: PILOT, disposition: 'damaged' },
];
/** Beta's view: 2 without price and temperature, and 5; not 6, which is at the pilot plant. */
export const VIEW = [
  { ...event({ n: 2, epc: acmeEpc(1), bizStep: 'shipping', readPoint: DOCK, to: BETA_PARTY }), 'acme:lot': 'L1' },
  ...ALL.filter(({ n }) => n === 5).map(event),
];

export const PLACES = (known: readonly string[], isSite: boolean): string =>
  '<e:EPCISMasterDataDocument xmlns:e="urn:epcglobal:epcis-masterdata:xsd:1" schemaVersion="1.0" creationDate="2026-01-01T00:00:00Z">' +
  '<EPCISBody><VocabularyList><Vocabulary type="urn:epcglobal:epcis:vtype:ReadPoint"><VocabularyElementList>' +
  known
    .map((id) => `<VocabularyElement id="${id}"><attribute id="urn:x:city">Porto</attribute></VocabularyElement>`)
    .join('') +
  (isSite
    ? `<VocabularyElement id="${SITE}"><attribute id="urn:x:city">Porto</attribute><children><id>${DOCK}</id><id>${PILOT}</id></children></VocabularyElement>`
    : '') +
  '</VocabularyElementList></Vocabulary></VocabularyList></EPCISBody></e:EPCISMasterDataDocument>';

export const soap = (operation: string) => ({
  method: 'POST',
  headers: { 'Content-Type': 'text/xml' },
  body:
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:q="urn:epcglobal:epcis-query:xsd:1">' +
    `<s:Body>${operation}</s:Body></s:Envelope>`,
});
export const poll = (name: string, parameters: Readonly<Record<string, string>> = {}): RequestInit => {
  const list = Object.entries(parameters).map(([key, value]) => {
    const written = /^(?:max|include)/.test(key) ? value : `<string>${value}</string>`;
    return `<param><name>${key}</name><value>${written}</value></param>`;
  });
  return soap(`<q:Poll><queryName>${name}</queryName><params>${list.join('')}</params></q:Poll>`);
};
export const json = (body: unknown, method = 'POST') => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});
export const MASTER = { includeAttributes: 'true', includeChildren: 'true' };

const DIFFERENT = new Set(['recordTime', 'creationDate', 'createdAt']);

/** Without what differs between any two repositories (times, row ids of a graph, tokens). Members of JSON in one order: an event without its hidden fields is written anew. */
export function comparable(whole: string): string {
  const text = whole.replace(/event:[\w-]+/g, 'event');
  if (!text.startsWith('{') && !text.startsWith('['))
    return text.replace(/<recordTime>[^<]*<\/recordTime>|creationDate="[^"]*"|nextPageToken=[\w.-]+/g, '');
  return JSON.stringify(JSON.parse(text), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([name]) => !DIFFERENT.has(name))
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : value,
  );
}
