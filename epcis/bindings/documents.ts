// The one way in for documents: bytes to events and master data, one at a time, whatever the form.
import { createXmlParser } from './xml-parser.ts';
import { jsonDocument, readSingleJson } from './documents-json.ts';
import { xmlDocument } from './documents-xml.ts';
import { utf8 } from './utf8.ts';
import type { Faults } from './faults.ts';
import { DEFAULT_LIMITS, MAX_DEPTH, tooLarge, type DocumentLimits } from '../domain/document-limits.ts';
import type { CaptureItem } from '../service/services.ts';
import type { Sha256 } from '../domain/hash.ts';
import { inPieces } from '../domain/in-pieces.ts';

export { DEFAULT_LIMITS, type DocumentLimits } from '../domain/document-limits.ts';

export interface ReadOptions extends Faults {
  readonly format: 'xml' | 'json';
  /** SHA-256 of a string's UTF-8 form, in lower-case hexadecimal. */
  readonly sha256: Sha256;
  /** What isn't given is as in DEFAULT_LIMITS. */
  readonly limits?: Partial<DocumentLimits>;
  /** JSON: prefixes from the GS1-Extensions header, prefix → namespace; `@context` goes before them. */
  readonly extensions?: ReadonlyMap<string, string>;
  /** Called between two pieces of a large event: what waits for it waits. */
  readonly letIn?: () => Promise<void> | undefined;
}

const NOBODY = (): undefined => undefined;

/** Reads a document in pieces of its size at most, so that a body that comes in one large chunk is streamed as well. */
const PIECE = 64 * 1024;

/**
 * Yields what a document holds, in its order. Throws an EpcisException at the first fault (but see onFault):
 * ValidationException with its place, CaptureLimitExceededException where a limit is passed.
 */
export async function* readDocument(body: AsyncIterable<Uint8Array>, options: ReadOptions): AsyncIterable<CaptureItem> {
  const limits = limitsOf(options);
  let items = 0;
  const read = options.format === 'xml' ? readXml : readJson;
  for await (const item of read(body, options, limits)) {
    if (++items > limits.items)
      throw tooLarge('the document holds more events and vocabulary elements than allowed', limits.items);
    yield item;
  }
}

/** What isn't given is as in DEFAULT_LIMITS. */
export function limitsOf({ limits }: Pick<ReadOptions, 'limits'>): DocumentLimits {
  const all = { ...DEFAULT_LIMITS, ...limits };
  return { ...all, depth: Math.min(all.depth, MAX_DEPTH) };
}

/** One event that stands alone, as `POST /events` takes it: a JSON object with its `@context`, or an XML element. */
export async function* readEvent(body: AsyncIterable<Uint8Array>, options: ReadOptions): AsyncIterable<CaptureItem> {
  const limits = limitsOf(options);
  const bytes: Uint8Array[] = [];
  for await (const piece of pieces(body, { ...limits, bytes: Math.min(limits.bytes, limits.itemBytes) }))
    bytes.push(piece);
  const text = utf8().end(bytes);
  const { letIn = NOBODY } = options;
  if (options.format === 'json') {
    yield* await inPieces(readSingleJson(text, limits, options), letIn);
    return;
  }
  const document = xmlDocument(options.sha256, 'event', options);
  const parser = createXmlParser(document, limits);
  for (let from = 0; from < text.length; from += PIECE) {
    await letIn();
    parser.write(text.slice(from, from + PIECE));
  }
  parser.end();
  await inPieces(document.large(), letIn);
  yield* document.take();
}

async function* pieces(body: AsyncIterable<Uint8Array>, limits: DocumentLimits): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limits.bytes) throw tooLarge('the document is larger than allowed', limits.bytes);
    for (let at = 0; at < chunk.length; at += PIECE) yield chunk.subarray(at, at + PIECE);
  }
}

async function* readXml(body: AsyncIterable<Uint8Array>, options: ReadOptions, limits: DocumentLimits) {
  const document = xmlDocument(options.sha256, 'document', options);
  const parser = createXmlParser(document, limits);
  const decoder = utf8();
  const { letIn = NOBODY } = options;
  for await (const piece of pieces(body, limits)) {
    parser.write(decoder.decode(piece));
    await inPieces(document.large(), letIn);
    yield* document.take();
  }
  parser.write(decoder.end());
  parser.end();
  document.finish();
  await inPieces(document.large(), letIn);
  yield* document.take();
}

async function* readJson(body: AsyncIterable<Uint8Array>, options: ReadOptions, limits: DocumentLimits) {
  const { letIn = NOBODY } = options;
  const document = jsonDocument(options.sha256, limits, options.extensions ?? new Map(), options);
  for await (const piece of pieces(body, limits)) {
    document.write(piece);
    await inPieces(document.large(), letIn);
    yield* document.take();
  }
  document.end();
  await inPieces(document.large(), letIn);
  yield* document.take();
}
