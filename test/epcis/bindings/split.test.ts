// A document in parts says what the whole says: the same events in the same order, and the same faults at the same places.
import { expect } from 'chai';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { readDocument } from '../../../epcis/bindings/documents.ts';
import { goingOn } from '../../../epcis/bindings/faults.ts';
import { splitDocument } from '../../../epcis/bindings/split.ts';
import { DEFAULT_LIMITS } from '../../../epcis/domain/document-limits.ts';
import { EpcisException } from '../../../epcis/domain/exceptions.ts';
import { CHUNK_BYTES } from '../../../epcis/service/jobs-chunks.ts';
import { inWhole, merged, ofPart, partBytes } from '../../../epcis/service/jobs-parts.ts';
import type { CaptureItem } from '../../../epcis/service/services.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
type Format = 'json' | 'xml';

/** What stands between events, or in one: whatever could be taken for an end or a beginning. */
const XML_ODD = ['', '\n', '\r\n\r\n', '<!-- </EventList> <ObjectEvent> -->\n', '<?odd <a> ?>', '<![CDATA[ <b> ]] ]]>'];
const JSON_ODD = ['', '\n', '"', '\\', '{[', ']}', '},{', 'ü'];

interface Sample {
  readonly odd: number;
  readonly wrong: boolean;
  readonly wrapped: boolean;
}

function xmlEvent({ odd, wrong, wrapped }: Sample, n: number): string {
  const inside = odd === 5 ? `<x:note xmlns:x="urn:x" a='>' b="/>">${XML_ODD[odd]}</x:note>` : '';
  const between = odd === 5 ? '' : (XML_ODD[odd] ?? '');
  const event =
    `<ObjectEvent><eventTime>2026-01-01T00:00:00Z</eventTime>\n<eventTimeZoneOffset>+00:00</eventTimeZoneOffset>` +
    `<epcList><epc>urn:example:${n}</epc></epcList><action>${wrong ? 'WRONG' : 'OBSERVE'}</action>${inside}</ObjectEvent>`;
  return between + (wrapped && !wrong ? event.replace('<ObjectEvent>', '<ObjectEvent >') : event);
}

const xmlDocument = (samples: readonly Sample[]): string =>
  `<?xml version="1.0"?>\n<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:2" schemaVersion="2.0" ` +
  `creationDate="2026-01-01T00:00:00Z">\n<EPCISHeader><extension><EPCISMasterData><VocabularyList><Vocabulary type="urn:v">` +
  `<VocabularyElementList><VocabularyElement id="urn:v:1"/></VocabularyElementList></Vocabulary></VocabularyList>` +
  `</EPCISMasterData></extension></EPCISHeader><EPCISBody>\n<EventList>${samples.map(xmlEvent).join('')}\n</EventList></EPCISBody>\n</e:EPCISDocument>`;

const jsonDocument = (samples: readonly Sample[]): string =>
  JSON.stringify({
    '@context': [{ x: 'urn:x#' }],
    type: 'EPCISDocument',
    schemaVersion: '2.0',
    creationDate: '2026-01-01T00:00:00Z',
    'x:eventList': ['no event'],
    epcisBody: {
      eventList: samples.map(({ odd, wrong }, n) => ({
        ...{ type: 'ObjectEvent', eventTime: '2026-01-01T00:00:00Z', eventTimeZoneOffset: '+00:00' },
        ...{ epcList: [`urn:example:${n}`], action: wrong ? 'WRONG' : 'OBSERVE', 'x:note': JSON_ODD[odd] },
      })),
    },
    'x:behind': { eventList: [{}] },
  });

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

interface Read {
  readonly items: readonly string[];
  readonly faults: readonly { readonly type: string; readonly reason: string; readonly at?: string }[];
}

