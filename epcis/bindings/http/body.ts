// A request's body as a stream: decompressed, and cut off at the configured size.
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { EpcisException, LimitReachedException } from '../../domain/exceptions.ts';
import { inUtf8 } from '../xml/charset.ts';

type Decoder = ReturnType<typeof createGunzip>;

const DECODERS = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate };

/** Each has up to 20 MB for its window, of which the first few bytes of a body may make use; slow ones have it for long. */
const MOST_BROTLI = 4;
let brotliAtWork = 0;

/** The body's bytes, of XML in UTF-8; more than `limit` of them (after decompression, so a bomb counts as what it is) end it. */
export function bodyOf(request: IncomingMessage, limit: number): AsyncIterable<Uint8Array> {
  const announced = Number(request.headers['content-length']);
  if (announced > limit) throw tooLarge(limit);
  const bytes = limited(decoded(request), limit);
  const contentType = request.headers['content-type'] ?? '';
  return IS_XML.test(contentType) ? inUtf8(bytes, contentType) : bytes;
}

const IS_XML = /^[^;]*xml/i;

/** The whole body of a small request as text. */
export async function textOf(request: IncomingMessage, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bodyOf(request, limit)) chunks.push(chunk);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new EpcisException('ValidationException', 'The body is not valid UTF-8.', undefined, { cause: error });
  }
}

function decoded(request: IncomingMessage): AsyncIterable<Uint8Array> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  // who has read enough of it says so, and the client is still there to hear it
  if (encoding === 'identity') return request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  if (encoding === 'br') return unpackedBrotli(request);
  if (!Object.hasOwn(DECODERS, encoding)) {
    const reason = `Content-Encoding '${encoding}' is not supported; send gzip, deflate, br or none.`;
    throw new EpcisException('UnsupportedMediaTypeException', reason);
  }
  return unpacked(request, DECODERS[encoding as keyof typeof DECODERS]());
}

async function* unpackedBrotli(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  if (brotliAtWork >= MOST_BROTLI) {
    const reason = `${MOST_BROTLI} bodies packed with Brotli are read here already, and no more at once: send gzip or none, or this one again later.`;
    throw new LimitReachedException(reason, 1);
  }
  brotliAtWork += 1;
  try {
    yield* unpacked(request, createBrotliDecompress());
  } finally {
    brotliAtWork -= 1;
  }
}

function unpacked(request: IncomingMessage, decoder: Decoder): AsyncIterable<Uint8Array> {
  finished(request, (error) => (error ? decoder.destroy(error) : undefined));
  return request.pipe(decoder);
}

async function* limited(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of chunks) {
      size += chunk.byteLength;
      if (size > limit) throw tooLarge(limit);
      yield chunk;
    }
  } catch (error) {
    throw isDamage(error) ? new EpcisException('ValidationException', 'The compressed body is damaged.') : error;
  }
}

/** What only the client's bytes can cause: zlib's and brotli's own words for what is malformed or ends too early. */
const DAMAGED = /^(?:Z_DATA_ERROR|Z_BUF_ERROR|Z_NEED_DICT|ERR__ERROR_FORMAT_\w+)$/;

function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DAMAGED.test(String(error.code));
}

function tooLarge(limit: number): EpcisException {
  const reason = `The body is larger than the ${limit} bytes this service accepts in one request; send it in parts.`;
  return new EpcisException('CaptureLimitExceededException', reason);
}
