// How much one event may say: what a reader makes of it, and the rows of its index, cost by its values, not by its bytes.
import { expect } from 'chai';
import { checked } from '../../../epcis/bindings/check.ts';
import { DEFAULT_LIMITS, readDocument, readEvent } from '../../../epcis/bindings/documents.ts';
import { EpcisException } from '../../../epcis/domain/exceptions.ts';
import { bytes, json2, objectJson, objectXml, sha256, xml1, xml2 } from '../../helpers/epcis-documents.ts';

type Format = 'xml' | 'json';

const LIMIT = 1000;
const X = 'xmlns:x="urn:x"';
const many = <T>(count: number, of: (i: number) => T): readonly T[] => Array.from({ length: count }, (_, i) => of(i));
const members = (count: number, prefix = ''): Record<string, string> =>
  Object.fromEntries(many(count, (i) => [`${prefix}f${i}`, 'v']));
const elements = (count: number, prefix = 'x:'): string =>
  many(count, (i) => `<${prefix}f${i}>v</${prefix}f${i}>`).join('');
const attributes = (count: number): string => many(count, (i) => `a${i}="v"`).join(' ');
const uris = (count: number): readonly string[] => many(count, (i) => `urn:epc:id:sgtin:9521141.012345.${i}`);
const epcs = (count: number): string => uris(count).join('</epc><epc>');
const report = (more = {}): object => ({
  type: 'Temperature',
  time: '2024-01-02T03:04:05Z',
  value: 1.5,
  uom: 'CEL',
  ...more,
});
const sensors = (...sensorReport: readonly object[]) => ({ sensorElementList: [{ sensorReport }] });
const inXml = (value: object): string =>
  Object.entries(value)
    .map(([name, each]) => `${name}="${each}"`)
    .join(' ');
const sensorsXml = (reports: readonly object[], inside = ''): string =>
  `<sensorElementList><sensorElement>${reports.map((each) => `<sensorReport ${inXml(each)}>${inside}</sensorReport>`).join('')}</sensorElement></sensorElementList>`;
const jsonOf = (extra: Record<string, unknown>): string => json2(objectJson(extra), '{"x":"urn:x"}');
const xmlOf = (extra: string): string => xml2(objectXml(extra), X);
const place = (attributes: string): string =>
  `<VocabularyElement id="urn:place:1" ${attributes}>` +
  `${many(LIMIT, (i) => `<attribute id="urn:a:${i}">v</attribute>`).join('')}</VocabularyElement>`;
const header = (elements: string): string =>
  xml2('').replace(
    '<EPCISBody>',
    '<EPCISHeader><extension><EPCISMasterData><VocabularyList><Vocabulary type="urn:t"><VocabularyElementList>' +
      `${elements}</VocabularyElementList></Vocabulary></VocabularyList></EPCISMasterData></extension></EPCISHeader><EPCISBody>`,
  );
const masterJson = (count: number): string =>
  json2('').replace(
    '"epcisBody"',
    `"epcisHeader":{"epcisMasterData":{"vocabularyList":[{"type":"urn:t","vocabularyElementList":[${JSON.stringify({
      id: 'urn:place:1',
      attributes: many(count, (i) => ({ id: `urn:a:${i}`, attribute: 'v' })),
    })}]}]}},"epcisBody"`,
  );

const TOO_MUCH: readonly (readonly [what: string, format: Format, text: string])[] = [
  ['fields of an extension', 'json', jsonOf(members(LIMIT, 'x:'))],
  ['fields of an extension', 'xml', xmlOf(elements(LIMIT))],
  ['fields of an extension of 1.x', 'xml', xml1(objectXml(elements(LIMIT)), X)],
  ['what is further in', 'json', jsonOf({ 'x:f': { a: [members(LIMIT / 2), members(LIMIT / 2)] } })],
  ['what is further in', 'xml', xmlOf(`<x:f>${elements(LIMIT, '')}</x:f>`)],
  ['items of an array', 'json', jsonOf({ 'x:f': many(LIMIT, (i) => i) })],
  ['arrays in an array', 'json', jsonOf({ 'x:f': many(LIMIT / 2, () => [[]]) })],
  ['attributes', 'xml', xmlOf(`<x:f ${attributes(LIMIT)}/>`)],
  ['attributes of the event', 'xml', xmlOf('').replace('<ObjectEvent>', `<ObjectEvent ${attributes(LIMIT)}>`)],
  ['attributes of the document', 'xml', xmlOf('').replace('schemaVersion', `${attributes(LIMIT + 1)} schemaVersion`)],
  [
    'members of the document',
    'json',
    jsonOf({}).replace('{', `{${JSON.stringify(members(LIMIT, 'x:')).slice(1, -1)},`),
  ],
  ['EPCs', 'json', jsonOf({ epcList: uris(10 * LIMIT) })],
  ['EPCs', 'xml', xml2(objectXml('', { epc: epcs(10 * LIMIT) }))],
  ['EPCs where they are no EPCs', 'json', jsonOf({ 'x:f': { epcList: uris(LIMIT) } })],
  ['EPCs where they are no EPCs', 'xml', xmlOf(`<x:epcList><epc>${epcs(LIMIT)}</epc></x:epcList>`)],
  ['what sensors report', 'json', jsonOf(sensors(...many((2 / 3) * LIMIT, () => report())))],
  ['what sensors report', 'xml', xmlOf(sensorsXml(many((2 / 3) * LIMIT, () => report())))],
  [
    'fields of an extension in what sensors report',
    'json',
    jsonOf(sensors(...many(LIMIT / 10, () => report(members(9, 'x:'))))),
  ],
  [
    'fields of an extension in what sensors report',
    'xml',
    xmlOf(sensorsXml(many(LIMIT / 10, () => report(members(9, 'x:'))))),
  ],
  [
    'what is further in what sensors report',
    'json',
    jsonOf(sensors(report({ 'x:f': many(LIMIT / 2, () => ({ type: 'a' })) }))),
  ],
  [
    'what is further in what sensors report',
    'xml',
    xmlOf(sensorsXml([report()], '<sensorReport type="a"/>'.repeat(LIMIT / 2))),
  ],
  [
    'what is in a field of an extension in what sensors report',
    'xml',
    xmlOf(sensorsXml([report()], `<x:f>${'<f type="a"/>'.repeat(LIMIT / 2)}</x:f>`)),
  ],
  ['what is no sensor element', 'json', jsonOf({ 'x:f': sensors(...many(LIMIT / 5, () => report())) })],
  ['what is no sensor element', 'xml', xmlOf(`<x:f>${sensorsXml(many(LIMIT / 5, () => report()))}</x:f>`)],
  ['texts with quotes and brackets', 'json', jsonOf({ 'x:"]': many(LIMIT, () => '\\"[') })],
  ['master data', 'json', masterJson(LIMIT / 2)],
  ['master data', 'xml', header(place(''))],
];

