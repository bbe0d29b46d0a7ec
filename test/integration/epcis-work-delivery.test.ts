// Deliveries over real sockets: what a receiver gets, and what counts as accepted.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createTargets } from '../../epcis/delivery/targets.ts';
import { createWebhook, type Webhook } from '../../epcis/delivery/webhook.ts';
import type { Delivery } from '../../epcis/service/subscriptions-run.ts';

describe('webhook', function () {
  this.timeout(60_000);
  let server: Server;
  let webhook: Webhook;
  let requests: { url: string; headers: IncomingMessage['headers']; body: string }[];
  let answer: (response: ServerResponse) => void;

  before(async () => {
    server = createServer((request, response) => {
      void text(request).then((body) => {
        requests.push({ url: request.url ?? '', headers: request.headers, body });
        answer(response);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    requests = [];
    answer = (response) => response.writeHead(204).end();
    webhook = createWebhook(createTargets({ allow: ['127.0.0.1'] }), { timeoutSeconds: 30, secret: 'a' });
  });
  afterEach(() => webhook.close());

  const url = (host = '127.0.0.1'): string => `http://${host}:${(server.address() as AddressInfo).port}/hook`;
  const send = (
    given: { destination?: string; signatureToken?: string; signal?: AbortSignal; id?: string } = {},
    by = webhook,
  ) => {
    const { destination = url(), signatureToken, signal = new AbortController().signal, id = 's/ä/1/0' } = given;
    const subscription = { destination, ...(signatureToken && { signatureToken }) } as Delivery['subscription'];
    return by.deliver({ subscription, id, mediaType: 'application/ld+json', text: '{"a":"ü"}' }, signal);
  };
  const failure = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'accepted',
      (error: Error) => error.message,
    );

  it('posts the document, its type, its key and its signature', async () => {
    expect(await send({ signatureToken: 'secret' })).to.equal('accepted');
    const [request] = requests;
    expect(request?.body).to.equal('{"a":"ü"}');
    expect(request?.headers).to.include({
      'content-type': 'application/ld+json',
      'gs1-signature': `sha256=${createHmac('sha256', 'secret').update('{"a":"ü"}').digest('hex')}`,
    });
    await send();
    expect(requests[1]?.headers).to.not.have.property('gs1-signature');
    await send({ id: 's/ä/2/0' });
    const [key, again, other] = requests.map(({ headers }) => headers['idempotency-key']);
    // of the place in the feed it tells nothing
    expect(key)
      .to.match(/^"[\w-]{43}"$/)
      .and.equal(again)
      .and.not.equal(other);
  });

  it('takes 2xx for accepted, 413 for too large, and nothing else', async () => {
    answer = (response) => response.writeHead(413).end('less, please');
    expect(await send()).to.equal('too large');
    for (const status of [400, 404, 429, 500, 503]) {
      answer = (response) => response.writeHead(status).end();
      expect(await failure(send())).to.equal(`The receiver answered ${status}.`);
    }
  });

  it('does not follow a redirect', async () => {
    answer = (response) => response.writeHead(307, { location: `${url()}/elsewhere` }).end();
    expect(await failure(send())).to.equal('The receiver answered 307.');
    expect(requests.map((request) => request.url)).to.deep.equal(['/hook']);
  });

  it('does not connect to what is not allowed, whatever name leads there', async () => {
    const strict = createWebhook(createTargets({ allow: ['*'] }), { timeoutSeconds: 30, secret: 'a' });
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      const subscription = { destination: url(host) } as Delivery['subscription'];
      const delivery = { subscription, id: 'x', mediaType: 'text/xml', text: '<a/>' };
      expect(await failure(strict.deliver(delivery, new AbortController().signal))).to.include('not among the targets');
    }
    await strict.close();
    expect(requests).to.deep.equal([]);
  });

  it('gives up on a receiver that is silent, hangs up, or is not there', async () => {
    answer = () => undefined;
    const hasty = createWebhook(createTargets({ allow: ['127.0.0.1'] }), { timeoutSeconds: 1, secret: 'a' });
    expect(await failure(send({}, hasty))).to.match(/timeout|aborted/i);
    await hasty.close();
    answer = (response) => response.destroy();
    expect(await failure(send())).to.not.equal('accepted');
    expect(await failure(send({ destination: 'http://127.0.0.1:1/' }))).to.include('ECONNREFUSED');
  });

  it('stops when the VM closes', async () => {
    const closing = new AbortController();
    answer = () => closing.abort(new Error('closing'));
    expect(await failure(send({ signal: closing.signal }))).to.equal('closing');
  });
});
