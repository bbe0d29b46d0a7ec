// One field of a multipart/form-data body, streamed: Fosstrak's capture form sends the document as the field `event`.
import { EpcisException } from '../../domain/exceptions.ts';

const LONGEST_HEADER = 16 * 1024;

/** The content of the first part named `field`; the parts before it are skipped, the ones after it not read. */
export async function* formField(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  field: string,
): AsyncGenerator<Uint8Array> {
  const name = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const boundary = name?.[1] ?? name?.[2];
  if (boundary === undefined) throw malformed('its Content-Type names no boundary');
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // the leading line break lets the first delimiter look like all the others
  let buffer: Buffer = Buffer.from('\r\n');
  let state: 'skip' | 'header' | 'found' = 'skip';
  for await (const chunk of body) {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      if (state === 'header') {
        const end = buffer.indexOf('\r\n\r\n');
        // the same however it is cut in pieces: of an end that is still to come three bytes may be there
        if (end > LONGEST_HEADER || (end < 0 && buffer.length - 3 > LONGEST_HEADER))
          throw malformed('a part has no header that ends');
        if (end < 0) break;
        state = isNamed(buffer.toString('latin1', 0, end), field) ? 'found' : 'skip';
        // keep the last line break: an empty part's delimiter begins with it
        buffer = buffer.subarray(end + 2);
        if (state === 'found') buffer = buffer.subarray(2);
      }
      const at = buffer.indexOf(delimiter);
      if (at < 0) {
        // all but what may be the beginning of a delimiter is content
        const safe = Math.max(0, buffer.length - delimiter.length);
        if (state === 'found' && safe > 0) yield buffer.subarray(0, safe);
        buffer = buffer.subarray(safe);
        break;
      }
      if (state === 'found') {
        yield buffer.subarray(0, at);
        return;
      }
      buffer = buffer.subarray(at + delimiter.length);
      state = 'header';
    }
  }
  throw malformed(state === 'found' ? 'it ends inside a part' : `it has no field '${field}'`);
}

function isNamed(header: string, field: string): boolean {
  const name = /^content-disposition:[^\n]*?[;\s]name=(?:"([^"]*)"|([^;\s]+))/im.exec(header);
  return (name?.[1] ?? name?.[2]) === field;
}

function malformed(what: string): EpcisException {
  return new EpcisException('ValidationException', `The multipart/form-data body cannot be read: ${what}.`);
}
