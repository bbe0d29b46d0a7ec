import { expect } from 'chai';
import fc from 'fast-check';
import { checkDigit, epcKey, toDigitalLink } from '../../../epcis/domain/epc.ts';
import { formatEpc, toUrn } from '../../../epcis/domain/epc-urn.ts';
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

describe('EPC identity', () => {
  for (const [urn, link] of PAIRS) {
    it(`${urn} is https://id.gs1.org/${link}, and back`, () => {
      expect(epcKey(urn)).to.equal(`https://id.gs1.org/${link}`);
      expect(epcKey(epcKey(urn))).to.equal(epcKey(urn));
      expect(toUrn(`https://id.gs1.org/${link}`, [['952', 7]])).to.equal(urn);
    });
  }

  it('finds the same key behind other spellings of a digital link', () => {
    const key = 'https://id.gs1.org/01/09521141123454/21/A-7';
    for (const link of [
      'https://id.gs1.org/01/9521141123454/21/A-7',
      'http://brand.example.com/shop/01/09521141123454/21/A-7?linkType=all#top',
      'https://example.com/gtin/09521141123454/lot/L1/ser/A-7',
      'https://example.com/01/09521141123454/22/v2/10/L1/21/A-7/',
    ]) {
      expect(epcKey(link), link).to.equal(key);
    }
  });

  it('escapes in a digital link what it may not hold, and takes it back in a URN', () => {
    const urn = 'urn:epc:id:sgtin:9521141.012345.a(b)%2Fc';
    expect(epcKey(urn)).to.equal('https://id.gs1.org/01/09521141123454/21/a%28b%29%2Fc');
    expect(toUrn(epcKey(urn), [['952', 7]])).to.equal(urn);
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
    expect(toUrn('https://id.gs1.org/01/04012345123456/21/1', [['952', 7]])).to.equal(undefined);
    expect(toUrn('https://id.gs1.org/01/09521141123455/21/1', [['952', 7]])).to.equal(undefined);
    expect(
      toUrn('https://id.gs1.org/01/09521141123454/21/1', [
        ['952', 7],
        ['95211411', 8],
      ]),
    ).to.equal('urn:epc:id:sgtin:95211411.02345.1');
  });

  it('formats by GS1-EPC-Format', () => {
    const urn = 'urn:epc:id:sscc:9521141.1234567890';
    expect(formatEpc(urn, 'Never_Translates', [])).to.equal(urn);
    expect(formatEpc(urn, 'Always_GS1_Digital_Link', [])).to.equal('https://id.gs1.org/00/195211412345678900');
    expect(formatEpc('https://x.org/00/195211412345678900', 'Always_EPC_URN', [['952', 7]])).to.equal(urn);
    expect(formatEpc('urn:uuid:1', 'Always_GS1_Digital_Link', [])).to.equal('urn:uuid:1');
  });

  it('computes check digits: 1061414107346 has 4', () => {
    expect(checkDigit('1061414107346')).to.equal('4');
  });

  it('property: every serial number of an SGTIN survives URN → link → URN', () => {
    const serial = fc.string({ unit: fc.constantFrom(..."abcXYZ019-_.:;=()*!+,'"), minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 6, max: 12 }), fc.nat(9), serial, (length, digit, text) => {
        const prefix = '952114112345'.slice(0, length);
        const urn = `urn:epc:id:sgtin:${prefix}.${String(digit).repeat(13 - length)}.${text}`;
        const link = toDigitalLink(urn) ?? '';
        expect(toUrn(link, [[prefix, length]])).to.equal(urn);
        expect(epcKey(link)).to.equal(link);
      }),
    );
  });
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

  it('do not match other companies, references or schemes', () => {
    expect(matches('urn:epc:idpat:sgtin:9521142.*.*', 'urn:epc:id:sgtin:9521141.012345.7')).to.equal(false);
    expect(matches('urn:epc:idpat:sgtin:9521141.012346.*', 'urn:epc:id:sgtin:9521141.012345.7')).to.equal(false);
    expect(matches('urn:epc:idpat:sgtin:9521141.*.*', 'urn:epc:id:sscc:9521141.1234567890')).to.equal(false);
    expect(matches('urn:epc:idpat:sgtin:9521141.*.*', 'urn:epc:class:lgtin:9521141.012345.7')).to.equal(false);
    expect(matches('urn:epc:idpat:sgtin:9521141.*.*', 'urn:epc:idpat:sgtin:9521141.012345.*')).to.equal(false);
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
