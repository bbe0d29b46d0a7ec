// With access on, a VM serves only those whom the gateway vouches for, each with its roles: at every door.
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { once } from 'node:events';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { clientKey } from '../../epcis/access/client-token.ts';
import { as, client, GROUP_SECRET, startGuarded, vouchedFor, writeClient } from '../helpers/access.ts';
import { KINDS } from '../helpers/fresh-repository.ts';

const [[, freshUrl]] = KINDS as [(typeof KINDS)[number]];

const poll = (operation = '<q:GetQueryNames/>') => ({
  method: 'POST',
  headers: { 'Content-Type': 'text/xml' },
  body:
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:q="urn:epcglobal:epcis-query:xsd:1">' +
    `<s:Body>${operation}</s:Body></s:Envelope>`,
});
const XML = { 'Content-Type': 'text/xml' };

describe('a VM with access on', function () {
  this.timeout(60_000);
  let server: EpcisServer;
  before(async () => {
    server = await startGuarded(await freshUrl(), { restPrefix: '/v2' });
  });
  after(() => server.close());

  const plain = (path: string, init: RequestInit = {}) => fetch(server.address + path, init);

  it('refuses whoever nobody vouches for, by every door', async () => {
    for (const path of [
      '/v2/events',
      '/v2/',
      '/v2/queries',
      '/v2/openapi.json',
      '/v2/nothing',
      '/nothing',
      '/v2/%zz',
    ]) {
      const answer = await plain(path);
      expect(answer.status, path).to.equal(401);
      expect(answer.headers.get('www-authenticate'), path).to.equal('Bearer');
      expect(((await answer.json()) as { type: string }).type, path).to.equal('epcisException:SecurityException');
    }
    expect((await plain('/v2/events', { method: 'OPTIONS' })).status).to.equal(401);
    expect((await plain('/v2/events', { method: 'POST', body: '{}' })).status).to.equal(401);
    expect((await plain('/epcis/capture', { method: 'POST', headers: XML, body: '<a/>' })).status).to.equal(401);
    expect((await plain('/epcis/query?wsdl')).status).to.equal(401);
    const fault = await plain('/epcis/query', poll());
    expect(fault.status).to.equal(500);
    expect(await fault.text()).to.contain('SecurityException');
  });

  it('refuses a header that is no or another gateway’s, or of another request', async () => {
    const path = '/v2/events';
    const acme = client('acme');
    for (const header of ['', 'a.b', vouchedFor(acme, 'GET', '/v2/epcs')['Mmeliot-Client'] ?? '']) {
      expect((await plain(path, { headers: { 'Mmeliot-Client': header } })).status, header).to.equal(401);
    }
    expect((await as(server, acme, path)).status).to.equal(200);
  });

  for (const hours of [1, -1])
    it(`goes by the time that it has in common with the gateway, where its own clock is ${hours} h off`, async () => {
      const path = '/events';
      const acme = client('acme');
      const right = Date.now;
      const saidBefore = (ms: number) =>
        writeClient(acme, { method: 'GET', path }, clientKey(GROUP_SECRET), right() - ms);
      const url = await freshUrl();
      try {
        Date.now = () => right() + hours * 3_600_000;
        const wrong = await startGuarded(url);
        const ask = async (header: string) =>
          (await fetch(wrong.address + path, { headers: { 'Mmeliot-Client': header } })).status;
        const statuses = [saidBefore(0), saidBefore(120_000), saidBefore(1_800_000), saidBefore(0)].map(ask);
        expect(await Promise.all(statuses)).to.deep.equal([200, 401, 401, 200]);
        await wrong.close();
      } finally {
        Date.now = right;
      }
    });

  it('gives each client what its roles allow', async () => {
    const reader = client('reader', { roles: ['query'] });
    const writer = client('writer', { roles: ['capture'] });
    expect((await as(server, reader, '/v2/events')).status).to.equal(200);
    expect((await as(server, reader, '/v2/capture')).status).to.equal(403);
    expect(
      (await as(server, reader, '/epcis/capture', { method: 'POST', headers: XML, body: '<a/>' })).status,
    ).to.equal(403);
    expect((await as(server, writer, '/v2/events')).status).to.equal(403);
    expect((await as(server, writer, '/v2/capture')).status).to.equal(200);
    expect((await as(server, writer, '/v2/')).status).to.equal(200);
    expect((await as(server, reader, '/epcis/query', poll())).status).to.equal(200);
    const names = await as(server, writer, '/epcis/query', poll());
    expect(names.status).to.equal(500);
    expect(await names.text())
      .to.contain('SecurityException')
      .and.contain('needs the role query');
    const subscriptions = '<q:GetSubscriptionIDs><queryName>SimpleEventQuery</queryName></q:GetSubscriptionIDs>';
    expect(await (await as(server, reader, '/epcis/query', poll(subscriptions))).text()).to.contain('role subscribe');
    expect((await as(server, reader, '/v2/queries/SimpleEventQuery/subscriptions')).status).to.equal(403);
  });

  it('opens no WebSocket for whoever may not subscribe', async () => {
    const path = '/v2/queries/SimpleEventQuery/events?stream=true';
    const reader = client('reader', { roles: ['query'] });
    for (const [headers, status] of [
      [{}, 401],
      [vouchedFor(reader, 'GET', path), 403],
    ] as const) {
      const socket = new WebSocket(server.address.replace('http', 'ws') + path, { headers });
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
      expect(response.statusCode).to.equal(status);
      socket.on('error', () => {});
      socket.terminate();
    }
  });

  it('is ready for whoever asks: probes are nobody', async () => {
    expect((await plain('/ready')).status).to.equal(200);
  });

  it('does not start without the secret by which it knows the gateway', async () => {
    const started = startEpcisServer({ repository: { url: await freshUrl() }, port: 0, access: true }).then(
      () => 'started',
      (error: Error) => error.message,
    );
    expect(await started).to.equal(
      'Access is on, and there is no group secret to tell the gateway by: set collector.secret.',
    );
  });
});
