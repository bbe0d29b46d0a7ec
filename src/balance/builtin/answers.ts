// What the gateway itself answers: a status and a plain sentence, as problem details (RFC 9457).
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { crossOrigin } from '../core/cross-origin.ts';
import { lingerAfter } from './linger.ts';
import type { RestAfter } from './linger.ts';

/** A client whose request was not even HTTP has this long to take the answer. */
const TAKE_MS = 2_000;

/** A request with its response, and how fast the rest of it is read away where the answer comes early. */
export interface Answerable {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly rest: RestAfter;
}

export function answer(
  { request, response, rest }: Answerable,
  status: number,
  reason: string,
  fields: readonly string[] = [],
  corsOrigins: readonly string[] = [],
): void {
  const cross = crossOrigin(corsOrigins, request);
  if (cross.preflight) {
    // what comes of the request itself is for its own answer, which the page can read then
    response.writeHead(204, [...cross.fields, ...fields]).end();
    return;
  }
  const body = Buffer.from(problem(status, reason));
  const head = ['content-type', 'application/problem+json', 'content-length', String(body.length)];
  head.push(...fields, ...cross.fields);
  if (!request.complete && announcesBody(request)) {
    head.push('connection', 'close');
    lingerAfter(request, rest);
  }
  response.writeHead(status, head);
  response.end(body);
}

/** `complete` says so only after the request has been handed over, also of a request without a body. */
function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** What is read away, at most, of what comes on a connection on which nothing is served any more. */
const READ_AWAY_BYTES = 65_536;

/** The same on a connection without a response object; the client has a while to take it. */
export function answerRaw(socket: Duplex, status: number, reason: string): void {
  readNoMore(socket);
  const body = problem(status, reason);
  const again = status === 429 || status === 503 ? 'Retry-After: 1\r\n' : '';
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\n${again}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  const timer = setTimeout(() => socket.destroy(), TAKE_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Takes a connection out of the parser's hands: whoever floods it costs no more than what is read away. */
export function readNoMore(socket: Duplex): void {
  let left = READ_AWAY_BYTES;
  const drop = (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.pause();
  };
  // Node's server reads past the socket until somebody listens to it
  socket.on('data', drop);
  for (const other of socket.listeners('data')) if (other !== drop) socket.off('data', other as () => void);
}

function problem(status: number, reason: string): string {
  return `${JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail: reason })}\n`;
}

/** Unless the client goes before. */
export function later(ms: number, response: ServerResponse, go: () => void): void {
  if (ms === 0) return go();
  const timer = setTimeout(go, ms).unref();
  response.once('close', () => clearTimeout(timer));
}
