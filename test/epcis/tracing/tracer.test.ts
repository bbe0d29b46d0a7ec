import { expect } from 'chai';
import { writeSpans, type EndedSpan } from '../../../epcis/tracing/otlp.ts';
import { createTracer } from '../../../epcis/tracing/tracer.ts';
import { newIds } from '../../../epcis/tracing/start.ts';

const FROM = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true, state: 'x=1' };

function tracer(share: number, chance = 0.5) {
  const ended: EndedSpan[] = [];
  let now = 1_700_000_000_000.25;
  let ids = 0;
  const parts = {
    ...{ share, now: () => now++, random: () => chance },
    newId: (bytes: number) => (++ids).toString(16).padStart(bytes * 2, '0'),
    ended: (span: EndedSpan) => void ended.push(span),
  };
  return { ...createTracer(parts), ended };
}

describe('a tracer', () => {
  it('traces its share of the requests, and where the client has decided, as that says', () => {
    expect(tracer(0.5, 0.49).arrive(undefined, 'GET').span).not.to.equal(undefined);
    expect(tracer(0.5, 0.5).arrive(undefined, 'GET').span).to.equal(undefined);
    expect(tracer(0).arrive(FROM, 'GET').span?.context).to.include({ traceId: FROM.traceId, state: 'x=1' });
    const no = { ...FROM, sampled: false };
    expect(tracer(1).arrive(no, 'GET')).to.deep.equal({ context: no });
  });

  it('tells those who come later that a request is not traced, so that they do not begin', () => {
    const { context } = tracer(0).arrive(undefined, 'GET');
    expect(context.sampled).to.equal(false);
    expect(context.traceId).to.match(/^[0-9a-f]{32}$/);
  });

  it('ends a span once, with what was said of it, below the one that it came of', () => {
    const one = tracer(0);
    const { ended } = one;
    const { span } = one.arrive(FROM, 'GET');
    span?.child('SELECT event', 'client')?.end();
    span?.name('GET /events');
    span?.set({ 'http.response.status_code': 200 });
    span?.end();
    span?.end(true);
    expect(ended.map(({ name, failed }) => ({ name, failed }))).to.deep.equal([
      { name: 'SELECT event', failed: false },
      { name: 'GET /events', failed: false },
    ]);
    expect(ended[0]?.parentId).to.equal(ended[1]?.context.spanId);
    expect(ended[1]?.parentId).to.equal(FROM.spanId);
  });

  it('keeps 200 spans below one that came, and says how many it left out', () => {
    const one = tracer(1);
    const { ended } = one;
    const { span } = one.arrive(undefined, 'POST');
    for (let i = 0; i < 250; i++) span?.child('INSERT event', 'client')?.end();
    span?.end();
    expect(ended).to.have.length(201);
    expect(ended.at(-1)?.attributes).to.deep.equal({ 'mmeliot.spans_left_out': 50 });
  });

  it('writes spans as a collector reads them', () => {
    const one = tracer(1);
    const { ended } = one;
    const { span } = one.arrive(FROM, 'POST /capture');
    span?.set({ 'http.response.status_code': 500, ratio: 0.5, on: true });
    span?.end(true);
    one.follow(FROM, 'capture job').end();
    const { resourceSpans } = JSON.parse(writeSpans({ 'service.name': 'mmeliot-vm' }, ended)) as {
      resourceSpans: [{ resource: object; scopeSpans: [{ spans: object[] }] }];
    };
    expect(resourceSpans[0].resource).to.deep.equal({
      attributes: [{ key: 'service.name', value: { stringValue: 'mmeliot-vm' } }],
    });
    expect(resourceSpans[0].scopeSpans[0].spans).to.deep.equal([
      {
        ...{ traceId: FROM.traceId, spanId: '0000000000000001', parentSpanId: FROM.spanId, traceState: 'x=1' },
        ...{ name: 'POST /capture', kind: 2, status: { code: 2 } },
        ...{ startTimeUnixNano: '1700000000000250000', endTimeUnixNano: '1700000000001250000' },
        attributes: [
          { key: 'http.response.status_code', value: { intValue: '500' } },
          { key: 'ratio', value: { doubleValue: 0.5 } },
          { key: 'on', value: { boolValue: true } },
        ],
      },
      {
        ...{ traceId: '00000000000000000000000000000002', spanId: '0000000000000003' },
        ...{ name: 'capture job', kind: 5, links: [{ traceId: FROM.traceId, spanId: FROM.spanId }] },
        ...{ startTimeUnixNano: '1700000000002250000', endTimeUnixNano: '1700000000003250000', attributes: [] },
      },
    ]);
  });
});

describe('names of traces and spans', () => {
  it('are as long as they should be, and no two alike, however many', () => {
    const newId = newIds();
    const ids = Array.from({ length: 3_000 }, (_, i) => newId(i % 3 === 0 ? 16 : 8));
    expect(ids.filter((id, i) => !/^[0-9a-f]+$/.test(id) || id.length !== (i % 3 === 0 ? 32 : 16))).to.deep.equal([]);
    expect(new Set(ids).size).to.equal(3_000);
  });
});
