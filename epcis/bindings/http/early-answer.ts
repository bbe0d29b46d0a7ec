// Answers that come before the request's body has been read: a refusal by the head, or by the beginning of the body.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

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

/**
 * A close with bytes unread resets the connection, and a reset may take the answer from the client. So (RFC 9112 §9.6) this side
 * is closed behind the last answer of a connection, and what the client still sends is read away, within bounds.
 */
function closeBehindAnswer(request: IncomingMessage): void {
  const { socket } = request;
  if (request.complete) return;
  // what Node calls when the last answer of a connection has gone out
  socket.destroySoon = () => {
    delete (socket as Partial<typeof socket>).destroySoon;
    if (request.complete) return socket.destroySoon();
    socket.end();
    const start = socket.bytesRead;
    const since = performance.now();
    let [read, readAt] = [start, since];
    const watch = setInterval(() => {
      const now = performance.now();
      if (socket.bytesRead > read) [read, readAt] = [socket.bytesRead, now];
      if (now - readAt >= IDLE_MS || now - since >= LONGEST_MS || read - start > MOST_BYTES) socket.destroy();
    }, STEP_MS).unref();
    socket.once('close', () => clearInterval(watch));
    request.once('end', () => socket.destroy()).resume();
  };
}
