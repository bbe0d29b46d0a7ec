// A CURIE means what its prefix stands for, in every field that takes a URI, whatever the prefix; its form stays.
import { expect } from 'chai';
import { json2, objectJson, objectXml, readAll, readOne, xml1, xml2 } from '../../helpers/epcis-documents.ts';
import { writeEvent } from '../../../epcis/bindings/write.ts';
import type { CapturedEvent, EpcisEvent } from '../../../epcis/domain/event.ts';

const NS = 'https://ns.example.org/voc/';
const members = (p: string): Record<string, unknown> => ({
  eventID: `${p}event-1`,
  certificationInfo: `${p}certificate`,
  epcList: [`${p}thing-1`],
  quantityList: [{ epcClass: `${p}kind` }],
  bizStep: `${p}painting`,
  disposition: `${p}drying`,
  persistentDisposition: { set: [`${p}painted`], unset: [`${p}raw`] },
  readPoint: { id: `${p}gate` },
  bizLocation: { id: `${p}hall` },
  bizTransactionList: [{ type: `${p}job`, bizTransaction: `${p}job-1` }],
  sourceList: [{ type: `${p}maker`, source: `${p}us` }],
  destinationList: [{ type: `${p}taker`, destination: `${p}them` }],
  errorDeclaration: {
    declarationTime: '2030-06-01T00:00:00Z',
    reason: `${p}mistake`,
    correctiveEventIDs: [`${p}event-2`],
  },
  sensorElementList: [
    {
      sensorMetadata: { deviceID: `${p}device`, bizRules: `${p}rules`, dataProcessingMethod: `${p}method` },
      sensorReport: [
        {
          ...{ type: `${p}Gloss`, exception: `${p}TOO_DULL`, component: `${p}left`, uriValue: `${p}value` },
          ...{ microorganism: `${p}m`, chemicalSubstance: `${p}c`, coordinateReferenceSystem: `${p}crs` },
          stringValue: 'ext1:text',
        },
      ],
    },
  ],
});
const xmlOf = (p: string): string =>
  objectXml(
    `<bizStep>${p}painting</bizStep><disposition>${p}drying</disposition><readPoint><id>${p}gate</id></readPoint>` +
      `<bizLocation><id>${p}hall</id></bizLocation>` +
      `<bizTransactionList><bizTransaction type="${p}job">${p}job-1</bizTransaction></bizTransactionList>` +
      `<quantityList><quantityElement><epcClass>${p}kind</epcClass></quantityElement></quantityList>` +
      `<sourceList><source type="${p}maker">${p}us</source></sourceList>` +
      `<destinationList><destination type="${p}taker">${p}them</destination></destinationList>` +
      `<sensorElementList><sensorElement><sensorMetadata deviceID="${p}device" bizRules="${p}rules" dataProcessingMethod="${p}method"/>` +
      `<sensorReport type="${p}Gloss" exception="${p}TOO_DULL" component="${p}left" uriValue="${p}value" microorganism="${p}m"` +
      ` chemicalSubstance="${p}c" coordinateReferenceSystem="${p}crs" stringValue="ext1:text"/></sensorElement></sensorElementList>` +
      `<persistentDisposition><unset>${p}raw</unset><set>${p}painted</set></persistentDisposition>`,
    { epc: `${p}thing-1` },
  ).replace(
    '</eventTimeZoneOffset>',
    `</eventTimeZoneOffset><eventID>${p}event-1</eventID><errorDeclaration><declarationTime>2030-06-01T00:00:00Z</declarationTime>` +
      `<reason>${p}mistake</reason><correctiveEventIDs><correctiveEventID>${p}event-2</correctiveEventID></correctiveEventIDs>` +
      `</errorDeclaration><certificationInfo>${p}certificate</certificationInfo>`,
  );

const withoutCuries = ({ event: { curies: _, ...event } }: CapturedEvent): EpcisEvent => event;

