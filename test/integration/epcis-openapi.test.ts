// The service's own OpenAPI document against what the service does: every route, method and status of the one is one of the other,
// every body is as its schema says.
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { withDescriptions } from '../../epcis/bindings/describe/resources.ts';
import { RESOURCES } from '../../epcis/bindings/rest/resources.ts';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { serveScripted, type ScriptedServer } from '../helpers/epcis-doors.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { present } from '../helpers/present.ts';

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
const DOCUMENT = {
  '@context': CONTEXT,
  type: 'EPCISDocument',
  schemaVersion: '2.0',
  creationDate: '2024-01-01T00:00:00Z',
  epcisBody: { eventList: [EVENT, { ...EVENT, eventID: `${ID}2`, epcList: ['urn:epc:id:sgtin:0614141.107340.2'] }] },
};

interface Call {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const post = (path: string, body: unknown, type = 'application/json'): Call => ({
  path,
  method: 'POST',
  headers: { 'Content-Type': type },
  body,
});
const remove = (path: string): Call => ({ path, method: 'DELETE' });
const asked = (path: string): Call => ({ path });
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
const CALLS: Readonly<Record<string, readonly (readonly [number, Call])[]>> = {
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

interface DescribedAnswer {
  readonly headers: Record<string, unknown>;
  readonly content?: Record<string, { schema: { $ref?: string; type?: string } }>;
}
interface DescribedOperation {
  readonly operationId: string;
  readonly responses: Record<string, DescribedAnswer>;
}
interface OpenApi {
  readonly paths: Record<string, Record<string, DescribedOperation>>;
  readonly components: { readonly schemas: object };
}

describe('the OpenAPI document of the service', function () {
  this.timeout(60_000);
  let server: EpcisServer;
  let without: EpcisServer;
  let failing: ScriptedServer;
  let described: OpenApi;
  const operations = new Map<string, DescribedOperation>();

  before(async () => {
    const repository = { url: await present(KINDS[0])[1]() };
    const log = { error: () => {}, warn: () => {}, info: () => {} };
    const limits = { captureBytes: 100_000 };
    const subscriptionTargets = ['127.0.0.1'];
    server = await startEpcisServer({ repository, port: 0, log, limits, subscriptionTargets });
    without = await startEpcisServer({ repository, port: 0, log, contextPaths: [], restPrefix: '/v2' });
    failing = await serveScripted({});
    described = (await (await fetch(`${server.address}/openapi.json`)).json()) as OpenApi;
    for (const methods of Object.values(described.paths))
      for (const operation of Object.values(methods)) operations.set(operation.operationId, operation);
  });
  after(() => Promise.all([server.close(), without.close(), failing.close()]));

  const send = (
    { path, method = 'GET', headers = {}, body }: Call,
    at = server.address,
    more: Readonly<Record<string, string>> = {},
  ) =>
    fetch(at + path, {
      method,
      headers: { ...headers, ...more },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });

  it('is valid, by the specification', async () => {
    const result = await new Validator().validate({ ...described });
    expect(result.errors ?? []).to.deep.equal([]);
    expect(result.valid).to.equal(true);
  });

  it('has the methods of each path that the door has, and no others', async () => {
    for (const [template, methods] of Object.entries(described.paths)) {
      const path = template.replaceAll(/\{\w+\}/g, 'x');
      const allow = (await send({ path, method: 'OPTIONS' })).headers.get('allow')?.split(', ');
      const names = Object.keys(methods).map((method) => method.toUpperCase());
      expect(allow, template).to.have.members(['OPTIONS', ...names]);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !names.includes(each)))
        expect((await send({ path, method })).status, `${method} ${template}`).to.equal(405);
    }
    const routes = withDescriptions(RESOURCES).map(({ path }) => path.replaceAll('{+', '{'));
    expect(Object.keys(described.paths)).to.have.members(routes);
    expect(Object.keys(CALLS)).to.have.members([...operations.keys()]);
  });

  it('has every status that the door answers with, its types, headers and bodies; the door has every one of it', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'service', ...described });
    const seen = new Map<string, Set<string>>([...operations.keys()].map((id) => [id, new Set()]));
    const names: Record<string, string> = {};
    const check = async (id: string, call: Call, expected: number, at = server.address, more = {}) => {
      const path = call.path.replace(/JOB|SUBSCRIPTION|TOKEN|EXPORT/, (name) => names[name] ?? name);
      const answer = await send({ ...call, path }, at, more);
      const text = await answer.text();
      const what = `${id} ${call.method ?? 'GET'} ${path.slice(0, 200)}: ${text.slice(0, 300)}`;
      expect(answer.status, what).to.equal(expected);
      seen.get(id)?.add(String(expected));
      const promised = present(operations.get(id)?.responses[String(expected)]);
      const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
      if (promised.content === undefined) expect(text, what).to.equal('');
      else {
        expect(Object.keys(promised.content), what).to.include(type);
        const { $ref } = present(promised.content[type]).schema;
        if ($ref !== undefined) {
          const fits = ajv.validate(`service${$ref}`, JSON.parse(text));
          expect(fits, `${what}: ${ajv.errorsText()}`).to.equal(true);
        }
      }
      // not on the last page, and only those of a problem that has them
      const optional = ['Trace-Bounded', 'Capture-Warnings', 'Link', 'GS1-Next-Page-Token-Expires'];
      for (const name of Object.keys(promised.headers).filter((each) => !optional.includes(each)))
        expect(answer.headers.has(name), `${name} of ${what}`).to.equal(true);
      return answer;
    };

