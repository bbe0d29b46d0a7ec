import { expect } from 'chai';
import fc from 'fast-check';
import { EpcisException } from '../../../epcis/domain/exceptions.ts';
import { writeEvent } from '../../../epcis/bindings/write.ts';
import {
  json2,
  objectJson,
  objectXml,
  readAll,
  readOne,
  RECORD_TIME,
  refusal,
  xml2,
} from '../../helpers/epcis-documents.ts';
import type { CapturedEvent } from '../../../epcis/domain/event.ts';

const nested = (depth: number): string => `${'<x:n>'.repeat(depth)}${'</x:n>'.repeat(depth)}`;
const X = 'xmlns:x="https://x.example.org/"';
const CONTEXT = '{"x":"https://x.example.org/"}';

describe('attacks by XML', () => {
  const doctypes: readonly (readonly [string, string])[] = [
    ['an external entity', '<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]>'],
    ['an external document type', '<!DOCTYPE d SYSTEM "http://127.0.0.1:1/evil.dtd">'],
    ['entities that multiply', '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>'],
    ['parameter entities', '<!DOCTYPE d [<!ENTITY % p SYSTEM "http://127.0.0.1:1/"> %p;]>'],
    ['an empty list of declarations', '<!DOCTYPE d []>'],
    ['a public document type', '<!DOCTYPE d PUBLIC "-//d" "http://127.0.0.1:1/evil.dtd">'],
  ];
  for (const [what, doctype] of doctypes) {
    it(`refuses ${what}`, async () => {
      const { name, message } = await refusal(`${doctype}\n${xml2(objectXml())}`, 'xml');
      expect(message).to.contain('DOCTYPE');
      expect(name).to.equal('ValidationException');
    });
  }

  it('passes over a document type that is a name alone, and knows no entity by it', async () => {
    const text = `<?xml version="1.0"?>\n<!DOCTYPE project>\n${xml2(objectXml())}`;
    const { event } = await readOne(text, 'xml');
    expect(event).to.deep.equal((await readOne(xml2(objectXml()), 'xml')).event);
    expect((await refusal(text.replace('OBSERVE', '&project;'), 'xml')).message).to.contain('not well-formed XML');
  });

  it('knows the five entities of XML and character references, and nothing that JavaScript inherits', async () => {
    const { event } = await readOne(xml2(objectXml('<x:v>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;</x:v>'), X), 'xml');
    expect(event.extensions?.[0]?.value).to.equal('<>&"\'A😀');
    for (const entity of ['e', 'nbsp', 'constructor', 'toString', '__proto__', '#0', '#xFFFFFFFF']) {
      const { message } = await refusal(xml2(objectXml(`<x:v>&${entity};</x:v>`), X), 'xml');
      expect(message, entity).to.contain('not well-formed XML');
    }
  });

  it('refuses nesting beyond the limit, at once', async () => {
    // document, body, list and event are four levels; 60 more make the 64 that are allowed
    await readOne(xml2(objectXml(nested(60)), X), 'xml');
    for (const depth of [61, 50_000]) {
      const { name, message } = await refusal(xml2(objectXml(nested(depth)), X), 'xml');
      expect(name).to.equal('CaptureLimitExceededException');
      expect(message).to.contain('64');
    }
    expect((await refusal(xml2(objectXml(nested(61)), X), 'xml', { limits: { depth: 1000 } })).name).to.equal(
      'CaptureLimitExceededException',
    );
  });

  it('takes __proto__ and constructor for the names they are', async () => {
    const { event } = await readOne(
      xml2(objectXml('<p:__proto__ p:constructor="1" __proto__="2"/>'), 'xmlns:p="urn:p:" xmlns:__proto__="urn:q:"'),
      'xml',
    );
    expect(event.extensions).to.deep.equal([
      {
        namespace: 'urn:p:',
        prefix: 'p',
        name: '__proto__',
        value: '',
        attributes: [
          { namespace: 'urn:p:', prefix: 'p', name: 'constructor', value: '1' },
          { namespace: '', name: '__proto__', value: '2' },
        ],
      },
    ]);
    expect((await refusal(xml2('<constructor/>'), 'xml')).message).to.contain('unknown event type constructor');
    expect((await refusal('<constructor xmlns="urn:x"/>', 'xml')).message).to.contain('is no EPCIS document');
  });

  it('refuses characters that XML cannot hold, and text that is no UTF-8', async () => {
    expect((await refusal(xml2(objectXml('<x:v>\u0001</x:v>'), X), 'xml')).message).to.contain('not well-formed XML');
    const latin = Buffer.from(xml2(objectXml('<x:v>\u00e9</x:v>'), X), 'latin1');
    expect((await refusal(latin, 'xml')).message).to.contain('not valid UTF-8');
  });
});

