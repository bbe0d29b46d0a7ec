// What the gateway itself answers: a status and a plain sentence, as problem details (RFC 9457).
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A client that still sends its body when it is refused gets this long to stop before it is cut off. */
const LINGER_MS = 2_000;

export function answer(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  reason: string,
  fields: readonly string[] = [],
): void {
  const body = Buffer.from(problem(status, reason));
  const head = ['content-type', 'application/problem+json', 'content-length', String(body.length), ...fields];
  if (request.complete || !announcesBody(request)) {
    response.writeHead(status, head);
    response.end(body);
    return;
  }
  // The rest of the body is read and dropped for a while, else the reset of the connection would overtake the answer.
  head.push('connection', 'close');
  response.writeHead(status, head);
  response.write(body);
  const timer = setTimeout(() => response.end(), LINGER_MS);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  request.once('end', end).once('close', end).resume();
}

/** `complete` says so only after the request has been handed over, also of a request without a body. */
function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** The same on a connection without a response object; the client has a while to take it. */
export function answerRaw(socket: Duplex, status: number, reason: string): void {
  const body = problem(status, reason);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

function problem(status: number, reason: string): string {
  return `${JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail: reason })}\n`;
}
