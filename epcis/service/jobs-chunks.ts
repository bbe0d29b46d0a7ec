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
const OPENS = new Set([...'<"'].map((character) => character.charCodeAt(0)));

/**
 * Every event has exactly one `<eventTimeZoneOffset` (XML) or `"eventTimeZoneOffset` (JSON), also where it is cut in two by
 * the end of a chunk. Good enough for a backlog; the reader decides what is an event.
 */
function eventCounter(): (bytes: Uint8Array) => number {
  let matched = 0; // how much of the opening character and the needle stands right before here
  return (bytes) => {
    let events = 0;
    for (let n = 0; n < bytes.length; n++) {
      const byte = bytes[n] ?? 0;
      if (matched > 0 && byte === NEEDLE[matched - 1]) matched += 1;
      else matched = OPENS.has(byte) ? 1 : 0;
      if (matched > NEEDLE.length) {
        events += 1;
        matched = 0;
      }
    }
    return events;
  };
}
