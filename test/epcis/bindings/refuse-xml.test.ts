import { expect } from 'chai';
import { objectXml, refusal, xml1, xml2 } from '../../helpers/epcis-documents.ts';

const EXTENSIONS = 'xmlns:x="https://x.example.org/"';

const master = (lists: string): string =>
  xml1('').replace(
    '<EventList>',
    `<VocabularyList><Vocabulary type="urn:v:1">${lists}</Vocabulary></VocabularyList><EventList>`,
  );

describe('refusing XML', () => {
  const head = '<eventTime>2030-01-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>';
  const cases: readonly (readonly [what: string, text: string, reason: string, line: number])[] = [
    ['an unknown action', xml2(objectXml('', { action: 'CREATE' })), '‘CREATE’ is none of ADD, OBSERVE, DELETE', 3],
    [
      'elements out of order',
      xml2(`<ObjectEvent>\n<action>ADD</action>\n${head}<epcList/></ObjectEvent>`),
      'eventTime must come before action in ObjectEvent',
      5,
    ],
    [
      'an extension before a field',
      xml2(`<ObjectEvent>${head}<x:a/><epcList/><action>ADD</action></ObjectEvent>`, EXTENSIONS),
      'epcList must come before a',
      3,
    ],
    ['an unknown element', xml2(objectXml('<colour/>')), 'unknown element colour in ObjectEvent', 3],
    ['a field of another event type', xml2(objectXml('<parentID>urn:p:1</parentID>')), 'unknown element parentID', 3],
    [
      'a field twice',
      xml2(objectXml('<bizStep>urn:s:1</bizStep><bizStep>urn:s:1</bizStep>')),
      'bizStep stands twice',
      3,
    ],
    [
      'a bare word of no vocabulary',
      xml2(objectXml('<bizStep>transforming</bizStep>')),
      '‘transforming’ is neither',
      3,
    ],
    [
      'an attribute that the standard does not have there',
      xml2(objectXml('<bizStep kind="a">urn:s:1</bizStep>')),
      'bizStep has the attribute kind',
      3,
    ],
    [
      'such an attribute of a namespace',
      xml2(objectXml('', { epc: 'urn:e:1' }).replace('<epc>', '<epc x:a="1">'), EXTENSIONS),
      'epc has the attribute x:a',
      3,
    ],
    [
      'a typed value with another attribute',
      xml2(objectXml('<bizTransactionList><bizTransaction typ="po">urn:b:1</bizTransaction></bizTransactionList>')),
      'bizTransaction has the attribute typ',
      3,
    ],
    [
      'an extension before the id of a place',
      xml2(objectXml('<readPoint><x:a/><id>urn:p:1</id></readPoint>'), EXTENSIONS),
      'id must come before a in readPoint',
      3,
    ],
    [
      'a disposition that is set before others are unset',
      xml2(objectXml('<persistentDisposition><set>active</set><unset>in_transit</unset></persistentDisposition>')),
      'unset must come before set',
      3,
    ],
    [
      'an element in a sensor report that has no namespace',
      xml2(
        objectXml(
          '<sensorElementList><sensorElement><sensorReport type="gs1:Temperature"><a/></sensorReport></sensorElement></sensorElementList>',
        ),
      ),
      'sensorReport holds a, which has no namespace',
      3,
    ],
    [
      'a quantity with an exponent',
      xml2(
        objectXml(
          '<quantityList><quantityElement><epcClass>urn:c:1</epcClass><quantity>1e3</quantity></quantityElement></quantityList>',
        ),
      ),
      'quantity ‘1e3’ is no decimal number',
      3,
    ],
    [
      'two reasons of an error',
      xml2(
        objectXml().replace(
          '<epcList>',
          '<errorDeclaration><declarationTime>2030-01-01T00:00:00Z</declarationTime><reason>did_not_occur</reason><reason>did_not_occur</reason></errorDeclaration><epcList>',
        ),
      ),
      'reason stands twice in errorDeclaration',
      3,
    ],
    ['a second list of events', xml2('</EventList>\n<EventList>'), 'EventList stands twice in EPCISBody', 4],
    [
      'a second list of elements of a vocabulary',
      master('<VocabularyElementList/>\n<VocabularyElementList/>'),
      'VocabularyElementList stands twice in Vocabulary',
      3,
    ],
    [
      'a vocabulary whose type is no URI',
      master('<VocabularyElementList/>').replace('urn:v:1', 'places'),
      'type of Vocabulary ‘places’ is no URI',
      2,
    ],
    [
      "a vocabulary element that is to be deleted, as Fosstrak's clients say it",
      master('<VocabularyElementList>\n<VocabularyElement id="urn:p:1" mode="3"/></VocabularyElementList>'),
      'VocabularyElement has the mode ‘3’',
      3,
    ],
    [
      'an attribute of master data that is to be deleted',
      master(
        '<VocabularyElementList><VocabularyElement id="urn:p:1">\n<attribute id="urn:a:1" mode="3"/></VocabularyElement></VocabularyElementList>',
      ),
      'attribute has the mode ‘3’',
      3,
    ],
    [
      'a vocabulary element whose id is no URI',
      master('<VocabularyElementList><VocabularyElement id="here"/></VocabularyElementList>'),
      'id of VocabularyElement ‘here’ is no URI',
      2,
    ],
    [
      'a name of an attribute with spaces',
      master(
        '<VocabularyElementList><VocabularyElement id="urn:p:1"><attribute id="a b"/></VocabularyElement></VocabularyElementList>',
      ),
      'id of attribute ‘a b’ is no URI',
      2,
    ],
    ['an unknown event type', xml2('\n<MyEvent/>'), 'unknown event type MyEvent', 4],
    ['elements in the namespace of EPCIS', xml2('<epcis:ObjectEvent/>'), 'must be written without a namespace', 3],
    ['a time that does not exist', xml2(objectXml().replace('05-06', '02-30')), 'is no date and time', 3],
    ['an offset out of range', xml2(objectXml().replace('>+02:00<', '>+15:00<')), '‘+15:00’ is not like +02:00', 3],
    ['an empty EPC', xml2(objectXml('', { epc: ' ' })), 'epc is empty', 3],
    ['text between elements', xml2(objectXml('loose')), 'text ‘loose’ in ObjectEvent', 3],
    ['elements inside a value', xml2(objectXml('<bizStep><b/></bizStep>')), 'element b in bizStep', 3],
    [
      'a number that is none',
      xml2(
        objectXml(
          '<quantityList><quantityElement><epcClass>urn:c:1</epcClass><quantity>NaN</quantity></quantityElement></quantityList>',
        ),
      ),
      'quantity ‘NaN’ is no number',
      3,
    ],
    [
      'an unknown field of a quantity',
      xml2(
        objectXml(
          '<quantityList><quantityElement><epcClass>urn:c:1</epcClass><weight>5</weight></quantityElement></quantityList>',
        ),
      ),
      'unknown element weight',
      3,
    ],
    [
      'a source without type',
      xml2(objectXml('<sourceList><source>urn:s:1</source></sourceList>')),
      'source lacks its type',
      3,
    ],
    [
      'ilmd without namespace',
      xml2(objectXml('<ilmd><material>soil</material></ilmd>', { action: 'ADD' })),
      'ilmd holds material, which has no namespace',
      3,
    ],
    [
      'a sensor element without report',
      xml2(objectXml('<sensorElementList><sensorElement/></sensorElementList>')),
      'lacks sensorReport',
      3,
    ],
    ['an unfinished document', xml2(objectXml()).slice(0, -5), 'not well-formed XML', 4],
    ['tags that do not match', xml2(objectXml().replace('</ObjectEvent>', '</Object>')), 'not well-formed XML', 3],
    ['no EPCIS at all', '<html/>', 'html is no EPCIS document', 1],
    [
      'a document without body',
      xml2('').replace(/<EPCISBody>[^]*<\/EPCISBody>/, ''),
      'the document has no EPCISBody',
      0,
    ],
    [
      'a creation date that is none',
      xml2('').replace(/creationDate="[^"]*"/, 'creationDate="gestern"'),
      'is no date and time',
      1,
    ],
    [
      'a second body',
      xml2('').replace('</EPCISBody>', '</EPCISBody>\n<EPCISBody><EventList/></EPCISBody>'),
      'EPCISBody stands behind EPCISBody',
      5,
    ],
    [
      'a header behind the body',
      xml2('').replace('</EPCISBody>', '</EPCISBody>\n<EPCISHeader/>'),
      'EPCISHeader stands behind EPCISBody',
      5,
    ],
    // each of these would be taken for something unknown, and what it holds for nothing
    [
      'a list of events in the namespace of EPCIS',
      xml2(objectXml()).replace('<EventList>', '<epcis:EventList>').replace('</EventList>', '</epcis:EventList>'),
      'epcis:EventList must be written without a namespace',
      2,
    ],
    [
      'a body in the namespace of EPCIS',
      xml2('').replaceAll('EPCISBody>', 'epcis:EPCISBody>'),
      'epcis:EPCISBody must be written without a namespace',
      2,
    ],
    [
      'a default namespace',
      xml2('').replaceAll('epcis:EPCISDocument', 'EPCISDocument').replace('xmlns:epcis=', 'xmlns='),
      'EPCISBody must be written without a namespace, as the schema says: declare the namespace with a prefix',
      2,
    ],
    [
      'master data in the namespace of EPCIS',
      master('<epcis:VocabularyElementList/>'),
      'epcis:VocabularyElementList must be written without a namespace',
      2,
    ],
    [
      'a vocabulary element in the namespace of EPCIS',
      master('<VocabularyElementList><epcis:VocabularyElement id="urn:p:1"/></VocabularyElementList>'),
      'epcis:VocabularyElement must be written without a namespace',
      2,
    ],
    [
      'an attribute of master data in the namespace of EPCIS',
      master(
        '<VocabularyElementList><VocabularyElement id="urn:p:1"><epcis:attribute id="urn:a">v</epcis:attribute></VocabularyElement></VocabularyElementList>',
      ),
      'epcis:attribute must be written without a namespace',
      2,
    ],
    ['a document without version', xml2('').replace('schemaVersion="2.0"', ''), 'lacks schemaVersion', 1],
    [
      'an unknown element of the body',
      xml2('').replace('<EventList>', '<Events/><EventList>'),
      'element Events is unknown in EPCISBody',
      2,
    ],
    [
      'a vocabulary without type',
      xml1('').replace('<EventList>', '<VocabularyList><Vocabulary/></VocabularyList><EventList>'),
      'Vocabulary lacks its type',
      2,
    ],
  ];
  for (const [what, text, reason, line] of cases) {
    it(`refuses ${what}, saying where`, async () => {
      const { name, message, at } = await refusal(text, 'xml');
      expect(message).to.contain(reason);
      expect(name).to.equal('ValidationException');
      expect(at).to.equal(line === 0 ? undefined : `line ${line}`);
    });
  }
});
