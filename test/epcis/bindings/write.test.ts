import { expect } from 'chai';
import { writeEvent } from '../../../epcis/bindings/write.ts';
import type { WriteStyle } from '../../../epcis/bindings/http/doors.ts';
import { json2, objectJson, objectXml, readOne, RECORD_TIME, xml1, xml2 } from '../../helpers/epcis-documents.ts';
import type { CapturedEvent } from '../../../epcis/domain/event.ts';

const XML_1: WriteStyle = { form: 'xml', version: '1.2' };
const XML_2: WriteStyle = { form: 'xml', version: '2.0' };
const JSON_2: WriteStyle = { form: 'json', version: '2.0' };
const X = 'xmlns:x="https://x.example.org/"';
const CONTEXT = '{"x":"https://x.example.org/"}';

const write = (captured: CapturedEvent, style: WriteStyle): string =>
  writeEvent({ ...captured, recordTime: RECORD_TIME }, style);
const STAMP = `<recordTime>${RECORD_TIME}</recordTime>`;

describe('writing in the form of capture', () => {
  it('gives back XML 1.x as it stood, with recordTime behind eventTime', async () => {
    const event = objectXml('\n <!-- note --> <x:v  k = "1"><![CDATA[<]]></x:v>');
    const captured = await readOne(xml1(event, X), 'xml');
    const expected = event.replace('</eventTime>', `</eventTime>${STAMP}`).replace('<ObjectEvent', `<ObjectEvent ${X}`);
    expect(write(captured, XML_1)).to.equal(expected);
  });

  it('gives back XML 2.0 as it stood, with an eventID where none was captured', async () => {
    const captured = await readOne(xml2(objectXml()), 'xml');
    expect(write(captured, XML_2)).to.equal(
      objectXml()
        .replace('</eventTime>', `</eventTime>${STAMP}`)
        .replace('</eventTimeZoneOffset>', `</eventTimeZoneOffset><eventID>${captured.hash}</eventID>`),
    );
    const own = objectXml().replace('<epcList>', '<eventID>urn:uuid:1</eventID><epcList>');
    expect(write(await readOne(xml2(own), 'xml'), XML_2)).to.equal(own.replace('</eventTime>', `</eventTime>${STAMP}`));
  });

  it('replaces a recordTime that was captured, on whichever side of the offset it stood', async () => {
    for (const place of ['</eventTime>', '</eventTimeZoneOffset>']) {
      const event = objectXml('<x:recordTime>kept</x:recordTime>').replace(
        place,
        `${place}<!-- </eventTime><recordTime>no</recordTime> --><recordTime>2001-01-01T00:00:00Z</recordTime>`,
      );
      const text = write(await readOne(xml1(event, X), 'xml'), XML_1);
      expect(text).not.to.contain('2001');
      expect(text)
        .to.contain('<x:recordTime>kept</x:recordTime>')
        .and.to.contain('<!-- </eventTime><recordTime>no</recordTime> -->');
      expect(text.split(STAMP)).to.have.length(2);
      expect((await readOne(xml1(text), 'xml')).event.recordTime).to.equal(RECORD_TIME);
    }
  });

  it('gives back JSON as it stood, without the context that the document has', async () => {
    const event =
      '{"type" : "ObjectEvent", "eventTime":"2030-05-06T07:08:09.10Z","eventTimeZoneOffset":"+02:00",\n "epcList":[ "urn:e:1" ],"action":"ADD","x:n":1.50}';
    const captured = await readOne(json2(event), 'json');
    const stamp = `"eventID":"${captured.hash}","recordTime":"${RECORD_TIME}",`;
    expect(write(captured, JSON_2)).to.equal(event.replace('{', `{${stamp}`));
    const withContext = await readOne(json2(event, CONTEXT), 'json');
    const text = write(withContext, JSON_2);
    expect(text).to.contain(`"@context":[${CONTEXT}]`).and.to.contain('"x:n":1.50');
    expect((await readOne(json2(text), 'json')).event).to.deep.equal({
      ...withContext.event,
      eventID: withContext.hash,
      recordTime: RECORD_TIME,
    });
  });

  it('declares once what document and event both declared, in force as before', async () => {
    const event = objectJson({ '@context': [{ x: 'urn:own:' }, { y: 'urn:y:' }], 'x:v': 1, 'y:v': 1 });
    const captured = await readOne(json2(event, '{"x":"urn:doc:"},{ "y" : "urn:y:" }'), 'json');
    const text = write(captured, JSON_2);
    expect(JSON.parse(text)).to.have.deep.property('@context', [{ x: 'urn:doc:' }, { x: 'urn:own:' }, { y: 'urn:y:' }]);
    expect((await readOne(json2(text), 'json')).event.extensions).to.deep.equal(captured.event.extensions);
  });

  it('replaces a recordTime and keeps an eventID that JSON came with', async () => {
    const event = objectJson({
      recordTime: '2001-01-01T00:00:00Z',
      eventID: 'urn:uuid:1',
      'x:v': { recordTime: 'kept' },
    });
    const text = write(await readOne(json2(event, CONTEXT), 'json'), JSON_2);
    expect(JSON.parse(text)).to.deep.equal({
      ...(JSON.parse(event) as object),
      recordTime: RECORD_TIME,
      '@context': [JSON.parse(CONTEXT)],
    });
  });
});

