// Compressed answers (RFC 9110, 12.5.3): which encoding a client gets, and how it is made with little memory.
//
// BREACH (a secret guessed from the length of compressed answers that repeat what the attacker sent) has nothing to guess
// here: no answer's body holds a secret, the service knows no cookies, and problems, which repeat the request, are not compressed.
import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import Negotiator from 'negotiator';
import * as zlib from 'node:zlib';

export type Encoding = 'zstd' | 'br' | 'gzip';

const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, ZSTD_c_compressionLevel, ZSTD_c_windowLog } = zlib.constants;

/** Quick levels and windows of 256 KiB (gzip: 32 KiB): a few hundred kilobytes for each answer that is being written. */
const ENCODERS: Readonly<Record<Encoding, () => Transform>> = {
  zstd: () => zlib.createZstdCompress({ params: { [ZSTD_c_compressionLevel]: 3, [ZSTD_c_windowLog]: 18 } }),
  br: () => zlib.createBrotliCompress({ params: { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_LGWIN]: 18 } }),
  gzip: () => zlib.createGzip({ level: 6 }),
};

/** In our order of preference, for clients that have none; an older Node has no zstd. */
const OFFERED: readonly Encoding[] =
  typeof zlib.createZstdCompress === 'function' ? ['zstd', 'br', 'gzip'] : ['br', 'gzip'];

/** The encoding for an answer of `bytes`; none where the client doesn't ask for one, or where it would not be worth it. */
export function encodingFor(
  headers: IncomingHttpHeaders,
  bytes: number,
  compressFrom: number,
  offered: readonly Encoding[] = OFFERED,
): Encoding | undefined {
  if (headers['accept-encoding'] === undefined) return undefined;
  const negotiator: Preferring = new Negotiator({ headers });
  const preferred = [...offered, 'identity'];
  const accepted = negotiator.encodings(preferred, { preferred });
  const [best] = accepted;
  if (bytes < compressFrom && accepted.includes('identity')) return undefined;
  return offered.find((encoding) => encoding === best);
}

/** The option that negotiator's types leave out: what decides between encodings that the client likes as much. */
interface Preferring {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[];
}

export function encoderOf(encoding: Encoding): Transform {
  return ENCODERS[encoding]();
}
