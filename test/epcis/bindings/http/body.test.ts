import { expect } from 'chai';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { bodyOf, textOf } from '../../../../epcis/bindings/http/body.ts';
import { present } from '../../../helpers/present.ts';

const TEXT = 'a document that is long enough to be cut, '.repeat(20);
const COMPRESSED = { gzip: gzipSync(TEXT), deflate: deflateSync(TEXT), br: brotliCompressSync(TEXT) };

function request(encoding: string, body: Readable): IncomingMessage {
  return Object.assign(body, { headers: { 'content-encoding': encoding } }) as unknown as IncomingMessage;
}

const failureOf = (encoding: string, body: Readable): Promise<unknown> =>
  textOf(request(encoding, body), 1e6).then(
    (text) => expect.fail(`it was read: ${text}`),
    (error: unknown) => error,
  );

describe('the body of a request', () => {
  for (const [encoding, bytes] of Object.entries(COMPRESSED)) {
    it(`in ${encoding} is read, and refused where it is damaged or cut`, async () => {
      expect(await textOf(request(encoding, Readable.from([bytes])), 1e6)).to.equal(TEXT);
      const scrambled = Buffer.concat([bytes.subarray(0, 4), Buffer.alloc(30, 0xff), bytes.subarray(4)]);
      for (const wrong of [Buffer.from('none of it at all'), bytes.subarray(0, -5), scrambled])
        expect(await failureOf(encoding, Readable.from([wrong]))).to.include({
          name: 'ValidationException',
          message: 'The compressed body is damaged.',
        });
    });

    it(`in ${encoding} is not called damaged for a failure that is not the client's`, async () => {
      const failure = Object.assign(new Error('a fault of our own'), { code: 'ERR_INVALID_STATE' });
      const body = new Readable({ read: () => undefined });
      const failed = failureOf(encoding, body);
      body.destroy(failure);
      expect(await failed).to.equal(failure);
    });
  }

  it('in br is refused while four are read, and taken again when one has ended', async () => {
    const begun = () => {
      const body = new Readable({ read: () => undefined });
      body.push(COMPRESSED.br.subarray(0, 10));
      const pieces = bodyOf(request('br', body), 1e6)[Symbol.asyncIterator]();
      return { body, pieces, first: pieces.next() };
    };
    const four = Array.from({ length: 4 }, begun);
    expect(await begun().first.catch((error: unknown) => error)).to.include({
      name: 'SecurityException',
      retryAfter: 1,
    });
    expect(await textOf(request('gzip', Readable.from([COMPRESSED.gzip])), 1e6)).to.equal(TEXT);
    four[0]?.body.push(COMPRESSED.br.subarray(10));
    expect((await present(four[0]).first).done).to.equal(false);
    await present(four[0]).pieces.return?.();
    expect(await textOf(request('br', Readable.from([COMPRESSED.br])), 1e6)).to.equal(TEXT);
    for (const { body, first } of four.slice(1)) {
      body.destroy(new Error('the client is gone'));
      await first.catch(() => undefined);
    }
    const again = Array.from({ length: 4 }, () => textOf(request('br', Readable.from([COMPRESSED.br])), 1e6));
    expect(await Promise.all(again)).to.deep.equal(Array(4).fill(TEXT));
  });

  it('of XML is in UTF-8, whatever it came in; of anything else as it came', async () => {
    const text = '<?xml version="1.0" encoding="UTF-16"?><a>Größe</a>';
    const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
    const of = (type: string): IncomingMessage =>
      Object.assign(Readable.from([bytes]), { headers: { 'content-type': type } }) as unknown as IncomingMessage;
    expect(await textOf(of('application/xml'), 1e6)).to.equal(text);
    expect(await textOf(of('text/xml; charset=utf-16'), 1e6)).to.equal(text);
    const refused = await textOf(of('application/json'), 1e6).catch((error: unknown) => error);
    expect(refused).to.include({ message: 'The body is not valid UTF-8.' });
  });
});