async function readAll(
  body: AsyncIterable<Uint8Array>,
  format: Format,
  narrowed: (items: AsyncIterable<CaptureItem>) => AsyncIterable<CaptureItem> = (items) => items,
): Promise<Read> {
  const all = goingOn((onFault) => readDocument(body, { format, sha256, onFault }));
  const items: string[] = [];
  const faults: Read['faults'][number][] = [];
  const iterator = narrowed(all)[Symbol.asyncIterator]();
  for (;;) {
    try {
      const result = await iterator.next();
      if (result.done === true) return { items, faults };
      const { value } = result;
      items.push(value.kind === 'event' ? value.captured.hash + value.captured.source.text : value.element.id);
    } catch (error) {
      if (!(error instanceof EpcisException)) throw error;
      faults.push({ type: error.name, reason: error.reason, ...(error.at !== undefined && { at: error.at }) });
    }
  }
}

describe('a document in parts', function () {
  this.timeout(60_000);
  const sample = fc.record({
    odd: fc.nat({ max: 5 }),
    wrong: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    wrapped: fc.boolean(),
  });

  for (const [format, write] of [
    ['xml', xmlDocument],
    ['json', jsonDocument],
  ] as const) {
    it(`says in ${format} what the whole says, wherever it is cut`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(sample, { minLength: 1, maxLength: 25 }),
          fc.integer({ min: 1, max: 3000 }),
          fc.integer({ min: 1, max: 200 }),
          async (samples, size, chunk) => {
            const bytes = new TextEncoder().encode(write(samples));
            const parts = await splitDocument(inChunks(bytes, chunk), format, size, DEFAULT_LIMITS);
            const whole = await readAll(inChunks(bytes, 1 << 16), format);
            const read = async (n: number) => bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES);
            const chunks = (n: number) => (n * CHUNK_BYTES < bytes.length ? read(n) : Promise.resolve(undefined));
            const found: Read[] = [];
            for (const part of parts)
              found.push(await readAll(partBytes(part, chunks), format, (items) => ofPart(items, part)));
            expect(parts.reduce((sum, { events }) => sum + events, 0)).to.equal(samples.length);
            expect(found.flatMap(({ items }) => items)).to.deep.equal(whole.items);
            const faults = merged(
              found.map((each, n) => each.faults.map((fault) => inWhole(parts[n] ?? fail(), fault))),
              1000,
            );
            expect(faults).to.deep.equal(whole.faults);
          },
        ),
        { numRuns: 60 },
      );
    });
  }

  it('stays whole where its events are not in one list', async () => {
    const parted = (text: string, format: Format) =>
      splitDocument(inChunks(new TextEncoder().encode(text), 100), format, 1, DEFAULT_LIMITS);
    expect(await parted('{"epcisBody": {"event": {"type": "x"}}}', 'json')).to.deep.equal([]);
    const list = '<EventList><ObjectEvent/><ObjectEvent/></EventList>';
    expect(await parted(`<d><EPCISBody>${list}</EPCISBody></d>`, 'xml')).to.have.lengthOf(2);
    expect(await parted(`<d><EPCISBody>${list}${list}</EPCISBody></d>`, 'xml')).to.deep.equal([]);
    expect(await parted(`<d><other>${list}</other></d>`, 'xml')).to.deep.equal([]);
  });

  it('stays whole where it is no document: one reader of all of it tells what is wrong', async () => {
    const parted = (text: string, format: Format) =>
      splitDocument(inChunks(new TextEncoder().encode(text), 100), format, 1, DEFAULT_LIMITS);
    const events = '<ObjectEvent/><ObjectEvent/>';
    expect(await parted(`<d><EPCISBody><EventList>${events}</EventList></EPCISBody>`, 'xml')).to.deep.equal([]);
    expect(await parted(`<d><EPCISBody><EventList>${events}&no;</EventList></EPCISBody></d>`, 'xml')).to.deep.equal([]);
    expect(await parted('{"epcisBody": {"eventList": [{"type": "x"}, {"type": "y"}]}', 'json')).to.deep.equal([]);
    expect(await parted('{"epcisBody": {"eventList": [{"type": "x"}, {"type": "y"}]}}', 'json')).to.have.lengthOf(2);
  });
});

function fail(): never {
  throw new Error('there is no such part');
}
