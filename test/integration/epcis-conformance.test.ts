// The conformance runner, on cases of our own: that a good server passes, and that each kind of fault makes it fail.
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { KINDS } from '../helpers/fresh-repository.ts';

const RUNNER = fileURLToPath(new URL('../conformance/run.ts', import.meta.url));
const QUERY = 'xmlns:q="urn:epcglobal:epcis-query:xsd:1"';

type Files = Readonly<Record<string, string>>;

function event(minute: number, more = ''): string {
  return (
    `<ObjectEvent><eventTime>2006-06-25T00:0${minute}:00Z</eventTime><eventTimeZoneOffset>-06:00</eventTimeZoneOffset>` +
    `<epcList><epc>urn:epc:id:sgtin:0614141.107340.${minute}</epc></epcList><action>ADD</action>` +
    `<bizStep>urn:example:step</bizStep>${more}</ObjectEvent>`
  );
}

function document(...events: readonly string[]): string {
  return (
    '<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:1" schemaVersion="1.0" creationDate="2006-06-25T00:00:00Z">' +
    `<EPCISBody><EventList>${events.join('')}</EventList></EPCISBody></e:EPCISDocument>`
  );
}

function results(events: readonly string[], subscription = ''): string {
  return (
    `<q:QueryResults ${QUERY}><queryName>SimpleEventQuery</queryName>${subscription}<resultsBody><EventList>\n` +
    `${events.join('\n')}</EventList></resultsBody></q:QueryResults>`
  );
}

function poll(name: string, value: string): string {
  const param = `<param><name>${name}</name><value>${value}</value></param>`;
  return `<q:Poll ${QUERY}><queryName>SimpleEventQuery</queryName><params>${param}</params></q:Poll>`;
}

function subscribe(id: string): string {
  return (
    `<q:Subscribe ${QUERY}><queryName>SimpleEventQuery</queryName><params/><dest>http://127.0.0.1:8899/</dest>` +
    '<controls><schedule><hour>3</hour></schedule><initialRecordTime>2006-06-25T00:02:00Z</initialRecordTime>' +
    `<reportIfEmpty>false</reportIfEmpty></controls><subscriptionID>${id}</subscriptionID></q:Subscribe>`
  );
}

const FOSSTRAK: Files = {
  'fosstrak/masterdata/data.xml':
    '<m:EPCISMasterDataDocument xmlns:m="urn:epcglobal:epcis-masterdata:xsd:1" schemaVersion="1" creationDate="2006-06-25T00:00:00Z">' +
    '<EPCISBody><VocabularyList><Vocabulary type="urn:example:v"><VocabularyElementList><VocabularyElement id="urn:example:1"/>' +
    '</VocabularyElementList></Vocabulary></VocabularyList></EPCISBody></m:EPCISMasterDataDocument>',
  'fosstrak/events/1_first.xml': document(event(1), event(2)),
  'fosstrak/events/2_second.xml': document(event(3)),
  'fosstrak/requests/T-SE1-Request.xml': poll('GE_eventTime', '2006-06-25T00:02:00Z'),
  'fosstrak/responses/T-SE1-Response.xml': results([event(2), event(3, '').replace('<ObjectEvent>', '<ObjectEvent> ')]),
  // between the two events of one document
  'fosstrak/requests/T-SE2-Request.xml': poll('LT_recordTime', '2006-06-25T00:01:30Z'),
  'fosstrak/responses/T-SE2-Response.xml': results([event(1)]),
  'fosstrak/requests/T-SE3-Request.xml': poll('EQ_nothing', 'x'),
  'fosstrak/responses/T-SE3-Response.xml': `<q:QueryParameterException ${QUERY}><reason>any</reason></q:QueryParameterException>`,
  'fosstrak/requests/T-SE4-Request-1-Subscribe.xml': subscribe('T4'),
  'fosstrak/requests/T-SE4-Request-2-Unsubscribe.xml': `<q:Unsubscribe ${QUERY}><subscriptionID>T4</subscriptionID></q:Unsubscribe>`,
  'fosstrak/responses/T-SE4-Response-1-1-SubscribeResult.xml': `<q:SubscribeResult ${QUERY}/>`,
  'fosstrak/responses/T-SE4-Response-1-2-QueryResults.xml': results(
    [event(2), event(3)],
    '<subscriptionID>T4</subscriptionID>',
  ),
  'fosstrak/responses/T-SE4-Response-2-UnsubscribeResult.xml': `<q:UnsubscribeResult ${QUERY}/>`,
};

const JSON_DOCUMENT = {
  '@context': [
    'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld',
    { ex: 'http://ns.example.com/epcis/' },
  ],
  type: 'EPCISDocument',
  schemaVersion: '2.0',
  creationDate: '2024-01-01T00:00:00Z',
  epcisBody: {
    eventList: [
      {
        type: 'ObjectEvent',
        eventTime: '2024-05-17T10:30:00+02:00',
        eventTimeZoneOffset: '+02:00',
        eventID: 'urn:example:event',
        epcList: ['urn:epc:id:sgtin:0614141.107346.1'],
        action: 'OBSERVE',
        bizStep: 'shipping',
        'ex:color': 'red',
      },
    ],
  },
};

