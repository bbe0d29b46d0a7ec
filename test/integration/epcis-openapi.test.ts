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
import { asked, CALLS, DOCUMENT, post, type Call } from './epcis-openapi-calls.ts';

interface DescribedAnswer {
  readonly headers: Record<string, unknown>;
  readonly content?: Record<string, { schema: { $ref?: string; type?: string } }>;
}
interface DescribedOperation {
  readonly operationId: string;
  readonly parameters: readonly { readonly $ref?: string }[];
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
      // HEAD comes with GET, as HTTP has it
      expect(allow, template).to.have.members(['OPTIONS', ...names, ...(names.includes('GET') ? ['HEAD'] : [])]);
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

  it('says what is refused before anything is looked at: versions that are none, and a parameter that the path says already', async () => {
    const { parameters } = described.components as unknown as {
      parameters: Record<string, { schema: { pattern: string } }>;
    };
    for (const version of ['2.0', '2.0.0', 'two', '-1', '2.'])
      expect(new RegExp(parameters['GS1-EPCIS-Max']?.schema.pattern ?? '').test(version), version).to.equal(
        (await send({ path: '/', headers: { 'GS1-EPCIS-Max': version } })).status !== 400,
      );
    const named = (id: string) => (operations.get(id)?.parameters ?? []).map(({ $ref }) => $ref?.split('/').at(-1));
    expect(named('getEvents')).to.include('EQ_bizStep');
    expect(named('getBizStepEvents')).to.include('EQ_action').and.not.include('EQ_bizStep');
    expect((await send(asked('/bizSteps/shipping/events?EQ_bizStep=shipping'))).status).to.equal(400);
  });
});
