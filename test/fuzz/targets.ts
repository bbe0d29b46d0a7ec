// The parsers that read what strangers send, each with what must hold of it whatever comes.
import { EpcisException } from '../../epcis/domain/exceptions.ts';
import { readQueryString } from '../../epcis/bindings/rest/query-string.ts';
import { readToken, signToken } from '../../epcis/bindings/rest/page-token.ts';
import { readEnvelope } from '../../epcis/bindings/soap/envelope.ts';
import { readControls, readParameters } from '../../epcis/bindings/soap/parameters.ts';
import { writeEvent } from '../../epcis/bindings/write.ts';
import { planEvents } from '../../epcis/service/parameters.ts';
import { parseTrace } from '../../loadgen/profiles/trace-file.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { decodeAnswer, decodeCall, encodeAnswer, encodeCall, XmlRpcError } from '../../opennebula/documents/xml-rpc.ts';
import { parseXml } from '../../opennebula/xml-parser.ts';
import { parseConfig } from '../../src/config/load.ts';
import { readConfigText } from '../../src/config/file.ts';
import { MmeliotError } from '../../src/errors.ts';
import { decodeReport, encodeReport } from '../../src/monitor/load-report.ts';
import { json2, objectJson, objectXml, readAll, RECORD_TIME, xml1, xml2 } from '../helpers/epcis-documents.ts';
import { DOORS, orRefused, same } from './doors.ts';
import type { Target } from './fuzz.ts';
import { HANDED_OVER } from './handed-over.ts';
import { httpHead } from './http-head.ts';
import { TOLD } from './told.ts';

const X = 'xmlns:x="https://x.example.org/"';
const FULL_XML = objectXml(
  '<bizStep>shipping</bizStep><disposition>urn:epcglobal:cbv:disp:in_transit</disposition><readPoint><id>urn:epc:id:sgln:0614141.07346.1234</id></readPoint>' +
    '<extension><quantityList><quantityElement><epcClass>urn:epc:class:lgtin:4012345.012345.998877</epcClass><quantity>200</quantity><uom>KGM</uom></quantityElement></quantityList>' +
    '<ilmd><x:lot a="1">L<x:b/></x:lot></ilmd></extension><x:note>n</x:note>',
);
const FULL_JSON = objectJson({
  bizStep: 'shipping',
  quantityList: [{ epcClass: 'urn:epc:class:lgtin:4012345.012345.998877', quantity: 200, uom: 'KGM' }],
  sensorElementList: [
    {
      sensorMetadata: { time: '2030-05-06T07:08:09Z' },
      sensorReport: [{ type: 'Temperature', value: 26, uom: 'CEL' }],
    },
  ],
  'x:note': { 'x:inner': [1, true, null, 'a'] },
});

/** The same however it is cut in pieces; what is accepted can be written, and is the same event when it is read again. */
async function takeDocument(input: Buffer, form: 'xml' | 'json'): Promise<void> {
  const whole = await orRefused(EpcisException, () => readAll(input, form));
  const inPieces = await orRefused(EpcisException, () => readAll(input, form, { chunk: 7 }));
  same(inPieces, whole, 'in pieces and whole');
  for (const item of whole ?? []) {
    if (item.kind !== 'event') continue;
    const { event, hash, source } = item.captured;
    for (const style of [{ form: 'xml', version: '2.0' } as const, { form: 'json', version: '2.0' } as const]) {
      const text = writeEvent({ event, hash, source, recordTime: RECORD_TIME }, style);
      // names and text of extension fields may be such in JSON as XML cannot hold
      if (style.form === 'xml' && /\uFFFD|_x[0-9a-f]+_/.test(text)) continue;
      const [again] = await readAll(style.form === 'xml' ? xml2(text) : json2(text), style.form);
      same(again?.kind === 'event' ? again.captured.hash : undefined, hash, `its hash as ${style.form}, ${text}`);
    }
  }
}

