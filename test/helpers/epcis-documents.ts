// Small EPCIS documents for tests, and reading them.
import { createHash } from 'node:crypto';
import { readDocument, type DocumentLimits } from '../../epcis/bindings/documents.ts';
import { EpcisException } from '../../epcis/domain/exceptions.ts';
import type { CapturedEvent } from '../../epcis/domain/event.ts';
import type { CaptureItem } from '../../epcis/service/services.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
export const RECORD_TIME = '2031-03-04T05:06:07.089Z';
export const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';

export interface Reading {
  /** Bytes in each piece that the reader gets. */
  readonly chunk?: number;
  readonly limits?: Partial<DocumentLimits>;
  readonly extensions?: ReadonlyMap<string, string>;
}

export async function* bytes(text: string | Uint8Array, chunk = 1 << 20): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text as string);
  for (let at = 0; at < all.length; at += chunk) yield all.subarray(at, at + chunk);
}

export async function readAll(text: string | Uint8Array, format: 'xml' | 'json', { chunk, ...rest }: Reading = {}) {
  const items: CaptureItem[] = [];
  for await (const item of readDocument(bytes(text, chunk), { format, sha256, ...rest })) items.push(item);
  return items;
}

export async function readEvents(
  text: string,
  format: 'xml' | 'json',
  reading: Reading = {},
): Promise<CapturedEvent[]> {
  const items = await readAll(text, format, reading);
  return items.flatMap((item) => (item.kind === 'event' ? [item.captured] : []));
}

export async function readOne(text: string, format: 'xml' | 'json', reading: Reading = {}): Promise<CapturedEvent> {
  const [event, ...more] = await readEvents(text, format, reading);
  if (event === undefined || more.length > 0) throw new Error(`one event expected, not ${more.length + 1}`);
  return event;
}

/** The exception that reading ends in; fails the test if there is none or it is of another kind. */
export async function refusal(
  text: string | Uint8Array,
  format: 'xml' | 'json',
  reading: Reading = {},
): Promise<EpcisException> {
  try {
    await readAll(text, format, reading);
  } catch (error) {
    if (error instanceof EpcisException) return error;
    throw error;
  }
  throw new Error('the document was accepted');
}

export const xml2 = (events: string, declarations = ''): string =>
  `<epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:2" ${declarations} schemaVersion="2.0" ` +
  `creationDate="2030-01-01T00:00:00Z">\n<EPCISBody><EventList>\n${events}\n</EventList></EPCISBody></epcis:EPCISDocument>`;

export const xml1 = (events: string, declarations = ''): string =>
  xml2(events, declarations)
    .replace('epcis:xsd:2', 'epcis:xsd:1')
    .replace('schemaVersion="2.0"', 'schemaVersion="1.2"');

export const json2 = (events: string, context = ''): string =>
  `{"@context":["${CONTEXT}"${context === '' ? '' : `,${context}`}],"type":"EPCISDocument","schemaVersion":"2.0",` +
  `"creationDate":"2030-01-01T00:00:00Z","epcisBody":{"eventList":[${events}]}}`;

/** An ObjectEvent in XML; `extra` stands after the action. */
export const objectXml = (extra = '', { action = 'OBSERVE', epc = 'urn:epc:id:sgtin:9521141.012345.7' } = {}): string =>
  '<ObjectEvent><eventTime>2030-05-06T07:08:09.123+02:00</eventTime><eventTimeZoneOffset>+02:00</eventTimeZoneOffset>' +
  `<epcList><epc>${epc}</epc></epcList><action>${action}</action>${extra}</ObjectEvent>`;

/** The same event in JSON; `extra` are further members. */
export const objectJson = (extra: Record<string, unknown> = {}): string =>
  JSON.stringify({
    type: 'ObjectEvent',
    eventTime: '2030-05-06T07:08:09.123+02:00',
    eventTimeZoneOffset: '+02:00',
    epcList: ['urn:epc:id:sgtin:9521141.012345.7'],
    action: 'OBSERVE',
    ...extra,
  });
