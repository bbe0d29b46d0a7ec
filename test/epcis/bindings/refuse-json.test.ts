import { expect } from 'chai';
import { readDocument } from '../../../epcis/bindings/documents.ts';
import { bytes, CONTEXT, json2, objectJson, readEvents, refusal, sha256 } from '../../helpers/epcis-documents.ts';
import type { Reading } from '../../helpers/epcis-documents.ts';

describe('refusing JSON', () => {
  const event = (extra: Record<string, unknown>): string => json2(objectJson(extra));
  const at0 = '/epcisBody/eventList/0';
  const document = JSON.parse(json2('')) as Record<string, unknown>;
  const results = (queryResults: object): string =>
    JSON.stringify({ ...document, type: 'EPCISQueryDocument', epcisBody: { queryResults } });
  const cases: readonly (readonly [what: string, text: string, reason: string, pointer: string, reading?: Reading])[] =
    [
      ['an unknown action', event({ action: 'CREATE' }), '‘CREATE’ is none of ADD, OBSERVE, DELETE', `${at0}/action`],
      ['an unknown member', event({ colour: 'red' }), 'unknown member ‘colour’', `${at0}/colour`],
      [
        'a field of another event type',
        event({ parentID: 'urn:p:1' }),
        'ObjectEvent has no field parentID',
        `${at0}/parentID`,
      ],
      [
        'ilmd without namespace',
        event({ action: 'ADD', ilmd: { soil: 1 } }),
        'unknown member ‘soil’',
        `${at0}/ilmd/soil`,
      ],
      [
        'an unknown member of a quantity',
        event({ quantityList: [{ epcClass: 'urn:c:1', weight: 5 }] }),
        'unknown member ‘weight’',
        `${at0}/quantityList/0/weight`,
      ],
      [
        'a bare word of no vocabulary',
        event({ bizStep: 'transforming' }),
        '‘transforming’ is neither',
        `${at0}/bizStep`,
      ],
      [
        'a word of another vocabulary',
        event({ disposition: 'shipping' }),
        '‘shipping’ is neither',
        `${at0}/disposition`,
      ],
      ['an EPC that is no URI', event({ epcList: ['4711'] }), '‘4711’ is no URI', `${at0}/epcList/0`],
      ['a list that is none', event({ epcList: 'urn:e:1' }), 'epcList is no array', `${at0}/epcList`],
      [
        'an item that is an object',
        event({ epcList: [{}] }),
        'epcList/0 is an object, not a string',
        `${at0}/epcList/0`,
      ],
      ['an item that is a number', event({ epcList: [7] }), 'epcList/0 is a number, not a string', `${at0}/epcList/0`],
      [
        'an item that is no object',
        event({ quantityList: [7] }),
        'quantityList/0 is no object',
        `${at0}/quantityList/0`,
      ],
      ['a string that is a number', event({ eventID: 7 }), 'eventID is a number, not a string', `${at0}/eventID`],
      [
        'a number that is a string',
        event({ quantityList: [{ epcClass: 'urn:c:1', quantity: '5' }] }),
        'quantity is no number',
        `${at0}/quantityList/0/quantity`,
      ],
      [
        'a unit that is none',
        event({ quantityList: [{ epcClass: 'urn:c:1', uom: 'kilo' }] }),
        '‘kilo’ is no unit of measure',
        `${at0}/quantityList/0/uom`,
      ],
      ['a place without id', event({ readPoint: {} }), 'id is missing', `${at0}/readPoint`],
      [
        'a source without type',
        event({ sourceList: [{ source: 'urn:p:1' }] }),
        'type is missing',
        `${at0}/sourceList/0`,
      ],
      [
        'certification that is an object',
        event({ certificationInfo: [{}] }),
        'is an object, not a string',
        `${at0}/certificationInfo/0`,
      ],
      [
        'a disposition that sets nothing',
        event({ persistentDisposition: {} }),
        'sets and unsets nothing',
        `${at0}/persistentDisposition`,
      ],
      [
        'a sensor report without type',
        event({ sensorElementList: [{ sensorReport: [{ value: 1 }] }] }),
        'sensorReport lacks its type',
        `${at0}/sensorElementList/0/sensorReport/0`,
      ],
      [
        'a sensor element without report',
        event({ sensorElementList: [{}] }),
        'lacks sensorReport',
        `${at0}/sensorElementList/0`,
      ],
      [
        'a boolean that is none',
        event({ sensorElementList: [{ sensorReport: [{ type: 'a:b', booleanValue: 1 }] }] }),
        'neither true nor false',
        `${at0}/sensorElementList/0/sensorReport/0/booleanValue`,
      ],
      [
        'a time without offset',
        event({ eventTime: '2030-01-01T00:00:00' }),
        'no date and time with offset',
        `${at0}/eventTime`,
      ],
      ['an unknown event type', event({ type: 'MyEvent' }), 'unknown event type ‘MyEvent’', `${at0}/type`],
      ['an event without type', event({ type: undefined }), 'lacks its type', at0],
      ['an event that is no object', json2('7'), 'the event is no object', at0],
      ['a member twice', json2(objectJson().replace('{', '{"action":"ADD",')), '‘action’ stands twice', at0],
      [
        'a member of the document twice',
        json2('').replace('{', '{"type":"EPCISDocument",'),
        '‘type’ stands twice',
        '/',
      ],
      [
        'an unknown member of the document',
        JSON.stringify({ ...document, colour: 1 }),
        'unknown member ‘colour’',
        '/colour',
      ],
      ['a document whose id is no URI', JSON.stringify({ ...document, id: 'mine' }), '‘mine’ is no URI', '/id'],
      [
        'a sender that is no string',
        JSON.stringify({ ...document, sender: ['urn:s:1'] }),
        'sender is an array, not a string',
        '/sender',
      ],
      ['a URI with a space behind it', event({ epcList: ['urn:e:1 '] }), '‘urn:e:1 ’ is no URI', `${at0}/epcList/0`],
      [
        'an empty list of dispositions',
        event({ persistentDisposition: { set: ['active'], unset: [] } }),
        'unset is empty',
        `${at0}/persistentDisposition/unset`,
      ],
      [
        'a context that is no URL',
        JSON.stringify({ ...document, '@context': ['epcis-context'] }),
        '‘epcis-context’ is no URI',
        '/@context',
      ],
      ['a context twice', JSON.stringify({ ...document, '@context': [CONTEXT, CONTEXT] }), 'stands twice', '/@context'],
      [
        'a vocabulary without type',
        JSON.stringify({
          ...document,
          epcisHeader: { epcisMasterData: { vocabularyList: [{ vocabularyElementList: [{ id: 'urn:v:1' }] }] } },
        }),
        'the vocabulary lacks its type',
        '/epcisHeader/epcisMasterData/vocabularyList/0/vocabularyElementList/0',
      ],
      [
        'an unknown member of the header',
        JSON.stringify({ ...document, epcisHeader: { colour: 1 } }),
        'unknown member ‘colour’',
        '/epcisHeader/colour',
      ],
      [
        'an unknown member of the body',
        JSON.stringify({ ...document, epcisBody: { eventList: [], colour: 1 } }),
        'unknown member ‘colour’',
        '/epcisBody/colour',
      ],
      [
        'results whose query has a number for a name',
        results({ queryName: 7, resultsBody: { eventList: [] } }),
        'queryName is a number, not a string',
        '/epcisBody/queryResults/queryName',
      ],
      ['an event type that is no URI', event({ type: '+05:00' }), 'unknown event type ‘+05:00’', `${at0}/type`],
      [
        'a document of another type',
        JSON.stringify({ ...document, type: 'Invoice' }),
        'type ‘Invoice’ is no EPCIS document',
        '/type',
      ],
      [
        'a body that is no object',
        JSON.stringify({ ...document, epcisBody: 7 }),
        'epcisBody is no object',
        '/epcisBody',
      ],
      [
        'an event list that is an object',
        JSON.stringify({ ...document, epcisBody: { eventList: { a: {} } } }),
        'eventList is no array',
        '/epcisBody/eventList',
      ],
      ['a document that is an array', '[]', ' is no object', '/'],
      [
        'a document without context',
        JSON.stringify({ ...document, '@context': undefined }),
        'the document lacks @context',
        '',
      ],
      [
        'a creation date that is none',
        JSON.stringify({ ...document, creationDate: 'gestern' }),
        'is no date and time',
        '/creationDate',
      ],
      [
        'a version that is a number',
        JSON.stringify({ ...document, schemaVersion: 2 }),
        'not a string',
        '/schemaVersion',
      ],
      [
        'a version that is none',
        JSON.stringify({ ...document, schemaVersion: 'x' }),
        'is no version number',
        '/schemaVersion',
      ],
      ['a document without events', JSON.stringify({ ...document, epcisBody: {} }), 'the document lacks eventList', ''],
      [
        'a context that is none',
        JSON.stringify({ ...document, '@context': [7] }),
        '@context holds what is neither',
        '/@context',
      ],
      ['wrong syntax in an event', json2(objectJson().replace(':', ';')), 'not valid JSON: ‘:’ expected', at0],
      ['wrong syntax around events', json2(`${objectJson()} ${objectJson()}`), 'not valid JSON: ‘,’ expected', at0],
      ['a wrong bracket', json2('').replace(']}}', '}}}'), 'not valid JSON', '/epcisBody/eventList/0'],
      ['an unfinished document', json2(objectJson()).slice(0, -1), 'the document is cut off', '/epcisBody'],
      ['something after the document', `${json2('')} x`, 'nothing more expected', '/'],
      ['nothing', '', 'the document is cut off', '/'],
    ];
  for (const [what, text, reason, pointer, reading] of cases) {
    it(`refuses ${what}, saying where`, async () => {
      const { name, message, at } = await refusal(text, 'json', reading);
      expect(message).to.contain(reason);
      expect(name).to.equal('ValidationException');
      expect(at).to.equal(pointer === '' ? undefined : pointer);
    });
  }

  it('yields what stands before the fault', async () => {
    const before: string[] = [];
    const text = json2(`${objectJson()},${objectJson({ action: 'X' })}`);
    const end = await readEvents(text, 'json').catch((error: unknown) => error);
    expect(end).to.be.instanceOf(Error);
    try {
      for await (const { at } of readDocument(bytes(text, 100), { format: 'json', sha256 })) before.push(at);
    } catch {
      // the second event is wrong, as above
    }
    expect(before).to.deep.equal([at0]);
  });

  it('refuses results without the name of their query, and without any list', async () => {
    const nameless = await refusal(results({ resultsBody: { eventList: [] } }), 'json');
    expect(nameless.message).to.contain('the document lacks queryName');
    const empty = await refusal(results({ queryName: 'Q', resultsBody: {} }), 'json');
    expect(empty.message).to.contain('the document lacks eventList');
  });
});
