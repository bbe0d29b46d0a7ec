// Clients that others wrote, against the service through the gateway: epcis2.js in Node and in a page of another origin, and one that is
// generated from our OpenAPI document. (The one from our WSDL: test/integration/epcis-wsdl.test.ts.)
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { OpenAPIClientAxios, type Document } from 'openapi-client-axios';
import { chromium, type Browser } from 'playwright-core';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { Bench } from '../helpers/gateway.ts';
import { listening } from '../helpers/listening.ts';
import { present } from '../helpers/present.ts';
import { until } from '../helpers/until.ts';

const ARGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
const require = createRequire(import.meta.url);
/** What we use of epcis2.js, which has no types that a module could import. */
interface Epcis2 {
  readonly setup: (settings: { apiUrl: string }) => void;
  readonly capture: (document: object) => Promise<Response>;
  readonly EPCISDocument: new () => { setCreationDate(time: string): { addEvent(event: object): object } };
  readonly ObjectEvent: new (event: object) => object;
}
const { setup, capture, EPCISDocument, ObjectEvent } = require('epcis2.js') as Epcis2;
const SCRIPT = readFileSync(require.resolve('epcis2.js/dist/epcis2.var.js'));

const EVENT = { eventTime: '2024-01-01T00:00:00.000Z', eventTimeZoneOffset: '+00:00', action: 'OBSERVE' };
const epc = (n: number) => `urn:epc:id:sgtin:0614141.107346.${n}`;

describe("others' clients", function () {
  this.timeout(90_000);
  const bench = new Bench();
  let vm: EpcisServer;
  let pages: Server;
  let origin: string;
  let browser: Browser;
  const gateways: string[] = [];

  before(async () => {
    pages = createServer((request, response) => {
      const isScript = request.url === '/epcis2.js';
      response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' });
      response.end(isScript ? SCRIPT : '<!doctype html><script src="/epcis2.js"></script>');
    });
    origin = `http://127.0.0.1:${await listening(pages)}`;
    const log = { error: () => {}, warn: () => {}, info: () => {} };
    const repository = { url: await present(KINDS[0])[1]() };
    vm = await startEpcisServer({ repository, port: 0, log, corsOrigins: [origin] });
    for (const dataPlane of ['builtin', 'haproxy'] as const) {
      const gateway = await bench.gatewayTo(vm, { dataPlane });
      gateways.push(`http://127.0.0.1:${gateway.address.port}`);
    }
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGS });
  });
  after(async () => {
    await browser.close();
    await bench.close();
    await vm.close();
    pages.close();
  });

  const isStored = (n: number) => async () =>
    (await (await fetch(`${vm.address}/events?MATCH_epc=${epc(n)}`)).text()).includes(epc(n));

  it('epcis2.js captures from Node', async () => {
    for (const [n, gateway] of gateways.entries()) {
      setup({ apiUrl: gateway });
      const event = new ObjectEvent({ ...EVENT, epcList: [epc(n)] });
      const document = new EPCISDocument().setCreationDate('2024-01-01T00:00:00.000Z').addEvent(event);
      const answer = await capture(document);
      expect(answer.status).to.equal(202);
      await until('it is stored', isStored(n));
    }
  });

  it('epcis2.js captures from a page of another origin, which reads what it captured', async () => {
    for (const [n, gateway] of gateways.entries()) {
      const page = await browser.newPage();
      await page.goto(origin);
      const seen = await page.evaluate(inPage({ gateway, given: { ...EVENT, epcList: [epc(10 + n)] } }));
      expect(seen).to.deep.equal({ status: 202, location: true, version: '2.0.0' });
      await until('it is stored', isStored(10 + n));
      // the answer comes compressed, as Chromium asks for it
      const found = await page.evaluate(`fetch('${gateway}/events?perPage=30').then((answer) => answer.text())`);
      expect(found).to.contain(epc(10 + n));
      await page.close();
    }
  });

  it('a page of an origin that is not allowed gets nothing', async () => {
    const page = await browser.newPage();
    await page.goto(origin.replace('127.0.0.1', 'localhost'));
    const outcome = await page.evaluate(`fetch('${gateways[0]}/events').then(() => 'read', () => 'refused')`);
    expect(outcome).to.equal('refused');
    await page.close();
  });

  it('the page for people and the picture of a trace show themselves, and need nothing from elsewhere', async () => {
    const page = await browser.newPage();
    const wrong: string[] = [];
    page.on(
      'console',
      (message) =>
        void (message.type() === 'error' && !message.text().includes('favicon') && wrong.push(message.text())),
    );
    page.on(
      'request',
      (request) => void (!request.url().startsWith(present(gateways[0])) && wrong.push(request.url())),
    );
    await page.goto(`${gateways[0]}/docs`);
    expect(await page.locator('details').count()).to.be.above(30);
    await page.goto(`${gateways[0]}/epcs/${epc(0)}/trace/picture`);
    expect(await page.locator('circle').count()).to.equal(1);
    expect(wrong).to.deep.equal([]);
    await page.close();
  });

  it('one that is generated from the OpenAPI document calls the service by the names of its operations', async () => {
    const gateway = present(gateways[0]);
    const definition = (await (await fetch(`${gateway}/openapi.json`)).json()) as Document;
    const api = new OpenAPIClientAxios({ definition, axiosConfigDefaults: { baseURL: gateway } });
    const client =
      await api.init<
        Record<
          string,
          (parameters?: object, body?: unknown, config?: object) => Promise<{ status: number; data: unknown }>
        >
      >();
    const call = (name: string, parameters: object = {}, body?: unknown) =>
      present(client[name])(parameters, body, { validateStatus: () => true });
    const posted = await call('postQuery', {}, { name: 'mine', query: { EQ_action: ['OBSERVE'] } });
    expect(posted.status).to.equal(201);
    expect((await call('getQuery', { queryName: 'mine' })).data).to.include({ name: 'mine' });
    const events = await call('getEvents', {
      perPage: 1,
      EQ_action: 'OBSERVE',
      'GS1-EPC-Format': 'Always_GS1_Digital_Link',
    });
    expect(JSON.stringify(events.data)).to.contain('https://id.gs1.org/01/10614141073464/21/');
    expect((await call('getTraceGraph', { epc: epc(0), depth: 2 })).status).to.equal(200);
    expect((await call('getEvents', { maxEventCount: 1 })).status).to.equal(413);
    expect((await call('deleteQuery', { queryName: 'mine' })).status).to.equal(204);
  });
});

/** As text: it runs in the page. */
const inPage = (given: object): string => `(async ({ gateway, given }) => {
  const { setup, capture, EPCISDocument, ObjectEvent } = window.epcis2;
  setup({ apiUrl: gateway });
  const event = new ObjectEvent(given);
  const answer = await capture(new EPCISDocument().setCreationDate('2024-01-01T00:00:00.000Z').addEvent(event));
  return { status: answer.status, location: answer.headers.has('location'), version: answer.headers.get('gs1-epcis-version') };
})(${JSON.stringify(given)})`;
