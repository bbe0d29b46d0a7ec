import { expect } from 'chai';
import fc from 'fast-check';
import { checkDigit, epcKey, toDigitalLink } from '../../../epcis/domain/epc.ts';
import { companyPrefixes } from '../../../epcis/domain/company-prefixes.ts';
import { DEFAULT_COMPANY_PREFIXES, formatEpc, toUrn } from '../../../epcis/domain/epc-urn.ts';
import { epcPattern, likePattern, matchesPattern } from '../../../epcis/domain/epc-pattern.ts';

// company prefix 9521141, with check digits worked out by hand
const PAIRS: readonly (readonly [urn: string, link: string])[] = [
  ['urn:epc:id:sgtin:9521141.012345.A-7', '01/09521141123454/21/A-7'],
  ['urn:epc:id:upui:9521141.012345.A7', '01/09521141123454/235/A7'],
  ['urn:epc:class:lgtin:9521141.012345.L1', '01/09521141123454/10/L1'],
  ['urn:epc:idpat:sgtin:9521141.012345.*', '01/09521141123454'],
  ['urn:epc:id:itip:9521141.012345.01.02.S', '8006/095211411234540102/21/S'],
  ['urn:epc:idpat:itip:9521141.012345.01.02.*', '8006/095211411234540102'],
  ['urn:epc:id:sscc:9521141.1234567890', '00/195211412345678900'],
  ['urn:epc:id:sgln:9521141.01234.5', '414/9521141012345/254/5'],
  ['urn:epc:id:sgln:9521141.01234.0', '414/9521141012345'],
  ['urn:epc:id:pgln:9521141.01234', '417/9521141012345'],
  ['urn:epc:id:grai:9521141.01234.S1', '8003/09521141012345S1'],
  ['urn:epc:idpat:grai:9521141.01234.*', '8003/09521141012345'],
  ['urn:epc:id:gdti:9521141.01234.S1', '253/9521141012345S1'],
  ['urn:epc:id:sgcn:9521141.01234.0044', '255/95211410123450044'],
  ['urn:epc:id:gsrn:9521141.0123456789', '8018/952114101234567896'],
  ['urn:epc:id:gsrnp:9521141.0123456789', '8017/952114101234567896'],
  ['urn:epc:id:gsin:9521141.012345678', '402/95211410123456781'],
  ['urn:epc:id:giai:9521141.Drill-7', '8004/9521141Drill-7'],
  ['urn:epc:id:ginc:9521141.X7', '401/9521141X7'],
  ['urn:epc:id:cpi:9521141.PART.77', '8010/9521141PART/8011/77'],
  ['urn:epc:idpat:cpi:9521141.PART.*', '8010/9521141PART'],
];

const NONE = companyPrefixes([]);

