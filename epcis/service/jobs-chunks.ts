// Cuts a document's bytes into pieces of one size, whatever came off the socket, and counts its events in passing.

/** A piece of a stored document, and how many events begin in it. */
export interface Chunk {
  readonly bytes: Uint8Array;
  readonly events: number;
}

/** Well below every database's packet limit; 400 rows for 100 MB. */
export const CHUNK_BYTES = 256 * 1024;

export async function* chunked(bytes: AsyncIterable<Uint8Array>, size = CHUNK_BYTES): AsyncGenerator<Chunk> {
  const count = eventCounter();
  let chunk = new Uint8Array(size);
  let filled = 0;
  for await (const piece of bytes) {
    for (let from = 0; from < piece.length;) {
      const taken = piece.subarray(from, from + size - filled);
      chunk.set(taken, filled);
      filled += taken.length;
      from += taken.length;
      if (filled === size) {
        yield { bytes: chunk, events: count(chunk) };
        chunk = new Uint8Array(size);
        filled = 0;
      }
    }
  }
  const rest = chunk.subarray(0, filled);
  if (filled > 0) yield { bytes: rest, events: count(rest) };
}

const NEEDLE = new TextEncoder().encode('eventTimeZoneOffset');
/** Z: no other field of an event has it. */
const RARE_AT = 9;
const RARE = NEEDLE[RARE_AT] ?? 0;
const OPENS = new Set([...'<"'].map((character) => character.charCodeAt(0)));

/**
 * Every event has exactly one `<eventTimeZoneOffset` (XML) or `"eventTimeZoneOffset` (JSON), also where it is cut in two by
 * the end of a chunk. Good enough for a backlog; the reader decides what is an event.
 */
function eventCounter(): (bytes: Uint8Array) => number {
  let tail = new Uint8Array(0); // as much of what came before as may be the beginning of one
  return (bytes) => {
    const seam = new Uint8Array([...tail, ...bytes.subarray(0, NEEDLE.length)]);
    tail = new Uint8Array([...tail, ...bytes.subarray(-NEEDLE.length)]).slice(-NEEDLE.length);
    // those that end in the seam's second half and began before it, then those that lie in the bytes
    return countIn(seam, seam.length - Math.min(bytes.length, NEEDLE.length)) + countIn(bytes, bytes.length);
  };
}

/** Those whose opening character stands before `end`. The engine looks for a byte faster than we do: for a rare one of the name. */
function countIn(bytes: Uint8Array, end: number): number {
  let events = 0;
  for (let at = bytes.indexOf(RARE); at >= 0; at = bytes.indexOf(RARE, at + 1)) {
    const from = at - RARE_AT;
    if (from < 1 || from > end || !OPENS.has(bytes[from - 1] ?? 0)) continue;
    if (NEEDLE.every((byte, n) => bytes[from + n] === byte)) events += 1;
  }
  return events;
}
