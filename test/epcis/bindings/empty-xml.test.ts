// EPCIS 1.2, section 9.5: an element without content is as if it weren't there, in every version of the schema.
import { expect } from 'chai';
import { objectXml, readOne, refusal, xml1, xml2 } from '../../helpers/epcis-documents.ts';

const HEAD = '<eventTime>2030-05-06T07:08:09Z</eventTime><eventTimeZoneOffset>+02:00</eventTimeZoneOffset>';
const CHILDREN = '<childEPCs><epc>urn:e:1</epc></childEPCs>';
const PIECES = '<quantityList><quantityElement><epcClass>urn:c:1</epcClass>';

describe('empty elements of XML', () => {
  const without = objectXml();
  for (const empty of [
    '<bizStep/>',
    '<bizStep></bizStep>',
    '<bizStep> \n </bizStep>',
    '<disposition/>',
    '<readPoint/>',
    '<readPoint><id/></readPoint>',
    '<bizLocation> <id> </id> </bizLocation>',
    '<bizTransactionList/>',
    '<quantityList/>',
    '<sourceList></sourceList>',
    '<destinationList/>',
    '<sensorElementList/>',
    '<persistentDisposition/>',
    '<ilmd/>',
    '<extension/>',
  ]) {
    it(`reads ${JSON.stringify(empty)} as if it were absent`, async () => {
      const [bare, padded] = [await readOne(xml2(without), 'xml'), await readOne(xml2(objectXml(empty)), 'xml')];
      expect(padded.event).to.deep.equal(bare.event);
      expect(padded.hash).to.equal(bare.hash);
    });
  }

  it('reads empty fields of the head, inside the wrappers of 1.2 too', async () => {
    const before = '<recordTime/>';
    const after = '<baseExtension><eventID/><errorDeclaration/></baseExtension>';
    const event = objectXml().replace('</eventTime>', `</eventTime>${before}`);
    const wrapped = event.replace('</eventTimeZoneOffset>', `</eventTimeZoneOffset>${after}`);
    expect((await readOne(xml1(wrapped), 'xml')).event).to.deep.equal((await readOne(xml2(without), 'xml')).event);
  });

  it('needs no parent to observe children, but does to add them', async () => {
    const event = (action: string): string =>
      `<AggregationEvent>${HEAD}<parentID/>${CHILDREN}<action>${action}</action></AggregationEvent>`;
    expect((await readOne(xml1(event('OBSERVE')), 'xml')).event).not.to.have.property('parentID');
    expect((await refusal(xml1(event('ADD')), 'xml')).message).to.contain('ADD lacks parentID');
  });

  it('reads empty parts of a quantity, a typed value and an error declaration as absent', async () => {
    const { event } = await readOne(
      xml2(
        objectXml(
          '<bizTransactionList><bizTransaction type="">urn:t:1</bizTransaction></bizTransactionList>' +
            `${PIECES}<quantity/><uom/></quantityElement></quantityList>`,
        ).replace(
          '</eventTimeZoneOffset>',
          '</eventTimeZoneOffset><errorDeclaration><declarationTime>2030-05-07T00:00:00Z</declarationTime>' +
            '<reason/><correctiveEventIDs/></errorDeclaration>',
        ),
      ),
      'xml',
    );
    expect(event.bizTransactionList).to.deep.equal([{ value: 'urn:t:1' }]);
    expect(event.quantityList).to.deep.equal([{ epcClass: 'urn:c:1' }]);
    expect(event.errorDeclaration).to.deep.equal({ declarationTime: '2030-05-07T00:00:00Z' });
  });

  it('misses what must be there', async () => {
    const epcs = '<epcList><epc>urn:epc:id:sgtin:9521141.012345.7</epc></epcList>';
    const cases: readonly (readonly [string, string])[] = [
      [objectXml().replace(epcs, '<epcList/>'), 'ObjectEvent needs epcList or quantityList'],
      [objectXml().replace(epcs, '<epcList/>').replace('</action>', '</action><quantityList/>'), 'needs epcList'],
      [objectXml().replace('>OBSERVE<', '><'), 'ObjectEvent lacks action'],
      [objectXml().replace(/<eventTime>.*<\/eventTime>/, '<eventTime/>'), 'ObjectEvent lacks eventTime'],
      [objectXml('<sourceList><source type="">urn:s:1</source></sourceList>'), 'source lacks its type'],
      [
        `<TransactionEvent>${HEAD}<bizTransactionList/>${epcs}<action>ADD</action></TransactionEvent>`,
        'TransactionEvent lacks bizTransactionList',
      ],
      [
        `<AssociationEvent>${HEAD}<parentID>urn:p:1</parentID><childEPCs/><action>ADD</action></AssociationEvent>`,
        'AssociationEvent needs childEPCs or childQuantityList',
      ],
    ];
    for (const [event, reason] of cases) expect((await refusal(xml2(event), 'xml')).message).to.contain(reason);
  });
});
