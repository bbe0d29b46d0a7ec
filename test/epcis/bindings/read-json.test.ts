import { expect } from 'chai';
import { readEvent } from '../../../epcis/bindings/documents.ts';
import {
  bytes,
  CONTEXT,
  json2,
  objectJson,
  objectXml,
  readAll,
  readOne,
  refusal,
  sha256,
  xml2,
} from '../../helpers/epcis-documents.ts';

const X = '{"x":"https://x.example.org/"},{"y":{"@id":"https://y.example.org/","@prefix":true}}';
const x = { namespace: 'https://x.example.org/', prefix: 'x' };

describe('reading JSON', () => {
  it('reads the fields of an event, vocabulary as URIs', async () => {
    const { event } = await readOne(
      json2(
        objectJson({
          bizStep: 'shipping',
          disposition: 'urn:epcglobal:cbv:disp:in_transit',
          readPoint: { id: 'urn:epc:id:sgln:9521141.01234.0', 'x:gate': 7 },
          bizTransactionList: [{ type: 'po', bizTransaction: 'urn:t:1' }, { bizTransaction: 'urn:t:2' }],
          sourceList: [{ type: 'owning_party', source: 'urn:p:1' }],
          quantityList: [{ epcClass: 'urn:c:1', quantity: 1.5, uom: 'KGM' }],
          persistentDisposition: { unset: ['damaged'] },
          certificationInfo: 'https://c.example.org/1',
          errorDeclaration: {
            declarationTime: '2031-01-01T00:00:00Z',
            reason: 'did_not_occur',
            correctiveEventIDs: ['urn:e:1'],
          },
        }),
        X,
      ),
      'json',
    );
    expect(event).to.deep.equal({
      type: 'ObjectEvent',
      eventTime: '2030-05-06T07:08:09.123+02:00',
      eventTimeZoneOffset: '+02:00',
      epcList: ['urn:epc:id:sgtin:9521141.012345.7'],
      action: 'OBSERVE',
      bizStep: 'https://ref.gs1.org/cbv/BizStep-shipping',
      disposition: 'https://ref.gs1.org/cbv/Disp-in_transit',
      readPoint: {
        id: 'urn:epc:id:sgln:9521141.01234.0',
        extensions: [{ ...x, name: 'gate', value: '7', json: 'number' }],
      },
      bizTransactionList: [{ type: 'https://ref.gs1.org/cbv/BTT-po', value: 'urn:t:1' }, { value: 'urn:t:2' }],
      sourceList: [{ type: 'https://ref.gs1.org/cbv/SDT-owning_party', value: 'urn:p:1' }],
      quantityList: [{ epcClass: 'urn:c:1', quantity: 1.5, uom: 'KGM' }],
      persistentDisposition: { set: [], unset: ['https://ref.gs1.org/cbv/Disp-damaged'] },
      certificationInfo: ['https://c.example.org/1'],
      errorDeclaration: {
        declarationTime: '2031-01-01T00:00:00Z',
        reason: 'https://ref.gs1.org/cbv/ER-did_not_occur',
        correctiveEventIDs: ['urn:e:1'],
      },
    });
  });

  it('reads extensions: arrays, objects, types, numbers as they were written', async () => {
    const extra =
      '"x:a":[1.50,"t",true,null,{"y:b":{"plain":12345678901234567890}}],"https://z.example.org/v#w":"u","x:t":{"#text":"t","x:k":"v"}';
    const { event } = await readOne(json2(objectJson().replace(/\}$/, `,${extra}}`), X), 'json');
    expect(event.extensions).to.deep.equal([
      { ...x, name: 'a', value: '1.50', json: 'number' },
      { ...x, name: 'a', value: 't' },
      { ...x, name: 'a', value: 'true', json: 'boolean' },
      { ...x, name: 'a', value: '', json: 'null' },
      {
        ...x,
        name: 'a',
        value: [
          {
            namespace: 'https://y.example.org/',
            prefix: 'y',
            name: 'b',
            value: [{ namespace: '', name: 'plain', value: '12345678901234567890', json: 'number' }],
          },
        ],
      },
      { namespace: 'https://z.example.org/v#', name: 'w', value: 'u' },
      {
        ...x,
        name: 't',
        value: [
          { namespace: '', name: '#text', value: 't' },
          { ...x, name: 'k', value: 'v' },
        ],
      },
    ]);
  });

  it('resolves prefixes by the context of the document, the event, the standard and GS1-Extensions', async () => {
    const event = objectJson({
      '@context': [{ x: 'urn:event:' }],
      'x:a': '1',
      'y:b': '2',
      'cbvmda:c': '3',
      'h:d': '4',
    });
    const extensions = new Map([
      ['h', 'urn:header:'],
      ['y', 'urn:overruled:'],
    ]);
    const { event: read } = await readOne(json2(event, X), 'json', { extensions });
    expect(read.extensions?.map(({ namespace }) => namespace)).to.deep.equal([
      'urn:event:',
      'https://y.example.org/',
      'urn:epcglobal:cbv:mda',
      'urn:header:',
    ]);
  });

  it('takes a prefix for nothing, or null, as one that is not declared: XML has no such namespace', async () => {
    for (const nothing of ['', null]) {
      const { event } = await readOne(json2(objectJson({ '@context': [{ n: nothing }], 'n:a': '1' })), 'json');
      expect(event.extensions?.map(({ namespace, name }) => namespace + name)).to.deep.equal(['n:a']);
    }
  });

  it('keeps with the source those prefixes of GS1-Extensions that it uses', async () => {
    const extensions = new Map([
      ['h', 'urn:header:'],
      ['x', 'urn:overruled:'],
      ['unused', 'urn:unused:'],
    ]);
    const { source, event } = await readOne(json2(objectJson({ 'h:d': '4', 'x:a': '1' }), X), 'json', { extensions });
    expect(source.text).to.match(/^\{"@context":\[\{"h":"urn:header:"\},\{"x":"urn:overruled:"\},"https:/);
    const again = await readOne(json2(source.text), 'json');
    expect(again.event).to.deep.equal(event);
    expect(again.event.extensions?.map(({ namespace }) => namespace)).to.deep.equal([
      'urn:header:',
      'https://x.example.org/',
    ]);
  });

  it('keeps the source as it stood, standing alone with all contexts in force', async () => {
    const event =
      '{ "type":"ObjectEvent" ,"@context" : {"own":"urn:own:"} ,\n "eventTime":"2030-05-06T07:08:09Z","eventTimeZoneOffset":"+02:00",\t"epcList":["urn:e:1"],"action":"ADD","own:n":1.50}';
    const { source } = await readOne(json2(event, X), 'json');
    expect(source.format).to.equal('json');
    expect(source.text).to.equal(
      `{"@context":["${CONTEXT}",${X},{"own":"urn:own:"}], "type":"ObjectEvent" ,"eventTime":"2030-05-06T07:08:09Z","eventTimeZoneOffset":"+02:00",\t"epcList":["urn:e:1"],"action":"ADD","own:n":1.50}`,
    );
  });

  it('reads the same from pieces of any size', async () => {
    const text = json2(`${objectJson({ 'x:v': 'ä😀"\\\\ ]}' })} ,\n${objectJson({ 'x:n': -1.5e3 })}`, X);
    const whole = await readAll(text, 'json');
    expect(whole).to.have.length(2);
    for (let chunk = 1; chunk <= 40; chunk++) expect(await readAll(text, 'json', { chunk })).to.deep.equal(whole);
  });

  it('reads members of a document in any order, a late @context too', async () => {
    const late =
      `{"epcisBody":{"eventList":[${objectJson({ 'x:v': 1 })}]},"creationDate":"2030-01-01T00:00:00Z","schemaVersion":"2.0",` +
      `"type":"EPCISDocument","@context":["${CONTEXT}",${X}]}`;
    expect(await readAll(late, 'json')).to.deep.equal(await readAll(json2(objectJson({ 'x:v': 1 }), X), 'json'));
    const { name } = await refusal(late, 'json', { limits: { itemBytes: 100 } });
    expect(name).to.equal('CaptureLimitExceededException');
  });

  it('makes an event stand alone with each context once', async () => {
    const own = { '@context': [CONTEXT, { y: 'https://y.example.org/' }] };
    const { source } = await readOne(json2(objectJson(own), X), 'json');
    const { '@context': context } = JSON.parse(source.text) as { '@context': unknown[] };
    expect(context.filter((entry) => entry === CONTEXT)).to.have.length(1);
    expect(context).to.deep.include({ y: 'https://y.example.org/' });
  });

  it('reads query documents and master data', async () => {
    const vocabulary = {
      type: 'urn:epcglobal:epcis:vtype:ReadPoint',
      vocabularyElementList: [
        {
          id: 'urn:rp:1',
          attributes: [
            { id: 'urn:a:n', attribute: 'Gate' },
            { id: 'urn:a:o', attribute: { 'x:p': 7 } },
          ],
          children: ['urn:rp:2'],
        },
      ],
    };
    const results = {
      queryName: 'Q',
      resultsBody: { eventList: [JSON.parse(objectJson()) as unknown], vocabularyList: [vocabulary] },
    };
    const head = { '@context': [CONTEXT, { x: 'https://x.example.org/' }], type: 'EPCISQueryDocument' };
    const items = await readAll(JSON.stringify({ ...head, epcisBody: { queryResults: results } }), 'json');
    expect(items.map(({ kind, at }) => [kind, at])).to.deep.equal([
      ['event', '/epcisBody/queryResults/resultsBody/eventList/0'],
      ['vocabulary', '/epcisBody/queryResults/resultsBody/vocabularyList/0/vocabularyElementList/0'],
    ]);
    expect(items[1]).to.deep.nested.include({
      'element.vocabulary': 'urn:epcglobal:epcis:vtype:ReadPoint',
      'element.children': ['urn:rp:2'],
      'element.attributes': [
        { id: 'urn:a:n', value: 'Gate' },
        { id: 'urn:a:o', value: [{ ...x, name: 'p', value: '7', json: 'number' }] },
      ],
    });
    const document = JSON.parse(json2('')) as Record<string, unknown>;
    const header = JSON.stringify({ ...document, epcisHeader: { epcisMasterData: { vocabularyList: [vocabulary] } } });
    expect((await readAll(header, 'json')).map(({ kind }) => kind)).to.deep.equal(['vocabulary']);
    const { type, vocabularyElementList } = vocabulary;
    const turned = { ...vocabulary, type: undefined, vocabularyElementList };
    const late = JSON.stringify({
      ...document,
      epcisHeader: { epcisMasterData: { vocabularyList: [turned, vocabulary] } },
    });
    const itsType = late
      .replace('}]},{"type"', `}],"type":"${type}"},{"type"`)
      .replace('"children":["urn:rp:2"]}],"type"', '"children":["urn:rp:2"]}],"type"');
    expect(
      (await readAll(itsType, 'json')).map((item) => item.kind === 'vocabulary' && item.element.vocabulary),
    ).to.deep.equal([type, type]);
  });

  it('reads one event alone, which must bring its context', async () => {
    const read = async (text: string): Promise<unknown> => {
      for await (const item of readEvent(bytes(text), { format: 'json', sha256 })) return item;
      return undefined;
    };
    expect(await read(objectJson({ '@context': CONTEXT }))).to.deep.include({ kind: 'event', at: '/' });
    const fault = await read(objectJson()).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(fault).to.have.property('message', 'the event lacks @context (/)');
  });

  it('gives an event the hash that its XML has', async () => {
    const inXml = await readOne(
      xml2(
        objectXml('<bizStep>urn:epcglobal:cbv:bizstep:packing</bizStep><x:n>7.0</x:n>'),
        'xmlns:x="https://x.example.org/"',
      ),
      'xml',
    );
    const inJson = await readOne(json2(objectJson({ 'x:n': 7, bizStep: 'packing' }), X), 'json');
    expect(inJson.hash).to.equal(inXml.hash);
  });
});