const LITTLE_ENOUGH: typeof TOO_MUCH = [
  [
    'fields, of two events each as many',
    'json',
    json2(many(2, () => objectJson({ ...members(LIMIT - 10, 'x:') })).join(','), '{"x":"urn:x"}'),
  ],
  ['fields, of two events each as many', 'xml', xml2(objectXml(elements(LIMIT - 10)).repeat(2), X)],
  ['EPCs', 'json', jsonOf({ epcList: uris(9.9 * LIMIT) })],
  ['EPCs', 'xml', xml2(objectXml('', { epc: epcs(9.9 * LIMIT) }))],
  ['what sensors report', 'json', jsonOf(sensors(...many(0.6 * LIMIT, () => report())))],
  ['what sensors report', 'xml', xmlOf(sensorsXml(many(0.6 * LIMIT, () => report())))],
  ['a text of commas and brackets', 'json', jsonOf({ 'x:f': '\\",[{'.repeat(LIMIT) })],
];

async function outcome(items: AsyncIterable<unknown>): Promise<string> {
  try {
    let taken = 0;
    for await (const item of items) if (item !== undefined) taken++;
    return taken === 0 ? 'empty' : 'taken';
  } catch (error) {
    if (error instanceof EpcisException) return `${error.name}: ${error.message}`;
    throw error;
  }
}

const limits = { itemValues: LIMIT };
const byReader = (text: string, format: Format) => outcome(readDocument(bytes(text, 1000), { format, sha256, limits }));
const byChecker = (text: string, format: Format) =>
  outcome(checked(bytes(text, 1000), format, { ...DEFAULT_LIMITS, ...limits }));
const REFUSED = /^CaptureLimitExceededException: .* holds more values than allowed.*; the limit is 1000\b/;

describe('the values of one event', () => {
  for (const [what, format, text] of TOO_MUCH)
    it(`are refused where they are too many: ${what}, ${format}`, async () => {
      expect(await byReader(text, format)).to.match(REFUSED);
      expect(await byChecker(text, format)).to.match(REFUSED);
    });

  for (const [what, format, text] of LITTLE_ENOUGH)
    it(`are taken up to the limit: ${what}, ${format}`, async () => {
      expect(await byReader(text, format)).to.equal('taken');
      expect(await byChecker(text, format)).to.equal('taken');
    });

  it('are counted of an event alone, too', async () => {
    const single = (text: string, format: Format) => outcome(readEvent(bytes(text), { format, sha256, limits }));
    expect(await single(objectJson({ '@context': [{ x: 'urn:x' }], ...members(LIMIT, 'x:') }), 'json')).to.match(
      REFUSED,
    );
    const element = objectXml(elements(LIMIT)).replace('<ObjectEvent>', `<ObjectEvent ${X}>`);
    expect(await single(element, 'xml')).to.match(REFUSED);
  });

  it('may be 100,000 EPCs, nearly, or 6,000 reports of a sensor, without a setting', async () => {
    for (const [format, text] of [
      ['json', jsonOf(sensors(...many(6_000, () => report())))],
      ['xml', xmlOf(sensorsXml(many(6_000, () => report())))],
      ['json', jsonOf({ epcList: uris(99_000) })],
      ['xml', xml2(objectXml('', { epc: epcs(99_000) }))],
    ] as const)
      expect(await outcome(checked(bytes(text), format, DEFAULT_LIMITS))).to.equal('taken');
  });
});
