// XML comes in more encodings than UTF-8: every processor has to read UTF-16, too (XML 1.0, 4.3.3), and programs of before write ISO-8859-1.
// What says which one: a byte order mark, else the media type's charset, else the XML declaration (RFC 7303, 3.2), else it is UTF-8.
import { EpcisException } from '../../domain/exceptions.ts';

/** An XML declaration with its encoding is shorter. */
const HEAD = 256;
const DECLARED = /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"'<>\s]+)["']/;
const CHARSET = /;\s*charset\s*=\s*"?([^"\s;]+)/i;

/** The same document in UTF-8; what is in UTF-8 passes as it is, checked by whoever reads it. */
export async function* inUtf8(body: AsyncIterable<Uint8Array>, contentType = ''): AsyncGenerator<Uint8Array> {
  let head: Uint8Array = Buffer.alloc(0);
  let decode: ((bytes?: Uint8Array) => Uint8Array) | undefined;
  for await (const chunk of body) {
    if (decode === undefined) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      if (head.length < HEAD) continue;
      decode = decoderOf(encodingOf(head, contentType));
      yield decode(head);
    } else yield decode(chunk);
  }
  if (decode === undefined) {
    decode = decoderOf(encodingOf(head, contentType));
    yield decode(head);
  }
  yield decode();
}

function encodingOf(head: Uint8Array, contentType: string): string {
  const [first, second, third, fourth] = head;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // without a mark: `<` and what follows it
  if (first === 0x3c && second === 0 && fourth === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c && third === 0) return 'utf-16be';
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, HEAD)).toString('latin1');
  const said = CHARSET.exec(contentType)?.[1] ?? DECLARED.exec(start)?.[1] ?? 'utf-8';
  // read so far, it is none: a program that declares its strings' encoding and sends UTF-8
  return /^(?:utf-?16|ucs-?2|iso-10646-ucs-2)/i.test(said) ? 'utf-8' : said;
}

function decoderOf(encoding: string): (bytes?: Uint8Array) => Uint8Array {
  if (/^(?:utf-?8|us-ascii|ascii)$/i.test(encoding)) return (bytes = Buffer.alloc(0)) => bytes;
  const decoder = decoderNamed(encoding);
  return (bytes) => {
    try {
      return Buffer.from(decoder.decode(bytes, { stream: bytes !== undefined }));
    } catch (error) {
      throw unread(`the document is not valid ${encoding.slice(0, 40).toUpperCase()}`, error);
    }
  };
}

function decoderNamed(encoding: string) {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (error) {
    throw unread(
      `the document is in the encoding ‘${encoding.slice(0, 40)}’, which is not known here: send it in UTF-8`,
      error,
    );
  }
}

function unread(reason: string, cause: unknown): EpcisException {
  return new EpcisException('ValidationException', reason, undefined, { cause, broken: { rule: 'well-formed' } });
}
