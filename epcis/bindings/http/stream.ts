// Text streamed to a socket: in pieces worth a system call, never faster than the client reads.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

const PIECE = 32 * 1024;

/**
 * Sends the headers with the first piece, so that a failure before it can still become a proper error answer; a later one cuts
 * the connection, since a document that merely ends would look complete. A client that leaves stops the source.
 */
export async function sendStream(
  response: ServerResponse,
  head: () => void,
  text: AsyncIterable<string>,
): Promise<void> {
  let pending = '';
  for await (const part of text) {
    pending += part;
    if (pending.length < PIECE) continue;
    if (!response.headersSent) head();
    if (!(await write(response, pending))) return;
    pending = '';
  }
  if (!response.headersSent) {
    // all of it is here, so its length is known and it goes out in one write
    response.setHeader('Content-Length', Buffer.byteLength(pending));
    head();
  }
  response.end(pending);
}

/** False when the client has gone. */
async function write(response: ServerResponse, piece: string): Promise<boolean> {
  if (response.destroyed) return false;
  if (response.write(piece)) return true;
  const left = new AbortController();
  try {
    await Promise.race([
      once(response, 'drain', { signal: left.signal }),
      once(response, 'close', { signal: left.signal }),
    ]);
  } finally {
    left.abort();
  }
  return !response.destroyed;
}
