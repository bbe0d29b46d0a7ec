// An answer that comes before the request's body has been read: the connection is closed behind it so that the client gets it.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { RestReading } from './rest-reading.ts';

/** So long, and so much, of what a client still sends is read away; less when nothing comes any more. */
const LONGEST_MS = 30_000;
const IDLE_MS = 5_000;
const PAUSE_MS = 200;
const MOST_BYTES = 256 << 20;
const STEP_MS = 50;
/** What an upload that is refused costs, however little of it is read: connections to client and VM of its own, for nothing. */
const REFUSED_BYTES = 1 << 20;

/** A client sent so many bytes: for how many ms nothing more is read of it. */
export type RestAfter = (bytes: number) => number;

/**
 * To be called before such an answer, which says `Connection: close`, ends. A close with bytes unread resets the connection,
 * and a reset may take the answer from the client. So (RFC 9112 §9.6) this side is closed behind the answer, and the rest of
 * the body read away, within bounds.
 */
export function lingerAfter(request: IncomingMessage, rest: RestAfter): void {
  const { socket } = request;
  const isResting = forget(request, rest);
  // what Node calls when the last answer of a connection has gone out
  socket.destroySoon = () => {
    delete (socket as Partial<Socket>).destroySoon;
    if (request.complete) socket.destroySoon();
    else readAway(request, socket.end(), isResting);
  };
}

/**
 * The other way, behind a proxy that closes as soon as it has an answer: calls `answer` when the body has been read away. One
 * that pauses in it gets its answer meanwhile: it doesn't send, so that there is nothing to reset the connection for.
 */
export function answerBehind(request: IncomingMessage, rest: RestAfter, answer: () => void): void {
  const done = () => {
    clearInterval(watch);
    request.off('end', done).off('close', done);
    answer();
  };
  const isResting = forget(request, rest);
  const watch = watchReading(request.socket, PAUSE_MS, isResting, done);
  request.on('end', done).on('close', done);
}

/** Reads what comes, no faster than the client may upload. Returns whether it is us who read nothing. */
function forget(request: IncomingMessage, rest: RestAfter): () => boolean {
  const reading = new RestReading(request, () => request.resume());
  rest(REFUSED_BYTES);
  request.on('data', (chunk: Buffer) => {
    const ms = rest(chunk.length);
    if (ms > 0) reading.rest(ms);
  });
  request.resume();
  return () => reading.rests;
}

function readAway(request: IncomingMessage, socket: Socket, isResting: () => boolean): void {
  const watch = watchReading(socket, IDLE_MS, isResting, () => socket.destroy());
  socket.once('close', () => clearInterval(watch));
  request.once('end', () => socket.destroy());
}

/** Calls `enough` when what may still be read of an upload has been, or nothing comes for so long. */
function watchReading(socket: Socket, idleMs: number, isResting: () => boolean, enough: () => void): NodeJS.Timeout {
  const start = socket.bytesRead;
  const since = performance.now();
  let [read, readAt] = [start, since];
  const step = () => {
    const now = performance.now();
    if (socket.bytesRead > read || isResting()) [read, readAt] = [socket.bytesRead, now];
    if (now - readAt >= idleMs || now - since >= LONGEST_MS || read - start > MOST_BYTES) enough();
  };
  return setInterval(step, STEP_MS).unref();
}
