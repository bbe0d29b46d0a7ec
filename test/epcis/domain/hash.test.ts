import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalValue, eventHash, preHash } from '../../../epcis/domain/hash.ts';
import { numberText, sortTexts } from '../../../epcis/domain/hash-text.ts';
import { sha256 } from '../../helpers/epcis-documents.ts';
import type { EpcisEvent, Field } from '../../../epcis/domain/event.ts';

const EVENT: EpcisEvent = {
  type: 'ObjectEvent',
  eventTime: '2030-05-06T07:08:09.1236+02:00',
  eventTimeZoneOffset: '+02:00',
  epcList: ['urn:epc:id:sgtin:9521141.012345.9', 'https://example.com/01/9521141123454/21/10'],
  action: 'ADD',
  bizStep: 'https://ref.gs1.org/cbv/BizStep-shipping',
  readPoint: { id: 'urn:epc:id:sgln:9521141.01234.0' },
};
const TIMES = 'eventType=ObjectEventeventTime=2030-05-06T05:08:09.124ZeventTimeZoneOffset=+02:00';
const EPCS = 'epcListepc=https://id.gs1.org/01/09521141123454/21/10epc=https://id.gs1.org/01/09521141123454/21/9';
const REST =
  'action=ADDbizStep=https://ref.gs1.org/cbv/BizStep-shippingreadPointid=https://id.gs1.org/414/9521141012345';

const field = (name: string, value: Field['value'], more: Partial<Field> = {}): Field => ({
  namespace: 'https://x.example.org/',
  name,
  value,
  ...more,
});

describe('event hash', () => {
  it('writes fields in their order, lists sorted, values canonical', () => {
    expect(preHash(EVENT)).to.equal(TIMES + EPCS + REST);
  });

  it('is the SHA-256 of that, as a name of RFC 6920', () => {
    expect(eventHash(EVENT, sha256)).to.equal(`ni:///sha-256;${sha256(TIMES + EPCS + REST)}?ver=CBV2.0`);
  });

  it('leaves out what does not say what happened', () => {
    const comment: Field = { namespace: 'http://www.w3.org/2000/01/rdf-schema#', name: 'comment', value: 'hello' };
    const dressed: EpcisEvent = {
      ...EVENT,
      eventID: 'urn:uuid:374d95fc-9457-4a51-bd6a-0bba133845a8',
      recordTime: '2031-01-01T00:00:00Z',
      errorDeclaration: { declarationTime: '2031-01-01T00:00:00Z' },
      extensions: [comment],
    };
    expect(preHash(dressed)).to.equal(preHash(EVENT));
  });

  it('leaves out what a repository declared as its own', () => {
    const event = { ...EVENT, extensions: [field('mine', 'x'), field('yours', 'y')] };
    const ignore = new Set(['{https://x.example.org/}mine']);
    expect(preHash(event, { ignore })).to.equal(`${TIMES}${EPCS}${REST}{https://x.example.org/}yours=y`);
  });

  it('puts extensions of a place, a sensor and an error where they stand, those of the event last', () => {
    const event: EpcisEvent = {
      ...EVENT,
      readPoint: { id: 'urn:epc:id:sgln:9521141.01234.0', extensions: [field('gate', '07')] },
      sensorElementList: [
        {
          sensorMetadata: { deviceID: 'urn:epc:id:giai:9521141.D7', extensions: [field('m', '1.50')] },
          sensorReport: [
            { type: 'https://gs1.org/voc/Temperature', value: 26, uom: 'CEL' },
            { type: 'https://gs1.org/voc/Speed', value: 0.5 },
          ],
          extensions: [field('end', '')],
        },
      ],
      bizTransactionList: [{ type: 'https://ref.gs1.org/cbv/BTT-po', value: 'urn:po:1' }, { value: 'urn:po:0' }],
      ilmd: [field('lot', 'L1'), field('best', '2031-01-01')],
      extensions: [
        field('z', [field('b', '2'), field('a', '1'), field('a', '10')], { attributes: [field('k', 'v') as never] }),
      ],
    };
    const x = (name: string): string => `{https://x.example.org/}${name}`;
    expect(preHash(event)).to.equal(
      `${TIMES}${EPCS}${REST}${x('gate')}=7` +
        `sensorElementListsensorElementsensorMetadatadeviceID=https://id.gs1.org/8004/9521141D7${x('m')}=1.5` +
        'sensorReporttype=https://gs1.org/voc/Speedvalue=0.5sensorReporttype=https://gs1.org/voc/Temperaturevalue=26uom=CEL' +
        `${x('end')}bizTransactionListbizTransaction=urn:po:0type=https://ref.gs1.org/cbv/BTT-pobizTransaction=urn:po:1` +
        `ilmd${x('best')}=2031-01-01${x('lot')}=L1${x('z')}${x('a')}=1${x('a')}=10${x('b')}=2${x('k')}=v`,
    );
  });

  it('puts business rules of a sensor report last, with their path', () => {
    const event: EpcisEvent = {
      ...EVENT,
      sensorElementList: [{ sensorReport: [{ type: 'a:b', bizRules: 'urn:rule:1' }] }],
    };
    expect(preHash(event)).to.match(
      /sensorElementListsensorElementsensorReporttype=a:bsensorElementListsensorElementsensorReportbizRules=urn:rule:1$/,
    );
  });

  it('property: neither the order of lists nor that of extensions matters', () => {
    const epcs = fc.uniqueArray(fc.integer({ min: 0, max: 999 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(epcs, fc.array(fc.string({ maxLength: 5 }), { maxLength: 5 }), (serials, texts) => {
        const epcList = serials.map((n) => `urn:epc:id:sgtin:9521141.012345.${n}`);
        const extensions = texts.map((text) => field('f', text));
        const turned = { ...EVENT, epcList: [...epcList].reverse(), extensions: [...extensions].reverse() };
        expect(preHash(turned)).to.equal(preHash({ ...EVENT, epcList, extensions }));
      }),
    );
  });
});

describe('texts of the event hash', () => {
  it('shorten numbers', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['26.0', '26'],
      ['0815', '815'],
      ['+1.50', '1.5'],
      ['-0.0', '0'],
      ['1e3', '1000'],
      ['.5', '0.5'],
      ['0.00001', '1e-05'],
      ['0.0001', '0.0001'],
      ['111100001111000011110000', '111100001111000003641344'],
      ['1.2.3', '1.2.3'],
      ['0x10', '0x10'],
      ['', ''],
      ['1e999', '1e999'],
      ['Infinity', 'Infinity'],
    ];
    for (const [text, short] of cases) expect(numberText(text), text).to.equal(short);
  });

  it('sort by code point, beyond the basic plane too', () => {
    expect(sortTexts(['b', '😀', '\uffee', 'a', 'ab', ''])).to.deep.equal(['', 'a', 'ab', 'b', '\uffee', '😀']);
  });

  it('property: sort like their UTF-8 bytes', () => {
    const texts = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string()), { maxLength: 5 });
    fc.assert(
      fc.property(texts, (list) => {
        const byBytes = [...list].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(sortTexts(list)).to.deep.equal(byBytes);
      }),
    );
  });

  it('make any value canonical', () => {
    expect(canonicalValue(' urn:epcglobal:cbv:btt:po ')).to.equal('https://ref.gs1.org/cbv/BTT-po');
    expect(canonicalValue('gs1:Speed')).to.equal('https://gs1.org/voc/Speed');
    expect(canonicalValue('https://id.example.org/8004/9521141D7')).to.equal('https://id.gs1.org/8004/9521141D7');
  });
});