describe('EPC identity', () => {
  for (const [urn, link] of PAIRS) {
    it(`${urn} is https://id.gs1.org/${link}, and back`, () => {
      expect(epcKey(urn)).to.equal(`https://id.gs1.org/${link}`);
      expect(epcKey(epcKey(urn))).to.equal(epcKey(urn));
      expect(toUrn(`https://id.gs1.org/${link}`, DEFAULT_COMPANY_PREFIXES)).to.equal(urn);
    });
  }

  it('finds the same key behind other spellings of a digital link', () => {
    const key = 'https://id.gs1.org/01/09521141123454/21/A-7';
    for (const link of [
      'https://id.gs1.org/01/9521141123454/21/A-7',
      'http://brand.example.com/shop/01/09521141123454/21/A-7?linkType=all#top',
      'https://example.com/gtin/09521141123454/lot/L1/ser/A-7',
      'https://example.com/01/09521141123454/22/v2/10/L1/21/A-7/',
      'HTTPS://ID.GS1.ORG/01/09521141123454/21/A-7',
      'https://id.gs1.org/%30%31/%309521141123454/21/%41%2d7',
      `https://example.com/${'x/'.repeat(5000)}01/09521141123454/21/A-7?${'y'.repeat(5000)}`,
      'URN:EPC:ID:SGTIN:9521141.012345.A-7',
      'urn:epc:id:sgtin:%39521141%2E012345.A%2D7',
    ]) {
      expect(epcKey(link), link).to.equal(key);
    }
  });

  it('finds the same key however a digital link escapes each character that a serial number may have', () => {
    const hex = (char: string): string => char.charCodeAt(0).toString(16).toUpperCase();
    for (const char of '!"%&\'()*+,-./0:;<=>?A_a') {
      const escaped = `%${hex(char)}`;
      const urn = `urn:epc:id:sgtin:9521141.012345.x${'"%&/<>?'.includes(char) ? escaped : char}y`;
      const plain = '%/?'.includes(char) ? [] : [char]; // of an address these mean something else
      for (const spelt of [escaped, escaped.toLowerCase(), ...plain])
        expect(epcKey(`https://example.com/01/09521141123454/21/x${spelt}y`), spelt).to.equal(epcKey(urn));
    }
    expect(epcKey('https://id.gs1.org/8004/9521141a%3bb')).to.equal(epcKey('urn:epc:id:giai:9521141.a;b'));
    const link = 'https://id.gs1.org/01/09521141123454/21/x%3By';
    expect(toUrn(link, DEFAULT_COMPANY_PREFIXES)).to.equal('urn:epc:id:sgtin:9521141.012345.x;y');
  });

  it('takes an extension 0 of a GLN for none, as its URN does', () => {
    expect(epcKey('https://example.com/414/9521141012345/254/0')).to.equal(epcKey('urn:epc:id:sgln:9521141.01234.0'));
    expect(epcKey('https://example.com/414/9521141012345/254/00')).to.equal(epcKey('urn:epc:id:sgln:9521141.01234.00'));
  });

  it('escapes in a digital link what it may not hold, and takes it back in a URN', () => {
    const urn = 'urn:epc:id:sgtin:9521141.012345.a(b)%2Fc';
    expect(epcKey(urn)).to.equal('https://id.gs1.org/01/09521141123454/21/a%28b%29%2Fc');
    expect(toUrn(epcKey(urn), DEFAULT_COMPANY_PREFIXES)).to.equal(urn);
  });

  it('finds the same key behind what RFC 3986 and RFC 8141 have as the same URI, also where that is no GS1 key', () => {
    for (const [one, other] of [
      ['urn:epc:id:adi:W81X9C.3KL98%2fPX1.2WMA52', 'urn:epc:id:adi:W81X9C.3KL98%2FPX1.2WMA52'],
      ['URN:EPC:ID:GID:95100000.12345.400', 'urn:epc:id:gid:95100000.12345.400'],
      ['urn:epc:id:adi:W81X9C.%41B.1', 'urn:epc:id:adi:W81X9C.AB.1'],
      ['HTTP://Example.COM/obj/a%2fb', 'http://example.com/obj/a%2Fb'],
      ['urn:uuid:374d%39', 'urn:uuid:374d9'],
    ] as const)
      expect(epcKey(one), one).to.equal(other);
    // of a path, of the rest of a URN, and of what is no escape, upper case is another
    for (const uri of [
      'http://example.com/Obj',
      'urn:epc:id:adi:w81x9c.A.b',
      'urn:example:A',
      'urn:example:50%_2f',
      'A/B',
    ])
      expect(epcKey(uri), uri).to.equal(uri);
  });

  it('leaves alone what is no GS1 key', () => {
    for (const uri of [
      'urn:epc:id:sgtin:9521141.12345.7', // one digit short
      'urn:epc:id:sgtin:9521141.012345.',
      'urn:epc:id:gid:95100000.12345.400',
      'urn:epc:idpat:sgtin:9521141.*.*',
      'urn:uuid:374d95fc-9457-4a51-bd6a-0bba133845a8',
      'https://example.com/01/123/21/7',
      'https://example.com/01/09521141123454/99/7',
      'geo:47.5,11.1',
      '',
    ]) {
      expect(epcKey(uri), uri).to.equal(uri);
    }
  });

  it('writes no URN when the length of the company prefix is unknown or the check digit is wrong', () => {
    expect(toUrn('https://id.gs1.org/01/04012345123456/21/1', DEFAULT_COMPANY_PREFIXES)).to.equal(undefined);
    expect(toUrn('https://id.gs1.org/01/09521141123455/21/1', DEFAULT_COMPANY_PREFIXES)).to.equal(undefined);
    expect(
      toUrn('https://id.gs1.org/01/09521141123454/21/1', (digits) => (digits.startsWith('95211411') ? 8 : 7)),
    ).to.equal('urn:epc:id:sgtin:95211411.02345.1');
  });

  it('formats by GS1-EPC-Format', () => {
    const urn = 'urn:epc:id:sscc:9521141.1234567890';
    expect(formatEpc(urn, 'Never_Translates', NONE)).to.equal(urn);
    expect(formatEpc(urn, 'Always_GS1_Digital_Link', NONE)).to.equal('https://id.gs1.org/00/195211412345678900');
    expect(formatEpc('https://x.org/00/195211412345678900', 'Always_EPC_URN', DEFAULT_COMPANY_PREFIXES)).to.equal(urn);
    expect(formatEpc('urn:uuid:1', 'Always_GS1_Digital_Link', NONE)).to.equal('urn:uuid:1');
  });

  it('computes check digits: 1061414107346 has 4', () => {
    expect(checkDigit('1061414107346')).to.equal('4');
  });

  it('leaves a digital link that has no URN, or would lose something in it', () => {
    for (const link of [
      '01/09521141123454/22/v2', // a variant of the product
      '01/09521141123454/22/v2/10/L1',
      '01/09521141123454/21/123456789012345678901', // 21 characters
      '01/09521141123454/21/a%23b', // # is no character of a serial number
      '01/09521141123454/21/a%41', // a letter needs no escape
      '8010/9521141part/8011/7', // lower case
      '8010/9521141PART/8011/7A', // no number
      '8004/9521141', // nothing but the prefix
      '8003/19521141012345S1',
      '255/9521141012345A',
      '8006/095211411234540102/10/L1',
    ]) {
      const uri = `https://id.gs1.org/${link}`;
      expect(formatEpc(uri, 'Always_EPC_URN', DEFAULT_COMPANY_PREFIXES), link).to.equal(uri);
    }
    for (const urn of [
      'urn:epc:id:sgtin:9521141.012345.a%23b',
      'urn:epc:id:cpi:9521141.part.7',
      'urn:epc:id:cpi:9521141.PART.7A',
      'urn:epc:id:sgcn:9521141.01234.A',
    ])
      expect(formatEpc(urn, 'Always_GS1_Digital_Link', DEFAULT_COMPANY_PREFIXES), urn).to.equal(urn);
  });

  const digits = (length: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length });
  const CHARACTERS = [..."abcXYZ019-_.:;=()*!+,'", '%22', '%25', '%26', '%2F', '%3C', '%3E', '%3F'];
  const characters = (max: number, of = CHARACTERS): fc.Arbitrary<string> =>
    fc.array(fc.constantFrom(...of), { minLength: 1, maxLength: max }).map((all) => all.join(''));
  const numeric = (max: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max });
  /** What follows the company prefix in the URN of each key: digits left over of its length, then its own parts. */
  const KEYS: Readonly<Record<string, { readonly length?: number; readonly rest: readonly fc.Arbitrary<string>[] }>> = {
    'id:sgtin': { length: 13, rest: [characters(20)] },
    'id:upui': { length: 13, rest: [characters(28)] },
    'class:lgtin': { length: 13, rest: [characters(20)] },
    'idpat:sgtin': { length: 13, rest: [fc.constant('*')] },
    'id:itip': { length: 13, rest: [digits(2), digits(2), characters(20)] },
    'idpat:itip': { length: 13, rest: [digits(2), digits(2), fc.constant('*')] },
    'id:sscc': { length: 17, rest: [] },
    'id:sgln': { length: 12, rest: [characters(20)] },
    'id:pgln': { length: 12, rest: [] },
    'id:grai': { length: 12, rest: [characters(16)] },
    'idpat:grai': { length: 12, rest: [fc.constant('*')] },
    'id:gdti': { length: 12, rest: [characters(17)] },
    'idpat:gdti': { length: 12, rest: [fc.constant('*')] },
    'id:sgcn': { length: 12, rest: [numeric(12)] },
    'idpat:sgcn': { length: 12, rest: [fc.constant('*')] },
    'id:gsrn': { length: 17, rest: [] },
    'id:gsrnp': { length: 17, rest: [] },
    'id:gsin': { length: 16, rest: [] },
    'id:giai': { rest: [characters(18)] },
    'id:ginc': { rest: [characters(18)] },
    'id:cpi': { rest: [characters(18, [...'AZ09-', '%23', '%2F']), numeric(12)] },
    'idpat:cpi': { rest: [characters(18, [...'AZ09-', '%23', '%2F']), fc.constant('*')] },
  };
  for (const [name, { length, rest }] of Object.entries(KEYS)) {
    it(`property: every ${name} survives URN → link → URN`, () => {
      const urn = fc.integer({ min: 6, max: 12 }).chain((size) => {
        const reference = length === undefined ? [] : [digits(length - size)];
        return fc
          .tuple(digits(size), ...reference, ...rest)
          .map((parts) => ({ size, urn: `urn:epc:${name}:${parts.join('.')}` }));
      });
      fc.assert(
        fc.property(urn, ({ size, urn: text }) => {
          const link = toDigitalLink(text) ?? '';
          expect(toUrn(link, () => size)).to.equal(text);
          expect(epcKey(link)).to.equal(link);
        }),
      );
    });
  }
});

