import { expect } from 'chai';
import { objectXml, readAll, refusal, xml1 } from '../../helpers/epcis-documents.ts';

const partner = (name: string): string =>
  `<s:${name}><s:Identifier Authority="EPCglobal">urn:p:1</s:Identifier></s:${name}>`;
const IDENTIFICATION =
  '<s:DocumentIdentification><s:Standard>EPCglobal</s:Standard><s:TypeVersion>1.0</s:TypeVersion>' +
  '<s:InstanceIdentifier>1</s:InstanceIdentifier><s:Type>Events</s:Type>' +
  '<s:CreationDateAndTime>2030-01-01T00:00:00Z</s:CreationDateAndTime></s:DocumentIdentification>';
const HEADER = `<s:HeaderVersion>1.0</s:HeaderVersion>${partner('Sender')}${partner('Receiver')}${IDENTIFICATION}`;
const document = (header: string): string =>
  xml1(objectXml(), 'xmlns:s="http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader"').replace(
    '<EPCISBody>',
    `<EPCISHeader><s:StandardBusinessDocumentHeader>${header}</s:StandardBusinessDocumentHeader></EPCISHeader><EPCISBody>`,
  );

describe('the Standard Business Document Header', () => {
  it('is passed over when it is whole', async () => {
    expect(await readAll(document(HEADER), 'xml')).to.have.length(1);
  });

  it('may name several senders, and how to reach them', async () => {
    const contact = '<s:ContactInformation><s:Contact>A</s:Contact></s:ContactInformation></s:Sender>';
    const several = HEADER.replace('</s:Sender>', contact).replace('<s:Sender>', `${partner('Sender')}<s:Sender>`);
    expect(await readAll(document(several), 'xml')).to.have.length(1);
  });

  for (const [what, header, reason] of [
    ['nothing', '', 'StandardBusinessDocumentHeader lacks HeaderVersion'],
    ['no sender', HEADER.replace(partner('Sender'), ''), 'lacks Sender'],
    ['no receiver', HEADER.replace(partner('Receiver'), ''), 'lacks Receiver'],
    [
      'a sender without identifier',
      HEADER.replace(partner('Sender'), '<s:Sender><s:x/></s:Sender>'),
      'Sender lacks Identifier',
    ],
    ['no identification', HEADER.replace(IDENTIFICATION, ''), 'lacks DocumentIdentification'],
    ['no type', HEADER.replace('<s:Type>Events</s:Type>', '<s:Type/>'), 'DocumentIdentification lacks Type'],
    [
      'a time that is none',
      HEADER.replace('2030-01-01T', 'Tuesday '),
      'CreationDateAndTime ‘Tuesday 00:00:00Z’ is no date and time',
    ],
    [
      'a receiver before its sender',
      `<s:HeaderVersion>1.0</s:HeaderVersion>${partner('Receiver')}${partner('Sender')}${IDENTIFICATION}`,
      'Sender must come before Receiver in StandardBusinessDocumentHeader',
    ],
    ['two identifications', HEADER + IDENTIFICATION, 'DocumentIdentification stands twice'],
    ['no time', HEADER.replace(/<s:Creation.*Time>/, ''), 'DocumentIdentification lacks CreationDateAndTime'],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      expect((await refusal(document(header), 'xml')).message).to.contain(reason);
    });
  }
});
