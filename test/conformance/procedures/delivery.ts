// Standing queries: webhooks by schedule and by stream, WebSockets, and the controls that are refused.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { alone } from './events.ts';
import { found } from './ask.ts';
import { simple } from './capture.ts';
import { expectProblem, expectSame, expectStatus, expectThat, type Site, type Step } from './site.ts';

const DEADLINE = 30_000;
const EVERY_SECOND = { second: '[0-59]' };

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A client's own server; everything that it was sent. */
class Webhook {
  readonly #server: Server = createServer();
  readonly #deliveries: Delivery[] = [];

  async open(host: string): Promise<string> {
    this.#server.on('request', (request, response) => {
      let text = '';
      request.setEncoding('utf8');
      request.on('data', (piece: string) => (text += piece));
      request.on('end', () => {
        this.#deliveries.push({ headers: request.headers, text });
        response.end();
      });
    });
    this.#server.listen(0, host === '127.0.0.1' ? host : '0.0.0.0');
    await once(this.#server, 'listening');
    return `http://${host}:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async next(which: (delivery: Delivery) => boolean): Promise<Delivery> {
    for (const end = Date.now() + DEADLINE; Date.now() < end;) {
      const delivery = this.#deliveries.find(which);
      if (delivery !== undefined) return delivery;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`nothing of this kind was sent in ${DEADLINE / 1000} s`);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

export function deliverySteps(site: Site): Step[] {
  const name = site.name('standing');
  const path = `/queries/${name}/subscriptions`;
  const step = site.name('urn:example:step');
  const dest = `http://${site.callbackHost}:9/`;
  const event = (id: string) => alone(site, simple(site, id, { bizStep: step }));
  const refused = (what: string, body: object, status: number, exception: string): Step => ({
    name: `${what} is refused`,
    run: async () => expectProblem(await site.call(path, { body }), status, exception),
  });
  return [
    {
      name: 'the query to subscribe to',
      run: async () =>
        void expectStatus(await site.call('/queries', { body: { name, query: { EQ_bizStep: [step] } } }), 201),
    },
    {
      name: 'a subscription is made, read and listed, in JSON',
      run: async () => {
        const body = { dest, schedule: { hour: '3' }, signatureToken: 'secret', reportIfEmpty: false };
        const made = expectStatus(await site.call(path, { body }), 201);
        const subscription = JSON.parse(made.text) as Record<string, unknown>;
        expectSame([subscription['dest'], subscription['schedule']], [dest, { hour: '3' }], 'the subscription');
        expectThat(typeof subscription['subscriptionID'] === 'string', 'it has no subscriptionID');
        expectThat(!Number.isNaN(Date.parse(String(subscription['createdAt']))), 'createdAt is no time');
        expectThat(!made.text.includes('secret'), 'the answer gives the secret away');
        const location = made.headers.get('location') ?? '';
        expectThat(location.endsWith(encodeURIComponent(String(subscription['subscriptionID']))), location);
        const read = JSON.parse(expectStatus(await site.call(location), 200).text) as Record<string, unknown>;
        expectSame(read['subscriptionID'], subscription['subscriptionID'], 'the one that is read');
        const list = JSON.parse(expectStatus(await site.call(path), 200).text) as Record<string, unknown>[];
        expectThat(
          list.some(({ subscriptionID }) => subscriptionID === subscription['subscriptionID']),
          'it is not listed',
        );
        expectStatus(await site.call(location, { method: 'DELETE' }), 204);
        expectProblem(await site.call(location), 404, 'NoSuchSubscriptionException');
        expectProblem(await site.call(location, { method: 'DELETE' }), 404, 'NoSuchSubscriptionException');
      },
    },
    {
      name: 'subscriptions are listed in pages',
      run: async () => {
        const made: string[] = [];
        for (let n = 0; n < 3; n++) {
          const answer = await site.call(path, { body: { dest, schedule: { hour: '3' } } });
          made.push((JSON.parse(expectStatus(answer, 201).text) as { subscriptionID: string }).subscriptionID);
        }
        const seen: string[] = [];
        for (let next = `${path}?perPage=2`; next !== '';) {
          const answer = expectStatus(await site.call(next), 200);
          const page = JSON.parse(answer.text) as { subscriptionID: string }[];
          expectThat(page.length <= 2, `${page.length} on a page of 2`);
          seen.push(...page.map(({ subscriptionID }) => subscriptionID));
          next = /<([^>]+)>;\s*rel="?next/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
        }
        expectSame(seen.toSorted(), made.toSorted(), 'subscriptions on all pages');
        for (const id of made) expectStatus(await site.call(`${path}/${id}`, { method: 'DELETE' }), 204);
      },
    },
    refused('neither schedule nor stream', { dest }, 400, 'SubscriptionControlsException'),
    refused(
      'schedule and stream',
      { dest, stream: true, schedule: { hour: '1' } },
      400,
      'SubscriptionControlsException',
    ),
    refused('the 61st minute', { dest, schedule: { minute: '61' } }, 400, 'SubscriptionControlsException'),
    refused('the 8th day of a week', { dest, schedule: { dayOfWeek: '8' } }, 400, 'SubscriptionControlsException'),
    refused('a month that is none', { dest, schedule: { month: 'May' } }, 400, 'SubscriptionControlsException'),
    refused('an unknown field', { dest, schedule: { week: '1' } }, 400, 'SubscriptionControlsException'),
    refused('an empty schedule', { dest, schedule: {} }, 400, 'SubscriptionControlsException'),
    refused('no destination', { stream: true }, 400, 'ValidationException'),
    refused('a destination that is none', { dest: 'not a uri', stream: true }, 400, 'InvalidURIException'),
    refused('a stream of text', { dest, stream: 'yes' }, 400, 'ValidationException'),
    {
      name: 'a subscription to a query that is none is refused',
      run: async () =>
        expectProblem(
          await site.call(`/queries/${site.name('none')}/subscriptions`, { body: { dest, stream: true } }),
          404,
          'NoSuchNameException',
        ),
    },
    ...[
      { what: 'a stream', controls: { stream: true } },
      { what: 'a schedule', controls: { schedule: EVERY_SECOND } },
    ].map(({ what, controls }, at) => ({
      name: `${what} delivers what is captured, signed`,
      run: () =>
        withWebhook(site, async (hook, url) => {
          const body = { dest: url, ...controls, signatureToken: 'secret' };
          const made = expectStatus(await site.call(path, { body }), 201);
          expectStatus(await site.call('/events', { body: event(`sent-${at}`) }), 201);
          const { headers, text } = await hook.next((each) => each.text.includes(`sent-${at}`));
          const document = JSON.parse(text) as { type: string; epcisBody: { queryResults: { queryName: string } } };
          expectSame(document.type, 'EPCISQueryDocument', 'what is sent');
          expectSame(document.epcisBody.queryResults.queryName, name, 'the name of its query');
          expectThat(headers['gs1-signature'] !== undefined, 'GS1-Signature is missing');
          expectStatus(await site.call(made.headers.get('location') ?? '', { method: 'DELETE' }), 204);
        }),
    })),
    {
      name: 'reportIfEmpty sends an empty result',
      run: () =>
        withWebhook(site, async (hook, url) => {
          const made = await site.call(path, { body: { dest: url, schedule: EVERY_SECOND, reportIfEmpty: true } });
          const { text } = await hook.next((each) => each.text.includes('"eventList":[]'));
          expectThat(text.includes('EPCISQueryDocument'), text);
          expectStatus(
            await site.call(expectStatus(made, 201).headers.get('location') ?? '', { method: 'DELETE' }),
            204,
          );
        }),
    },
    {
      name: 'a WebSocket streams what is captured',
      run: async () => {
        const socket = new WebSocket(
          `${site.endpoints.rest.replace(/^http/, 'ws')}/queries/${name}/events?stream=true`,
        );
        try {
          await once(socket, 'open');
          const message = once(socket, 'message', { signal: AbortSignal.timeout(DEADLINE) });
          expectStatus(await site.call('/events', { body: event('socket') }), 201);
          const [data] = (await message) as [Buffer];
          const answer = { status: 200, headers: new Headers(), text: data.toString() };
          expectSame(found(site, answer), ['socket'], 'events');
        } finally {
          socket.close();
        }
      },
    },
    ...Object.entries({
      'without schedule and stream': `/queries/${name}/events`,
      'with schedule and stream': `/queries/${name}/events?stream=true&hour=1`,
      'with the 61st second': `/queries/${name}/events?second=61`,
      'to a query that is none': `/queries/${site.name('none')}/events?stream=true`,
    }).map(([what, target]) => ({
      name: `a WebSocket ${what} is not served`,
      run: async () => {
        const socket = new WebSocket(`${site.endpoints.rest.replace(/^http/, 'ws')}${target}`);
        const messages: string[] = [];
        socket.on('message', (data: Buffer) => messages.push(data.toString()));
        socket.on('error', (error) => messages.push(error.message));
        await new Promise((resolve) => socket.once('close', resolve));
        const isRefusal = (text: string) => /epcisException:|Unexpected server response: 4/.test(text);
        expectThat(messages.some(isRefusal), `was sent '${messages.join()}'`);
      },
    })),
    {
      name: 'a query takes its subscriptions along when it goes',
      run: async () => {
        expectStatus(await site.call(path, { body: { dest, stream: true } }), 201);
        expectStatus(await site.call(`/queries/${name}`, { method: 'DELETE' }), 204);
        expectProblem(await site.call(path), 404, 'NoSuchNameException');
      },
    },
  ];
}

async function withWebhook(site: Site, use: (hook: Webhook, url: string) => Promise<void>): Promise<void> {
  const hook = new Webhook();
  const url = await hook.open(site.callbackHost);
  try {
    await use(hook, url);
  } finally {
    await hook.close();
  }
}
