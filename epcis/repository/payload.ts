// What is stored of an event beside its index: the event as the service sees it and its source, compressed together.
import type { CapturedEvent, EpcisEvent, EventSource } from '../domain/event.ts';
import type { InPieces } from '../domain/in-pieces.ts';
import { Codec } from './lz.ts';
import { DICTIONARY } from './payload-dictionary.ts';

/** Stands before every payload; another compression or dictionary gets another number. */
const FORMAT = { json: 1, xml: 2 };
/** Before the packed text: the format, and the bytes of the source. */
const HEADER = 5;
const codec = new Codec(DICTIONARY);

/** A larger text is packed in pieces. */
const LARGE = 256 * 1024;

/** The source stands first: who wants no more unpacks no more. */
export function* packEvent({ event, source }: CapturedEvent): InPieces<Uint8Array> {
  const header = Buffer.alloc(HEADER);
  header.writeUInt8(FORMAT[source.format]);
  header.writeUInt32LE(Buffer.byteLength(source.text), 1);
  const text = source.text + JSON.stringify(event);
  return Buffer.concat([header, text.length <= LARGE ? codec.encode(text) : yield* codec.encoding(text)]);
}

export const sourceBytes = (payload: Uint8Array): number => asBuffer(payload).readUInt32LE(1);

export function unpackSource(payload: Uint8Array): EventSource {
  const bytes = asBuffer(payload);
  return { format: formatOf(bytes), text: codec.decode(bytes, HEADER, { until: bytes.readUInt32LE(1) }) };
}

export function unpackEvent(payload: Uint8Array): EpcisEvent {
  const bytes = asBuffer(payload);
  formatOf(bytes);
  return JSON.parse(codec.decode(bytes, HEADER, { from: bytes.readUInt32LE(1) })) as EpcisEvent;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function formatOf(bytes: Buffer): EventSource['format'] {
  const format = bytes[0] === FORMAT.xml ? 'xml' : 'json';
  if (bytes[0] !== FORMAT[format]) throw new Error(`An event is stored in the unknown format ${bytes[0]}.`);
  return format;
}