describe('writing in another form', () => {
  const rich = {
    action: 'ADD',
    bizStep: 'shipping',
    readPoint: { id: 'urn:p:1', 'x:gate': '7' },
    quantityList: [{ epcClass: 'urn:c:1', quantity: 1e-7, uom: 'KGM' }],
    sourceList: [{ type: 'owning_party', source: 'urn:s:1' }],
    destinationList: [],
    sensorElementList: [
      {
        sensorMetadata: { time: '2030-01-01T00:00:00Z' },
        sensorReport: [{ type: 'Temperature', value: 26, 'x:a': '1', 'x:b': { 'x:c': '2' } }],
      },
    ],
    persistentDisposition: { set: ['damaged'] },
    certificationInfo: ['https://c.example.org/1', 'https://c.example.org/2'],
    errorDeclaration: { declarationTime: '2031-01-01T00:00:00Z', reason: 'incorrect_data', 'x:who': 'me' },
    ilmd: { 'x:lot': ['1', '2'] },
    'x:n': 1.5,
    'x:t': true,
    'x:z': null,
    'x:esc': '<&>"\'\r\n',
  };
  const head =
    '<eventTime>2030-05-06T07:08:09.123+02:00</eventTime>' +
    STAMP +
    '<eventTimeZoneOffset>+02:00</eventTimeZoneOffset>';
  const error =
    '<errorDeclaration><declarationTime>2031-01-01T00:00:00Z</declarationTime><reason>urn:epcglobal:cbv:er:incorrect_data</reason>' +
    '<x:who>me</x:who></errorDeclaration>';
  const certificates =
    '<certificationInfo>https://c.example.org/1</certificationInfo><certificationInfo>https://c.example.org/2</certificationInfo>';
  const what =
    '<epcList><epc>urn:epc:id:sgtin:9521141.012345.7</epc></epcList><action>ADD</action><bizStep>urn:epcglobal:cbv:bizstep:shipping</bizStep>' +
    '<readPoint><id>urn:p:1</id><x:gate>7</x:gate></readPoint>';
  const lists =
    '<quantityList><quantityElement><epcClass>urn:c:1</epcClass><quantity>0.0000001</quantity><uom>KGM</uom></quantityElement></quantityList>' +
    '<sourceList><source type="urn:epcglobal:cbv:sdt:owning_party">urn:s:1</source></sourceList>';
  const sensors =
    '<sensorElementList><sensorElement><sensorMetadata time="2030-01-01T00:00:00Z"/><sensorReport type="https://gs1.org/voc/Temperature" value="26" x:a="1">' +
    '<x:b><x:c>2</x:c></x:b></sensorReport></sensorElement></sensorElementList>' +
    '<persistentDisposition><set>urn:epcglobal:cbv:disp:damaged</set></persistentDisposition>';
  const ilmd = '<ilmd><x:lot>1</x:lot><x:lot>2</x:lot></ilmd>';
  const end =
    '<x:n xsi:type="xsd:double">1.5</x:n><x:t xsi:type="xsd:boolean">true</x:t><x:z xsi:nil="true"/><x:esc>&lt;&amp;&gt;"\'&#13;\n</x:esc></ObjectEvent>';
  const start =
    '<ObjectEvent xmlns:x="https://x.example.org/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">';

  it('writes JSON as XML 2.0, in the order of its schema', async () => {
    const captured = await readOne(json2(objectJson(rich), CONTEXT), 'json');
    expect(write(captured, XML_2)).to.equal(
      `${start}${head}<eventID>${captured.hash}</eventID>${error}${certificates}${what}${lists}${sensors}${ilmd}${end}`,
    );
  });

  it('writes JSON as XML 1.2, nested as that wants it and without an eventID of its own', async () => {
    const captured = await readOne(json2(objectJson(rich), CONTEXT), 'json');
    expect(write(captured, XML_1)).to.equal(
      `${start}${head}<baseExtension>${error}</baseExtension>${what}<extension>${lists}${ilmd}` +
        `<extension>${certificates}${sensors}</extension></extension>${end}`,
    );
  });

  it('writes XML as JSON: bare words, arrays of what repeats, attributes and text as members', async () => {
    const text =
      '<bizStep>urn:epcglobal:cbv:bizstep:packing</bizStep><disposition>urn:mine:1</disposition>' +
      '<x:a k="1" y:l="2">t</x:a><x:b>1</x:b><x:c/><x:b><plain/></x:b>';
    const captured = await readOne(xml2(objectXml(text), `${X} xmlns:y="urn:y:"`), 'xml');
    expect(JSON.parse(write(captured, JSON_2))).to.deep.equal({
      '@context': [{ x: 'https://x.example.org/' }, { y: 'urn:y:' }],
      ...(JSON.parse(objectJson()) as object),
      recordTime: RECORD_TIME,
      eventID: captured.hash,
      bizStep: 'packing',
      disposition: 'urn:mine:1',
      'x:a': { '#text': 't', k: '1', 'y:l': '2' },
      'x:b': ['1', { plain: '' }],
      'x:c': '',
    });
  });

  it('gives a prefix that two namespaces have to the first, and one of its own to the second', async () => {
    const captured = await readOne(
      xml2(objectXml('<p:a xmlns:p="urn:1:"/><p:b xmlns:p="urn:2:"/><d xmlns="urn:3:"/><gs1:e xmlns:gs1="urn:4:"/>')),
      'xml',
    );
    const { event } = await readOne(json2(write(captured, JSON_2)), 'json');
    expect(event.extensions?.map(({ namespace, name }) => namespace + name)).to.deep.equal([
      'urn:1:a',
      'urn:2:b',
      'urn:3:d',
      'urn:4:e',
    ]);
    const xml = write({ ...captured, source: { format: 'json', text: '{}' } }, XML_2);
    expect((await readOne(xml2(xml), 'xml')).event.extensions?.map(({ prefix }) => prefix)).to.deep.equal([
      'p',
      'ns1',
      'ns2',
      'gs1',
    ]);
  });

  it("gives no prefix that is a term of the standard's own context: JSON-LD lets nobody say what such a term means", async () => {
    const terms = ['id', 'type', 'action', 'ilmd', 'uom', 'sender', 'ObjectEvent', 'mine'];
    const fields = terms.map((term) => `<${term}:v xmlns:${term}="urn:of:${term}:">1</${term}:v>`);
    const captured = await readOne(xml2(objectXml(fields.join(''))), 'xml');
    const text = write(captured, JSON_2);
    const { '@context': context } = JSON.parse(text) as { '@context': Record<string, string>[] };
    const declared = Object.entries(Object.assign({}, ...context) as Record<string, string>);
    expect(declared.map(([, uri]) => uri)).to.deep.equal(terms.map((term) => `urn:of:${term}:`));
    for (const [prefix] of declared) expect(prefix).to.match(/^(?:ns\d|mine)$/);
    expect((await readOne(json2(text), 'json')).hash).to.equal(captured.hash);
  });

  it('writes names of JSON that XML cannot have, and characters neither', async () => {
    const captured = await readOne(json2(objectJson({ 'x:1 b': { 'ä:c': '\u0001' } }), CONTEXT), 'json');
    const { event } = await readOne(xml2(write(captured, XML_2)), 'xml');
    expect(event.extensions).to.deep.equal([
      {
        namespace: 'https://x.example.org/',
        prefix: 'x',
        name: '1_x0020_b',
        value: [{ namespace: 'ä:', prefix: 'ns1', name: 'c', value: '\uFFFD' }],
      },
    ]);
  });

  it('gives back names of JSON that XML writes with escapes, the words of JSON-LD among them, with the hash that they had', async () => {
    const value = { '@type': 'xsd:decimal', '@value': '7.5' };
    const extensions = {
      ...{ 'x:weight': value, 'x:1st': 'a', 'x:-b': { '@id': 'urn:x:1', '@list': [1, 2] } },
      ...{ 'x:_x0031_': 'not 1', 'x:_x0031_x0032_': 'nor 12', 'x:_x005F_': 'nor _' },
    };
    const captured = await readOne(json2(objectJson(extensions), CONTEXT), 'json');
    for (const [style, document] of [[XML_2, xml2] as const, [XML_1, xml1] as const]) {
      const back = await readOne(document(write(captured, style)), 'xml');
      expect(back.hash).to.equal(captured.hash);
      expect(JSON.parse(write(back, JSON_2))).to.deep.include(extensions);
    }
  });

  it('leaves names as they are that others wrote with escapes of what no URI has, and makes no words of JSON of any', async () => {
    const fields =
      '<x:Expiry_x0020_Date>1</x:Expiry_x0020_Date><x:a><_x0040_context>2</_x0040_context><_x0023_text/></x:a>';
    const captured = await readOne(xml2(objectXml(fields), X), 'xml');
    const written = JSON.parse(write(captured, JSON_2)) as object;
    expect(written).to.deep.include({ 'x:Expiry_x0020_Date': '1', 'x:a': { _x0040_context: '2', _x0023_text: '' } });
    const back = await readOne(json2(write(captured, JSON_2)), 'json');
    expect(back.hash).to.equal(captured.hash);
    expect((await readOne(xml2(write(back, XML_2)), 'xml')).hash).to.equal(captured.hash);
  });

  it("writes CBV's master data in JSON by the prefix that the standard's context has for it, whatever prefix XML had", async () => {
    const ilmd = '<ilmd><ns2:lotNumber>A1</ns2:lotNumber></ilmd>';
    const event = objectXml(ilmd, { action: 'ADD' });
    const captured = await readOne(xml2(event, 'xmlns:ns2="urn:epcglobal:cbv:mda"'), 'xml');
    const written = JSON.parse(write(captured, JSON_2)) as object;
    expect(written)
      .to.deep.include({ ilmd: { 'cbvmda:lotNumber': 'A1' } })
      .and.not.to.have.property('@context');
    expect((await readOne(json2(write(captured, JSON_2)), 'json')).hash).to.equal(captured.hash);
  });

  it('takes 2.0 for 2.0 and 1.2 for 1.2: what one nests the other does not', async () => {
    const list = '<quantityList><quantityElement><epcClass>urn:c:1</epcClass></quantityElement></quantityList>';
    const flat = await readOne(xml2(objectXml(`<!-- flat -->${list}`)), 'xml');
    const wrapped = await readOne(xml1(objectXml(`<!-- wrapped --><extension>${list}</extension>`)), 'xml');
    expect(write(flat, XML_2)).to.contain('<!-- flat --><quantityList>');
    expect(write(flat, XML_1)).to.contain(`<extension>${list}</extension>`).and.not.to.contain('flat');
    expect(write(wrapped, XML_1)).to.contain('<!-- wrapped --><extension><quantityList>');
    expect(write(wrapped, XML_2)).to.contain(`</action>${list}`).and.not.to.contain('wrapped');
    expect(flat.hash).to.equal(wrapped.hash);
  });

  it('names no type of another version: such an event is written anew', async () => {
    const typed = (version: 1 | 2): string =>
      objectXml('<!-- note --><x:v>1</x:v>').replace(
        '<ObjectEvent',
        `<ObjectEvent ${X} xmlns:t="urn:epcglobal:epcis:xsd:${version}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="t:ObjectEventType"`,
      );
    const [of1, of2] = [await readOne(xml1(typed(1)), 'xml'), await readOne(xml2(typed(2)), 'xml')];
    expect(write(of1, XML_1)).to.contain('xsi:type="t:ObjectEventType"').and.to.contain('<!-- note -->');
    expect(write(of2, XML_2)).to.contain('xsi:type="t:ObjectEventType"').and.to.contain('<!-- note -->');
    for (const text of [write(of1, XML_2), write(of2, XML_1)])
      expect(text).to.contain('<x:v>1</x:v>').and.not.to.contain('ObjectEventType');
    for (const text of [write(of1, JSON_2), write(of2, JSON_2)]) expect(text).not.to.contain('ObjectEventType');
    expect(of1.hash).to.equal(of2.hash);
  });

  const quantity = objectXml()
    .replaceAll('ObjectEvent', 'QuantityEvent')
    .replace(/<epcList>.*<\/action>/, '<epcClass>urn:c:1</epcClass><quantity>7</quantity>');

  it('writes a QuantityEvent, which JSON has no word for, under its URI', async () => {
    const captured = await readOne(xml1(quantity), 'xml');
    const text = write(captured, JSON_2);
    expect(text).to.contain('"type":"epcis:QuantityEvent"');
    const back = await readOne(json2(text), 'json');
    expect(back.event).to.deep.equal({ ...captured.event, eventID: captured.hash, recordTime: RECORD_TIME });
    expect(back.hash).to.equal(captured.hash);
  });

  it("puts a QuantityEvent, which 2.0 gave up, into 2.0's extension of the list, and 1.x gets it as it knows it", async () => {
    const captured = await readOne(xml1(quantity.replace('<epcClass>', '<!-- note --><epcClass>')), 'xml');
    const text = write(captured, XML_2);
    expect(text).to.match(
      /^<extension><epcis:QuantityEvent xmlns:epcis="https:\/\/ref.gs1.org\/epcis\/">.*<\/extension>$/,
    );
    const back = await readOne(xml2(text), 'xml');
    expect(back.event).to.deep.equal({ ...captured.event, eventID: captured.hash, recordTime: RECORD_TIME });
    expect(back.hash).to.equal(captured.hash);
    for (const each of [captured, back]) expect(write(each, XML_1)).to.match(/^<QuantityEvent>/);
    expect(write(captured, XML_1)).to.contain('<!-- note -->');
  });

  it("puts an event type of someone's own into 2.0's extension of the list, also as it stood", async () => {
    const own = objectXml().replaceAll('ObjectEvent', 'x:OwnEvent');
    const captured = await readOne(xml2(`<extension>${own}</extension>`, X), 'xml');
    const json = await readOne(json2(write(captured, JSON_2)), 'json');
    for (const each of [captured, json])
      expect(write(each, XML_2)).to.match(/^<extension><(\w+):OwnEvent [^]*<\/\1:OwnEvent><\/extension>$/);
  });

  it('writes hexBinary of an odd number of digits, which JSON may have, with a zero before it', async () => {
    const sensorElementList = [{ sensorReport: [{ type: 'Temperature', hexBinaryValue: 'f0a' }] }];
    const captured = await readOne(json2(objectJson({ sensorElementList })), 'json');
    expect(write(captured, JSON_2)).to.contain('"hexBinaryValue":"f0a"');
    const { event } = await readOne(xml2(write(captured, XML_2)), 'xml');
    expect(event.sensorElementList?.[0]?.sensorReport[0]?.hexBinaryValue).to.equal('0f0a');
  });

  it("puts event types that 1.0 doesn't know into 1.2's extension of the list", async () => {
    const transformation = objectXml()
      .replaceAll('ObjectEvent', 'TransformationEvent')
      .replace(
        /<epcList>.*<\/action>/,
        '<inputEPCList><epc>urn:e:1</epc></inputEPCList><outputEPCList><epc>urn:e:2</epc></outputEPCList>',
      );
    const captured = await readOne(xml1(`<extension>${transformation}</extension>`), 'xml');
    expect(write(captured, XML_1)).to.match(/^<extension><TransformationEvent>.*<\/TransformationEvent><\/extension>$/);
    expect(write(captured, XML_2)).to.match(/^<TransformationEvent>/);
    const association = objectXml()
      .replaceAll('ObjectEvent', 'AssociationEvent')
      .replaceAll('epcList', 'childEPCs')
      .replace('<childEPCs>', '<parentID>urn:p:1</parentID><childEPCs>');
    const text = write(await readOne(xml2(association), 'xml'), XML_1);
    expect(text).to.match(/^<extension><extension><AssociationEvent>/);
    expect((await readOne(xml1(text), 'xml')).event.parentID).to.equal('urn:p:1');
  });

  it('adds the list that 1.x must have and 2.0 may leave out', async () => {
    const sensors = objectXml(
      '<readPoint><id>urn:p:1</id></readPoint><sensorElementList><sensorElement><sensorReport type="gs1:Speed"/></sensorElement></sensorElementList>',
    ).replace(/<epcList>.*<\/epcList>/, '');
    expect(write(await readOne(xml2(sensors), 'xml'), XML_1)).to.contain('<epcList/><action>');
  });
});
