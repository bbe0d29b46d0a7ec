// How every answer goes out: whole or streamed, compressed for who asks for it, and not at all where the client has it already.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { ownTurn } from '../../turns/own-turn.ts';
import { encoderOf, encodingFor, type Encoding } from './encoding.ts';

const PIECE = 32 * 1024;
/** That are written in a unit of work. */
const CHARACTERS = 200;

export type Headers = Readonly<Record<string, string>>;

export interface Recipient {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Bytes from which an answer is compressed. */
  readonly compressFrom: number;
}

/** All of an answer, its length known. */
export function sendText(to: Recipient, status: number, headers: Headers, text: string): void {
  if (isKnown(to, status, headers)) return;
  const bytes = Buffer.from(text);
  const encoding = encodingFor(to.request.headers, bytes.length, to.compressFrom);
  if (encoding === undefined) {
    writeHead(to, status, { 'Content-Length': String(bytes.length), ...headers });
    to.response.end(bytes);
  } else open(to, status, headers, encoding).end(bytes);
}

/**
 * Text in pieces worth a system call, never faster than the client reads. `headers` is asked for when the first piece is there
 * (a Link may be known only then), so that a failure before it can still become a proper error answer; a later one cuts the
 * connection, since a document that merely ends would look complete. A client that leaves stops the source.
 */
export async function sendStream(
  to: Recipient,
  headers: () => Headers,
  text: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  let sink: Writable | undefined;
  let pending = '';
  const spend = ownTurn();
  for await (const part of text) {
    pending += part;
    const turn = spend(part.length / CHARACTERS);
    if (turn !== undefined) await turn;
    if (pending.length < PIECE) continue;
    if (sink === undefined) {
      const head = headers();
      if (isKnown(to, 200, head)) return;
      sink = open(to, 200, head, encodingFor(to.request.headers, Infinity, to.compressFrom));
    }
    if (!(await write(sink, pending))) return;
    pending = '';
  }
  if (sink === undefined) sendText(to, 200, headers(), pending);
  else sink.end(pending);
}

/** A validator for If-None-Match; weak, because it is the same whatever the encoding. */
export function tagOf(...content: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of content) hash.update(`${part.length}:`).update(part);
  return `W/"${hash.digest('base64url').slice(0, 22)}"`;
}

/** Whether the client has this answer; then 304 says so. */
function isKnown(to: Recipient, status: number, headers: Headers): boolean {
  const { ETag: tag } = headers;
  const { method, headers: asked } = to.request;
  const known = asked['if-none-match'];
  if (status !== 200 || tag === undefined || known === undefined || (method !== 'GET' && method !== 'HEAD'))
    return false;
  const opaque = (each: string) => each.trim().replace(/^W\//, '');
  if (known.trim() !== '*' && !known.split(',').map(opaque).includes(opaque(tag))) return false;
  writeHead(to, 304, Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('Content-'))));
  to.response.end();
  return true;
}

/** Where the body is written: the response, or an encoder in front of it. */
function open(to: Recipient, status: number, headers: Headers, encoding: Encoding | undefined): Writable {
  const { response } = to;
  writeHead(to, status, encoding === undefined ? headers : { ...headers, 'Content-Encoding': encoding });
  if (encoding === undefined) return response;
  // an encoder may keep all it gets for long
  response.flushHeaders();
  const encoder = encoderOf(encoding);
  encoder.pipe(response);
  encoder.once('error', () => response.destroy());
  response.once('close', () => encoder.destroy());
  return encoder;
}

/** Vary is told by several: what negotiates the form, what allows origins, and the compression here. */
function writeHead({ response }: Recipient, status: number, headers: Headers): void {
  const vary = [headers['Vary'], response.getHeader('Vary'), 'Accept-Encoding'].filter((each) => each !== undefined);
  response.writeHead(status, { ...headers, Vary: vary.join(', ') });
}

/** False when the client has gone. */
async function write(sink: Writable, piece: string): Promise<boolean> {
  if (sink.destroyed) return false;
  if (sink.write(piece)) return true;
  const left = new AbortController();
  try {
    await Promise.race([once(sink, 'drain', { signal: left.signal }), once(sink, 'close', { signal: left.signal })]);
  } finally {
    left.abort();
  }
  return !sink.destroyed;
}
