// What the doors do by themselves, over scripted services: failures, streams, limits, closing.
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import type { OpenSubscription } from '../../epcis/service/subscriptions.ts';
import type { StoredEvent } from '../../epcis/service/services.ts';
import { until } from '../helpers/until.ts';
import { serveScripted, type Scripted, type ScriptedServer } from '../helpers/epcis-doors.ts';

const EVENT: StoredEvent = {
  event: { type: 'ObjectEvent', eventTime: '2024-01-01T00:00:00Z', eventTimeZoneOffset: '+00:00', eventID: 'urn:e' },
  hash: 'ni:///sha-256;00?ver=CBV2.0',
  source: { format: 'json', text: '{}' },
  recordTime: '2024-01-01T00:00:00Z',
};

const POLL =
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
  '<q:Poll xmlns:q="urn:epcglobal:epcis-query:xsd:1"><queryName>SimpleEventQuery</queryName><params/></q:Poll>' +
  '</s:Body></s:Envelope>';

describe('the doors of the EPCIS service', () => {
  let server: ScriptedServer;
  const serve = async (scripted: Scripted) => (server = await serveScripted(scripted));
  afterEach(() => server.close());

  const soap = (body: string) =>
    fetch(`${server.url}/epcis-repository/query`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'text/xml', SOAPAction: '""' },
    });

  describe('unknown failures', () => {
    const failing: Scripted = {
      services: {
        query: {
          eventPage: () => Promise.reject(new Error('table `event` is gone')),
          events: () => Promise.reject(new Error('table `event` is gone')),
        },
        queries: { get: (name) => Promise.resolve({ name, kind: 'events', parameters: [] }) },
      },
    };

    it('are logged under an ID, and the REST client gets the ID only', async () => {
      await serve(failing);
      const response = await fetch(`${server.url}/events`);
      const problem = (await response.json()) as { type: string; detail: string; instance: string };
      expect([response.status, problem.type]).to.deep.equal([500, 'epcisException:ImplementationException']);
      expect(response.headers.get('content-type')).to.equal('application/problem+json');
      expect(JSON.stringify(problem)).not.to.contain('table');
      const logged = server.log.find(({ level }) => level === 'error')?.fields as { failure: string; err: Error };
      expect(problem.instance).to.equal(`urn:uuid:${logged.failure}`);
      expect(problem.detail).to.contain(logged.failure);
      expect(logged.err.message).to.contain('is gone');
    });

    it('carry the name that the gateway gave the request', async () => {
      await serve(failing);
      await fetch(`${server.url}/events`, { headers: { 'X-Request-Id': 'abc-1' } });
      expect(server.log.find(({ level }) => level === 'error')?.fields).to.include({
        requestId: 'abc-1',
        url: '/events',
      });
    });

    for (const encoding of ['identity', 'gzip'] as const)
      it(`are not what a client that hangs up is, its body in ${encoding}`, async () => {
        const begun = Promise.withResolvers<void>();
        const over = Promise.withResolvers<void>();
        const capture = async (items: AsyncIterable<unknown>): Promise<never> => {
          begun.resolve();
          try {
            for await (const item of items) expect.fail(`there is no item, but ${String(item)}`);
            throw new Error('the document should have broken off');
          } finally {
            over.resolve();
          }
        };
        await serve({
          services: { capture: { capture } },
          documents: {
            async *read(bytes) {
              for await (const chunk of bytes) if (chunk.byteLength > 1e9) yield* [];
            },
          },
        });
        const socket = connect(server.port, '127.0.0.1');
        socket.write(
          'POST /epcis/capture HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nContent-Length: 1000\r\n' +
            `Content-Encoding: ${encoding}\r\n\r\n`,
        );
        socket.write(encoding === 'gzip' ? gzipSync('<a>').subarray(0, 12) : '<a>');
        await begun.promise;
        socket.destroy();
        await over.promise;
        // whatever is logged for a request is logged before the next one is answered
        expect((await fetch(`${server.url}/ready`)).status).to.equal(200);
        expect(server.log).to.deep.equal([]);
      });

    it('are an ImplementationException with the ID in SOAP', async () => {
      await serve(failing);
      const response = await soap(POLL);
      const text = await response.text();
      expect(response.status).to.equal(500);
      expect(text).to.contain('<epcisq:ImplementationException').and.contain('<severity>ERROR</severity>');
      const logged = server.log.find(({ level }) => level === 'error')?.fields as { failure: string };
      expect(text).to.contain(logged.failure).and.not.contain('table');
    });
  });

  describe('streams', () => {
    const TEXT = 'x'.repeat(10_000);

    for (const encoding of ['identity', 'gzip', 'br', 'zstd']) {
      describe(`in ${encoding}`, () => {
        it('no faster than the client reads, and stop when it leaves', async () => {
          let given = 0;
          let released = false;
          async function* endless() {
            try {
              for (;;) {
                given++;
                yield EVENT;
              }
            } finally {
              released = true;
            }
          }
          await serve({
            services: {
              queries: { get: (name) => Promise.resolve({ name, kind: 'events', parameters: [] }) },
              query: { events: () => Promise.resolve(endless()) },
            },
            documents: { event: () => randomBytes(7500).toString('base64') },
          });
          const socket = connect(server.port, '127.0.0.1');
          const length = Buffer.byteLength(POLL);
          socket.write(
            `POST /epcis/query HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nAccept-Encoding: ${encoding}\r\n` +
              `Content-Length: ${length}\r\n\r\n${POLL}`,
          );
          await once(socket, 'data');
          socket.pause();
          // the kernel's buffers fill, then nothing more is produced
          let last = -1;
          await eventually(() => given === last || ((last = given), false));
          expect(given).to.be.lessThan(10_000);
          socket.destroy();
          await eventually(() => released);
        });
      });
    }

    it('cut the connection when they fail halfway, since a document that ends would look complete', async () => {
      async function* failing() {
        for (let i = 0; i < 10; i++) yield EVENT;
        throw new Error('the database went away');
      }
      await serve({
        services: {
          queries: { get: (name) => Promise.resolve({ name, kind: 'events', parameters: [] }) },
          query: { events: () => Promise.resolve(failing()) },
        },
        documents: { event: () => TEXT },
      });
      const response = await soap(POLL);
      expect(response.status).to.equal(200);
      const outcome = await response.text().then(
        () => 'complete',
        () => 'cut',
      );
      expect(outcome).to.equal('cut');
    });

    it('fail with a proper fault when nothing was sent yet', async () => {
      async function* failing(): AsyncGenerator<StoredEvent> {
        yield EVENT;
        throw new Error('the database went away');
      }
      await serve({
        services: {
          queries: { get: (name) => Promise.resolve({ name, kind: 'events', parameters: [] }) },
          query: { events: () => Promise.resolve(failing()) },
        },
        documents: { event: () => 'x' },
      });
      const response = await soap(POLL);
      expect([response.status, await response.text()].join()).to.match(/^500,.*<soap:Fault>/s);
    });
  });

  describe('limits', () => {
    it('refuse a body that is larger than announced or allowed', async () => {
      await serve({
        limits: { captureBytes: 1000 },
        documents: { check: (bytes) => bytes },
        services: {
          jobs: {
            submit: async ({ bytes }) => {
              let size = 0;
              for await (const chunk of bytes) size += chunk.byteLength;
              throw new Error(`a body of ${size} bytes should have been refused`);
            },
          },
        },
      });
      const headers = { 'Content-Type': 'application/json' };
      const body = `{${'x'.repeat(2000)}`;
      const announced = await fetch(`${server.url}/capture`, { method: 'POST', headers, body });
      expect([announced.status, await announced.text()].join()).to.match(/^413,.*CaptureLimitExceededException/);
      expect(announced.headers.get('gs1-epcis-capture-file-size-limit')).to.equal('1000');
      const stream = new Blob([body]).stream();
      const chunked = await fetch(`${server.url}/capture`, {
        method: 'POST',
        headers,
        body: stream,
        duplex: 'half',
      });
      expect(chunked.status).to.equal(413);
    });

    it('count a compressed body at its full size', async () => {
      let read = 0;
      await serve({
        documents: { check: (bytes) => bytes },
        limits: { captureBytes: 100_000 },
        services: {
          jobs: {
            submit: async ({ bytes }) => {
              for await (const chunk of bytes) read += chunk.byteLength;
              throw new Error('the body should have been refused');
            },
          },
        },
      });
      const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
      const bomb = new Uint8Array(gzipSync(Buffer.alloc(10_000_000, '{')));
      const response = await fetch(`${server.url}/capture`, { method: 'POST', headers, body: bomb });
      expect(response.status).to.equal(413);
      expect(read).to.be.at.most(100_000);
      const damaged = await fetch(`${server.url}/capture`, { method: 'POST', headers, body: 'no gzip' });
      expect(damaged.status).to.equal(400);
    });

    it('refuse a URI that is too long', async () => {
      await serve({});
      const response = await fetch(`${server.url}/events?EQ_eventID=${'x'.repeat(5000)}`);
      expect([response.status, await response.text()].join()).to.match(/^414,.*URITooLongException/);
    });
  });

  describe('a WebSocket', () => {
    const subscriptions = { open: () => Promise.resolve({ close: () => Promise.resolve() } as OpenSubscription) };
    const open = async (socketBytesPerSecond: number) => {
      await serve({ services: { subscriptions }, limits: { socketBytesPerSecond } });
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/queries/q/events?stream=true`);
      socket.on('error', () => {});
      await once(socket, 'open');
      return socket;
    };

    it('is closed with 1008 where its client sends more than it may', async () => {
      const socket = await open(1);
      socket.send('x'.repeat(100));
      expect(String(await once(socket, 'close'))).to.equal('1008,A client may send 1 bytes a second here.');
    });

    it('stays open for pings and what else a client says now and then', async () => {
      const socket = await open(1024);
      let answers = 0;
      socket.on('pong', () => answers++);
      for (let i = 0; i < 20; i++) socket.ping('are you there?');
      socket.send('hello');
      socket.ping();
      await until('all are answered', () => answers === 21);
      socket.terminate();
    });

    it('is ended where pings, or pieces of a message, come without end', async () => {
      // empty ones, masked by zeros
      for (const frame of ['898000000000', '008000000000']) {
        const socket = await open(1024);
        const { _socket: flood } = socket as unknown as { _socket: Socket };
        const begin = frame.startsWith('00') ? Buffer.from('018000000000', 'hex') : Buffer.alloc(0);
        const all = Buffer.concat([begin, ...Array<Buffer>(10_000).fill(Buffer.from(frame, 'hex'))]);
        const more = () => {
          while (flood.writable && flood.write(all));
        };
        flood.on('drain', more).on('error', () => {});
        more();
        await once(socket, 'close');
        await server.close();
      }
    });
  });

  describe('closing', () => {
    it('lets a request in flight finish and is ready no more', async () => {
      let go = () => {};
      const asked = Promise.withResolvers<void>();
      const gate = new Promise<void>((resolve) => (go = resolve));
      await serve({
        services: {
          query: {
            eventsById: async () => {
              asked.resolve();
              await gate;
              return [EVENT];
            },
          },
        },
        documents: { event: () => '{"eventID":"urn:e"}' },
      });
      const answer = fetch(`${server.url}/events/urn:e`);
      await asked.promise;
      const closed = server.close();
      go();
      expect((await answer).status).to.equal(200);
      await closed;
      await fetch(`${server.url}/ready`).then(
        () => expect.fail('the server still accepts connections'),
        () => undefined,
      );
    });

    for (const [what, open, answered] of [
      ['that does not say goodbye', () => Promise.resolve({ subscription: {}, close: () => Promise.resolve() }), true],
      ['that waits for its handshake', () => new Promise(() => {}), false],
    ] as const) {
      it(`hangs up on a WebSocket ${what}`, async () => {
        const opened = Promise.withResolvers<void>();
        const subscriptions = {
          open: () => {
            opened.resolve();
            return open() as Promise<OpenSubscription>;
          },
        };
        await serve({ drainSeconds: 0.1, services: { subscriptions } });
        const socket = connect(server.port, '127.0.0.1');
        const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13';
        socket.write(
          `GET /queries/q/events?stream=true HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${key}\r\n\r\n`,
        );
        await opened.promise;
        if (answered) expect(String((await once(socket, 'data'))[0])).to.match(/^HTTP\/1.1 101 /);
        const hungUp = once(socket, 'close');
        await server.close();
        await hungUp;
      });
    }

    it('cuts what does not finish in time', async () => {
      await serve({ drainSeconds: 0.1, services: { query: { eventsById: () => new Promise(() => {}) } } });
      const answer = fetch(`${server.url}/events/urn:e`).then(
        () => 'answered',
        () => 'cut',
      );
      await eventually(async () => (await fetch(`${server.url}/ready`)).ok);
      await server.close();
      expect(await answer).to.equal('cut');
    });
  });

  it('is ready only while the repository answers', async () => {
    let broken = false;
    await serve({ ready: () => (broken ? Promise.reject(new Error('no database')) : Promise.resolve()) });
    expect((await fetch(`${server.url}/ready`)).status).to.equal(200);
    broken = true;
    expect((await fetch(`${server.url}/ready`)).status).to.equal(503);
  });

  it('is not ready while the repository says nothing at all', async () => {
    await serve({ ready: () => new Promise(() => {}) });
    expect((await fetch(`${server.url}/ready`)).status).to.equal(503);
  });

  it('serves REST below a prefix, with links that carry it', async () => {
    async function* events() {
      yield EVENT;
    }
    const page = { events: events(), next: () => 'position' };
    await serve({
      prefix: '/v2',
      services: { query: { eventPage: () => Promise.resolve(page) } },
      documents: { event: () => '{}' },
    });
    const response = await fetch(`${server.url}/v2/events?perPage=1`);
    expect(response.headers.get('link')).to.match(/^<\/v2\/events\?perPage=1&nextPageToken=[\w.-]+>; rel="next"$/);
    expect((await fetch(`${server.url}/events`)).status).to.equal(404);
  });
});

/** Waits for a condition, looking again every few milliseconds, for at most 8 seconds. */
async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 8000; Date.now() < end;) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the condition did not come true in time');
}
