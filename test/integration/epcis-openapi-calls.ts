// For each operation of the service's OpenAPI document the calls that have every one of its answers.

const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';
const ID = 'urn:uuid:00000000-0000-4000-8000-000000000001';
const EVENT = {
  '@context': CONTEXT,
  type: 'ObjectEvent',
  eventID: ID,
  eventTime: '2024-01-01T00:00:00Z',
  eventTimeZoneOffset: '+00:00',
  epcList: ['urn:epc:id:sgtin:0614141.107340.1'],
  action: 'OBSERVE',
  bizStep: 'shipping',
  disposition: 'in_transit',
  readPoint: { id: 'urn:epc:id:sgln:0614141.00001.0' },
  bizLocation: { id: 'urn:epc:id:sgln:0614141.00002.0' },
};
export const DOCUMENT = {
  '@context': CONTEXT,
  type: 'EPCISDocument',
  schemaVersion: '2.0',
  creationDate: '2024-01-01T00:00:00Z',
  epcisBody: { eventList: [EVENT, { ...EVENT, eventID: `${ID}2`, epcList: ['urn:epc:id:sgtin:0614141.107340.2'] }] },
};

export interface Call {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export const post = (path: string, body: unknown, type = 'application/json'): Call => ({
  path,
  method: 'POST',
  headers: { 'Content-Type': type },
  body,
});
const remove = (path: string): Call => ({ path, method: 'DELETE' });
export const asked = (path: string): Call => ({ path });
const tagged = (path: string): Call => ({ path, headers: { 'If-None-Match': '*' } });
const TOO_LONG = { name: 'x'.repeat(2_000_000) };
/** For what takes a body: the wrong type, too much, and nonsense. */
const refused = (path: string): [number, Call][] => [
  [415, post(path, EVENT, 'text/plain')],
  [413, post(path, TOO_LONG)],
  [400, post(path, 'nonsense')],
];
const collection = (name: string, value: string): Record<string, [number, Call][]> => {
  const id = name[0]?.toUpperCase() + name.slice(1, -1);
  const one = `/${name}/${encodeURIComponent(value)}`;
  return {
    [`get${id}s`]: [
      [200, asked(`/${name}`)],
      [304, tagged(`/${name}`)],
      [400, asked(`/${name}?EQ_bizStep=x`)],
    ],
    [`get${id}`]: [
      [200, asked(one)],
      [304, tagged(one)],
      [404, asked(`/${name}/urn:none`)],
    ],
    [`get${id}Events`]: [
      [200, asked(`${one}/events`)],
      [400, asked(`${one}/events?perPage=0`)],
      [413, asked(`${one}/events?maxEventCount=1`)],
    ],
  };
};

const trace = (id: string, path: string): Record<string, [number, Call][]> => {
  const of = (epc: string, query = '') => `/epcs/${epc}/trace${path}${query}`;
  const found = of('urn:epc:id:sgtin:0614141.107340.1');
  return {
    [id]: [
      [200, asked(found)],
      ...(path === '' ? [] : [[304, tagged(found)] as [number, Call]]),
      [400, asked(`${found}?depth=x`)],
      [404, asked(of('urn:none'))],
    ],
  };
};

/** For each operation: what it is called with, and what it must answer, in this order. */
export const CALLS: Readonly<Record<string, readonly (readonly [number, Call])[]>> = {
  postCapture: [
    [202, post('/capture', DOCUMENT)],
    [200, post('/capture?dryRun=true', DOCUMENT)],
    ...refused('/capture'),
  ],
  postValidate: [[200, post('/validate', { type: 'EPCISDocument' })], ...refused('/validate').slice(0, 2)],
  getCaptureJobs: [
    [200, asked('/capture')],
    [400, asked('/capture?perPage=x')],
  ],
  getCaptureJob: [
    [200, asked('/capture/JOB')],
    [404, asked('/capture/none')],
  ],
  postEvent: [
    [201, post('/events', { ...EVENT, eventID: `${ID}3`, bizStep: 'packing' })],
    [409, post('/events', { ...EVENT, eventID: `${ID}3`, bizStep: 'packing' })],
    [200, post('/events?dryRun=true', EVENT)],
    ...refused('/events'),
  ],
  getEvents: [
    [200, asked('/events')],
    [400, asked('/events?EQ_nothing=x')],
    [413, asked('/events?maxEventCount=1')],
  ],
  getEvent: [
    [200, asked(`/events/${ID}`)],
    [304, tagged(`/events/${ID}`)],
    [404, asked('/events/urn:none')],
  ],
  getRoot: [
    [200, asked('/')],
    [304, tagged('/')],
  ],
  ...collection('eventTypes', EVENT.type),
  ...collection('epcs', 'urn:epc:id:sgtin:0614141.107340.1'),
  ...collection('bizSteps', EVENT.bizStep),
  ...collection('bizLocations', EVENT.bizLocation.id),
  ...collection('readPoints', EVENT.readPoint.id),
  ...collection('dispositions', EVENT.disposition),
  ...trace('getTrace', ''),
  ...trace('getTraceGraph', '/graph'),
  ...trace('getTracePicture', '/picture'),
  postQuery: [
    [201, post('/queries', { name: 'mine', query: { EQ_bizStep: ['shipping'] } })],
    [409, post('/queries', { name: 'mine', query: {} })],
    ...refused('/queries'),
  ],
  getQueries: [
    [200, asked('/queries')],
    [400, asked('/queries?perPage=x')],
  ],
  getQuery: [
    [200, asked('/queries/mine')],
    [404, asked('/queries/none')],
  ],
  getQueryEvents: [
    [200, asked('/queries/mine/events')],
    [400, asked('/queries/SimpleMasterDataQuery/events')],
    [404, asked('/queries/none/events')],
    [413, asked('/queries/mine/events?maxEventCount=1')],
  ],
  postSubscription: [
    [201, post('/queries/mine/subscriptions', { dest: 'http://127.0.0.1:9/', stream: true })],
    [404, post('/queries/none/subscriptions', { dest: 'http://127.0.0.1:9/', stream: true })],
    [400, post('/queries/mine/subscriptions', { dest: 'http://elsewhere.example/', stream: true })],
    ...refused('/queries/mine/subscriptions'),
  ],
  getSubscriptions: [
    [200, asked('/queries/mine/subscriptions')],
    [404, asked('/queries/none/subscriptions')],
  ],
  getSubscription: [
    [200, asked('/queries/mine/subscriptions/SUBSCRIPTION')],
    [404, asked('/queries/mine/subscriptions/none')],
  ],
  deleteSubscription: [
    [204, remove('/queries/mine/subscriptions/SUBSCRIPTION')],
    [404, remove('/queries/mine/subscriptions/none')],
  ],
  postExport: [
    [202, post('/exports', { format: 'csv', queryName: 'mine', query: { EQ_action: 'OBSERVE' } })],
    [404, post('/exports', { queryName: 'none' })],
    ...refused('/exports'),
  ],
  getExports: [
    [200, asked('/exports')],
    [400, asked('/exports?perPage=x')],
  ],
  getExport: [
    [200, asked('/exports/EXPORT')],
    [404, asked('/exports/none')],
  ],
  getExportDocument: [
    [200, asked('/exports/EXPORT/document')],
    [404, asked('/exports/none/document')],
  ],
  deleteExport: [
    [204, remove('/exports/EXPORT')],
    [404, remove('/exports/none')],
  ],
  deleteQuery: [
    [204, remove('/queries/mine')],
    [404, remove('/queries/none')],
    [403, remove('/queries/SimpleEventQuery')],
  ],
  deletePageToken: [
    [204, remove('/nextPageToken/TOKEN')],
    [400, remove('/nextPageToken/none')],
  ],
  getOpenApi: [
    [200, asked('/openapi.json')],
    [304, tagged('/openapi.json')],
  ],
  getWsdl: [
    [200, asked('/epcis.wsdl')],
    [304, tagged('/epcis.wsdl')],
  ],
  getDocs: [
    [200, asked('/docs')],
    [304, tagged('/docs')],
  ],
};
