import { expect } from 'chai';
import { readEvent } from '../../../epcis/bindings/documents.ts';
import { preHash } from '../../../epcis/domain/hash.ts';
import {
  bytes,
  objectXml,
  readAll,
  readEvents,
  readOne,
  refusal,
  sha256,
  xml1,
  xml2,
} from '../../helpers/epcis-documents.ts';

const EXTENSIONS = 'xmlns:x="https://x.example.org/" xmlns:y="https://y.example.org/" xmlns:unused="urn:unused"';
const PLACE = '<readPoint><id>urn:epc:id:sgln:9521141.01234.0</id></readPoint>';

describe('reading XML', () => {
  it('reads the fields of an event, vocabulary as URIs, identifiers and times as written', async () => {
    const { event } = await readOne(
      xml2(
        objectXml(
          `<bizStep>urn:epcglobal:cbv:bizstep:shipping</bizStep><disposition>cbv:Disp-in_transit</disposition>${PLACE}`,
        ),
      ),
      'xml',
    );
    expect(event).to.deep.equal({
      type: 'ObjectEvent',
      eventTime: '2030-05-06T07:08:09.123+02:00',
      eventTimeZoneOffset: '+02:00',
      epcList: ['urn:epc:id:sgtin:9521141.012345.7'],
      action: 'OBSERVE',
      bizStep: 'https://ref.gs1.org/cbv/BizStep-shipping',
      disposition: 'https://ref.gs1.org/cbv/Disp-in_transit',
      readPoint: { id: 'urn:epc:id:sgln:9521141.01234.0' },
    });
  });

  it('takes other spaces of Unicode for a part of the value', async () => {
    const at = (text: string) => xml2(objectXml('').replace('<action>OBSERVE', `<action>${text}OBSERVE`));
    expect((await readOne(at(' \t\r\n'), 'xml')).event.action).to.equal('OBSERVE');
    for (const space of ['\u00a0', '\u2028', '\u3000', '\ufeff'])
      expect((await refusal(at(space), 'xml')).message).to.include('none of ADD, OBSERVE, DELETE');
    const field = objectXml('<x:note>\u00a0</x:note><x:other>\u3000b</x:other>');
    const { event } = await readOne(xml2(field, EXTENSIONS), 'xml');
    expect(event.extensions?.map(({ value }) => value)).to.deep.equal(['\u00a0', '\u3000b']);
  });

  it('collapses white space around values, also across lines', async () => {
    const { event } = await readOne(xml1(objectXml('<bizStep>\n   urn:my:step\n </bizStep>')), 'xml');
    expect(event.bizStep).to.equal('urn:my:step');
  });

  it('takes away the wrappers of 1.2', async () => {
    const text = xml1(
      '<ObjectEvent><eventTime>2030-01-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>' +
        '<baseExtension><eventID>urn:uuid:1</eventID><errorDeclaration><declarationTime>2030-01-02T00:00:00Z</declarationTime>' +
        '<reason>urn:epcglobal:cbv:er:did_not_occur</reason><x:who>me</x:who></errorDeclaration></baseExtension>' +
        '<epcList/><action>ADD</action><extension><quantityList><quantityElement><epcClass>urn:c:1</epcClass>' +
        '<quantity>1.50</quantity><uom>KGM</uom></quantityElement></quantityList><ilmd><x:lot>7</x:lot></ilmd></extension>' +
        '<y:more/></ObjectEvent><extension><TransformationEvent><eventTime>2030-01-01T00:00:00Z</eventTime>' +
        '<eventTimeZoneOffset>+00:00</eventTimeZoneOffset><inputEPCList><epc>urn:e:1</epc></inputEPCList>' +
        '<outputEPCList><epc>urn:e:2</epc></outputEPCList></TransformationEvent></extension>',
      EXTENSIONS,
    );
    const [object, transformation] = await readEvents(text, 'xml');
    expect(object?.event).to.deep.include({
      eventID: 'urn:uuid:1',
      quantityList: [{ epcClass: 'urn:c:1', quantity: 1.5, uom: 'KGM' }],
      ilmd: [{ namespace: 'https://x.example.org/', name: 'lot', prefix: 'x', value: '7' }],
      extensions: [{ namespace: 'https://y.example.org/', name: 'more', prefix: 'y', value: '' }],
    });
    expect(object?.event.errorDeclaration).to.deep.equal({
      declarationTime: '2030-01-02T00:00:00Z',
      reason: 'https://ref.gs1.org/cbv/ER-did_not_occur',
      extensions: [{ namespace: 'https://x.example.org/', name: 'who', prefix: 'x', value: 'me' }],
    });
    expect(transformation?.event.type).to.equal('TransformationEvent');
  });

  it('reads an error declaration in any order, as the schema of 2.0 has it', async () => {
    const time = '<declarationTime>2030-01-01T00:00:00Z</declarationTime>';
    const parts = ['<x:who>me</x:who>', '<correctiveEventIDs/>', '<reason>did_not_occur</reason>', time];
    const declared = (inner: string) => `<errorDeclaration>${inner}</errorDeclaration><epcList>`;
    const [one, other] = [parts.join(''), parts.toReversed().join('')].map((inner) =>
      readOne(xml2(objectXml().replace('<epcList>', declared(inner)), EXTENSIONS), 'xml'),
    );
    expect((await one)?.event.errorDeclaration?.reason).to.equal('https://ref.gs1.org/cbv/ER-did_not_occur');
    expect((await one)?.event).to.deep.equal((await other)?.event);
  });

  it('refuses a time without offset, in 1.x as in 2.0', async () => {
    for (const document of [xml1, xml2]) {
      const fault = await refusal(document(objectXml().replace('.123+02:00<', '<')), 'xml');
      expect(fault.message).to.contain('no date and time with offset');
    }
  });

  it('reads 24:00:00, which JSON does not know, as the next day, with the hash of that', async () => {
    const at = (time: string): string => xml2(objectXml().replace(/<eventTime>[^<]*/, `<eventTime>${time}`));
    const midnight = await readOne(at('2023-12-31T24:00:00+02:00'), 'xml');
    const nextDay = await readOne(at('2024-01-01T00:00:00+02:00'), 'xml');
    expect(midnight.event).to.deep.equal(nextDay.event);
    expect(preHash(midnight.event)).to.equal(preHash(nextDay.event));
    expect(midnight.source.text).to.contain('T24:00:00+02:00');
  });

  it('reads extensions: children, attributes, mixed text, types, and elements without namespace inside them', async () => {
    const inner =
      '<x:a k="1" y:k="2">t</x:a><x:b>before<y:c/>after</x:b><x:d><plain>7</plain></x:d>' +
      '<x:n xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xsd:integer">7</x:n><x:s> kept </x:s>';
    const { event } = await readOne(xml2(objectXml(inner), EXTENSIONS), 'xml');
    const x = { namespace: 'https://x.example.org/', prefix: 'x' };
    const y = { namespace: 'https://y.example.org/', prefix: 'y' };
    expect(event.extensions).to.deep.equal([
      {
        ...x,
        name: 'a',
        value: 't',
        attributes: [
          { namespace: '', name: 'k', value: '1' },
          { ...y, name: 'k', value: '2' },
        ],
      },
      {
        ...x,
        name: 'b',
        value: [
          { namespace: '', name: '#text', value: 'beforeafter' },
          { ...y, name: 'c', value: '' },
        ],
      },
      { ...x, name: 'd', value: [{ namespace: '', name: 'plain', value: '7' }] },
      { ...x, name: 'n', value: '7', json: 'number' },
      { ...x, name: 's', value: ' kept ' },
    ]);
  });

  it('reads sensor elements', async () => {
    const sensors =
      '<sensorElementList><sensorElement><sensorMetadata time="2030-01-01T00:00:00Z" deviceID="urn:d:1" x:m="1"/>' +
      '<sensorReport type="gs1:Temperature" value="2.60e1" booleanValue="1" component="x" hexBinaryValue="0f" uom="CEL"/>' +
      '<x:end/></sensorElement></sensorElementList>';
    const { event } = await readOne(xml2(objectXml(sensors), EXTENSIONS), 'xml');
    expect(event.sensorElementList).to.deep.equal([
      {
        sensorMetadata: {
          time: '2030-01-01T00:00:00Z',
          deviceID: 'urn:d:1',
          extensions: [{ namespace: 'https://x.example.org/', name: 'm', prefix: 'x', value: '1' }],
        },
        sensorReport: [
          {
            type: 'https://gs1.org/voc/Temperature',
            value: 26,
            booleanValue: true,
            component: 'https://ref.gs1.org/cbv/Comp-x',
            hexBinaryValue: '0f',
            uom: 'CEL',
          },
        ],
        extensions: [{ namespace: 'https://x.example.org/', name: 'end', prefix: 'x', value: '' }],
      },
    ]);
  });

  it('reads the other event types', async () => {
    const head = '<eventTime>2030-01-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>';
    const events = await readEvents(
      xml2(
        `<AggregationEvent>${head}<parentID>urn:p:1</parentID><childEPCs><epc>urn:e:1</epc></childEPCs><action>ADD</action></AggregationEvent>` +
          `<QuantityEvent>${head}<epcClass>urn:c:1</epcClass><quantity>7</quantity></QuantityEvent>` +
          `<TransactionEvent>${head}<bizTransactionList><bizTransaction type="urn:epcglobal:cbv:btt:po">urn:t:1</bizTransaction>` +
          '</bizTransactionList><epcList><epc>urn:e:1</epc></epcList><action>ADD</action></TransactionEvent>' +
          `<AssociationEvent>${head}<parentID>urn:p:1</parentID><childQuantityList><quantityElement><epcClass>urn:c:1</epcClass>` +
          '</quantityElement></childQuantityList><action>ADD</action><persistentDisposition><set>urn:epcglobal:cbv:disp:damaged</set>' +
          '</persistentDisposition></AssociationEvent>' +
          `<extension><x:MyEvent>${head}<x:own>1</x:own></x:MyEvent></extension>`,
        EXTENSIONS,
      ),
      'xml',
    );
    expect(events.map(({ event }) => event.type)).to.deep.equal([
      'AggregationEvent',
      'QuantityEvent',
      'TransactionEvent',
      'AssociationEvent',
      'https://x.example.org/MyEvent',
    ]);
    expect(events[1]?.event.quantity).to.equal(7);
    expect(events[2]?.event.bizTransactionList).to.deep.equal([
      { type: 'https://ref.gs1.org/cbv/BTT-po', value: 'urn:t:1' },
    ]);
    expect(events[3]?.event.persistentDisposition).to.deep.equal({
      set: ['https://ref.gs1.org/cbv/Disp-damaged'],
      unset: [],
    });
  });

  it('keeps the source as it stood, with just the namespaces it uses', async () => {
    const event = objectXml('<!-- a < b --><x:v  k = \'1\'><![CDATA[<&>]]></x:v>\r\n <x:w t="y:z"/>').replace(
      '<ObjectEvent>',
      '<ObjectEvent\n>',
    );
    const { source } = await readOne(xml2(event, EXTENSIONS), 'xml');
    expect(source.text).to.equal(
      event.replace('<ObjectEvent', '<ObjectEvent xmlns:x="https://x.example.org/" xmlns:y="https://y.example.org/"'),
    );
    expect(source.format).to.equal('xml');
  });

  it('does not declare again what the event declares itself', async () => {
    const event = objectXml('<x:v/>').replace('<ObjectEvent', '<ObjectEvent xmlns:x="https://other.example.org/"');
    const { source, event: read } = await readOne(xml2(event, EXTENSIONS), 'xml');
    expect(source.text).to.equal(event);
    expect(read.extensions?.[0]?.namespace).to.equal('https://other.example.org/');
  });

  it('reads the same from pieces of any size', async () => {
    const text = xml2(`${objectXml('<x:v>ä😀&amp;</x:v>\r\n')}\n<!-- ü -->${objectXml('<x:w/>')}`, EXTENSIONS);
    const whole = await readAll(text, 'xml');
    for (let chunk = 1; chunk <= 40; chunk++) expect(await readAll(text, 'xml', { chunk })).to.deep.equal(whole);
  });

  it('reads master data, with its hierarchy, from its own documents and from headers', async () => {
    const list =
      '<VocabularyList><Vocabulary type="urn:epcglobal:epcis:vtype:BusinessLocation"><VocabularyElementList>' +
      '<VocabularyElement id="urn:loc:1"><attribute id="urn:a:name"> Store </attribute><attribute id="urn:a:address"><x:city>Cork</x:city>' +
      '</attribute><children><id>urn:loc:1.1</id><id>urn:loc:1.2</id></children></VocabularyElement>' +
      '<VocabularyElement id="urn:loc:1.1"/></VocabularyElementList></Vocabulary></VocabularyList>';
    const master =
      '<m:EPCISMasterDataDocument xmlns:m="urn:epcglobal:epcis-masterdata:xsd:1" xmlns:x="https://x.example.org/" schemaVersion="1" ' +
      `creationDate="2030-01-01T00:00:00Z"><EPCISBody>${list}</EPCISBody></m:EPCISMasterDataDocument>`;
    const header = xml1(objectXml(), EXTENSIONS).replace(
      '<EPCISBody>',
      `<EPCISHeader><extension><EPCISMasterData>${list}</EPCISMasterData></extension></EPCISHeader><EPCISBody>`,
    );
    const [first, second] = await readAll(master, 'xml');
    expect(first).to.deep.equal({
      kind: 'vocabulary',
      at: 'line 1',
      element: {
        vocabulary: 'urn:epcglobal:epcis:vtype:BusinessLocation',
        id: 'urn:loc:1',
        attributes: [
          { id: 'urn:a:name', value: 'Store' },
          {
            id: 'urn:a:address',
            value: [{ namespace: 'https://x.example.org/', name: 'city', prefix: 'x', value: 'Cork' }],
          },
        ],
        children: ['urn:loc:1.1', 'urn:loc:1.2'],
      },
    });
    expect(second).to.deep.nested.include({ 'element.id': 'urn:loc:1.1', 'element.children': [] });
    expect((await readAll(header, 'xml')).map(({ kind }) => kind)).to.deep.equal(['vocabulary', 'vocabulary', 'event']);
  });

  it('reads query documents and bare results, without the fields that a repository declares as added', async () => {
    const results = `<queryName>Q</queryName><resultsBody><EventList>${objectXml('<x:added/>')}</EventList></resultsBody>`;
    const document = (inner: string): string =>
      '<q:EPCISQueryDocument xmlns:q="urn:epcglobal:epcis-query:xsd:2" xmlns:x="https://x.example.org/" xmlns:r="urn:r" ' +
      `schemaVersion="2.0" creationDate="2030-01-01T00:00:00Z">${inner}</q:EPCISQueryDocument>`;
    const plain = await readOne(document(`<EPCISBody><q:QueryResults>${results}</q:QueryResults></EPCISBody>`), 'xml');
    const bare = await readOne(
      `<q:QueryResults xmlns:q="urn:epcglobal:epcis-query:xsd:1" xmlns:x="https://x.example.org/">${results}</q:QueryResults>`,
      'xml',
    );
    expect(bare.event).to.deep.equal(plain.event);
    const ignoring = await readOne(document(`<r:ignoreFields><x:added/></r:ignoreFields>${results}`), 'xml');
    expect(ignoring.hash).to.equal((await readOne(xml2(objectXml()), 'xml')).hash);
    expect(plain.hash).not.to.equal(ignoring.hash);
  });

  it('reads one event alone', async () => {
    const items = [];
    for await (const item of readEvent(bytes(objectXml()), { format: 'xml', sha256 })) items.push(item);
    expect(items).to.have.length(1);
    expect(items[0]).to.deep.include({ kind: 'event', at: 'line 1' });
  });
});
