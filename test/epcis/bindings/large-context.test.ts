// What a document declares once, each of its events must have with it; it must not cost each event the whole.
import { expect } from 'chai';
import { withoutFields } from '../../../epcis/access/rules/hidden.ts';
import { fieldKey } from '../../../epcis/service/queryable-fields.ts';
import { readEvent } from '../../../epcis/bindings/documents.ts';
import { writeEvent } from '../../../epcis/bindings/write.ts';
import { packEvent } from '../../../epcis/repository/payload.ts';
import type { CapturedEvent } from '../../../epcis/domain/event.ts';
import { atOnce } from '../../../epcis/domain/in-pieces.ts';
import {
  bytes,
  CONTEXT,
  json2,
  objectJson,
  objectXml,
  readEvents,
  readOne,
  refusal,
  sha256,
  xml2,
} from '../../helpers/epcis-documents.ts';

const many = (count: number, entry: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => entry(n)).join();
const UNUSED = `{${many(1400, (n) => `"unused${n}":"https://unused.example/${n}/"`)}}`;
const LONG = 'https://long.example/' + 'a'.repeat(60_000);
const again = async ({ source }: CapturedEvent) => (await readOne(json2(source.text), 'json')).event;
const storedBytes = (events: readonly CapturedEvent[]) =>
  events.reduce((sum, event) => sum + atOnce(packEvent(event)).length, 0);
const sourceOf = async (members: Record<string, unknown>, context: string, header?: ReadonlyMap<string, string>) => {
  const captured = await readOne(json2(objectJson(members), context), 'json', header && { extensions: header });
  expect(await again(captured)).to.deep.equal(captured.event);
  return JSON.parse(captured.source.text) as { readonly '@context': readonly unknown[] };
};

