// How much memory reading a large document takes: `node test/bench/capture-memory.ts xml|json [megabytes]`. The document
// is made up while it is read, so that what grows is the reader's. Prints the largest resident set beyond the one before
// reading (most of it is the engine's nursery, which grows while nothing asks it not to), the largest heap in use, and
// the speed (a share of this machine: compare, don't quote).
import { createHash } from 'node:crypto';
import { readDocument } from '../../epcis/bindings/documents.ts';

const MEGABYTE = 1024 * 1024;
const format = process.argv[2] === 'json' ? 'json' : 'xml';
const size = Number(process.argv[3] ?? 100) * MEGABYTE;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const FORMS = {
  xml: {
    before:
      '<epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:2" xmlns:x="https://x.example.org/" schemaVersion="2.0"' +
      ' creationDate="2026-01-01T00:00:00Z"><EPCISBody><EventList>',
    event: (n: number): string =>
      `<ObjectEvent><eventTime>2026-01-01T00:00:00.${String(n % 1000).padStart(3, '0')}Z</eventTime>` +
      `<eventTimeZoneOffset>+00:00</eventTimeZoneOffset><epcList>${epcs(n, (epc) => `<epc>${epc}</epc>`).join('')}</epcList>` +
      '<action>OBSERVE</action><bizStep>urn:epcglobal:cbv:bizstep:shipping</bizStep>' +
      `<readPoint><id>urn:epc:id:sgln:9521141.00001.${n % 50}</id></readPoint><x:run>${n}</x:run></ObjectEvent>\n`,
    between: '',
    after: '</EventList></EPCISBody></epcis:EPCISDocument>',
  },
  json: {
    before:
      '{"@context":["https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld",{"x":"https://x.example.org/"}],' +
      '"type":"EPCISDocument","schemaVersion":"2.0","creationDate":"2026-01-01T00:00:00Z","epcisBody":{"eventList":[',
    event: (n: number): string =>
      JSON.stringify({
        type: 'ObjectEvent',
        eventTime: `2026-01-01T00:00:00.${String(n % 1000).padStart(3, '0')}Z`,
        eventTimeZoneOffset: '+00:00',
        epcList: epcs(n, (epc) => epc),
        action: 'OBSERVE',
        bizStep: 'shipping',
        readPoint: { id: `urn:epc:id:sgln:9521141.00001.${n % 50}` },
        'x:run': n,
      }),
    between: ',',
    after: ']}}',
  },
} as const;

function epcs<T>(n: number, of: (epc: string) => T): T[] {
  return Array.from({ length: 10 }, (_, i) => of(`urn:epc:id:sgtin:9521141.001234.${n * 10 + i}`));
}

async function* bytesOf(form: keyof typeof FORMS): AsyncGenerator<Uint8Array> {
  const { before, event, between, after } = FORMS[form];
  yield Buffer.from(before);
  let text = '';
  for (let n = 0, sent = 0; sent < size; n++) {
    text += (n === 0 ? '' : between) + event(n);
    if (text.length < 64 * 1024) continue;
    sent += text.length;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + after);
}

const limits = { bytes: size * 2, items: Number.POSITIVE_INFINITY };
const before = process.memoryUsage().rss;
const start = process.hrtime.bigint();
let resident = before;
let heap = 0;
let events = 0;
for await (const item of readDocument(bytesOf(format), { format, sha256, limits })) {
  if (item.kind !== 'event' || ++events % 1000 !== 0) continue;
  const { rss, heapUsed } = process.memoryUsage();
  resident = Math.max(resident, rss);
  heap = Math.max(heap, heapUsed);
}
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(0);
process.stdout.write(
  `${format}: ${events} events in ${megabytes(size)} MB; at most ${megabytes(resident - before)} MB more resident, ` +
    `${megabytes(heap)} MB of heap in use; ${(size / MEGABYTE / seconds).toFixed(1)} MB/s\n`,
);
