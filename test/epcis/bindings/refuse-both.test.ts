// What is refused in XML is refused in JSON: one table, both forms.
import { expect } from 'chai';
import { json2, objectJson, objectXml, refusal, xml1, xml2 } from '../../helpers/epcis-documents.ts';

const pieces = (inner: string): string =>
  `<quantityList><quantityElement><epcClass>urn:c:1</epcClass>${inner}</quantityElement></quantityList>`;
const sensor = (attributes: string): string =>
  `<sensorElementList><sensorElement><sensorReport type="gs1:Temperature" ${attributes}/></sensorElement></sensorElementList>`;
const report = (members: object): Record<string, unknown> => ({
  sensorElementList: [{ sensorReport: [{ type: 'gs1:Temperature', ...members }] }],
});

const CASES: readonly (readonly [what: string, xml: string, json: string, reason: string])[] = [
  [
    'an EPC with spaces',
    objectXml('', { epc: 'not a uri %%' }),
    objectJson({ epcList: ['not a uri %%'] }),
    '‘not a uri %%’ is no URI',
  ],
  ['an EPC that is a number', objectXml('', { epc: '12345' }), objectJson({ epcList: ['12345'] }), '‘12345’ is no URI'],
  [
    'a URI with a stray %',
    objectXml('<readPoint><id>urn:p:100%</id></readPoint>'),
    objectJson({ readPoint: { id: 'urn:p:100%' } }),
    '‘urn:p:100%’ is no URI',
  ],
  [
    'a URI with braces',
    objectXml('<readPoint><id>https://e.example.org/{gate}</id></readPoint>'),
    objectJson({ readPoint: { id: 'https://e.example.org/{gate}' } }),
    '‘https://e.example.org/{gate}’ is no URI',
  ],
  [
    'a URI with an open bracket',
    objectXml('<readPoint><id>http://[::1</id></readPoint>'),
    objectJson({ readPoint: { id: 'http://[::1' } }),
    '‘http://[::1’ is no URI',
  ],
  [
    'a URI with a control character',
    objectXml('<readPoint><id>urn:p:\u0085</id></readPoint>'),
    objectJson({ readPoint: { id: 'urn:p:\u0085' } }),
    '‘urn:p:\u0085’ is no URI',
  ],
  [
    'a business transaction that is no URI',
    objectXml('<bizTransactionList><bizTransaction>4711</bizTransaction></bizTransactionList>'),
    objectJson({ bizTransactionList: [{ bizTransaction: '4711' }] }),
    '‘4711’ is no URI',
  ],
  [
    'a class that is no URI',
    objectXml(pieces('').replace('urn:c:1', 'apples')),
    objectJson({ quantityList: [{ epcClass: 'apples' }] }),
    '‘apples’ is no URI',
  ],
  [
    'a business step with a space',
    objectXml('<bizStep>urn:my step</bizStep>'),
    objectJson({ bizStep: 'urn:my step' }),
    'neither a word of the core business vocabulary nor a URI',
  ],
  [
    'a device that is no URI',
    objectXml(sensor('deviceID="seven"')),
    objectJson(report({ deviceID: 'seven' })),
    '‘seven’ is no URI',
  ],
  [
    'a field of a sensor report that is misspelt',
    objectXml(sensor('Value="1"')),
    objectJson(report({ Value: 1 })),
    'has no namespace of its own',
  ],
  [
    'half a piece',
    objectXml(pieces('<quantity>1.5</quantity>')),
    objectJson({ quantityList: [{ epcClass: 'urn:c:1', quantity: 1.5 }] }),
    'without a unit; that must be a whole number',
  ],
  [
    'a unit of nothing',
    objectXml(pieces('<uom>KGM</uom>')),
    objectJson({ quantityList: [{ epcClass: 'urn:c:1', uom: 'KGM' }] }),
    'has the unit KGM but no quantity',
  ],
  [
    'a unit that is none',
    objectXml(pieces('<quantity>1.5</quantity><uom>kilo</uom>')),
    objectJson({ quantityList: [{ epcClass: 'urn:c:1', quantity: 1.5, uom: 'kilo' }] }),
    '‘kilo’ is no unit of measure',
  ],
  [
    'an extension in the namespace of EPCIS',
    objectXml('<epcis:colour>red</epcis:colour>'),
    objectJson({ 'epcis:colour': 'red' }),
    'colour',
  ],
];

describe('what no form may say', () => {
  for (const [what, xml, json, reason] of CASES) {
    it(`refuses ${what}`, async () => {
      for (const document of [xml1, xml2]) expect((await refusal(document(xml), 'xml')).message).to.contain(reason);
      expect((await refusal(json2(json), 'json')).message).to.contain(reason);
    });
  }
});
