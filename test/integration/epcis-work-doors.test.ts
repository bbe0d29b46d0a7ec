// Jobs and subscriptions as clients of both bindings see them, on two VMs over one repository.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { present } from '../helpers/present.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';
import { eventsDocument } from '../helpers/work-faults.ts';

const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
const [[, freshUrl]] = KINDS as [(typeof KINDS)[number]];

describe('background work through the doors', function () {
  this.timeout(60_000);
  let one: EpcisServer;
  let two: EpcisServer;
  let receiver: Receiver;

  before(async () => {
    const url = await freshUrl();
    const work = { pollMs: 50, pageSize: 3 };
    const subscriptionTargets = ['127.0.0.1'];
    const options = { repository: { url }, port: 0, restPrefix: '/v2', work, subscriptionTargets, log };
    [one, two] = [await startEpcisServer(options), await startEpcisServer(options)];
    receiver = await startReceiver();
  });
  after(async () => {
    await Promise.all([one.close(), two.close()]);
    receiver.close();
  });
  beforeEach(() => receiver.requests.splice(0));

  const post = (path: string, body: string, type: string, headers: Record<string, string> = {}) =>
    fetch(`${one.address}${path}`, { method: 'POST', body, headers: { 'content-type': type, ...headers } });
  const soap = async (operation: string): Promise<string> => {
    const envelope = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${operation}</s:Body></s:Envelope>`;
    return (await post('/epcis/query', envelope, 'text/xml', { SOAPAction: '""' })).text();
  };
  const subscription = (id: string, parts: { schedule?: string; dest?: string; params?: string; report?: boolean }) =>
    `<q:Subscribe xmlns:q="urn:epcglobal:epcis-query:xsd:1"><queryName>SimpleEventQuery</queryName>` +
    `<params>${parts.params ?? ''}</params><dest>${parts.dest ?? receiver.url}</dest><controls>` +
    `${parts.schedule ?? '<schedule><second>[0-59]</second></schedule>'}` +
    `<initialRecordTime>2006-06-25T00:00:00Z</initialRecordTime><reportIfEmpty>${parts.report ?? false}</reportIfEmpty>` +
    `</controls><subscriptionID>${id}</subscriptionID></q:Subscribe>`;
  const unsubscribe = (id: string) =>
    soap(
      `<q:Unsubscribe xmlns:q="urn:epcglobal:epcis-query:xsd:1"><subscriptionID>${id}</subscriptionID></q:Unsubscribe>`,
    );
  const parameter = (name: string, value: string) => `<param><name>${name}</name><value>${value}</value></param>`;
  const captureOld = (name: string, count: number) => post('/epcis/capture', eventsDocument(name, count), 'text/xml');

  /** What came for one subscription: a run of an earlier one may still have been under way. */
  const received = (id: string) =>
    receiver.requests.filter(({ body }) => body.includes(`<subscriptionID>${id}</subscriptionID>`));

  it('EPCIS 1.x: a scheduled query is answered to its destination', async () => {
    await captureOld('soap', 2);
    const only = parameter('MATCH_epc', '<string>urn:example:soap:1</string>');
    expect(await soap(subscription('S-1', { params: only }))).to.include('SubscribeResult');
    expect(await soap(subscription('S-1', { params: only }))).to.include('DuplicateSubscriptionException');
    const ids =
      '<q:GetSubscriptionIDs xmlns:q="urn:epcglobal:epcis-query:xsd:1"><queryName>SimpleEventQuery</queryName></q:GetSubscriptionIDs>';
    expect(await soap(ids)).to.include('<string>S-1</string>');
    await until('the callback', () => received('S-1').length > 0);
    expect(await unsubscribe('S-1')).to.include('UnsubscribeResult');
    expect(await unsubscribe('S-1')).to.include('NoSuchSubscriptionException');
    const { headers, body } = present(received('S-1')[0]);
    expect(headers['content-type']).to.match(/^text\/xml/);
    expect(body).to.match(/^<\?xml[^>]*>\s*<epcisq:EPCISQueryDocument xmlns:epcisq="urn:epcglobal:epcis-query:xsd:1"/);
    expect(body).to.include('<queryName>SimpleEventQuery</queryName><subscriptionID>S-1</subscriptionID>');
    expect(body).to.include('urn:example:soap:1').and.not.include('urn:example:soap:0');
    expect(body).to.include('<recordTime>');
  });

  it('EPCIS 1.x: an empty result is reported if asked for, a result that is too large as an exception', async () => {
    const none = parameter('MATCH_epc', '<string>urn:example:none</string>');
    await soap(subscription('empty', { params: none, report: true }));
    await until('the empty report', () => received('empty').length > 0);
    await unsubscribe('empty');
    expect(received('empty')[0]?.body).to.match(/<resultsBody><EventList><\/EventList><\/resultsBody>/);
    await captureOld('large', 2);
    const all = parameter('maxEventCount', '1');
    await soap(subscription('large', { params: all }));
    const isTooLarge = ({ body }: { body: string }) => body.includes('epcisq:QueryTooLargeException');
    await until('the exception', () => receiver.requests.some(isTooLarge));
    await unsubscribe('large');
    const { body } = present(receiver.requests.find(isTooLarge));
    expect(body).to.include('<subscriptionID>large</subscriptionID>').and.include('<reason>');
  });

  it('EPCIS 1.x: a triggered query is answered when something matching is captured', async () => {
    const only = parameter('MATCH_epc', '<string>urn:example:trigger:0</string>');
    await soap(subscription('triggered', { params: only, schedule: '<trigger>urn:example:captured</trigger>' }));
    await captureOld('other', 1);
    await captureOld('trigger', 1);
    await until('the callback', () => received('triggered').length > 0);
    await unsubscribe('triggered');
    expect(received('triggered').map(({ body }) => body.includes('urn:example:trigger:0'))).to.deep.equal([true]);
  });

  it('EPCIS 1.x: a trigger fires on what is captured, whatever its name is', async () => {
    const only = parameter('MATCH_epc', '<string>urn:example:named:0</string>');
    const named = ['urn:example:one', 'http://example.com/another'];
    for (const [n, name] of named.entries())
      expect(
        await soap(subscription(`named-${n}`, { params: only, schedule: `<trigger>${name}</trigger>` })),
      ).to.include('SubscribeResult');
    await captureOld('named', 1);
    for (const n of named.keys()) {
      await until('the callback', () => received(`named-${n}`).length > 0);
      await unsubscribe(`named-${n}`);
      expect(received(`named-${n}`)).to.have.length(1);
    }
  });

  for (const [what, parts, exception] of [
    ['a trigger that is no URI', { schedule: '<trigger>now</trigger>' }, 'SubscriptionControlsException'],
    ['a scheme that is none', { dest: 'htto://127.0.0.1/8899' }, 'InvalidURIException'],
    ['a target that is not allowed', { dest: 'http://127.0.0.2/' }, 'InvalidURIException'],
    ['second -1', { schedule: '<schedule><second>-1</second></schedule>' }, 'SubscriptionControlsException'],
    [
      'dayOfWeek [1-8]',
      { schedule: '<schedule><dayOfWeek>[1-8]</dayOfWeek></schedule>' },
      'SubscriptionControlsException',
    ],
    ['minute a', { schedule: '<schedule><minute>a</minute></schedule>' }, 'SubscriptionControlsException'],
    ['no schedule and no trigger', { schedule: '' }, 'SubscriptionControlsException'],
    ['an unknown parameter', { params: parameter('EQ_nothing', 'x') }, 'QueryParameterException'],
  ] as const) {
    it(`EPCIS 1.x: refuses ${what}`, async () => {
      expect(await soap(subscription('refused', parts))).to.include(`epcisq:${exception}`);
    });
  }

  it('EPCIS 2.0: a job that one VM took in is reported by the other', async () => {
    const accepted = await post('/v2/capture', eventsDocument('job', 5), 'application/xml');
    expect(accepted.status).to.equal(202);
    const path = new URL(present(accepted.headers.get('location') ?? undefined), one.address).pathname;
    const job = await until('the job ends', async () => {
      const answer = (await (await fetch(`${two.address}${path}`)).json()) as { running: boolean };
      return answer.running ? undefined : answer;
    });
    expect(job).to.include({ running: false, success: true, captureErrorBehaviour: 'rollback' });
    expect(job).to.deep.include({ errors: [] });
    const wrong = await post('/v2/capture', '{"type": "EPCISDocument"}', 'application/json');
    const failed = await until('the wrong one ends', async () => {
      const where = new URL(present(wrong.headers.get('location') ?? undefined), one.address).pathname;
      const answer = (await (await fetch(`${two.address}${where}`)).json()) as { running: boolean };
      return answer.running ? undefined : answer;
    });
    expect(failed).to.have.nested.property('errors[0].type', 'epcisException:ValidationException');
    expect(await two.backlog()).to.deep.equal({ jobs: 0, events: 0, oldestSeconds: 0 });
  });

  it('EPCIS 2.0: a stream to a webhook is signed and can be looked at and ended', async () => {
    await post('/v2/queries', '{"name": "mine", "query": {"EQ_bizStep": ["shipping"]}}', 'application/json');
    const wanted = JSON.stringify({ dest: receiver.url, signatureToken: 'top secret', stream: true });
    const created = await post('/v2/queries/mine/subscriptions', wanted, 'application/json');
    expect(created.status).to.equal(201);
    expect(await created.text()).to.not.include('top secret');
    const path = new URL(present(created.headers.get('location') ?? undefined), one.address).pathname;
    await captureOld('stream', 4);
    const mine = () => receiver.requests.filter(({ body }) => body.includes('"queryName":"mine"'));
    await until('two pages', () => mine().length >= 2);
    for (const { headers, body } of mine()) {
      const signature = `sha256=${createHmac('sha256', 'top secret').update(body).digest('hex')}`;
      expect(headers['gs1-signature']).to.equal(signature);
      expect(JSON.parse(body)).to.have.nested.property('epcisBody.queryResults.queryName', 'mine');
    }
    const epcs = mine().flatMap(({ body }) => body.match(/urn:example:stream:\d/g));
    expect(epcs).to.deep.equal([0, 1, 2, 3].map((n) => `urn:example:stream:${n}`));
    await until('the delivery is noted', async () => {
      const shown = (await (await fetch(`${two.address}${path}`)).json()) as { lastNotifiedAt?: string };
      return shown.lastNotifiedAt;
    });
    expect((await fetch(`${two.address}${path}`, { method: 'DELETE' })).status).to.equal(204);
    expect((await fetch(`${one.address}${path}`)).status).to.equal(404);
  });

  it('EPCIS 2.0: a WebSocket gets what is captured on any VM', async () => {
    const socket = new WebSocket(`${two.address.replace('http', 'ws')}/v2/queries/SimpleEventQuery/events?stream=true`);
    await once(socket, 'open');
    await until('the subscription', async () => {
      const list = await (await fetch(`${one.address}/v2/queries/SimpleEventQuery/subscriptions`)).json();
      return (list as unknown[]).length === 1;
    });
    const message = once(socket, 'message');
    await captureOld('socket', 1);
    const [document] = (await message) as [Buffer];
    expect(String(document)).to.include('urn:example:socket:0').and.include('EPCISQueryDocument');
    socket.close();
    await until('the subscription ends', async () => {
      const list = await (await fetch(`${one.address}/v2/queries/SimpleEventQuery/subscriptions`)).json();
      return (list as unknown[]).length === 0;
    });
  });
});
