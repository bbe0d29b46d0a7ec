// What is refused before there is a job, and what is left to the job.
import { expect } from 'chai';
import { checked } from '../../../epcis/bindings/check.ts';
import { DEFAULT_LIMITS, type DocumentLimits } from '../../../epcis/bindings/documents.ts';
import { EpcisException } from '../../../epcis/domain/exceptions.ts';
import { bytes, json2, objectJson, objectXml, xml1, xml2 } from '../../helpers/epcis-documents.ts';

type Text = string | Uint8Array;

async function verdict(
  text: Text,
  format: 'xml' | 'json',
  limits: Partial<DocumentLimits> = {},
  chunk = 7,
  first?: number,
) {
  const passed: Uint8Array[] = [];
  try {
    for await (const piece of checked(bytes(text, chunk), format, { ...DEFAULT_LIMITS, ...limits }, first))
      passed.push(piece);
  } catch (error) {
    if (error instanceof EpcisException) return `${error.name}: ${error.message}`;
    throw error;
  }
  expect(Buffer.concat(passed).equals(Buffer.from(text as string))).to.equal(true);
  return 'passes';
}

const json = json2(objectJson({ bizStep: 'shipping' }));
const xml = xml2(objectXml());
const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');

describe('whether it is a document at all', () => {
  it('lets pass what is one, whatever it says', async () => {
    for (const text of [json, json2(objectJson({ action: 'CREATE' })), '{}', '{"a":[1,2,{"b":null}]}'])
      expect(await verdict(text, 'json'), text).to.equal('passes');
    for (const text of [xml, xml1(''), '<html/>', '\uFEFF<?xml version="1.0"?><a>&lt;<![CDATA[<]]></a>'])
      expect(await verdict(text, 'xml'), text).to.equal('passes');
  });

  it('refuses every document that is cut off', async () => {
    for (let length = 0; length < json.length; length += 11)
      expect(await verdict(json.slice(0, length), 'json', {}, 64), String(length)).to.match(
        /^Validation.*not valid JSON/,
      );
    for (let length = 0; length < xml.length; length += 11)
      expect(await verdict(xml.slice(0, length), 'xml', {}, 64), String(length)).to.match(
        /^Validation.*not well-formed/,
      );
  });

  it('refuses what is no UTF-8, no JSON, no XML', async () => {
    const wrong: readonly (readonly [Text, 'xml' | 'json', RegExp])[] = [
      [latin1(json.replace('OBSERVE', 'OBS\u00e9')), 'json', /not valid UTF-8/],
      [latin1(xml.replace('OBSERVE', 'OBS\u00e9')), 'xml', /not valid UTF-8/],
      [json2(objectJson()).replace('"OBSERVE"', 'OBSERVE'), 'json', /not valid JSON/],
      [json2(objectJson()).replace('"OBSERVE"', '"OBS\\x"'), 'json', /not valid JSON/],
      [`${json}}`, 'json', /nothing more expected/],
      ['[]', 'json', /no object/],
      ['7', 'json', /no object/],
      ['<!DOCTYPE a [<!ENTITY b "c">]><a/>', 'xml', /document type declaration/],
      [xml.replace('</ObjectEvent>', '</Object>'), 'xml', /not well-formed XML/],
      [xml.replace('OBSERVE', '&unknown;'), 'xml', /not well-formed XML/],
      [xml.replace('<action>', '<x:action>'), 'xml', /not well-formed XML/],
      ['<a/><b/>', 'xml', /not well-formed XML/],
    ];
    for (const [text, format, reason] of wrong) expect(await verdict(text, format)).to.match(reason);
  });

  it('looks no further than it is told to', async () => {
    const wrong = xml.indexOf('OBSERVE');
    const text = xml.replace('OBSERVE', '&unknown;');
    for (const chunk of [1, 7, text.length]) {
      expect(await verdict(text, 'xml', {}, chunk, wrong)).to.equal('passes');
      expect(await verdict(text, 'xml', {}, chunk, wrong + '&unknown;'.length)).to.match(/not well-formed XML/);
      expect(await verdict(json.slice(0, -1), 'json', {}, chunk, json.length - 2)).to.equal('passes');
      expect(await verdict(json.slice(0, -1), 'json', {}, chunk, json.length - 1)).to.match(/not valid JSON/);
    }
  });

  it('refuses what is too large: too many events, too deep, one too long', async () => {
    const large = /^CaptureLimitExceededException/;
    const three = [1, 2, 3];
    expect(await verdict(json2(three.map(() => objectJson()).join(',')), 'json', { items: 2 })).to.match(large);
    expect(await verdict(xml2(three.map(() => objectXml()).join('')), 'xml', { items: 2 })).to.match(large);
    expect(await verdict(xml2(three.map(() => objectXml()).join('')), 'xml', { items: 3 })).to.equal('passes');
    const nested = xml1(`<extension><extension>${objectXml()}</extension></extension>${objectXml()}`);
    expect(await verdict(nested, 'xml', { items: 1 })).to.match(large);
    expect(await verdict(nested, 'xml', { items: 2 })).to.equal('passes');
    expect(await verdict(json2(objectJson({ 'a:b': { 'a:b': { 'a:b': [] } } })), 'json', { depth: 5 })).to.match(large);
    expect(await verdict(`${'<a>'.repeat(20)}${'</a>'.repeat(20)}`, 'xml', { depth: 19 })).to.match(large);
    const long = 'x'.repeat(1000);
    expect(await verdict(json2(objectJson({ 'a:b': long })), 'json', { itemBytes: 999 })).to.match(large);
    expect(await verdict(xml2(objectXml(`<!--${long}-->`)), 'xml', { itemBytes: 999 })).to.match(large);
    expect(
      await verdict(xml2(objectXml()).replace('<EventList>', `<EventList><!--${long}-->`), 'xml', { itemBytes: 999 }),
    ).to.equal('passes');
  });
});
