import { expect } from 'chai';
import fc from 'fast-check';
import { atOnce } from '../../../epcis/domain/in-pieces.ts';
import { Codec } from '../../../epcis/repository/lz.ts';
import { packEvent, unpackEvent, unpackSource } from '../../../epcis/repository/payload.ts';
import { anyEvent, captured } from '../../helpers/epcis-samples.ts';

describe('payloads', () => {
  const codec = new Codec('a dictionary of words that texts repeat');

  it('come back as they were, whatever they are', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc
        .array(fc.constantFrom('words ', 'that ', 'a', 'Ü', '\u0000', 'repeat repeat '), { maxLength: 400 })
        .map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, (each) => {
        const written = Buffer.from(each).toString(); // a lone surrogate has no UTF-8
        expect(codec.decode(codec.encode(each))).to.equal(written);
      }),
      { numRuns: 500 },
    );
  });

  it('may be long, repetitive or not at all', () => {
    for (const text of [
      'x'.repeat(1_000_000),
      'é'.repeat(70_000),
      Array.from({ length: 90_000 }, (_, n) => n).join(' '),
    ])
      expect(codec.decode(codec.encode(text)) === text).to.equal(true);
    expect(codec.encode('x'.repeat(1_000_000)).length).to.be.lessThan(5_000);
  });

  it('are the same where they are made in pieces, with others between them', () => {
    for (const text of ['', 'short', 'é'.repeat(70_000), Array.from({ length: 90_000 }, (_, n) => n).join(' ')]) {
      const whole = codec.encode(text);
      const encoding = codec.encoding(text);
      let made = encoding.next();
      for (; made.done !== true; made = encoding.next()) codec.encode('that others repeat in between');
      expect(made.value.equals(whole)).to.equal(true);
    }
  });

  it('give the source and the event apart', () => {
    fc.assert(
      fc.property(anyEvent, fc.constantFrom('xml', 'json'), fc.string({ unit: 'grapheme' }), (event, format, text) => {
        const source = { format, text } as const;
        const payload = atOnce(packEvent({ ...captured(event), source }));
        expect(unpackSource(payload)).to.deep.equal(source);
        expect(unpackEvent(payload)).to.deep.equal(event);
      }),
    );
  });
});
