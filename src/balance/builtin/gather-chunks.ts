// A body in chunks may have thousands of them in one read, of a byte each. What was read in one turn of the loop goes on as one piece.
import type { IncomingMessage } from 'node:http';

/** So many chunks in one turn, and nothing more is read in it. */
const MOST_CHUNKS = 1_000;

/** Told how many chunks came, of so many bytes together, before anybody gets them. */
export type ChunksCame = (chunks: number, bytes: number) => void;

/** To be called before any of the body is read. Node's parser gives each chunk to `push`. */
export function gatherChunks(request: IncomingMessage, came: ChunksCame): void {
  const push = request.push.bind(request);
  let read: Buffer[] = [];
  const passOn = () => {
    if (read.length === 0) return;
    const chunks = read.length;
    const piece = chunks === 1 ? (read[0] as Buffer) : Buffer.concat(read);
    read = [];
    came(chunks, piece.length);
    if (!push(piece)) request.socket.pause();
  };
  request.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      passOn();
      return push(null);
    }
    if (read.push(chunk) === 1) setImmediate(passOn);
    return read.length < MOST_CHUNKS;
  };
}
