import { expect } from 'chai';
import fc from 'fast-check';
import { formField } from '../../../../epcis/bindings/http/multipart.ts';

const TYPE = 'multipart/form-data; boundary=XX';

async function* pieces(body: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}

async function read(body: string | Buffer, size = 7, type = TYPE): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of formField(pieces(Buffer.from(body), size), type, 'event')) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function part(name: string, content: string): string {
  return `--XX\r\nContent-Disposition: form-data; name="${name}"; filename="f.xml"\r\n\r\n${content}\r\n`;
}

describe('multipart/form-data', () => {
  it('finds the field, whatever comes before and after, however it is cut', async () => {
    const text = `${part('note', 'name="event"')}${part('event', '<a>\r\n--X</a>\r\n')}${part('event', 'second')}--XX--\r\n`;
    for (const size of [1, 2, 3, 5, 50, 5000])
      expect((await read(text, size)).toString()).to.equal('<a>\r\n--X</a>\r\n');
  });

  it('gives back any content that does not hold the boundary', async () => {
    const content = fc.string().filter((text) => !text.includes('--XX'));
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 40 }), async (text, size) => {
        expect((await read(`${part('event', text)}--XX--`, size)).toString()).to.equal(text);
      }),
    );
  });

  it('takes a quoted boundary', async () => {
    const body = part('event', 'x').replace('--XX', '--a b');
    expect((await read(`${body}--a b--`, 9, 'multipart/form-data; boundary="a b"')).toString()).to.equal(
      'x\r\n'.trim(),
    );
  });

  it('takes a header up to one length, and refuses a longer one, however it is cut', async () => {
    const of = (length: number): string =>
      part('event', 'x').replace('Content-Disposition', `X: ${'h'.repeat(length - 69)}\r\nContent-Disposition`);
    expect(of(16_384).indexOf('\r\n\r\n') - '--XX'.length).to.equal(16_384);
    for (const size of [13, 50_000]) {
      expect((await read(`${of(16_384)}--XX--`, size)).toString()).to.equal('x');
      const failure = await read(`${of(16_385)}--XX--`, size).catch(String);
      expect(failure).to.match(/no header that ends/);
    }
  });

  it('refuses what it cannot read', async () => {
    const wrong: readonly (readonly [string, string, RegExp])[] = [
      [`${part('other', 'x')}--XX--`, TYPE, /no field 'event'/],
      ['--XX\r\nContent-Disposition: form-data; name="event"\r\n\r\nunfinished', TYPE, /ends inside/],
      [part('event', 'x'), 'multipart/form-data', /no boundary/],
      [`--XX\r\n${'h'.repeat(20_000)}`, TYPE, /no header that ends/],
    ];
    for (const [body, type, reason] of wrong) {
      const failure = await read(body, 64, type).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(String(failure)).to.match(reason);
    }
  });
});