const XML_DOCUMENT =
  '<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:2" xmlns:ex="http://ns.example.com/epcis/" schemaVersion="2.0" ' +
  'creationDate="2024-01-01T00:00:00Z"><EPCISBody><EventList><ObjectEvent><eventTime>2024-05-17T10:30:00+02:00</eventTime>' +
  '<eventTimeZoneOffset>+02:00</eventTimeZoneOffset><epcList><epc>urn:epc:id:sgtin:0614141.107346.1</epc></epcList>' +
  '<action>OBSERVE</action><bizStep>urn:epcglobal:cbv:bizstep:shipping</bizStep><ex:color>red</ex:color></ObjectEvent>' +
  '</EventList></EPCISBody></e:EPCISDocument>';

const WRONG_DOCUMENT = JSON.stringify(JSON_DOCUMENT).replace('OBSERVE', 'SEE');

const DOCUMENTS: Files = {
  'documents/json/one.json': JSON.stringify(JSON_DOCUMENT),
  'documents/xml/one.xml': XML_DOCUMENT,
  'documents/invalid/wrong.json': WRONG_DOCUMENT,
};

/** What CBV 2.0 makes of the event above, written by hand. */
const PREHASH =
  'eventType=ObjectEventeventTime=2024-05-17T08:30:00.000ZeventTimeZoneOffset=+02:00' +
  'epcListepc=https://id.gs1.org/01/10614141073464/21/1action=OBSERVEbizStep=https://ref.gs1.org/cbv/BizStep-shipping' +
  '{http://ns.example.com/epcis/}color=red';
const HASH = `ni:///sha-256;${createHash('sha256').update(PREHASH).digest('hex')}?ver=CBV2.0`;

const VECTORS: Files = {
  'vectors/one.jsonld': JSON.stringify(JSON_DOCUMENT),
  'vectors/one.xml': XML_DOCUMENT,
  'vectors/one.hashes': HASH,
};

for (const [kind, freshUrl] of KINDS) {
  describe(`the conformance runner on ${kind}`, function () {
    this.timeout(120_000);
    let server: EpcisServer;
    let folder: string;

    before(async () => {
      const log = { error: () => {}, warn: () => {}, info: () => {} };
      const subscriptionTargets = ['127.0.0.1'];
      server = await startEpcisServer({ repository: { url: await freshUrl() }, port: 0, subscriptionTargets, log });
    });
    after(() => server.close());
    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'conformance-'))));
    afterEach(() => rmSync(folder, { recursive: true }));

    const run = async (files: Files): Promise<{ status: number; text: string }> => {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), content);
      }
      return new Promise((resolve) => {
        execFile(process.execPath, ['--no-warnings', RUNNER, server.address, folder], (error, stdout, stderr) => {
          resolve({ status: typeof error?.code === 'number' ? error.code : 0, text: stdout + stderr });
        });
      });
    };

    it('passes what is right: Fosstrak cases, documents and hash vectors', async () => {
      const { status, text } = await run({ ...FOSSTRAK, ...DOCUMENTS, ...VECTORS });
      expect(text).to.match(/\n11 passed, 0 failed, 0 noted\n$/);
      expect(status).to.equal(0);
    });

    it('fails what is wrong, and says why', async () => {
      const { status, text } = await run({
        ...FOSSTRAK,
        'fosstrak/responses/T-SE1-Response.xml': results([event(1), event(2)]),
        'fosstrak/responses/T-SE3-Response.xml': `<q:NoSuchNameException ${QUERY}><reason>any</reason></q:NoSuchNameException>`,
        'documents/json/wrong.json': WRONG_DOCUMENT,
        'documents/invalid/right.json': JSON.stringify(JSON_DOCUMENT),
        'vectors/one.jsonld': JSON.stringify(JSON_DOCUMENT),
        'vectors/one.hashes': HASH.replace(/[0-9a-f]{8}\?/, '00000000?'),
      });
      const failed = text.split('\n').filter((line) => line.includes('  failed  '));
      expect(failed.map((line) => line.split(' ')[0])).to.have.members([
        'documents/json/wrong.json',
        'documents/invalid/right.json',
        'fosstrak/T-SE1',
        'fosstrak/T-SE3',
        'vectors/one.jsonld',
      ]);
      expect(failed.join('\n')).to.match(
        /2 where 2 are expected; missing: .*QueryParameterException .* where NoSuchNameException/s,
      );
      expect(status).to.equal(1);
    });

    it('says how to use it where there are no cases', async () => {
      const { status, text } = await run({});
      expect(status).to.equal(2);
      expect(text).to.contain('There are no cases').and.contain('usage:');
    });
  });
}
