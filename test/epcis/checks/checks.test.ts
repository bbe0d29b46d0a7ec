import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkDocument } from '../../../epcis/checks/checks.ts';
import { openChecks } from '../../../epcis/checks/open-checks.ts';
import { NO_HISTORY } from '../../../epcis/service/rule-history.ts';
import type { CaptureItem } from '../../../epcis/service/services.ts';
import { readAll, xml2 } from '../../helpers/epcis-documents.ts';

const NS = 'https://ns.example.com/cold-chain/';
const EXAMPLE = fileURLToPath(new URL('../../../epcis/examples/checks.yaml', import.meta.url));

const SCHEMA = {
  type: 'object',
  properties: {
    celsius: { type: 'number', maximum: 8 },
    plate: { pattern: '^(A+)+$' },
    box: { type: 'object', required: ['lot'] },
  },
};
const XSD =
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="${NS}" elementFormDefault="qualified">` +
  '<xs:element name="celsius"><xs:simpleType><xs:restriction base="xs:decimal"><xs:maxInclusive value="8"/></xs:restriction></xs:simpleType></xs:element>' +
  '<xs:element name="plate"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="(A+)+"/></xs:restriction></xs:simpleType></xs:element>' +
  '<xs:element name="box"><xs:complexType><xs:sequence><xs:element name="lot" type="xs:string"/></xs:sequence></xs:complexType></xs:element>' +
  '</xs:schema>';

type Fields = Readonly<Record<string, unknown>>;
const EVENT = {
  type: 'ObjectEvent',
  eventTime: '2024-01-02T00:00:00Z',
  eventTimeZoneOffset: '+00:00',
  epcList: ['urn:epc:id:sgtin:0614141.107346.1'],
  action: 'OBSERVE',
};
const json = (...events: readonly Fields[]) =>
  JSON.stringify({
    '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld', { c: NS }],
    type: 'EPCISDocument',
    schemaVersion: '2.0',
    creationDate: '2024-01-01T00:00:00Z',
    epcisBody: { eventList: events.map((fields) => ({ ...EVENT, ...fields })) },
  });
const xml = (fields: string) =>
  xml2(
    '<ObjectEvent><eventTime>2024-01-02T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>' +
      `<epcList><epc>urn:epc:id:sgtin:0614141.107346.1</epc></epcList><action>OBSERVE</action>${fields}</ObjectEvent>`,
    `xmlns:c="${NS}"`,
  );

describe('checks', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'checks-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (files: Readonly<Record<string, string | object>>): string => {
    mkdirSync(folder, { recursive: true });
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    return join(folder, 'checks.yaml');
  };
  const refusal = (files: Readonly<Record<string, string | object>>): Promise<string> =>
    openChecks(write(files)).then(
      () => 'taken',
      (error: unknown) => (error as Error).message,
    );

  const told = async (file: string, items: readonly CaptureItem[]): Promise<string[]> => {
    const check = checkDocument(await openChecks(file), NO_HISTORY);
    const faults = [];
    for (const item of items) faults.push(...(await check(item)));
    return faults.map(({ fault, refuses }) => `${refuses ? '' : 'warns: '}${fault.message} [${fault.broken?.rule}]`);
  };

  const registered = (file: string, content: string | object) =>
    write({ 'checks.yaml': { schemas: [{ namespace: NS, file }] }, [file]: content });

  for (const [kind, file, content] of [
    ['a JSON Schema', 's.json', SCHEMA],
    ['an XML Schema', 's.xsd', XSD],
  ] as const) {
    describe(`by ${kind}`, () => {
      it('take what is right, in JSON and in XML, and what is of other namespaces', async () => {
        const checks = registered(file, content);
        const right = { 'c:celsius': 4.5, 'c:plate': 'AA', 'c:box': { 'c:lot': '1' } };
        expect(await told(checks, await readAll(json(right, {}), 'json'))).to.deep.equal([]);
        const same =
          '<c:celsius>4.5</c:celsius><c:plate>AA</c:plate><c:box><c:lot>1</c:lot></c:box><o:x xmlns:o="urn:o">9</o:x>';
        expect(await told(checks, await readAll(xml(same), 'xml'))).to.deep.equal([]);
      });

      it('tell each fault with its place, wherever the field stands', async () => {
        const checks = registered(file, content);
        const wrong = {
          'c:celsius': 9,
          'c:box': { 'c:other': 1 },
          readPoint: { id: 'urn:x:1', 'c:celsius': 'warm' },
        };
        const places = (await told(checks, await readAll(json({}, wrong), 'json'))).map(
          (text) => /\((\/[^)]*)\)/.exec(text)?.[1],
        );
        const at = '/epcisBody/eventList/1';
        expect([...new Set(places)]).to.have.members([`${at}/c:celsius`, `${at}/c:box`, `${at}/readPoint/c:celsius`]);
        const lines = await told(checks, await readAll(xml('<c:celsius>9</c:celsius><c:box/>'), 'xml'));
        expect(lines).to.have.length(2);
        for (const line of lines) expect(line).to.match(/\(line \d+\) \[extension-schema\]$/);
      });

      it('end in time, whatever their patterns do', async () => {
        const plate = `${'A'.repeat(60)}!`;
        const faults = await told(
          registered(file, content),
          await readAll(json({ 'c:plate': plate }, { 'c:celsius': 9 }), 'json'),
        );
        expect(faults).to.have.length(2);
        expect(faults[0]).to.match(/takes too long|not accepted by the pattern/);
      });
    });
  }

  it('take text for a number where the document is XML, and only there', async () => {
    const checks = registered('s.json', SCHEMA);
    expect(await told(checks, await readAll(xml('<c:celsius>4</c:celsius>'), 'xml'))).to.deep.equal([]);
    expect(await told(checks, await readAll(json({ 'c:celsius': '4' }), 'json'))).to.have.length(1);
  });

  it('are refused in one sentence where they are wrong, and fetch nothing', async () => {
    const schemas = [{ namespace: NS, file: 's.json' }];
    const cases: readonly (readonly [says: RegExp, files: Readonly<Record<string, string | object>>])[] = [
      [/checks\.yaml, the file of checks, cannot be read \(ENOENT\)/, {}],
      [/checks\.yaml: .*(flow|collection|Implicit|Nested|must)/, { 'checks.yaml': 'a: b: c:' }],
      [/rule: |Unrecognized key/, { 'checks.yaml': { rule: [] } }],
      [/schemas\.0\.file/, { 'checks.yaml': { schemas: [{ namespace: NS }] } }],
      [/s\.json, a schema, cannot be read \(ENOENT\)/, { 'checks.yaml': { schemas } }],
      [/s\.json: .*JSON/, { 'checks.yaml': { schemas }, 's.json': '{' }],
      [/s\.json: schema is invalid/, { 'checks.yaml': { schemas }, 's.json': { type: 'nothing' } }],
      [/s\.json: .*[Ii]nvalid regular expression/, { 'checks.yaml': { schemas }, 's.json': { pattern: '(' } }],
      [
        /s\.json: can't resolve reference http:\/\/127\.0\.0\.1:9\/x\.json/,
        { 'checks.yaml': { schemas }, 's.json': { $ref: 'http://127.0.0.1:9/x.json' } },
      ],
      [
        /s\.json, a schema, has more than 1 MiB/,
        { 'checks.yaml': { schemas }, 's.json': `{"description":"${'x'.repeat(2 ** 20)}"}` },
      ],
      [/zero, a schema, has more than 1 MiB/, { 'checks.yaml': { schemas: [{ namespace: NS, file: '/dev/zero' }] } }],
      [/has two schemas/, { 'checks.yaml': { schemas: [...schemas, ...schemas] }, 's.json': SCHEMA }],
      [/s\.xsd: /, { 'checks.yaml': { schemas: [{ namespace: NS, file: 's.xsd' }] }, 's.xsd': '<a/>' }],
      [
        /s\.xsd: .*does not resolve/,
        {
          'checks.yaml': { schemas: [{ namespace: NS, file: 's.xsd' }] },
          's.xsd':
            '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:import namespace="urn:y" schemaLocation="http://127.0.0.1:9/y.xsd"/>' +
            '<xs:element name="a" type="y:t" xmlns:y="urn:y"/></xs:schema>',
        },
      ],
      [
        /rules\.0\.name: is no name/,
        { 'checks.yaml': { rules: [{ name: 'No Name', needs: ['bizStep'], says: 'x' }] } },
      ],
      [/rules\.0: asks for nothing/, { 'checks.yaml': { rules: [{ name: 'nothing', says: 'x' }] } }],
      [
        /rules\.0\.within: is no time span/,
        { 'checks.yaml': { rules: [{ name: 'a', after: {}, within: '3 days', says: 'x' }] } },
      ],
      [
        /rules\.0\.within: is no time span/,
        { 'checks.yaml': { rules: [{ name: 'a', after: {}, within: '200y', says: 'x' }] } },
      ],
      [/rules\.0\.(when|after)/, { 'checks.yaml': { rules: [{ name: 'a', after: { bizstep: 'x' }, says: 'x' }] } }],
    ];
    for (const [says, files] of cases) {
      rmSync(folder, { recursive: true });
      const sentence = await refusal(files);
      expect(sentence).to.match(says).and.to.match(/\.$/);
      expect(sentence).not.to.contain('\n');
    }
    for (const within of ['1h30m', '15min'])
      expect(await refusal({ 'checks.yaml': { rules: [{ name: 'a', after: {}, within, says: 'x' }] } })).to.equal(
        'taken',
      );
  });

  describe('by rules', () => {
    const step = (bizStep: string, more: Fields = {}) => ({ bizStep, readPoint: { id: 'urn:x:1' }, ...more });
    const check = async (...events: readonly Fields[]) => told(EXAMPLE, await readAll(json(...events), 'json'));

    it('look back on what stands before in the document', async () => {
      expect(await check(step('shipping'), step('receiving'))).to.deep.equal([]);
      expect(await check(step('shipping', { eventTime: '2024-01-01T00:00:00Z' }), step('receiving'))).to.deep.equal([]);
      const [late] = await check(step('shipping', { eventTime: '2024-01-03T00:00:00Z' }), step('receiving'));
      expect(late).to.equal(
        'warns: What is received has been shipped: urn:epc:id:sgtin:0614141.107346.1 (/epcisBody/eventList/1) [receiving-follows-shipping]',
      );
      expect(await check(step('shipping', { eventTime: '2023-01-01T00:00:00Z' }), step('receiving'))).to.have.length(1);
    });

    it('know an EPC in each of its spellings, and each EPC of an event', async () => {
      const link = { epcList: ['https://id.gs1.org/01/10614141073464/21/1'] };
      expect(await check(step('shipping', link), step('receiving'))).to.deep.equal([]);
      const two = { epcList: [...EVENT.epcList, 'urn:epc:id:sgtin:0614141.107346.2'] };
      expect((await check(step('shipping'), step('receiving', two))).join()).to.contain('107346.2');
    });

    it('refuse what comes after the end, and not the end itself when it is told again', async () => {
      const end = step('destroying');
      expect(await check(end, end)).to.deep.equal([]);
      const after = await check(end, step('packing', { eventTime: '2024-01-03T00:00:00Z' }));
      expect(after.join()).to.match(
        /^What was destroyed or decommissioned is seen no more: .* \[nothing-after-its-end\]$/,
      );
    });

    it('ask for fields', async () => {
      const [lacking] = await check({ bizStep: 'shipping' });
      expect(lacking).to.match(/^Shipping says where: it lacks readPoint .*\[shipping-says-where\]$/);
      expect(await check({ bizStep: 'packing' })).to.deep.equal([]);
    });

    it('look up no more EPCs of an event than they may', async () => {
      const epcList = Array.from({ length: 501 }, (_, n) => `urn:epc:id:sgtin:0614141.107346.${n}`);
      expect((await check(step('receiving', { epcList }))).join()).to.contain(
        '501 EPCs, and this is looked up for 500 at most',
      );
    });
  });
});
