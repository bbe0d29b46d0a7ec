import { expect } from 'chai';
import { writeEpc, writeEvent, writeWord } from '../../../epcis/bindings/write.ts';
import type { WriteStyle } from '../../../epcis/bindings/http/doors.ts';
import { writeVocabularyList } from '../../../epcis/bindings/write-vocabulary.ts';
import {
  json2,
  objectJson,
  objectXml,
  readAll,
  readOne,
  RECORD_TIME,
  xml1,
  xml2,
} from '../../helpers/epcis-documents.ts';
import type { CapturedEvent, VocabularyElement } from '../../../epcis/domain/event.ts';

const XML_2: WriteStyle = { form: 'xml', version: '2.0' };
const JSON_2: WriteStyle = { form: 'json', version: '2.0' };
const CONTEXT = '{"x":"https://x.example.org/"}';

const write = (captured: CapturedEvent, style: WriteStyle): string =>
  writeEvent({ ...captured, recordTime: RECORD_TIME }, style);

describe('writing identifiers and words as asked', () => {
  const link = 'https://id.gs1.org/01/09521141123454/21/7';

  it('follows GS1-EPC-Format in both forms, and leaves everything else', async () => {
    const captured = await readOne(
      json2(
        objectJson({
          readPoint: { id: 'urn:epc:id:sgln:9521141.01234.0' },
          'x:epc': 'urn:epc:id:sgtin:9521141.012345.7',
        }),
        CONTEXT,
      ),
      'json',
    );
    const json = write(captured, { ...JSON_2, epcFormat: 'Always_GS1_Digital_Link' });
    expect(JSON.parse(json)).to.deep.include({
      epcList: [link],
      readPoint: { id: 'https://id.gs1.org/414/9521141012345' },
      'x:epc': 'urn:epc:id:sgtin:9521141.012345.7',
    });
    expect(write(captured, { ...XML_2, epcFormat: 'Always_GS1_Digital_Link' })).to.contain(`<epc>${link}</epc>`);
    expect(write(captured, { ...JSON_2, epcFormat: 'Never_Translates' })).to.contain(
      '"urn:epc:id:sgtin:9521141.012345.7"',
    );
    const links = await readOne(xml2(objectXml('', { epc: link })), 'xml');
    expect(write(links, { ...XML_2, epcFormat: 'Always_EPC_URN' })).to.contain(
      '<epc>urn:epc:id:sgtin:9521141.012345.7</epc>',
    );
    expect(write(links, XML_2)).to.contain(`<epc>${link}</epc>`);
  });

  it('follows GS1-CBV-XML-Format in XML', async () => {
    const urn = '<bizStep>urn:epcglobal:cbv:bizstep:packing</bizStep>';
    const web = '<bizStep>https://ref.gs1.org/cbv/BizStep-packing</bizStep>';
    const captured = await readOne(xml2(objectXml(urn)), 'xml');
    expect(write(captured, { ...XML_2, cbvFormat: 'Always_Web_URI' })).to.contain(web);
    expect(write(await readOne(xml2(objectXml(web)), 'xml'), { ...XML_2, cbvFormat: 'Always_URN' })).to.contain(urn);
    expect(write(captured, { ...XML_2, cbvFormat: 'Never_Translates' })).to.contain(urn);
    expect(write(captured, { ...JSON_2, cbvFormat: 'Always_URN' })).to.contain('"bizStep":"packing"');
  });

  it('writes single EPCs and words', () => {
    expect(writeEpc('urn:epc:id:sgtin:9521141.012345.7', 'Always_GS1_Digital_Link')).to.equal(link);
    expect(writeEpc(link, undefined)).to.equal(link);
    expect(writeWord('https://ref.gs1.org/cbv/Disp-damaged')).to.equal('damaged');
    expect(writeWord('urn:mine:1')).to.equal('urn:mine:1');
  });
});

describe('writing master data', () => {
  const x = { namespace: 'https://x.example.org/', prefix: 'x' };
  const elements: readonly VocabularyElement[] = [
    {
      vocabulary: 'urn:v:1',
      id: 'urn:1',
      attributes: [
        { id: 'urn:a', value: 'a & "b"' },
        { id: 'urn:b', value: [{ ...x, name: 'c', value: '1' }] },
        // what JSON said it is goes into XML as xsi:type
        { id: 'urn:c', value: [{ ...x, name: 'n', value: '1.5', json: 'number' }] },
      ],
      children: ['urn:2'],
    },
    { vocabulary: 'urn:v:1', id: 'urn:2', attributes: [], children: [] },
    { vocabulary: 'urn:v:2', id: 'urn:3', attributes: [], children: [] },
  ];
  async function* all(): AsyncGenerator<VocabularyElement> {
    yield* elements;
  }
  const written = async (form: 'xml' | 'json', list = all()): Promise<string> => {
    let text = '';
    for await (const piece of writeVocabularyList(list, form)) text += piece;
    return text;
  };

  it('writes what it reads, grouped by vocabulary, in both forms', async () => {
    const xml = await written('xml');
    expect(xml.match(/<Vocabulary type/g)).to.have.length(2);
    const inXml = await readAll(xml1('').replace('<EventList>', `${xml}<EventList>`), 'xml');
    expect(inXml.map((item) => (item.kind === 'vocabulary' ? item.element : item))).to.deep.equal(elements);
    const document = json2('').replace(
      '"epcisBody"',
      `"epcisHeader":{"epcisMasterData":{"vocabularyList":${await written('json')}}},"epcisBody"`,
    );
    const inJson = await readAll(document, 'json');
    expect(inJson.map((item) => (item.kind === 'vocabulary' ? item.element : item))).to.deep.equal(elements);
  });

  it('writes an empty list', async () => {
    const none = async function* (): AsyncGenerator<VocabularyElement> {};
    expect(await written('xml', none())).to.equal('<VocabularyList></VocabularyList>');
    expect(await written('json', none())).to.equal('[]');
  });
});
