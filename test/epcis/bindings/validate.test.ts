import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { validateDocument } from '../../../epcis/bindings/validate.ts';
import type { Report } from '../../../epcis/service/findings.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
async function* bytes(text: string) {
  for (let at = 0; at < text.length; at += 100) yield Buffer.from(text.slice(at, at + 100));
}
const check = (text: string, format: 'json' | 'xml'): Promise<Report> =>
  validateDocument(bytes(text), { format, sha256 });
const told = ({ findings }: Report) => findings.map(({ rule, at }) => `${rule} ${at ?? ''}`.trim());

const EVENT = {
  type: 'ObjectEvent',
  eventTime: '2024-01-01T00:00:00Z',
  eventTimeZoneOffset: '+00:00',
  epcList: ['urn:epc:id:sgtin:0614141.107346.1'],
  action: 'OBSERVE',
};
const json = (events: readonly object[], more: object = {}) =>
  JSON.stringify({
    '@context': 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld',
    type: 'EPCISDocument',
    schemaVersion: '2.0',
    creationDate: '2024-01-01T00:00:00Z',
    epcisBody: { eventList: events },
    ...more,
  });

const xml = (events: string, root = 'schemaVersion="1.2" creationDate="2024-01-01T00:00:00Z"') =>
  `<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:1" ${root}>\n<EPCISBody><EventList>\n${events}\n</EventList></EPCISBody>\n</e:EPCISDocument>`;
const XML_EVENT = [
  '<ObjectEvent>',
  '<eventTime>2024-01-01T00:00:00Z</eventTime>',
  '<eventTimeZoneOffset>+00:00</eventTimeZoneOffset>',
  '<epcList><epc>urn:epc:id:sgtin:0614141.107346.1</epc></epcList>',
  '<action>OBSERVE</action>',
  '</ObjectEvent>',
];
const at = (line: number, text: string) => XML_EVENT.map((each, n) => (n === line ? text : each)).join('\n');

