import { expect } from 'chai';
import { inUtf8 } from '../../../epcis/bindings/xml/charset.ts';

const declared = (encoding: string): string => `<?xml version="1.0" encoding="${encoding}"?>`;
const BODY = `<name>Größe 10 €</name>${'<filler/>'.repeat(60)}`;
const utf16 = (text: string, mark = '\ufeff'): Buffer => Buffer.from(mark + text, 'utf16le');
const bigEndian = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();

/** In pieces of so many bytes, which cut characters in two. */
async function read(bytes: Uint8Array, contentType?: string, piece = 7): Promise<string> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  }
  const all: Uint8Array[] = [];
  for await (const each of inUtf8(pieces(), contentType)) all.push(each);
  return Buffer.concat(all)
    .toString()
    .replace(/^\ufeff/, '');
}

const failureOf = (bytes: Uint8Array, contentType?: string): Promise<unknown> =>
  read(bytes, contentType).then(
    (text) => expect.fail(`it was read: ${text}`),
    (error: unknown) => error,
  );

describe('the encoding of XML', () => {
  const CASES: readonly (readonly [string, Uint8Array, string?])[] = [
    ['UTF-8, undeclared', Buffer.from(BODY)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${declared('utf-8')}${BODY}`)],
    ['UTF-16 little-endian with a mark', utf16(declared('UTF-16') + BODY)],
    ['UTF-16 big-endian with a mark', bigEndian(utf16(declared('UTF-16') + BODY))],
    ['UTF-16 without a mark', utf16(declared('UTF-16LE') + BODY, '')],
    ['UTF-16 big-endian without a mark or declaration', bigEndian(utf16(BODY, ''))],
    ['UTF-16 by charset, too', utf16(BODY, ''), 'text/xml; charset=utf-16'],
    ['UTF-8 that declares UTF-16, as .NET writes strings', Buffer.from(declared('utf-16') + BODY)],
    [
      'UTF-8 by charset, against the declaration',
      Buffer.from(declared('ISO-8859-1') + BODY),
      'text/xml;charset="UTF-8"',
    ],
    ['a mark against the charset', Buffer.from(`\ufeff${BODY}`), 'text/xml; charset=iso-8859-1'],
  ];
  for (const [what, bytes, contentType] of CASES)
    for (const piece of [1, 7, 1e6])
      it(`is known: ${what} (by ${piece} bytes)`, async () => {
        expect(await read(bytes, contentType, piece)).to.contain(BODY);
      });

  it('is ISO-8859-1 where the declaration or the charset says so', async () => {
    const [latin, text] = [BODY.replace('€', '$'), 'latin1'] as const;
    expect(await read(Buffer.from(declared('ISO-8859-1') + latin, text))).to.contain(latin);
    expect(await read(Buffer.from(latin, text), 'application/xml; charset=ISO-8859-1')).to.contain(latin);
    const short = '<a>ä</a>';
    expect(await read(Buffer.from(declared('iso-8859-1') + short, text))).to.contain(short);
  });

  it('is refused where it is not known, or the bytes are none of it', async () => {
    expect(await failureOf(Buffer.from(declared('EBCDIC-CP-US') + BODY))).to.include({
      name: 'ValidationException',
      message: 'the document is in the encoding ‘EBCDIC-CP-US’, which is not known here: send it in UTF-8',
    });
    const cut = utf16(BODY).subarray(0, -1);
    expect(await failureOf(cut)).to.include({ message: 'the document is not valid UTF-16LE' });
  });
});