describe('a large context', () => {
  it('leaves with each event what the event uses of it', async () => {
    const used = { x: 'base:voc/', base: 'https://x.example/' };
    const price = { '@id': 'x:price', '@type': 'num:decimal' };
    const context = [
      UNUSED,
      JSON.stringify(used),
      JSON.stringify({ price, num: 'http://www.w3.org/2001/XMLSchema#', other: 'x:other' }),
    ].join();
    const { '@context': kept } = await sourceOf({ 'x:item': { price: '1.50' } }, context);
    expect(kept).to.deep.equal([CONTEXT, used, { price, num: 'http://www.w3.org/2001/XMLSchema#' }]);
    const value = await sourceOf({ bizStep: 'x:painting' }, context);
    expect(value['@context']).to.deep.equal([CONTEXT, used]);
    expect((await sourceOf({}, context))['@context']).to.deep.equal([CONTEXT]);
  });

  it('keeps for all what says what names mean that it does not name, and every definition of a name in its place', async () => {
    const vocabulary = { '@vocab': 'v:voc#', v: 'https://v.example/' };
    const { '@context': kept } = await sourceOf(
      { 'o:x': { plain: 1 } },
      [UNUSED, JSON.stringify(vocabulary), '{"o":"urn:o:"}'].join(),
    );
    expect(kept).to.deep.equal([CONTEXT, vocabulary, { o: 'urn:o:' }]);
    const order = [{ a: 'urn:first:' }, { b: 'a:x:' }, { a: 'urn:second:' }];
    const twice = await sourceOf({ 'b:y': 1, 'a:y': 2 }, [UNUSED, ...order.map((each) => JSON.stringify(each))].join());
    expect(twice['@context']).to.deep.equal([CONTEXT, ...order]);
  });

  it('is used by contexts inside, by names written with escapes, by types and by compact names of its own', async () => {
    const context = [UNUSED, '{"a":"urn:a:","b":"urn:b:","c":"urn:c:","d:e":{"@id":"c:e"},"d":"urn:d:"}'].join();
    const inner = await sourceOf({ 'b:x': { '@context': { i: 'a:i:' }, 'i:y': 1 } }, context);
    expect(inner['@context']).to.deep.equal([CONTEXT, { a: 'urn:a:', b: 'urn:b:' }]);
    const compact = await sourceOf({ 'd:e': 1 }, context);
    expect(compact['@context']).to.deep.equal([CONTEXT, { c: 'urn:c:', 'd:e': { '@id': 'c:e' }, d: 'urn:d:' }]);
    const escaped = await readOne(json2(objectJson({ 'a:x': 1 }).replace('a:x', '\\u0061:x'), context), 'json');
    expect(await again(escaped)).to.deep.equal(escaped.event);
    const header = new Map([['h', 'urn:h:'], ['g', 'urn:g:']]); // prettier-ignore
    const ofHeader = await readOne(json2(objectJson({ 'h:x': 1 }).replace('h:x', '\\u0068:x')), 'json', {
      extensions: header,
    });
    expect((await again(ofHeader)).extensions?.[0]?.namespace).to.equal('urn:h:');
    expect(ofHeader.source.text).not.to.include('urn:g:');
  });

  it('that every event needs is left out: the event is written by itself, and says the same', async () => {
    const urls = many(900, (n) => `"https://contexts.example/of-somebody/${n}.jsonld"`);
    const chain = `{${many(1000, (n) => `"p${n}":"p${n + 1}:"`)},"p1000":"urn:end:","x":"p993:"}`;
    for (const context of [
      `${urls},{"x":"urn:x:"}`,
      `{"x":"urn:x:"},${chain}`,
      `${many(2000, () => '{"x":"urn:x:"}')}`,
    ]) {
      const captured = await readOne(
        json2(objectJson({ 'x:price': { plain: [1.5, 'x:y'] }, bizStep: 'x:y' }), context),
        'json',
      );
      expect(captured.source.text.length).to.be.below(2000);
      expect(await again(captured)).to.deep.equal(captured.event);
      const [{ namespace, name } = { namespace: '', name: '' }] = captured.event.extensions ?? [];
      const shown = withoutFields(captured.event, [{ kind: 'extension', key: fieldKey(namespace, name) }]);
      expect(shown.extensions).to.equal(undefined);
      const written = writeEvent({ ...captured, recordTime: '2031-01-01T00:00:00Z' }, { form: 'json', version: '2.0' });
      expect((await readOne(json2(written), 'json')).event.extensions).to.deep.equal(captured.event.extensions);
    }
  });

  it('is stored with small events at a small multiple of their document', async () => {
    const events = many(300, (n) => objectJson({ eventID: `urn:e:${n}`, 'x:a': n }));
    const ns = (n: number) => `"n${n}":"https://${'n'.repeat(900)}.example/${n}/"`;
    for (const context of [`${UNUSED},{"x":"urn:x:"}`, `{"x":"https://${'x'.repeat(1000)}/",${many(60, ns)}}`]) {
      const document = json2(events, context);
      const read = await readEvents(document, 'json');
      expect(read).to.have.length(300);
      expect(storedBytes(read)).to.be.below(4 * document.length);
    }
  });

  it('is refused where an event says little and stands for much', async () => {
    const ns = (n: number) => `"n${n}":"https://${'n'.repeat(900)}.example/${n}/"`;
    const fields = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`n${n}:a`, 1]));
    const wide = await refusal(json2(objectJson(fields), `{${many(60, ns)}}`), 'json');
    expect(wide.name).to.equal('CaptureLimitExceededException');
    expect(wide.message).to.match(/stands? for/);
    const declarations = Array.from(
      { length: 60 },
      (_, n) => `xmlns:n${n}="https://${'n'.repeat(900)}.example/${n}/"`,
    ).join(' ');
    const xml = objectXml(Array.from({ length: 60 }, (_, n) => `<n${n}:a/>`).join(''));
    expect((await refusal(xml2(xml, declarations), 'xml')).name).to.equal('CaptureLimitExceededException');
  });

  it('declares no namespace that is longer than any is', async () => {
    const long = [
      refusal(json2(objectJson({ 'x:a': 1 }), JSON.stringify({ x: LONG })), 'json'),
      refusal(json2(objectJson({ '@context': { x: { '@id': LONG } }, 'x:a': 1 })), 'json'),
      refusal(json2(objectJson({ 'urn:x:a': { '@context': { '@vocab': LONG }, a: 1 } })), 'json'),
      refusal(json2(objectJson({ 'x:a': 1 })), 'json', { extensions: new Map([['x', LONG]]) }),
      refusal(xml2(objectXml('<x:a/>'), `xmlns:x="${LONG}"`), 'xml'),
      refusal(xml2(objectXml(`<a xmlns="${LONG}"/>`)), 'xml'),
    ];
    for (const each of await Promise.all(long)) {
      expect(each.name).to.equal('CaptureLimitExceededException');
      expect(each.message)
        .to.match(/namespace/)
        .and.have.length.below(300);
    }
  });

  it('of XML means the same where many elements add to it, further in and beside each other', async () => {
    const declared = Array.from({ length: 800 }, (_, n) => `xmlns:p${n}="urn:p:${n}:"`).join(' ');
    const elements =
      '<a:v xmlns:a="urn:a:">p7:x</a:v><w xmlns="urn:w:"><p5:i xmlns:p5="urn:inner:" xmlns:b="urn:b:"><p6:j/></p5:i><p5:k/></w>';
    const text = xml2(objectXml(`<bizStep>b:painting</bizStep><disposition>p5:dry</disposition>${elements}`), declared);
    const { event, source } = await readOne(text, 'xml');
    expect([event.bizStep, event.disposition]).to.deep.equal(['urn:b:painting', 'urn:p:5:dry']);
    expect(JSON.stringify(event.extensions)).to.match(/urn:a:.*urn:w:.*urn:inner:.*urn:p:6:.*urn:p:5:/);
    expect([...source.text.matchAll(/xmlns:p\d+/g)]).to.have.length(4);
    const wide = await refusal(
      xml2(
        objectXml(
          `<a:v xmlns:a="urn:a:">${Array.from({ length: 3000 }, (_, n) => `<b xmlns:q${n}="urn:quite:long:${n}"/>`).join('')}</a:v>`,
        ),
      ),
      'xml',
    );
    expect(wide.message).to.include('more namespaces are declared than allowed');
  });

  it('of an event or inside of one is no larger than that of a document', async () => {
    const entries = many(6000, (n) => `"p${n}":"urn:p:${n}:"`);
    const own = await refusal(json2(objectJson().replace('{', `{"@context":{${entries}},`)), 'json');
    expect(own.message).to.include('@context is larger than allowed');
    const single = async () => {
      for await (const item of readEvent(bytes(objectJson().replace('{', `{"@context":{${entries}},`)), {
        format: 'json',
        sha256,
      }))
        return item;
      return undefined;
    };
    expect(await single().then(() => 'taken', ({ message }: Error) => message)).to.include('@context is larger than allowed'); // prettier-ignore
  });

  it('makes no large event larger than memory: many short names that stand for long ones are refused', async () => {
    const context = `{"x":"https://${'x'.repeat(1000)}/"}`;
    const list = many(20_000, (n) => `"x:${n}"`);
    const epcs = await refusal(
      json2(objectJson({}).replace(/"epcList":\[[^\]]*\]/, `"epcList":[${list}]`), context),
      'json',
    );
    expect(epcs.message).to.match(/stands? for/);
    const fields = many(9_000, (n) => `"x:f${n}":1`);
    const named = await refusal(json2(objectJson().replace(/\}$/, `,${fields}}`), context), 'json');
    expect(named.message).to.match(/stands? for/);
    const xml = await refusal(xml2(objectXml('<x:f/>'.repeat(9_000)), `xmlns:x="https://${'x'.repeat(1000)}/"`), 'xml');
    expect(xml.message).to.match(/stands? for/);
    const element = {
      id: 'urn:e:1',
      attributes: [
        { id: 'urn:a:1', attribute: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`x:${n}`, 1])) },
      ],
    };
    const list2 = [{ type: 'urn:v:1', vocabularyElementList: [element] }];
    const master = json2('', context).replace(
      '"epcisBody"',
      `"epcisHeader":{"epcisMasterData":{"vocabularyList":${JSON.stringify(list2)}}},"epcisBody"`,
    );
    expect((await refusal(master, 'json')).message).to.match(/stands? for/);
  });
});
