import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { readDocument } from '../../../epcis/bindings/documents.ts';
import { goingOn } from '../../../epcis/bindings/faults.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** What a reader gives that goes on after each fault. */
async function readAll(text: string, format: 'json' | 'xml'): Promise<string[]> {
  async function* body() {
    yield Buffer.from(text);
  }
  const items = goingOn((onFault) => readDocument(body(), { format, sha256, onFault }))[Symbol.asyncIterator]();
  const seen: string[] = [];
  for (;;) {
    try {
      const result = await items.next();
      if (result.done) return seen;
      seen.push(result.value.at);
    } catch (error) {
      seen.push(`fault: ${String(error)}`);
      if (seen.length > 20) throw error;
    }
  }
}

const json = (actions: readonly string[], end = ']}}') =>
  '{"@context":"https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld","type":"EPCISDocument","schemaVersion":"2.0",' +
  `"creationDate":"2024-01-01T00:00:00Z","epcisBody":{"eventList":[${actions
    .map(
      (action) =>
        `{"type":"ObjectEvent","eventTime":"2024-01-01T00:00:00Z","eventTimeZoneOffset":"+00:00","epcList":["urn:a:1"],"action":"${action}"}`,
    )
    .join(',')}${end}`;

const xml = (actions: readonly string[], end = '</EventList></EPCISBody></e:EPCISDocument>') =>
  '<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:2" schemaVersion="2.0" creationDate="2024-01-01T00:00:00Z"><EPCISBody><EventList>' +
  actions
    .map(
      (action) =>
        '\n<ObjectEvent><eventTime>2024-01-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>' +
        `<epcList><epc>urn:a:1</epc></epcList><action>${action}</action></ObjectEvent>`,
    )
    .join('') +
  end;

describe('reading on after a fault', () => {
  it('gives every valid event of a JSON document and every fault with its place', async () => {
    const seen = await readAll(json(['ADD', 'WRONG', 'OBSERVE', 'WORSE']), 'json');
    expect(seen.filter((at) => !at.startsWith('fault'))).to.deep.equal([
      '/epcisBody/eventList/0',
      '/epcisBody/eventList/2',
    ]);
    expect(seen.filter((at) => at.startsWith('fault')).map((fault) => /WRONG|WORSE/.exec(fault)?.[0])).to.deep.equal([
      'WRONG',
      'WORSE',
    ]);
  });

  it('does so in XML', async () => {
    const seen = await readAll(xml(['WRONG', 'ADD', 'WORSE', 'OBSERVE']), 'xml');
    expect(seen.filter((at) => !at.startsWith('fault'))).to.deep.equal(['line 3', 'line 5']);
    expect(seen.filter((at) => at.startsWith('fault'))).to.have.length(2);
  });

  it('ends where the document itself is broken', async () => {
    for (const seen of [
      await readAll(json(['ADD', 'WRONG'], ']'), 'json'),
      await readAll(xml(['ADD', 'WRONG'], '</b>'), 'xml'),
    ]) {
      expect(seen.filter((at) => at.startsWith('fault')).length).to.be.within(1, 2);
      expect(seen.length).to.be.below(5);
    }
  });
});