describe('attacks by JSON', () => {
  it('are read in a time that goes by their size, however many contexts stand within a large one', async () => {
    const prefixes = Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [`p${n}`, 'a:']));
    const within = Array.from({ length: 4000 }, () => ({ '@context': { b: 'urn:b:' }, 'b:y': 'urn:x' }));
    const { event } = await readOne(json2(objectJson({ 'p0:x': within }), JSON.stringify(prefixes)), 'json', {
      limits: { itemValues: 50_000 },
    });
    expect(event.extensions?.at(-1)?.value).to.deep.equal([
      { namespace: 'urn:b:', name: 'y', prefix: 'b', value: 'urn:x' },
    ]);
  });

  it('takes __proto__ and constructor for the names they are', async () => {
    const members = '"x:__proto__":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}';
    const { event } = await readOne(json2(objectJson().replace(/\}$/, `,${members}}`), CONTEXT), 'json');
    expect(({} as { polluted?: number }).polluted).to.equal(undefined);
    expect(event.extensions?.[0]).to.deep.nested.include({ name: '__proto__', 'value[0].name': '__proto__' });
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty']) {
      const text = json2(objectJson().replace('{', `{"${name}":{"polluted":1},`));
      expect((await refusal(text, 'json')).message).to.contain(`unknown member ‘${name}’`);
      const document = json2(objectJson()).replace('{', `{"${name}":{"polluted":1},`);
      expect((await refusal(document, 'json')).message).to.contain(`unknown member ‘${name}’`);
    }
    const context = await readOne(json2(objectJson({ 'x:a': '1' }), `{"__proto__":"urn:p:"},${CONTEXT}`), 'json');
    expect(context.event.extensions?.[0]?.namespace).to.equal('https://x.example.org/');
  });

  it('refuses nesting beyond the limit, at once', async () => {
    const deep = (depth: number): string =>
      json2(objectJson().replace(/\}$/, `,"x:n":${'[{"x:n":'.repeat(depth)}0${'}]'.repeat(depth)}}`), CONTEXT);
    await readOne(deep(20), 'json');
    for (const depth of [32, 50_000]) {
      const { name, message } = await refusal(deep(depth), 'json');
      expect(name).to.equal('CaptureLimitExceededException');
      expect(message).to.contain('64');
    }
  });

  it('refuses numbers that are too large, and keeps those of extensions as text', async () => {
    const quantity = (number: string): string =>
      json2(objectJson().replace(/\}$/, `,"quantityList":[{"epcClass":"urn:c:1","quantity":${number}}]}`));
    expect((await refusal(quantity('1e999'), 'json')).message).to.contain('too large a number');
    expect((await refusal(quantity('9'.repeat(400)), 'json')).message).to.contain('too large a number');
    for (const wrong of ['01', '+1', '1.', '.5', '0x10', 'NaN', 'Infinity', '-']) {
      expect((await refusal(quantity(wrong), 'json')).name, wrong).to.equal('ValidationException');
    }
    const huge = `1${'0'.repeat(5000)}e99999`;
    const { event } = await readOne(json2(objectJson().replace(/\}$/, `,"x:n":${huge}}`), CONTEXT), 'json');
    expect(event.extensions?.[0]?.value).to.equal(huge);
  });

  it('refuses text that is no UTF-8, half escapes and raw control characters', async () => {
    const latin = Buffer.from(json2(objectJson({ 'x:v': '\u00e9' }), CONTEXT), 'latin1');
    expect((await refusal(latin, 'json')).message).to.contain('not valid UTF-8');
    for (const text of ['"\\u12"', '"\\x41"', '"a\nb"', '"\\ud83d', "'a'"]) {
      const document = json2(objectJson().replace(/\}$/, `,"x:v":${text}}`), CONTEXT);
      expect((await refusal(document, 'json')).name, text).to.equal('ValidationException');
    }
  });
});

describe('limits', () => {
  const forms = [
    ['xml', xml2(objectXml() + objectXml())],
    ['json', json2(`${objectJson()},${objectJson()}`)],
  ] as const;
  for (const [format, text] of forms) {
    it(`hold for ${format}: bytes of the document, items, bytes of an item`, async () => {
      const limits = { bytes: Buffer.byteLength(text), items: 2, itemBytes: 2000 };
      expect(await readAll(text, format, { limits, chunk: 100 })).to.have.length(2);
      for (const lower of [{ bytes: limits.bytes - 1 }, { items: 1 }, { itemBytes: 100 }]) {
        const { name, message } = await refusal(text, format, { limits: { ...limits, ...lower }, chunk: 50 });
        expect(name, JSON.stringify(lower)).to.equal('CaptureLimitExceededException');
        expect(message).to.contain(String(Object.values(lower)[0]));
      }
    });
  }
});

