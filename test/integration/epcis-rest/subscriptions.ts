import { expect } from 'chai';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createHmac } from 'node:crypto';
import { createServer, request as send, type IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { document, eventually, objectEvent, problem, type Door } from './door.ts';
import { listening } from '../../helpers/listening.ts';

export function aboutSubscriptions({ request, post, get, capture, at }: Door): void {
  describe('subscriptions', () => {
    it('deliver to a webhook, signed, as events are captured', async () => {
      const received: { body: string; signature: string | undefined }[] = [];
      const receiver = createServer((incoming, response) => {
        const chunks: Uint8Array[] = [];
        incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk));
        incoming.on('end', () => {
          received.push({
            body: Buffer.concat(chunks).toString(),
            signature: String(incoming.headers['gs1-signature']),
          });
          response.end();
        });
      });
      const dest = `http://127.0.0.1:${await listening(receiver)}/`;
      try {
        await post('/queries', { name: 'packing', query: { EQ_bizStep: ['packing'] } });
        const created = await post('/queries/packing/subscriptions', { dest, stream: true, signatureToken: 'key' });
        expect(created.status, await created.clone().text()).to.equal(201);
        const location = created.headers.get('location') ?? '';
        const shown = (await created.json()) as Record<string, unknown>;
        expect(shown).to.include({ dest, stream: true, queryName: 'packing' }).and.not.have.property('signatureToken');
        expect(await get<unknown[]>('/queries/packing/subscriptions')).to.have.length(1);
        expect(await get(location)).to.include({ subscriptionID: shown['subscriptionID'] });

        const event = objectEvent(200, { bizStep: 'packing' });
        await capture(document([event]));
        await eventually(() => received.some(({ body }) => body.includes(event.eventID)));
        const delivery = received.find(({ body }) => body.includes(event.eventID));
        const hmac = createHmac('sha256', 'key').update(delivery?.body ?? '');
        expect(delivery?.signature).to.contain(hmac.digest('hex'));

        expect((await request(location, { method: 'DELETE' })).status).to.equal(204);
        expect(await problem(await request(location))).to.deep.equal([404, 'NoSuchSubscriptionException']);
      } finally {
        receiver.close();
        receiver.closeAllConnections();
      }
    });

    it('deliver to a WebSocket', async () => {
      await post('/queries', { name: 'loading', query: { EQ_bizStep: ['loading'] } });
      const socket = new WebSocket(`${at().replace('http', 'ws')}/queries/loading/events?stream=true`);
      const messages: string[] = [];
      socket.on('message', (data: Buffer) => messages.push(data.toString()));
      await once(socket, 'open');
      await eventually(async () => (await get<unknown[]>('/queries/loading/subscriptions')).length === 1);
      const event = objectEvent(210, { bizStep: 'loading' });
      await capture(document([event]));
      await eventually(() => messages.some((message) => message.includes(event.eventID)));
      socket.close();
      await eventually(async () => (await get<unknown[]>('/queries/loading/subscriptions')).length === 0);
    });

    it('deliver EPCIS 1.2 to whom takes nothing newer', async () => {
      await post('/queries', { name: 'unloading', query: { EQ_bizStep: ['unloading'] } });
      const socket = new WebSocket(`${at().replace('http', 'ws')}/queries/unloading/events?stream=true`, {
        headers: { Accept: 'application/xml', 'GS1-EPCIS-Max': '1.2' },
      });
      const messages: string[] = [];
      socket.on('message', (data: Buffer) => messages.push(data.toString()));
      await once(socket, 'open');
      const event = objectEvent(212, { bizStep: 'unloading' });
      await capture(document([event]));
      await eventually(() => messages.some((message) => message.includes(event.eventID)));
      expect(messages[0]).to.contain('epcis-query:xsd:1" schemaVersion="1.2"').and.contain('<baseExtension><eventID>');
      socket.close();
    });

    it('have an XML form, too', async () => {
      await post('/queries', { name: 'daily', query: {} });
      const schedule = { hour: '3', minute: '[0-9]' };
      const body = JSON.stringify({ dest: 'http://127.0.0.1:9/', schedule, reportIfEmpty: true });
      const created = await request('/queries/daily/subscriptions', {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/xml',
          'GS1-EPC-Format': 'Always_EPC_URN',
        },
        body,
      });
      const text = await created.text();
      expect([created.status, text].join()).to.match(/^201,<\?xml.*<epcisq:Subscription /s);
      expect(text).to.contain('<schedule><hour>3</hour><minute>[0-9]</minute></schedule>');
      expect(text).to.contain('<reportIfEmpty>true</reportIfEmpty><epcFormat>Always_EPC_URN</epcFormat>');
      const list = await request('/queries/daily/subscriptions', { headers: { Accept: 'application/xml' } });
      expect((await list.text()).match(/<epcisq:Subscription /g)).to.have.length(1);
    });

    it('are scheduled by the query string of a WebSocket', async () => {
      await post('/queries', { name: 'ticking', query: { EQ_bizStep: ['nothing:ever'] } });
      const seconds = Array.from({ length: 60 }, (_, n) => n).join(',');
      const path = `/queries/ticking/events?second=${seconds}&reportIfEmpty=true`;
      const socket = new WebSocket(at().replace('http', 'ws') + path);
      const [data] = (await once(socket, 'message')) as [Buffer];
      expect(data.toString()).to.contain('"eventList":[]');
      socket.close();
    });

    it('are refused before the WebSocket handshake', async () => {
      await post('/queries', { name: 'sockets', query: {} });
      const wrong: Readonly<Record<string, readonly [number, string, Record<string, string>?]>> = {
        'none/events?stream=true': [404, 'NoSuchNameException'],
        '%zz/events?stream=true': [404, 'NoSuchResourceException'],
        'sockets/events?stream=true': [406, 'NotAcceptableException', { 'GS1-EPCIS-Min': '3.0' }],
        [`sockets/events?stream=true&EQ_bizStep=${'x'.repeat(16_384)}`]: [414, 'URITooLongException'],
        'sockets/events': [400, 'SubscriptionControlsException'],
        'sockets/events?stream=false': [400, 'SubscriptionControlsException'],
        'sockets/events?stream=true&second=0': [400, 'SubscriptionControlsException'],
        'sockets/events?second=61': [400, 'SubscriptionControlsException'],
        'sockets/events?stream=yes': [400, 'QueryParameterException'],
        'sockets/events?second=0&reportIfEmpty=1': [400, 'QueryParameterException'],
        'sockets/events?stream=true&initialRecordTime=yesterday': [400, 'SubscriptionControlsException'],
        'sockets/events?stream=true&EQ_colour=red': [400, 'QueryParameterException'],
        'sockets/events?stream=true&GE_eventTime=yesterday': [400, 'QueryParameterException'],
      };
      for (const [path, [status, name, headers = {}]] of Object.entries(wrong)) {
        const socket = new WebSocket(`${at().replace('http', 'ws')}/queries/${path}`, { headers });
        const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
        expect([path, response.statusCode, await text(response)].join()).to.include(
          `${path},${status},{"type":"epcisException:${name}"`,
        );
        socket.on('error', () => {});
        socket.terminate();
      }
      expect(await get('/queries/sockets/subscriptions')).to.deep.equal([]);
    });

    it('leave nothing behind when the WebSocket handshake fails', async () => {
      await post('/queries', { name: 'halfway', query: {} });
      const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
      const asked = send(`${at()}/queries/halfway/events?stream=true`, { headers }).end();
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      expect([response.statusCode, await text(response)].join()).to.match(/^400,.*Sec-WebSocket-Key/);
      await eventually(async () => (await get<unknown[]>('/queries/halfway/subscriptions')).length === 0);
    });

    it('are refused without a time to run, with two, and to nowhere', async () => {
      await post('/queries', { name: 'picking', query: { EQ_bizStep: ['picking'] } });
      const dest = 'http://127.0.0.1:9/';
      const wrong: readonly (readonly [object, string])[] = [
        [{ dest }, 'SubscriptionControlsException'],
        [{ dest, stream: true, schedule: { second: '0' } }, 'SubscriptionControlsException'],
        [{ dest, schedule: { second: '61' } }, 'SubscriptionControlsException'],
        [{ dest, schedule: { century: '20' } }, 'SubscriptionControlsException'],
        [{ dest: 'htto://x', stream: true }, 'InvalidURIException'],
        [{ stream: true }, 'ValidationException'],
      ];
      for (const [body, name] of wrong) {
        expect(await problem(await post('/queries/picking/subscriptions', body)), JSON.stringify(body)).to.deep.equal([
          400,
          name,
        ]);
      }
    });
  });
}