    await check('postCapture', { ...post('/capture', DOCUMENT) }, 202).then((answer) => {
      names['JOB'] = (answer.headers.get('location') ?? '').split('/').at(-1) ?? '';
    });
    const finished = async (path: string): Promise<void> => {
      for (let running = true; running;)
        ({ running } = (await (await send(asked(path))).json()) as { running: boolean });
    };
    await finished(`/capture/${names['JOB']}`);
    await check('postExport', post('/exports', {}), 202).then((answer) => {
      names['EXPORT'] = (answer.headers.get('location') ?? '').split('/').at(-1) ?? '';
    });
    await finished(`/exports/${names['EXPORT']}`);
    names['TOKEN'] =
      /nextPageToken=([^>]+)>/.exec((await send(asked('/events?perPage=1'))).headers.get('link') ?? '')?.[1] ?? '';
    for (const [id, calls] of Object.entries(CALLS)) {
      for (const [status, call] of calls) {
        const answer = await check(id, call, status);
        if (status === 201 && id === 'postSubscription')
          names['SUBSCRIPTION'] = (answer.headers.get('location') ?? '').split('/').at(-1) ?? '';
      }
      const [[, good] = [0, asked('/')]] = calls;
      await check(id, good, 400, server.address, { 'GS1-EPCIS-Version': 'two' });
      await check(id, good, 406, server.address, { 'GS1-EPCIS-Min': '9' });
      await check(id, { ...good, path: `${good.path}?${'x'.repeat(20_000)}` }, 414);
      if (operations.get(id)?.responses['500'] !== undefined) await check(id, good, 500, failing.url);
    }
    // what describes EPCIS 1.x is not there where it is not served
    await check('getWsdl', asked('/v2/epcis.wsdl'), 404, without.address);

    for (const [id, statuses] of seen)
      expect([...statuses], id).to.have.members(Object.keys(present(operations.get(id)).responses));
  });

  it('has every form of an answer', async () => {
    for (const type of ['application/json', 'application/ld+json', 'application/xml', 'text/xml']) {
      const answer = await send({ path: '/events', headers: { Accept: type } });
      expect(answer.headers.get('content-type')).to.equal(`${type}; charset=utf-8`);
      expect(operations.get('getEvents')?.responses['200']?.content).to.have.property(type);
    }
  });

  it('names the prefix that its paths stand below', async () => {
    const prefixed = (await (await fetch(`${without.address}/v2/openapi.json`)).json()) as { servers: unknown };
    expect(prefixed.servers).to.deep.equal([{ url: '/v2' }]);
  });

  it('has a page for people that needs nothing from elsewhere', async () => {
    const answer = await send(asked('/docs'));
    const text = await answer.text();
    expect(answer.headers.get('content-security-policy')).to.match(/^default-src 'none'/);
    expect(text).not.to.match(/<script|<link|src=|url\(|@import/);
    for (const path of Object.keys(described.paths)) expect(text).to.contain(`<code>${path}</code>`);
    expect(text).to.contain('href="/epcis.wsdl"').and.to.contain('href="/openapi.json"');
    expect(await (await fetch(`${without.address}/v2/docs`)).text())
      .to.contain('href="/v2/openapi.json"')
      .and.not.to.contain('epcis.wsdl"');
  });

  it('has the WSDL beside it, with the address by which the client came', async () => {
    const text = await (await send(asked('/epcis.wsdl'))).text();
    expect(text).to.equal(await (await send(asked('/epcis-repository/query?wsdl'))).text());
    expect(text).to.contain(`location="${server.address}/epcis-repository/query"`);
  });

  it('knows every query parameter of the registry', () => {
    const documented = readFileSync(new URL('../../epcis/PARAMETERS.md', import.meta.url), 'utf8');
    const [, events = ''] = documented.split('## Simple');
    const names = [...events.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    const { parameters } = described.components as unknown as { parameters: Record<string, { schema: object }> };
    for (const name of names) expect(parameters).to.have.property(name ?? '');
    const patterns = Object.keys((parameters['fields']?.schema as { patternProperties: object }).patternProperties);
    const fits = (name: string) => patterns.some((pattern) => new RegExp(pattern).test(name));
    expect(fits('EQ_ILMD_http://ns.example/#lot')).to.equal(true);
    expect(fits('EQ_nothing')).to.equal(false);
  });
});