describe('validation', () => {
  it('finds nothing in what is right', async () => {
    for (const report of [
      await check(json([EVENT, EVENT]), 'json'),
      await check(xml(at(-1, '') + at(-1, '')), 'xml'),
    ]) {
      expect(report).to.deep.equal({ valid: true, events: 2, vocabularyElements: 0, findings: [], more: false });
    }
  });

  it('finds every fault of JSON: in one event, in several, and around them', async () => {
    const bad = {
      ...EVENT,
      eventTime: 'yesterday',
      epcList: ['one', EVENT.epcList[0], 'two'],
      action: 'MAKE',
      bizStep: 'no step',
      quantityList: [{ epcClass: 'urn:x', quantity: 1, uom: 'kilos' }, { quantity: 'many' }],
      nonsense: 1,
    };
    const report = await check(
      json([bad, EVENT, { ...EVENT, action: undefined, eventTimeZoneOffset: undefined }], { other: 1 }),
      'json',
    );
    const place = (n: number, rest = '') => `/epcisBody/eventList/${n}${rest}`;
    expect(told(report)).to.have.members([
      `time ${place(0, '/eventTime')}`,
      `uri ${place(0, '/epcList/0')}`,
      `uri ${place(0, '/epcList/2')}`,
      `action ${place(0, '/action')}`,
      `vocabulary ${place(0, '/bizStep')}`,
      `unit ${place(0, '/quantityList/0/uom')}`,
      `type ${place(0, '/quantityList/1/quantity')}`,
      `required ${place(0, '/quantityList/1')}`,
      `unknown ${place(0, '/nonsense')}`,
      `required ${place(2)}`,
      `required ${place(2)}`,
      'unknown /other',
    ]);
    expect([report.valid, report.events]).to.deep.equal([false, 1]);
    for (const { reason, hint } of report.findings) {
      expect(reason).not.to.match(/\(\/[^)]*\)$/);
      expect(hint).not.to.equal('');
    }
  });

  it('finds every fault of XML, by its line', async () => {
    const first = at(1, '<eventTime>yesterday</eventTime>')
      .replace('urn:epc', 'urn')
      .replace('urn:id', 'no uri %%')
      .replace('OBSERVE', 'MAKE');
    const second = XML_EVENT.filter((line) => !/action|Offset/.test(line)).join('\n');
    const report = await check(xml([first, second, at(-1, '')].join('\n'), ''), 'xml');
    expect(told(report)).to.deep.equal([
      'required line 1',
      'required line 1',
      'time line 4',
      'uri line 6',
      'action line 7',
      'required line 9',
      'required line 9',
    ]);
    expect(report.events).to.equal(1);
  });

  it('takes nothing that is there and wrong for missing', async () => {
    const wrong = {
      ...EVENT,
      type: 'NoEvent',
      readPoint: { id: 'here' },
      quantityList: [{ epcClass: 'boxes', quantity: 1 }],
      sensorElementList: [{ sensorReport: [{ type: 'warmth', value: 'much' }] }],
    };
    const place = '/epcisBody/eventList/0';
    expect(told(await check(json([wrong]), 'json'))).to.have.members([`event-type ${place}/type`]);
    expect(told(await check(json([{ ...wrong, type: 'ObjectEvent' }]), 'json'))).to.have.members([
      `uri ${place}/readPoint/id`,
      `uri ${place}/quantityList/0/epcClass`,
      `vocabulary ${place}/sensorElementList/0/sensorReport/0/type`,
      `type ${place}/sensorElementList/0/sensorReport/0/value`,
    ]);
    // what is missing besides is told
    const both = { ...EVENT, bizTransactionList: [{ type: 'ordering' }] };
    expect(told(await check(json([both]), 'json'))).to.have.members([
      `vocabulary ${place}/bizTransactionList/0/type`,
      `required ${place}/bizTransactionList/0`,
    ]);
    const lists =
      '<action>OBSERVE</action><readPoint>\n<id>here</id></readPoint><bizTransactionList>\n' +
      '<bizTransaction type="ordering">urn:a:1</bizTransaction></bizTransactionList>' +
      '<extension><quantityList>\n<quantityElement>\n<epcClass>boxes</epcClass></quantityElement></quantityList></extension>';
    expect(told(await check(xml(at(4, lists)), 'xml'))).to.have.members([
      'uri line 8',
      'vocabulary line 9',
      'uri line 11',
    ]);
  });

  it('tells all that an event lacks as a whole, but nothing that follows from what was wrong before', async () => {
    const lacking = { type: 'AssociationEvent', eventTime: EVENT.eventTime };
    const reasons = (await check(json([lacking]), 'json')).findings.map(({ reason }) => reason);
    expect(reasons).to.include.members([
      'AssociationEvent lacks eventTimeZoneOffset',
      'AssociationEvent lacks parentID',
      'AssociationEvent lacks action',
    ]);
    const wrong = await check(json([{ ...EVENT, action: 'MAKE', epcList: 'none' }]), 'json');
    expect(told(wrong)).to.have.members([
      'action /epcisBody/eventList/0/action',
      'type /epcisBody/eventList/0/epcList',
    ]);
  });

  it('ends where a document cannot be read on, with what it found before', async () => {
    const cut = json([{ ...EVENT, action: 'MAKE' }, EVENT]).slice(0, -30);
    expect(told(await check(cut, 'json'))[0]).to.equal('action /epcisBody/eventList/0/action');
    expect((await check(cut, 'json')).findings).to.have.length(2);
    const report = await check(xml(at(4, '<action>MAKE</action>')).replace('</EventList>', '</Events>'), 'xml');
    expect(told(report)).to.deep.equal(['action line 7', 'well-formed line 9']);
  });

  it('holds so many findings and says that there are more', async () => {
    const many = Array.from({ length: 400 }, () => ({
      ...EVENT,
      action: 'MAKE',
      eventTime: 'x',
      eventTimeZoneOffset: 'x',
    }));
    const report = await check(json(many), 'json');
    expect([report.findings.length, report.more, report.valid]).to.deep.equal([1000, true, false]);
    // and looks for no more than so many in one event
    const long = await check(
      json([{ ...EVENT, epcList: Array.from({ length: 5000 }, (_, n) => `no uri ${n}`) }]),
      'json',
    );
    expect(long.findings).to.have.length(50);
    // and for fewer in a large one, which takes long to read
    const large = { ...EVENT, epcList: Array.from({ length: 20_000 }, (_, n) => `no uri ${'x'.repeat(90)}${n}`) };
    expect((await check(json([large]), 'json')).findings).to.have.length(1);
  });
});