describe('what would take for ever if it took the square of its length', () => {
  const n = 1_000_000;
  const values: readonly (readonly [what: string, value: string])[] = [
    ['digits that are no number', `${'1'.repeat(n)}x`],
    ['a word without end', 'a'.repeat(n)],
    ['a digital link of keys only', `https://example.com${'/01'.repeat(n / 4)}`],
    ['a URN of dots', `urn:epc:id:sgtin:${'.'.repeat(n)}`],
    ['white space', `x${' '.repeat(n)}x`],
    ['line ends', '\n'.repeat(n / 2) + ' '.repeat(n / 2) + 'x'],
    ['colons', 'a:'.repeat(n / 2)],
  ];
  const style = { form: 'xml', version: '2.0' } as const;
  const stored = (captured: CapturedEvent) => ({ ...captured, recordTime: RECORD_TIME });

  for (const [what, value] of values) {
    it(`${what}, in both forms`, async () => {
      const json = await readOne(json2(objectJson({ 'x:v': value }), CONTEXT), 'json');
      const xml = await readOne(xml2(objectXml(`<x:v>${value}</x:v>`), X), 'xml');
      expect(writeEvent(stored(xml), { ...style, form: 'json' })).to.contain('x:v');
      expect(writeEvent(stored(json), style)).to.contain('x:v');
    });
  }

  it('comments and white space at the head of an event', async () => {
    for (const filler of [' '.repeat(n), '<!---->'.repeat(n / 10), '<!-- -->\n'.repeat(n / 10)]) {
      const event = objectXml()
        .replace('</eventTime>', `</eventTime>${filler}`)
        .replace('<epcList>', `${filler}<epcList>`);
      expect(writeEvent(stored(await readOne(xml2(event), 'xml')), style)).to.contain(RECORD_TIME);
    }
  });

  it('very many namespaces', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => i);
    const declared = many.map((i) => `xmlns:p${i}="urn:${i}"`).join(' ');
    expect((await refusal(xml2(objectXml(), declared), 'xml')).name).to.equal('CaptureLimitExceededException');
    const context = many.map((i) => `{"p${i}":"urn:${i}:"}`).join();
    expect((await refusal(json2(objectJson(), context), 'json')).name).to.equal('CaptureLimitExceededException');
    const keys = Object.fromEntries(many.map((i) => [`https://n${i}.example.org/v`, i]));
    const { event, ...rest } = await readOne(json2(objectJson(keys)), 'json', { limits: { itemValues: 50_000 } });
    expect(writeEvent(stored({ event, ...rest }), style)).to.contain('ns20000');
  });
});

describe('whatever is sent', () => {
  const endsWell = async (text: string | Uint8Array, format: 'xml' | 'json', chunk: number): Promise<void> => {
    try {
      await readAll(text, format, { chunk });
    } catch (error) {
      if (!(error instanceof EpcisException)) throw error;
    }
  };
  const sources = {
    xml: xml2(objectXml(`<x:v a="b">t&amp;</x:v>${nested(3)}`), X),
    json: json2(objectJson({ 'x:v': [1, { a: 'é' }] }), CONTEXT),
  };

  for (const format of ['xml', 'json'] as const) {
    it(`ends in events or an EPCIS exception: ${format} with pieces cut out, doubled and replaced`, async () => {
      const source = Buffer.from(sources[format]);
      const at = fc.nat(source.length);
      await fc.assert(
        fc.asyncProperty(
          at,
          fc.nat(20),
          fc.uint8Array({ maxLength: 6 }),
          at,
          fc.integer({ min: 1, max: 99 }),
          async (from, cut, put, copy, chunk) => {
            const text = Buffer.concat([
              source.subarray(0, from),
              put,
              source.subarray(copy, copy + cut),
              source.subarray(from + cut),
            ]);
            await endsWell(text, format, chunk);
          },
        ),
        { numRuns: 400 },
      );
    });

    it(`ends in events or an EPCIS exception: anything for ${format}`, async () => {
      const anything = fc.oneof(
        fc.uint8Array({ maxLength: 60 }),
        fc.json().map((json) => Buffer.from(json)),
      );
      await fc.assert(
        fc.asyncProperty(anything, (text) => endsWell(text, format, 7)),
        { numRuns: 200 },
      );
    });
  }

  it('ends in events or an EPCIS exception: any value for any member of a JSON event', async () => {
    const names = fc.constantFrom(
      ...[
        'eventTime',
        'epcList',
        'bizStep',
        'readPoint',
        'bizTransactionList',
        'sensorElementList',
        'ilmd',
        'x:v',
        '@context',
      ],
      ...[
        'quantityList',
        'errorDeclaration',
        'persistentDisposition',
        'certificationInfo',
        'type',
        'action',
        'sourceList',
      ],
    );
    await fc.assert(
      fc.asyncProperty(names, fc.jsonValue(), (name, value) =>
        endsWell(json2(objectJson({ [name]: value }), CONTEXT), 'json', 1000),
      ),
      { numRuns: 500 },
    );
  });
});
