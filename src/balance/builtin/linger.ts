// An answer that comes before the request's body has been read: the connection is closed behind it so that the client gets it.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** So long, and so much, of what a client still sends is read away; less when nothing comes any more. */
const LONGEST_MS = 30_000;
const IDLE_MS = 5_000;
const MOST_BYTES = 256 << 20;
const STEP_MS = 500;

/**
 * To be called before such an answer, which says `Connection: close`, ends. A close with bytes unread resets the connection,
 * and a reset may take the answer from the client. So (RFC 9112 §9.6) this side is closed behind the answer, and the rest of
 * the body read away, within bounds.
 */
export function lingerAfter(request: IncomingMessage): void {
  const { socket } = request;
  request.resume();
  // what Node calls when the last answer of a connection has gone out
  socket.destroySoon = () => {
    delete (socket as Partial<Socket>).destroySoon;
    if (request.complete) socket.destroySoon();
    else readAway(request, socket.end());
  };
}

function readAway(request: IncomingMessage, socket: Socket): void {
  const start = socket.bytesRead;
  let read = start;
  let [idleMs, totalMs] = [0, 0];
  const timer = setInterval(() => {
    totalMs += STEP_MS;
    idleMs = socket.bytesRead === read ? idleMs + STEP_MS : 0;
    read = socket.bytesRead;
    if (idleMs >= IDLE_MS || totalMs >= LONGEST_MS || read - start > MOST_BYTES) socket.destroy();
  }, STEP_MS);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
  request.once('end', () => socket.destroy());
}
