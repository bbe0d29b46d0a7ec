// Whatever a client sends, it is an answer or the client's own fault: never a failure of the service.
import { expect } from 'chai';
import fc from 'fast-check';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { KINDS } from '../helpers/fresh-repository.ts';

const PATHS = [
  ...[
    '/',
    '/events',
    '/events/',
    '/epcs/',
    '/bizSteps/',
    '/eventTypes/',
    '/readPoints',
    '/capture/',
    '/nextPageToken/',
  ],
  ...['/queries/', '/queries/SimpleEventQuery/events', '/queries/SimpleEventQuery/subscriptions/'],
];
const WORDS = [
  ...['EQ_bizStep', 'GE_eventTime', 'MATCH_epc', 'EQ_quantity', 'orderBy', 'perPage', 'nextPageToken', 'WD_readPoint'],
  ...[
    'EQ_value_CEL',
    'EXISTS_ILMD_a#b',
    'EQ_INNER_#x',
    'HASATTR_bizLocation',
    'EQATTR_bizLocation_a',
    'eventCountLimit',
  ],
  ...[
    'urn:epc:idpat:sgtin:*.*.*',
    'urn:epc:id:sgtin:1.2.3',
    'https://id.gs1.org/01/1/21/2',
    'ni:///sha-256;00?ver=CBV2.0',
  ],
  ...[
    '2024-01-01T00:00:00Z',
    '9e999',
    '-1',
    'NaN',
    '',
    '|',
    '%00',
    '%',
    '%C3%28',
    '\u{1F600}',
    '\\',
    '../..',
    '//',
    '#',
  ],
  ...['__proto__', 'constructor', "'; DROP TABLE event; --", '<x>&', 'a'.repeat(300), 'eventTime', 'DESC', 'shipping'],
];

const word = fc.constantFrom(...WORDS);
const words = fc.array(word, { maxLength: 3 }).map((parts) => parts.join(''));
const headers = fc.record({
  Accept: fc.constantFrom('*/*', 'application/xml', 'text/html', 'application/xml;q=x', ',,;'),
  'Content-Type': fc.constantFrom('application/json', 'application/xml', 'multipart/form-data; boundary=x', 'x'),
  'GS1-Extensions': fc.constantFrom('', 'ex=http://a/', '=', 'a=b=c', '__proto__=http://x/'),
  'GS1-EPCIS-Max': fc.constantFrom('', '1.2', '2.0', 'x', '99999999999999999999'),
});
const query = fc
  .array(fc.tuple(words, words), { maxLength: 3 })
  .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'));

const escape = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** A message with the words at all places where a client can put text. */
const message = fc
  .tuple(fc.constantFrom('Poll', 'Subscribe', 'Unsubscribe', 'GetSubscriptionIDs'), words, words, words)
  .map(([operation, a, b, c]) => {
    const [name, value, id] = [a, b, c].map(escape);
    return (
      '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
      `<q:${operation} xmlns:q="urn:epcglobal:epcis-query:xsd:1"><queryName>SimpleEventQuery</queryName>` +
      `<params><param><name>${name}</name><value>${value}</value></param></params><dest>${value}</dest>` +
      `<controls><schedule><second>${value}</second></schedule><initialRecordTime>${name}</initialRecordTime></controls>` +
      `<subscriptionID>${id}</subscriptionID></q:${operation}></s:Body></s:Envelope>`
    );
  });

for (const [kind, freshUrl] of KINDS) {
  describe(`hostile clients on ${kind}`, function () {
    this.timeout(60_000);
    let server: EpcisServer;
    const failures: object[] = [];

    before(async () => {
      const log = { error: (fields: object) => void failures.push(fields), warn: () => {}, info: () => {} };
      server = await startEpcisServer({ repository: { url: await freshUrl() }, port: 0, log });
    });
    after(() => server.close());
    beforeEach(() => failures.splice(0));

    it('get an answer or their own fault from REST', async () => {
      const request = fc.tuple(
        fc.constantFrom('GET', 'POST', 'DELETE'),
        fc.constantFrom(...PATHS),
        words,
        query,
        headers,
      );
      await fc.assert(
        fc.asyncProperty(request, async ([method, path, rest, search, given]) => {
          const url = encodeURI(`${path}${rest}?${search}`).replace(/%25/g, '%');
          const body =
            method === 'POST'
              ? { body: `{"name":${JSON.stringify(rest)},"query":{${JSON.stringify(search)}:[]}}` }
              : {};
          const response = await fetch(server.address + url, { method, headers: given, ...body });
          const text = await response.text();
          expect(response.status, text).to.be.below(500);
          expect(failures).to.deep.equal([]);
        }),
        { numRuns: 300 },
      );
    });

    it('get nothing changed that is no UTF-8, but its refusal', async () => {
      const bodies: readonly (readonly [path: string, type: string, before: string, behind: string])[] = [
        ['/queries', 'application/json', '{"name":"a', '","query":{}}'],
        [
          '/queries/SimpleEventQuery/subscriptions',
          'application/json',
          '{"dest":"http://127.0.0.1:9/',
          '","stream":true}',
        ],
        [
          '/epcis/query',
          'text/xml',
          '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><q:Poll xmlns:q="urn:epcglobal:epcis-query:xsd:1">' +
            '<queryName>SimpleEventQuery</queryName><params><param><name>EQ_bizStep</name><value><string>a',
          '</string></value></param></params></q:Poll></s:Body></s:Envelope>',
        ],
      ];
      for (const [path, type, before, behind] of bodies) {
        const body = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(behind)]);
        const headers = { 'Content-Type': type };
        const response = await fetch(server.address + path, { method: 'POST', headers, body });
        expect(response.status, path).to.be.oneOf([400, 500]);
        expect(await response.text(), path)
          .to.include('ValidationException')
          .and.include('not valid UTF-8');
      }
      expect(failures).to.deep.equal([]);
    });

    it('get an answer or their own fault from SOAP', async () => {
      await fc.assert(
        fc.asyncProperty(message, async (body) => {
          const response = await fetch(`${server.address}/epcis/query`, { method: 'POST', body });
          const text = await response.text();
          expect(text)
            .to.match(/<soap:Fault>|Result/)
            .and.not.contain('ImplementationException');
          expect(failures).to.deep.equal([]);
        }),
        { numRuns: 300 },
      );
    });
  });
}