const SOAP = (operation: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:q="urn:epcglobal:epcis-query:xsd:1"><s:Body>${operation}</s:Body></s:Envelope>`;
const SOAP_PARAMS =
  '<params><param><name>EQ_bizStep</name><value><string>shipping</string><string>a</string></value></param><param><name>GE_eventTime</name><value>2030-01-01T00:00:00Z</value></param></params>';

const SECRET = 'of the tokens';
const NOW = 1_000;
const TOKENS = [
  { path: '/events', parameters: [{ name: 'EQ_bizStep', values: ['a'] }], after: '7', perPage: 30, expires: 2_000 },
  { path: '/epcs', parameters: [], after: '', perPage: 1, expires: 999 },
].map((position) => signToken(position, SECRET));

export const TARGETS: readonly Target[] = [
  ...DOORS,
  ...HANDED_OVER,
  ...TOLD,
  {
    name: 'datagram',
    samples: ['mmeliot1 shop vm-3 17 1700000000000 42.5 61 1200 88000 -', 'mmeliot1 g v 1 2 3 4 5 6 1700000000000 ab'],
    words: ['mmeliot1', ' ', '-', '.', '100', '1e3', '999999999999999'],
    take(input) {
      const report = decodeReport(input.toString());
      if (report === undefined) return;
      const { sequence, sample } = report;
      if (![sequence, sample.at].every(Number.isSafeInteger) || ![sample.cpu, sample.memory].every((n) => n <= 100))
        throw new Error(`it is taken: ${JSON.stringify(report)}`);
      const again = decodeReport(encodeReport(report));
      if (again === undefined) throw new Error(`what is written of it is no report: ${encodeReport(report)}`);
      same(again.sequence, report.sequence, 'its number');
    },
  },
  httpHead,
  {
    name: 'soap',
    samples: [
      SOAP(`<q:Poll><queryName>SimpleEventQuery</queryName>${SOAP_PARAMS}</q:Poll>`),
      SOAP(
        `<q:Subscribe><queryName>SimpleEventQuery</queryName>${SOAP_PARAMS}<dest>http://a</dest><controls><schedule><second>0</second></schedule><initialRecordTime>2030-01-01T00:00:00Z</initialRecordTime><reportIfEmpty>true</reportIfEmpty></controls><subscriptionID>s</subscriptionID></q:Subscribe>`,
      ),
    ],
    words: ['<param>', '</param>', '<name>', 'xmlns="', 'MATCH_epc', 'orderBy', '<!DOCTYPE d>', '<string>', '&lt;'],
    take: (input) =>
      orRefused(EpcisException, async () => {
        const { operation } = await readEnvelope(input.toString());
        planEvents(readParameters(operation));
        readControls(operation);
      }),
  },
  {
    name: 'epcis-xml',
    samples: [xml2(objectXml()), xml2(FULL_XML, X), xml1(FULL_XML, X)],
    words: ['<extension>', '</extension>', 'xmlns:y="u"', 'y:z', '<epc>', '+14:00', 'TransactionEvent', '<!--', '-->'],
    take: (input) => takeDocument(input, 'xml'),
  },
  {
    name: 'epcis-json',
    samples: [json2(objectJson()), json2(FULL_JSON, '{"x":"https://x.example.org/"}')],
    words: [
      '"@context"',
      '"type":',
      'AggregationEvent',
      '"x:y"',
      '\\u0000',
      '\\ud800',
      '[[',
      'e400',
      '1.0',
      '"errorDeclaration"',
    ],
    take: (input) => takeDocument(input, 'json'),
  },
  {
    name: 'query-parameters',
    samples: [
      'EQ_bizStep=shipping|receiving&GE_eventTime=2030-01-01T00:00:00Z&MATCH_epc=urn:epc:idpat:sgtin:9521141.*.*',
      'EQ_ex:color=red&orderBy=eventTime&orderDirection=ASC&eventCountLimit=5&WD_readPoint=urn:epc:id:sgln:0614141.07346.0',
      'GE_SENSORREPORT_value=2.5&EQATTR_bizLocation_a=b&HASATTR_readPoint=c&EXISTS_INNER_ILMD_ex:a&perPage=3&nextPageToken=a',
    ],
    words: [
      '&',
      '=',
      '|',
      'MATCH_',
      'EQ_INNER_ILMD_',
      '_',
      '#',
      ':',
      'urn:epc:idpat:',
      '.*',
      '[1-3]',
      'eventTime',
      '%2B',
    ],
    take: (input) =>
      orRefused(EpcisException, () => {
        const extensions = new Map([['ex', 'https://ex.example.org/']]);
        planEvents(readQueryString(`/events?${input.toString()}`, extensions).parameters);
      }),
  },
  {
    name: 'page-token',
    samples: TOKENS,
    words: ['.', '=', '-', '_', 'WyIv', 'e30'],
    async take(input) {
      const token = input.toString();
      const position = await orRefused(EpcisException, () => readToken(token, SECRET, NOW));
      if (position !== undefined) same(signToken(position, SECRET), token, 'a token that was never issued');
    },
  },
  {
    name: 'xml-rpc',
    samples: [
      encodeAnswer({
        value: [
          true,
          'a <b>',
          5n,
          1.5,
          new Map<string, string | bigint>([
            ['k', 'v'],
            ['__proto__', 1n],
          ]),
        ],
      }),
      encodeAnswer({ fault: { code: 7, message: 'no' } }),
      encodeCall({ method: 'one.vm.info', params: ['a:b', 7] }),
    ],
    words: [
      '<value>',
      '</value>',
      '<i4>',
      '<i8>',
      '<double>',
      '<array><data>',
      '<struct>',
      '<member>',
      '<nil/>',
      '<base64>',
    ],
    async take(input) {
      const root = await orRefused(XmlRpcError, () => parseXml(input.toString()));
      if (root === undefined) return;
      const answer = await orRefused(XmlRpcError, () => decodeAnswer(root));
      if (answer !== undefined) same(decodeAnswer(parseXml(encodeAnswer(answer))), answer, 'written and read again');
      const call = await orRefused(XmlRpcError, () => decodeCall(root));
      if (call !== undefined) same(decodeCall(parseXml(encodeCall(call))), call, 'written and read again');
    },
  },
  {
    name: 'configuration',
    unhurried: true,
    samples: [
      'gateway:\n  port: 8080\n  queue: { capacity: 10, deadline: 30 s }\nrepository:\n  url: sqlite:./a.db\n',
      'elasticity:\n  policy: mmeliot\n  period: 1 min\nprovider: local\nlocal:\n  vm: { cpu: 0.25 }\nlimits: &a [1, *a]\n',
    ],
    words: [
      'gateway:',
      'fleet:',
      'epcis:',
      'policy: ',
      '${HOME}',
      '${',
      '}',
      '&a',
      '*a',
      '!!binary',
      '<<: ',
      '? ',
      '- ',
      '5 s',
      '1 GB',
      '|\n',
      '%YAML 1.2\n---\n',
    ],
    take: (input) =>
      orRefused(MmeliotError, () => {
        const { value, place } = readConfigText(input.toString(), 'fuzz.yaml', { HOME: '/home' });
        return parseConfig(value, 'fuzz.yaml', place);
      }),
  },
  {
    name: 'trace-file',
    unhurried: true,
    samples: [
      'period,count\n1998-04-30 21:30:00,2\n1998-04-30 21:31:00,5\n1998-04-30 21:35:00,5\n',
      '0.5,230634.0;\n1.5,3;\n',
      'HashOwner,HashApp,HashFunction,Trigger,1,2,3\na,b,c,http,1,2,3\nd,e,f,http,4,5,6\n',
      'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:48.5,1,2\n',
      'minute,"requests_per_second",bytes\n0,1.5,"2,5"\n1,2,0\n# remark\n7,2,0\n',
      'host - - [01/Jul/1995:00:00:01 -0400] "GET / HTTP/1.0" 200 6245\nhost - - [01/Jul/1995:00:00:09 -0400] "GET / HTTP/1.0" 200 6245\n',
      '12\n15\n9\n',
      '{"time":"2014-05-01T00:00:00Z","count":2}\n{"count":3,"time":1398902520}\n',
      '[[1398902400, 2], [1398902520, null]]',
    ],
    words: ['period', 'timestamp', ',', ';', '9999-12-31 23:59:59', '0001-01-01 00:00:00', '1e9', '00:00:00.001'],
    async take(input) {
      const trace = await orRefused(OptionError, () => parseTrace(input.toString(), 'some-15min.csv'));
      if (trace === undefined) return;
      if (!(trace.interval > 0)) throw new Error(`an interval of ${trace.interval}`);
      const wrong = trace.counts.find((count) => !(count >= 0 && Number.isFinite(count)));
      if (wrong !== undefined) throw new Error(`a count of ${wrong}`);
    },
  },
];
