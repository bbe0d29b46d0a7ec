// One trace from the client through gateway and VM to the database, as a collector of the test's own gets to see it.
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startEpcisServer } from '../../epcis/server.ts';
import type { EndedSpan } from '../../epcis/tracing/otlp.ts';
import { startTracing } from '../../epcis/tracing/start.ts';
import { createTracer } from '../../epcis/tracing/tracer.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { Bench, raw } from '../helpers/gateway.ts';
import { listening } from '../helpers/listening.ts';
import { until } from '../helpers/until.ts';

interface Told {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly links?: readonly { traceId: string; spanId: string }[];
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
}

type Attribute = Told['attributes'][number];
interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Told[] }[];
  }[];
}

class Collector {
  readonly spans: Told[] = [];
  /** As it came, for what must not be in it. */
  raw = '';
  url = '';
  #status = 200;

  async open(bench: Bench): Promise<this> {
    const server = createServer((request, response) => void this.#take(request, response));
    const port = await listening(server);
    bench.atEnd(async () => {
      server.close();
      server.closeAllConnections();
    });
    this.url = `http://127.0.0.1:${port}`;
    return this;
  }

  answers(status: number): void {
    this.#status = status;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    expect(request.url).to.equal('/v1/traces');
    response.writeHead(this.#status, { 'content-type': 'application/json' }).end('{}');
    if (this.#status !== 200) return;
    this.raw += body;
    for (const { resource, scopeSpans } of (JSON.parse(body) as Body).resourceSpans) {
      const service = String(resource.attributes.find(({ key }) => key === 'service.name')?.value['stringValue']);
      for (const { spans } of scopeSpans) for (const span of spans) this.spans.push({ ...span, service });
    }
  }
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const SECRET = 'urn:epc:id:sgtin:0614141.107340.Zq4711';
const DOCUMENT = JSON.stringify({
  '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld'],
  ...{ type: 'EPCISDocument', schemaVersion: '2.0', creationDate: '2026-01-01T00:00:00Z' },
  epcisBody: {
    eventList: [
      {
        ...{ type: 'ObjectEvent', eventTime: '2026-01-01T00:00:00Z', eventTimeZoneOffset: '+00:00' },
        ...{ epcList: [SECRET], action: 'ADD' },
      },
    ],
  },
});

describe('a trace', () => {
  const bench = new Bench();
  after(() => bench.close());

  /** Both over one repository; `share` is what each begins by itself. */
  async function world(dataPlane: 'builtin' | 'haproxy', share: number, freshUrl: () => Promise<string>) {
    const collector = await new Collector().open(bench);
    const log: string[] = [];
    const note = { info: () => undefined, warn: (_: object, what: string) => void log.push(what) };
    const tracing = { endpoint: collector.url, share };
    const service = await startEpcisServer({
      ...{ port: 0, repository: { url: await freshUrl() }, log: { ...note, error: () => undefined } },
      tracing: { ...tracing, resource: { 'service.name': 'vm' } },
      work: { pollMs: 50 },
    });
    bench.atEnd(() => service.close());
    const gatewayTracing = startTracing(tracing, { 'service.name': 'gateway' }, note)!;
    bench.atEnd(() => gatewayTracing.close());
    const gateway = await bench.gateway({ dataPlane }, { tracer: gatewayTracing.tracer });
    await gateway.add('vm-1', { host: '127.0.0.1', port: service.port });
    await until('the VM is ready', () => gateway.fleet()[0]?.state === 'ready');
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`http://127.0.0.1:${gateway.address.port}${path}`, init);
      await response.arrayBuffer();
      return response.status;
    };
    const seen = (...names: RegExp[]) =>
      until(`spans ${names.join(', ')}`, () => names.every((name) => found(name) !== undefined));
    const found = (name: RegExp) => collector.spans.find((span) => name.test(span.name));
    const below = ({ traceId, spanId }: Told) =>
      collector.spans.filter((span) => span.traceId === traceId && span.parentSpanId === spanId);
    return { collector, ask, found, seen, below, log };
  }

  for (const [kind, freshUrl] of KINDS) {
    it(`goes from the client through gateway and VM to the statements of ${kind}, and a capture job is linked to it`, async function () {
      this.timeout(60_000); // a MariaDB starts
      const { collector, ask, found, seen, below } = await world('builtin', 0, freshUrl);
      const headers = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'congo=1' };
      const capture = { method: 'POST', body: DOCUMENT, headers: { ...headers, 'content-type': 'application/json' } };
      expect(await ask('/capture', capture)).to.equal(202);
      expect(await ask('/events')).to.equal(200); // of its own share, which is none
      await seen(/^capture job$/, /^POST$/, /^POST \/capture$/);
      expect(await ask(`/epcs/${encodeURIComponent(SECRET)}/events?perPage=1&EQ_action=ADD`, { headers })).to.equal(
        200,
      );
      await seen(/^GET$/, /^GET \//);

      const gateway = found(/^POST$/)!;
      expect(gateway).to.include({ service: 'gateway', traceId: TRACE, parentSpanId: SPAN, traceState: 'congo=1' });
      const [sent] = below(gateway);
      expect(sent).to.include({ service: 'gateway', name: 'VM' });
      const [served] = below(sent!);
      expect(served).to.include({ service: 'vm', name: 'POST /capture', traceState: 'congo=1' });
      const [transaction] = below(served!).filter(({ name }) => name === 'transaction');
      expect(below(transaction!).map(({ name }) => name)).to.deep.equal([
        'INSERT capture_job',
        'INSERT capture_job_chunk',
      ]);
      const job = found(/^capture job$/)!;
      expect(job.traceId).not.to.equal(TRACE);
      expect(job.links).to.deep.equal([{ traceId: TRACE, spanId: served!.spanId }]);
      const ofJob = collector.spans.filter(({ traceId }) => traceId === job.traceId).map(({ name }) => name);
      expect(ofJob).to.include.members(['transaction', 'INSERT event', 'UPDATE capture_job']);

      expect(found(/^GET \/epcs\/\{epc\}\/events$/)?.traceId).to.equal(TRACE);
      expect(collector.spans.some(({ name }) => name === 'SELECT event')).to.equal(true);
      expect(collector.spans.filter(({ traceId }) => traceId !== TRACE && traceId !== job.traceId)).to.deep.equal([]);
      for (const secret of ['Zq4711', 'sgtin', 'EQ_action', 'ADD']) expect(collector.raw).not.to.include(secret);
    });
  }

  it('begins at the VM where HAProxy carries it, which passes on what the client says, and waits for no collector', async () => {
    const { collector, ask, found, seen, below, log } = await world('haproxy', 1, KINDS[0]![1]);
    expect(await ask('/events', { headers: { traceparent: `00-${TRACE}-${SPAN}-01` } })).to.equal(200);
    await seen(/^GET \/events$/);
    expect(found(/^GET \/events$/)).to.include({ service: 'vm', traceId: TRACE, parentSpanId: SPAN });
    expect(await ask('/eventTypes')).to.equal(200);
    await seen(/^GET \/eventTypes$/);
    expect(found(/^GET \/eventTypes$/)).not.to.have.property('parentSpanId');
    // what goes through the built-in plane behind it is told of by that, too; and a collector that refuses is not waited for
    collector.answers(503);
    const long = { method: 'POST', body: DOCUMENT.padEnd(10_000), headers: { 'content-type': 'application/json' } };
    expect(await ask('/capture', long)).to.equal(202);
    await until('gateway and VM said so', () => log.length === 2);
    for (let i = 0; i < 20; i++) expect(await ask('/vocabularies')).to.equal(404);
    collector.answers(200);
    await seen(/^POST \/capture$/, /^POST$/);
    expect(log).to.deep.equal(['Traces cannot be delivered', 'Traces cannot be delivered']);
    await until('all are there', () => collector.spans.filter(({ name }) => name === 'GET').length === 20);
    const [sent] = below(found(/^POST$/)!);
    expect(found(/^POST \/capture$/)?.parentSpanId).to.equal(sent?.spanId);
  });

  it('tells of a client that went before its answer that it went, and of a tunnel that it came about', async () => {
    const spans: EndedSpan[] = [];
    const newId = (bytes: number) => randomBytes(bytes).toString('hex');
    const parts = { share: 1, now: Date.now, random: Math.random, newId };
    const tracer = createTracer({ ...parts, ended: (span) => void spans.push(span) });
    let asked = false;
    const vm = await bench.vm(() => void (asked = true));
    vm.server.on('upgrade', (_, socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    );
    const gateway = await bench.gatewayTo(vm, {}, { tracer });

    const leaving = new AbortController();
    const answer = fetch(`http://127.0.0.1:${gateway.address.port}/held`, leaving).catch(() => undefined);
    await until('the VM was asked', () => asked);
    leaving.abort();
    await answer;
    await until('both spans have ended', () => spans.length === 2);
    const request = spans.find(({ kind }) => kind === 'server');
    expect(request).to.deep.include({ failed: true });
    expect(request?.attributes).to.include({ 'error.type': 'client-gone', 'mmeliot.class': 'interactive' });

    const upgrade = 'GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    expect(await raw(gateway.address.port, upgrade)).to.match(/^HTTP\/1.1 101/);
    await until('both spans have ended', () => spans.length === 4);
    expect(spans.slice(2).map(({ failed }) => failed)).to.deep.equal([false, false]);
  });
});
