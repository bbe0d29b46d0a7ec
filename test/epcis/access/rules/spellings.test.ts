// Rules go by what an event says, and JSON-LD and XML have many ways to say it.
import { expect } from 'chai';
import { withoutFields } from '../../../../epcis/access/rules/hidden.ts';
import { anyHolds } from '../../../../epcis/access/rules/holds.ts';
import { readRules } from '../../../../epcis/access/rules/read.ts';
import type { EpcisEvent } from '../../../../epcis/domain/event.ts';
import { json2, objectJson, objectXml, readOne, xml2 } from '../../../helpers/epcis-documents.ts';

const NS = 'https://acme.example/ns#';
const contexts = (...all: readonly object[]) => all.map((each) => JSON.stringify(each)).join();
const ofJson = async (members: Record<string, unknown>, context: string, written = (text: string) => text) =>
  (await readOne(json2(written(objectJson(members)), context), 'json')).event;
const ofXml = async (text: string) =>
  (await readOne(xml2(objectXml(text), `xmlns:a="${NS}" xmlns:o="urn:o:x"`), 'xml')).event;

describe('fields that are hidden', () => {
  it('are gone however their names are written', async () => {
    const inner = (value: object) => ({ 'o:x': value });
    const ways: readonly (readonly [members: object, context: object])[] = [
      [{ [`${NS}price`]: 'SECRET' }, {}],
      [{ 'a:price': ['SECRET', { '@value': 'SECRET' }] }, { a: NS }],
      [{ 'a:ns#price': 'SECRET' }, { a: 'https://acme.example/' }],
      [{ 'a:ice': 'SECRET' }, { a: `${NS}pr` }],
      [{ 'b:ice': 'SECRET' }, { a: { '@id': NS }, b: 'a:pr' }],
      [inner({ '@context': { b: NS }, 'b:price': 'SECRET' }), {}],
      [inner({ deeper: [{ '@context': [{ b: { '@id': NS, '@prefix': true } }], 'b:price': 'SECRET' }] }), {}],
      [inner({ price: 'SECRET' }), { price: `${NS}price` }],
      [inner({ cost: 'SECRET' }), { a: NS, cost: { '@id': 'a:price', '@type': 'xsd:decimal' } }],
      [inner({ price: 'SECRET' }), { '@vocab': NS }],
      [{ 'a:item': { price: 'SECRET', 'o:x': { '@id': 'SHOWN' } } }, { a: NS }],
      [{ 'a:item': [[{ '@list': [{ 'a:price': 'SECRET' }] }]] }, { a: NS }],
    ];
    const events = [
      ...ways.map(([members, context]) => ofJson({ ...members, 'o:end': 'SHOWN' }, contexts({ o: 'urn:o:' }, context))),
      ...[
        '<a:price>SECRET</a:price>',
        '<o:item a:price="SECRET">SHOWN</o:item>',
        '<a:item price="SECRET"><o:x/></a:item>',
        '<a:item><price>SECRET</price></a:item>',
        '<o:x><a:price o:y="SECRET"><o:z>SECRET</o:z></a:price></o:x>',
      ].map((text) => ofXml(`${text}<o:end>SHOWN</o:end>`)),
    ];
    for (const event of await Promise.all(events)) {
      expect(JSON.stringify(event)).to.include('SECRET');
      const shown = JSON.stringify(withoutFields(event, [{ kind: 'extension', key: `${NS}price` }]));
      expect(shown).to.include('SHOWN').and.not.include('SECRET');
    }
    const others = await ofJson(inner({ price: 'SHOWN', 'o:price': 'SHOWN' }), contexts({ o: 'urn:o:' }));
    expect(withoutFields(others, [{ kind: 'extension', key: `${NS}price` }])).to.deep.equal(others);
  });
});

describe('what a field says', () => {
  it('is denied, however that is written', async () => {
    const context = contexts({ a: NS });
    const wraps: readonly ((value: unknown) => unknown)[] = [
      (value) => value,
      (value) => [value],
      (value) => ['other', [value]],
      (value) => ({ '@value': value }),
      (value) => ({ '@value': value, '@language': 'en' }),
      (value) => [{ '@value': value, '@type': 'xsd:string' }],
      (value) => ({ '@id': value }),
      (value) => ({ '@set': ['other', { '@value': value }] }),
      (value) => ({ '@list': [value] }),
      (value) => ({ '#text': value }),
    ];
    const denies = (event: EpcisEvent, value: string) => {
      const rules = readRules({ rules: [{ name: 'r', for: 'everybody', deny: { [`EQ_${NS}grade`]: value } }] });
      return rules.some(({ deny }) => anyHolds(deny?.(0) ?? [], { event, hash: 'ni:' }));
    };
    for (const wrap of wraps) {
      const event = await ofJson({ 'a:grade': wrap('urn:x:secret') }, context);
      expect(denies(event, 'urn:x:secret'), JSON.stringify(event.extensions)).to.equal(true);
      expect(denies(event, 'urn:x:open')).to.equal(false);
    }
    for (const number of ['20', '20.0', '2e1', '0.2E+2', '{"@value":2e1}'])
      expect(
        denies(await ofJson({ 'a:grade': 'HERE' }, context, (text) => text.replace('"HERE"', number)), '20'),
        number,
      ).to.equal(true);
    for (const text of [
      '<a:grade>secret</a:grade>',
      '<a:grade o:y="1">secret</a:grade>',
      '<a:grade>secret<o:x/></a:grade>',
    ])
      expect(denies(await ofXml(text), 'secret'), text).to.equal(true);
  });
});
