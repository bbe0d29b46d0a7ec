// EPCIS through the gateway is EPCIS: every call of both generations gets what it would get from a VM itself.
import { expect } from 'chai';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { Bench } from '../helpers/gateway.ts';
import { present } from '../helpers/present.ts';

const DOCUMENT =
  '<?xml version="1.0"?><epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:1" schemaVersion="1.0" ' +
  'creationDate="2006-06-25T00:00:00Z"><EPCISBody><EventList>' +
  [1, 2, 3]
    .map(
      (n) =>
        `<ObjectEvent><eventTime>2006-06-25T00:0${n}:00Z</eventTime><eventTimeZoneOffset>-06:00</eventTimeZoneOffset>` +
        `<epcList><epc>urn:epc:id:sgtin:0614141.107340.${n}</epc></epcList><action>ADD</action></ObjectEvent>`,
    )
    .join('') +
  '</EventList></EPCISBody></epcis:EPCISDocument>';

const envelope = (body: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${body}</s:Body></s:Envelope>`;
const operation = (name: string, content = '') =>
  envelope(`<q:${name} xmlns:q="urn:epcglobal:epcis-query:xsd:1">${content}</q:${name}>`);
const poll = (params: string) => operation('Poll', `<queryName>SimpleEventQuery</queryName><params>${params}</params>`);

interface Call {
  readonly what: string;
  readonly path: string;
  readonly init?: RequestInit;
}

const soap = (what: string, path: string, body: string): Call => ({
  what,
  path: `${path}/query`,
  init: { method: 'POST', body, headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: '""' } },
});
const form = new URLSearchParams({ dbReset: 'true' });

const CALLS: readonly Call[] = [
  ...['/epcis-repository', '/epcis-repository-0.5.0', '/epcis'].flatMap((path) => [
    {
      what: 'capture',
      path: `${path}/capture`,
      init: { method: 'POST', body: DOCUMENT, headers: { 'Content-Type': 'text/xml' } },
    },
    soap('poll', path, poll('')),
    soap('names', path, operation('GetQueryNames')),
  ]),
  soap('a fault', '/epcis', poll('<param><name>EQ_nothing</name><value>x</value></param>')),
  soap('no envelope', '/epcis', 'hello'),
  {
    what: 'a malformed document',
    path: '/epcis/capture',
    init: { method: 'POST', body: '<a', headers: { 'Content-Type': 'text/xml' } },
  },
  { what: 'dbReset', path: '/epcis/capture', init: { method: 'POST', body: form } },
  { what: 'a query that is too long', path: `/events?EQ_bizStep=${'x'.repeat(20_000)}` },
  { what: 'events in JSON', path: '/events?EQ_action=ADD' },
  { what: 'events in XML', path: '/events', init: { headers: { Accept: 'application/xml' } } },
  { what: 'a digital link in the path', path: '/epcs/https://id.gs1.org/01/10614141073402/21/1/events' },
  { what: 'an escaped path', path: '/epcs/urn%3Aepc%3Aid%3Asgtin%3A0614141.107340.2/events' },
  { what: 'a problem', path: '/events?EQ_nothing=x' },
  { what: 'nothing there', path: '/none' },
  { what: 'discovery', path: '/capture', init: { method: 'OPTIONS' } },
  { what: 'HEAD', path: '/events', init: { method: 'HEAD' } },
];

describe('EPCIS through the gateway', function () {
  this.timeout(60_000);
  const bench = new Bench();
  const vms: EpcisServer[] = [];
  let gateway: string;
  let port: number;

  before(async () => {
    const [, freshUrl] = present(KINDS[0]);
    const url = await freshUrl();
    const log = { error: () => {}, warn: () => {}, info: () => {} };
    const { address, add } = await bench.gateway({ selector: 'round-robin' }).then((made) => ({
      address: made.address,
      add: (id: string, vmPort: number) => made.add(id, { host: '127.0.0.1', port: vmPort }),
    }));
    for (const id of ['one', 'two']) {
      const vm = await startEpcisServer({ repository: { url }, port: 0, log });
      vms.push(vm);
      await add(id, vm.port);
    }
    port = address.port;
    gateway = `http://127.0.0.1:${port}`;
  });
  after(async () => {
    await bench.close();
    await Promise.all(vms.map((vm) => vm.close()));
  });

  const ask = async (base: string, { path, init }: Call) => {
    const response = await fetch(base + path, init ?? {});
    const { headers, status } = response;
    const kept = ['content-type', 'allow', 'gs1-epcis-version', 'gs1-epc-format', 'gs1-epcis-capture-limit'];
    const text = (await response.text())
      .replace(/creationDate(="|":")[^"]*/, 'creationDate$1')
      // the first capture is the only one that is new
      .replace(/Captured \d+ events \(\d+ known before\)/, 'Captured');
    return { status, headers: kept.map((name) => headers.get(name)), text };
  };

  it('answers every call as a VM does', async () => {
    for (const call of CALLS) {
      const through = await ask(gateway, call);
      const direct = await ask(present(vms[0]).address, call);
      expect(through, `${call.what} at ${call.path}`).to.deep.equal(direct);
    }
  });

  it('leads from page to page, whichever VM answers', async () => {
    const seen: string[] = [];
    for (let path: string | undefined = '/events?perPage=1'; path !== undefined;) {
      const response: Response = await fetch(gateway + path);
      seen.push(...[...(await response.text()).matchAll(/107340\.\d/g)].map(([epc]) => epc));
      path = /^<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(seen.sort()).to.deep.equal(['107340.1', '107340.2', '107340.3']);
  });

  it('names itself in the WSDL', async () => {
    const text = await (await fetch(`${gateway}/epcis-repository/query?wsdl`)).text();
    expect(text).to.contain(`<soap:address location="${gateway}/epcis-repository/query"/>`);
  });

  it('takes jobs and subscriptions on one VM that the other goes on with', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ name: 'arriving', query: { EQ_bizStep: ['arriving'] } });
    expect((await fetch(`${gateway}/queries`, { method: 'POST', headers, body })).status).to.equal(201);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/queries/arriving/events?stream=true`);
    const message = once(socket, 'message');
    await once(socket, 'open');
    const event = {
      '@context': 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld',
      type: 'ObjectEvent',
      eventTime: '2024-01-01T00:00:00Z',
      eventTimeZoneOffset: '+00:00',
      epcList: ['urn:epc:id:sgtin:0614141.107340.9'],
      action: 'OBSERVE',
      bizStep: 'arriving',
    };
    const posted = await fetch(`${gateway}/events`, { method: 'POST', headers, body: JSON.stringify(event) });
    expect(posted.status).to.equal(201);
    const [data] = (await message) as [Buffer];
    expect(data.toString()).to.contain('107340.9');
    socket.close();
  });
});