describe('CURIEs in values', () => {
  it('are the URI that they stand for, in every field, in JSON and in XML', async () => {
    const { event: whole } = await readOne(json2(objectJson(members(NS))), 'json');
    for (const prefix of ['ext1', 'other.2']) {
      const json = json2(objectJson(members(`${prefix}:`)), `{"${prefix}":"${NS}"}`);
      expect(withoutCuries(await readOne(json, 'json'))).to.deep.equal(whole);
      const xml = xml2(xmlOf(`${prefix}:`), `xmlns:${prefix}="${NS}"`);
      expect(withoutCuries(await readOne(xml, 'xml'))).to.deep.equal(whole);
    }
  });

  it('are resolved by the event itself, by its document and by the header, in this order', async () => {
    const value = (context: string, own: object, extensions?: ReadonlyMap<string, string>) =>
      readOne(json2(objectJson({ bizStep: 'x:painting', ...own }), context), 'json', extensions && { extensions });
    const header = new Map([['x', 'urn:header:']]);
    expect((await value('', {}, header)).event.bizStep).to.equal('urn:header:painting');
    expect((await value('{"x":"urn:document:"}', {}, header)).event.bizStep).to.equal('urn:document:painting');
    const own = { '@context': { x: 'urn:event:' } };
    expect((await value('{"x":"urn:document:"}', own, header)).event.bizStep).to.equal('urn:event:painting');
    const inner = xml2(objectXml('<bizStep xmlns:x="urn:inner:">x:painting</bizStep>'));
    expect((await readOne(inner, 'xml')).event.bizStep).to.equal('urn:inner:painting');
    const outer = xml2(objectXml('<bizStep>x:painting</bizStep><x:v xmlns:x="urn:inner:"/>'), 'xmlns:x="urn:outer:"');
    expect((await readOne(outer, 'xml')).event.bizStep).to.equal('urn:outer:painting');
  });

  it('have a namespace that may begin with another prefix, as JSON-LD has it, in whatever order they are declared', async () => {
    const step = async (...contexts: object[]) => {
      const context = contexts.map((each) => JSON.stringify(each)).join();
      return (await readOne(json2(objectJson({ bizStep: 'x:painting' }), context), 'json')).event.bizStep;
    };
    const base = { base: 'https://ns.example.org/' };
    expect(await step({ ...base, x: 'base:voc/' })).to.equal(`${NS}painting`);
    expect(await step({ x: 'base:voc/', ...base })).to.equal(`${NS}painting`);
    expect(await step(base, { x: { '@id': 'base:voc/' } })).to.equal(`${NS}painting`);
    expect(await step({ x: 'y:voc/', y: 'base:', ...base })).to.equal(`${NS}painting`);
    expect(await step({ x: 'x:voc/' })).to.equal('x:voc/painting');
    expect(await step({ x: 'y:a', y: 'x:b' }))
      .to.be.a('string')
      .that.has.length.below(100);
    expect(await step({ urn: 'https://ns.example.org/', x: 'urn:example:' })).to.equal('urn:example:painting');
  });

  it('of the standard vocabulary are its words, whatever the prefix', async () => {
    const { event } = await readOne(
      json2(
        objectJson({ bizStep: 'c:BizStep-shipping', disposition: 'd:in_transit' }),
        '{"c":"https://ref.gs1.org/cbv/","d":"urn:epcglobal:cbv:disp:"}',
      ),
      'json',
    );
    expect([event.bizStep, event.disposition]).to.deep.equal([
      'https://ref.gs1.org/cbv/BizStep-shipping',
      'https://ref.gs1.org/cbv/Disp-in_transit',
    ]);
  });

  it('stay what they are without a prefix that is declared, in 1.x, and as another scheme', async () => {
    const X = 'xmlns:x="urn:outer:" xmlns:urn="urn:other:"';
    expect((await readOne(xml1(objectXml('<bizStep>x:painting</bizStep>'), X), 'xml')).event.bizStep).to.equal(
      'x:painting',
    );
    expect((await readOne(xml2(objectXml('<bizStep>y:painting</bizStep>'), X), 'xml')).event.bizStep).to.equal(
      'y:painting',
    );
    expect((await readOne(xml2(objectXml('<bizStep>urn:painting</bizStep>'), X), 'xml')).event.bizStep).to.equal(
      'urn:painting',
    );
    const scheme = await readOne(json2(objectJson({ bizStep: 'x://painting' }), '{"x":"urn:x:"}'), 'json');
    expect(scheme.event.bizStep).to.equal('x://painting');
  });

  it('come back in the form in which they came, and have the hash of that form', async () => {
    const json = await readOne(json2(objectJson({ bizStep: 'x:painting' }), '{"x":"urn:x:"}'), 'json');
    const undeclared = await readOne(json2(objectJson({ bizStep: 'x:painting' })), 'json');
    expect(json.hash).to.equal(undeclared.hash);
    const stored = { ...json, recordTime: '2031-01-01T00:00:00Z' };
    expect(writeEvent(stored, { form: 'json', version: '2.0' }))
      .to.contain('"bizStep":"x:painting"')
      .and.contain('"x":"urn:x:"');
    expect(writeEvent(stored, { form: 'xml', version: '2.0' }))
      .to.contain('<bizStep>x:painting</bizStep>')
      .and.contain('xmlns:x="urn:x:"');
    const xml = await readOne(xml2(objectXml('<bizStep>x:painting</bizStep>'), 'xmlns:x="urn:x:"'), 'xml');
    expect(writeEvent({ ...stored, ...xml }, { form: 'xml', version: '2.0' }))
      .to.contain('>x:painting<')
      .and.contain('xmlns:x="urn:x:"');
  });

  it('survive every form: JSON → XML → JSON, and stand whole in 1.2', async () => {
    const first = await readOne(json2(objectJson(members('ext1:')), `{"ext1":"${NS}"}`), 'json');
    const stored = { ...first, recordTime: '2031-01-01T00:00:00Z' };
    const xml = writeEvent(stored, { form: 'xml', version: '2.0' });
    expect(xml).not.to.contain(`>${NS}`);
    const second = await readOne(xml2(xml), 'xml');
    const json = writeEvent({ ...second, recordTime: stored.recordTime }, { form: 'json', version: '2.0' });
    const third = await readOne(json2(json), 'json');
    expect(third.event).to.deep.equal({ ...first.event, recordTime: stored.recordTime });
    expect([second.hash, third.hash]).to.deep.equal([first.hash, first.hash]);
    const old = writeEvent(stored, { form: 'xml', version: '1.2' });
    expect(old).to.contain(`<bizStep>${NS}painting</bizStep>`);
    // a prefix that an extension needs for another namespace
    const both = json2(objectJson({ '@context': { x: 'urn:a:' }, bizStep: 'x:painting', 'urn:b:v': 1 }));
    expect(
      writeEvent({ ...(await readOne(both, 'json')), recordTime: '' }, { form: 'xml', version: '2.0' }),
    ).to.contain('>x:painting<');
  });

  it('name master data, its vocabulary, its attributes and its children', async () => {
    const list = [
      {
        type: 'x:v',
        vocabularyElementList: [
          {
            id: 'x:a',
            attributes: [
              { id: 'x:colour', attribute: 'x:red' },
              { id: 'cbvmda:site', attribute: '7' },
            ],
            children: ['x:b'],
          },
        ],
      },
    ];
    const json = json2('', '{"x":"urn:x:"}').replace(
      '"epcisBody"',
      `"epcisHeader":{"epcisMasterData":{"vocabularyList":${JSON.stringify(list)}}},"epcisBody"`,
    );
    // the namespace of fields in XML lacks the colon that the standard's URNs have
    const xml = xml2('', 'xmlns:x="urn:x:" xmlns:cbvmda="urn:epcglobal:cbv:mda"').replace(
      '<EPCISBody>',
      '<EPCISHeader><extension><EPCISMasterData><VocabularyList><Vocabulary type="x:v"><VocabularyElementList><VocabularyElement id="x:a">' +
        '<attribute id="x:colour">x:red</attribute><attribute id="cbvmda:site">7</attribute><children><id>x:b</id></children></VocabularyElement></VocabularyElementList></Vocabulary>' +
        '</VocabularyList></EPCISMasterData></extension></EPCISHeader><EPCISBody>',
    );
    const element = {
      vocabulary: 'urn:x:v',
      id: 'urn:x:a',
      attributes: [
        { id: 'urn:x:colour', value: 'x:red' },
        { id: 'urn:epcglobal:cbv:mda:site', value: '7' },
      ],
      children: ['urn:x:b'],
    };
    for (const [text, format] of [
      [json, 'json'],
      [xml, 'xml'],
    ] as const)
      expect((await readAll(text, format)).map((item) => item.kind === 'vocabulary' && item.element)).to.deep.equal([
        element,
      ]);
  });
});