describe('EPC patterns', () => {
  const matches = (pattern: string, uri: string, of: 'instance' | 'class' = 'instance'): boolean =>
    matchesPattern(epcKey(uri), epcPattern(pattern, of));

  it('match by component, whatever form the EPC was captured in', () => {
    expect(matches('urn:epc:idpat:sgtin:9521141.012345.*', 'urn:epc:id:sgtin:9521141.012345.7')).to.equal(true);
    expect(matches('urn:epc:idpat:sgtin:9521141.012345.*', 'https://x.org/01/09521141123454/21/7')).to.equal(true);
    expect(matches('urn:epc:idpat:sgtin:9521141.*.*', 'urn:epc:id:sgtin:9521141.912345.7')).to.equal(true);
    expect(matches('urn:epc:idpat:sgtin:*.*.*', 'urn:epc:id:sgtin:9521141.912345.7')).to.equal(true);
    expect(matches('urn:epc:idpat:sscc:9521141.*', 'urn:epc:id:sscc:9521141.1234567890')).to.equal(true);
    expect(matches('urn:epc:idpat:giai:9521141.*', 'urn:epc:id:giai:9521141.Drill-7')).to.equal(true);
    expect(matches('urn:epc:idpat:sgln:9521141.01234.*', 'urn:epc:id:sgln:9521141.01234.0')).to.equal(true);
    expect(matches('urn:epc:idpat:itip:9521141.012345.*.*.*', 'urn:epc:id:itip:9521141.012345.01.02.S')).to.equal(true);
  });

  it('match by parts that are very long', () => {
    const long = 'x'.repeat(70_000);
    expect(matches(`urn:epc:idpat:gid:${long}.*.*`, `urn:epc:id:gid:${long}.1.2`)).to.equal(true);
    expect(matches(`urn:x:${long}`, `urn:x:${long}`)).to.equal(true);
    expect(matches(`urn:x:${long}`, `urn:x:${long}x`)).to.equal(false);
  });

  it('match EPCs that are no GS1 keys, too', () => {
    for (const [pattern, urn] of [
      ['gid:95100000.12345.*', 'gid:95100000.12345.400'],
      ['gid:95100000.*.*', 'gid:95100000.12345.400'],
      ['gid:*.*.*', 'gid:95100000.12345.400'],
      ['usdod:CJ123.*', 'usdod:CJ123.12345'],
      ['adi:W81X9C.*.*', 'adi:W81X9C.3KL984PX1.2WMA52'],
      ['adi:W81X9C..*', 'adi:W81X9C..2WMA52'],
      ['bic:*', 'bic:CSQU3054383'],
      ['imovn:*', 'imovn:9176187'],
    ])
      expect(matches(`urn:epc:idpat:${pattern}`, `urn:epc:id:${urn}`), pattern).to.equal(true);
    for (const pattern of ['gid:95100000.1234.*', 'gid:9510000.*.*', 'usdod:*.*', 'gid:95100000.12345.40'])
      expect(matches(`urn:epc:idpat:${pattern}`, 'urn:epc:id:gid:95100000.12345.400'), pattern).to.equal(false);
  });

  it('match EPCs that are no GS1 keys however these are escaped', () => {
    for (const epc of ['urn:epc:id:adi:W81X9C.A%2fB.7', 'URN:epc:id:ADI:W81X9C.A%2FB.7'])
      for (const pattern of [
        'urn:epc:idpat:adi:W81X9C.A%2fB.*',
        'urn:epc:idpat:adi:W81X9C.A%2FB.*',
        'urn:epc:idpat:adi:W81X9C.A%2fB.7',
      ])
        expect(matches(pattern, epc), `${pattern} ${epc}`).to.equal(true);
  });

  it('without a star match the EPC of the same parts', () => {
    for (const [pattern, uri] of [
      ['sgtin:9521141.012345.7', 'https://x.org/01/09521141123454/21/7'],
      ['sscc:9521141.1234567890', 'urn:epc:id:sscc:9521141.1234567890'],
      ['lgtin:9521141.012345.L1', 'urn:epc:class:lgtin:9521141.012345.L1'],
      ['gid:95100000.12345.400', 'urn:epc:id:gid:95100000.12345.400'],
    ])
      expect(matches(`urn:epc:idpat:${pattern}`, uri ?? ''), pattern).to.equal(true);
  });

  it('do not match other companies, references or schemes', () => {
    expect(matches('urn:epc:idpat:sgtin:9521142.*.*', 'urn:epc:id:sgtin:9521141.012345.7')).to.equal(false);
    expect(matches('urn:epc:idpat:sgtin:9521141.012346.*', 'urn:epc:id:sgtin:9521141.012345.7')).to.equal(false);
    expect(matches('urn:epc:idpat:sgtin:9521141.*.*', 'urn:epc:id:sscc:9521141.1234567890')).to.equal(false);
    expect(matches('urn:epc:idpat:sgtin:9521141.*.*', 'urn:epc:class:lgtin:9521141.012345.7')).to.equal(false);
    expect(matches('urn:epc:idpat:sgtin:9521141.*.*', 'urn:epc:idpat:sgtin:9521141.012345.*')).to.equal(false);
  });

  it('have a digit for each place that is free in a key: what is none there is no EPC of that company', () => {
    for (const digits of ['X9521141123456', '09521141abcdef', '09521141/10/@@', '09521141\u{1d7d9}\u{1d7d9}\u{1d7d9}'])
      expect(matches('urn:epc:idpat:sgtin:9521141.*.*', `https://id.gs1.org/01/${digits}/21/7`), digits).to.equal(
        false,
      );
    expect(matches('urn:epc:idpat:sscc:9521141.*', 'https://id.gs1.org/00/095211411234567_90')).to.equal(false);
  });

  it('as classes: one star names the class, more stars name many', () => {
    const gtin = 'urn:epc:idpat:sgtin:9521141.012345.*';
    expect(epcPattern(gtin, 'class').exact).to.equal('https://id.gs1.org/01/09521141123454');
    expect(matches('urn:epc:idpat:sgtin:9521141.*.*', gtin, 'class')).to.equal(true);
    expect(matches('urn:epc:idpat:sgtin:9521141.*.*', 'urn:epc:idpat:sgtin:9521142.012345.*', 'class')).to.equal(false);
    expect(matches('urn:epc:idpat:lgtin:9521141.012345.*', 'urn:epc:class:lgtin:9521141.012345.L1', 'class')).to.equal(
      true,
    );
  });

  it('take any other URI literally, stars and percent signs included', () => {
    expect(epcPattern('urn:example:50%_*', 'instance').exact).to.equal('urn:example:50%_*');
    expect(matches('urn:example:*', 'urn:example:1')).to.equal(false);
    expect(epcPattern('urn:epc:idpat:sgtin:9521141.*.7', 'instance').exact).to.equal(undefined);
  });

  it('become LIKE patterns whose literals are escaped', () => {
    expect(likePattern(epcPattern('urn:epc:idpat:sgtin:9521141.*.*', 'instance').parts)).to.equal(
      'https://id.gs1.org/01/_9521141______/21/%',
    );
    expect(likePattern(['50%_!'])).to.equal('50!%!_!!');
  });
});
