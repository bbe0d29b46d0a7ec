// Answers that come before the request's body has been read: a refusal by the head, or by the beginning of the body.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** So long, and so much, of what a client still sends is read away; less when nothing comes any more. */
const LONGEST_MS = 30_000;
const IDLE_MS = 5_000;
const MOST_BYTES = 256 << 20;
const STEP_MS = 100;

export function answerEarly(server: Server): void {
  server.on('request', closeBehindAnswer);
  // Node would say 100 before anybody has looked at the head
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    continueWhenRead(request, response);
    server.emit('request', request, response);
  });
}

/** The client is told to send its body when somebody begins to read it. */
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const read = request._read.bind(request);
  request._read = (size) => {
    request._read = read;
    if (!response.headersSent) response.writeContinue();
    read(size);
  };
}

/** The last request of a connection, and what closes that behind its answer. */
const LAST = Symbol('last request');
type Watched = Socket & { [LAST]?: IncomingMessage };

/**
 * A close with bytes unread resets the connection, and a reset may take the answer from the client. So (RFC 9112 §9.6) this side
 * is closed behind the last answer of a connection, and what the client still sends is read away, within bounds.
 * A connection has one such function for all of its requests: with one for each, V8 kept every request until its next full collection.
 */
function closeBehindAnswer(request: IncomingMessage): void {
  const socket: Watched = request.socket;
  const isNew = socket[LAST] === undefined;
  socket[LAST] = request;
  if (isNew) socket.destroySoon = closeSoon;
}

/** What Node calls when the last answer of a connection has gone out. */
function closeSoon(this: Watched): void {
  const { [LAST]: request } = this;
  delete (this as Partial<Watched>).destroySoon;
  if (request === undefined || request.complete) return this.destroySoon();
  this.end();
  const start = this.bytesRead;
  const since = performance.now();
  let [read, readAt] = [start, since];
  const watch = setInterval(() => {
    const now = performance.now();
    if (this.bytesRead > read) [read, readAt] = [this.bytesRead, now];
    if (now - readAt >= IDLE_MS || now - since >= LONGEST_MS || read - start > MOST_BYTES) this.destroy();
  }, STEP_MS).unref();
  this.once('close', () => clearInterval(watch));
  request.once('end', () => this.destroy()).resume();
}
