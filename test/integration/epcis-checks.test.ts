// Extension schemas and business rules of an instance: at every door, over each kind of database.
import { expect } from 'chai';
import { fileURLToPath } from 'node:url';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { KINDS } from '../helpers/fresh-repository.ts';

const CHECKS = fileURLToPath(new URL('../../epcis/examples/checks.yaml', import.meta.url));
const log = { error: () => {}, warn: () => {}, info: () => {} };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const XML_TYPE = { 'Content-Type': 'text/xml' };

type Fields = Readonly<Record<string, unknown>>;
let second = 0;
const CONTEXT = [
  'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld',
  { c: 'https://ns.example.com/cold-chain/' },
];
const event = (item: string, bizStep: string, more: Fields = {}): Fields => ({
  type: 'ObjectEvent',
  eventTime: new Date(Date.UTC(2024, 0, 1) + second++ * 1000).toISOString(),
  eventTimeZoneOffset: '+00:00',
  epcList: [`urn:epc:id:sgtin:0614141.107346.${item}`],
  action: 'OBSERVE',
  bizStep,
  readPoint: { id: 'urn:x:1' },
  ...more,
});
const document = (...events: readonly Fields[]) => ({
  '@context': CONTEXT,
  type: 'EPCISDocument',
  schemaVersion: '2.0',
  creationDate: '2024-01-01T00:00:00Z',
  epcisBody: { eventList: events },
});
const xml = (item: string, step: string, more = '') =>
  '<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:1" xmlns:c="https://ns.example.com/cold-chain/" schemaVersion="1.2" ' +
  'creationDate="2024-01-01T00:00:00Z"><EPCISBody><EventList><ObjectEvent><eventTime>2030-01-01T00:01:00Z</eventTime>' +
  `<eventTimeZoneOffset>+00:00</eventTimeZoneOffset><epcList><epc>urn:epc:id:sgtin:0614141.107346.${item}</epc></epcList>` +
  `<action>OBSERVE</action><bizStep>urn:epcglobal:cbv:bizstep:${step}</bizStep>${more}</ObjectEvent></EventList></EPCISBody></e:EPCISDocument>`;

interface Job {
  readonly running: boolean;
  readonly success: boolean;
  readonly errors: readonly { readonly detail: string }[];
  readonly warnings?: readonly string[];
}

for (const [kind, freshUrl] of KINDS) {
  describe(`an instance's checks, over ${kind}`, function () {
    this.timeout(60_000);
    let server: EpcisServer;

    before(async () => {
      server = await startEpcisServer({ repository: { url: await freshUrl() }, port: 0, checks: CHECKS, log });
    });
    after(() => server.close());

    const post = (path: string, body: string | object, headers: Record<string, string> = JSON_TYPE) =>
      fetch(server.address + path, {
        method: 'POST',
        headers,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    const capture = async (body: object, behaviour = 'rollback'): Promise<Job> => {
      const accepted = await post('/capture', body, { ...JSON_TYPE, 'GS1-Capture-Error-Behaviour': behaviour });
      expect(accepted.status).to.equal(202);
      for (;;) {
        const job = (await (await fetch(server.address + accepted.headers.get('location'))).json()) as Job;
        if (!job.running) return job;
      }
    };
    const count = async (item: string): Promise<number> => {
      const answer = await fetch(`${server.address}/events?MATCH_epc=urn:epc:id:sgtin:0614141.107346.${item}`);
      return ((await answer.text()).match(/"eventTime"/g) ?? []).length;
    };

    it('look back on the repository, at every door', async () => {
      expect((await post('/events', { '@context': CONTEXT, ...event('1', 'shipping') })).status).to.equal(201);
      const received = await post('/events', { '@context': CONTEXT, ...event('1', 'receiving') });
      expect([received.status, received.headers.get('capture-warnings')]).to.deep.equal([201, null]);
      const warned = await post('/events', { '@context': CONTEXT, ...event('2', 'receiving') });
      expect([warned.status, warned.headers.get('capture-warnings')]).to.deep.equal([
        201,
        'receiving-follows-shipping',
      ]);
      const job = await capture(document(event('3', 'receiving'), event('1', 'receiving')));
      expect([job.success, job.errors]).to.deep.equal([true, []]);
      expect(job.warnings?.join()).to.match(
        /^What is received has been shipped: .*107346\.3 \(\/epcisBody\/eventList\/0\)$/,
      );
      const soap = await post('/epcis-repository/capture', xml('4', 'receiving'), XML_TYPE);
      expect([soap.status, await soap.text()].join()).to.match(
        /^200,Captured 1 events .*\nline \d+: What is received/s,
      );
    });

    it('refuse what comes after the end: nothing of it is captured', async () => {
      expect((await capture(document(event('5', 'destroying')))).success).to.equal(true);
      const back = await capture(document(event('6', 'packing'), event('5', 'packing')));
      expect(back.errors.map(({ detail }) => detail).join()).to.match(/^What was destroyed .*eventList\/1\)$/);
      expect([await count('5'), await count('6')]).to.deep.equal([1, 0]);
      const on = await capture(
        document(event('6', 'packing'), event('5', 'packing'), event('6', 'storing')),
        'proceed',
      );
      expect([on.success, on.errors.length, await count('5'), await count('6')]).to.deep.equal([false, 1, 1, 2]);
      const single = await post('/events', { '@context': CONTEXT, ...event('5', 'packing') });
      const { type } = (await single.json()) as { type: string };
      expect([single.status, type]).to.deep.equal([400, 'epcisException:ValidationException']);
      expect((await post('/epcis-repository/capture', xml('5', 'packing'), XML_TYPE)).status).to.equal(400);
    });

    it('try fields of a namespace by its schema, in JSON and XML', async () => {
      const hot = { 'c:truck': { 'c:celsius': 99, 'c:plate': '?' } };
      const refused = await post('/events', { '@context': CONTEXT, ...event('7', 'packing', hot) });
      expect([refused.status, await refused.text()].join()).to.match(/^400,.*truck\.celsius must be <= 30/);
      const soap = await post(
        '/epcis-repository/capture',
        xml('7', 'packing', '<c:truck><c:celsius>cold</c:celsius></c:truck>'),
        XML_TYPE,
      );
      expect([soap.status, await soap.text()].join()).to.match(/^400,truck\.celsius must be number .*line/);
      expect(await count('7')).to.equal(0);
    });

    it('are told without capture: each fault, and what only warns', async () => {
      const hot = { 'c:truck': { 'c:celsius': 99, 'c:plate': '?' } };
      for (const path of ['/validate', '/capture?dryRun=true']) {
        const answer = await post(
          path,
          document(event('8', 'receiving', hot), event('8', 'shipping', { readPoint: undefined })),
        );
        const report = (await answer.json()) as {
          valid: boolean;
          findings: { rule: string; severity: string; at: string }[];
        };
        expect(report.valid).to.equal(false);
        expect(report.findings.map(({ rule, severity, at }) => `${rule} ${severity} ${at}`)).to.deep.equal([
          'extension-schema error /epcisBody/eventList/0/c:truck/c:celsius',
          'extension-schema error /epcisBody/eventList/0/c:truck/c:plate',
          'receiving-follows-shipping warning /epcisBody/eventList/0',
          'shipping-says-where error /epcisBody/eventList/1',
        ]);
      }
      expect(await count('8')).to.equal(0);
    });

    it('look back by the index, also on an EPC with thousands of events and in a document of many batches', async () => {
      const many = Array.from({ length: kind === 'sqlite' ? 10_000 : 2_000 }, (_, n) =>
        event('9', 'packing', { eventTime: new Date(Date.UTC(2023, 0, 1) + n * 1000).toISOString() }),
      );
      // each of them looks back for an end of this EPC, on all that is captured of it
      expect((await capture(document(...many))).success).to.equal(true);
      const warned = await post('/events', { '@context': CONTEXT, ...event('9', 'receiving') });
      expect(warned.headers.get('capture-warnings')).to.equal('receiving-follows-shipping');
    });
  });
}

describe("an instance's checks", () => {
  it('that are wrong keep it from starting, with a sentence', async () => {
    const [, freshUrl] = KINDS[0] ?? [];
    const url = await freshUrl?.();
    const started = startEpcisServer({ repository: { url: url ?? '' }, port: 0, checks: '/nowhere/checks.yaml', log });
    expect(
      await started.then(
        () => 'started',
        (error: unknown) => (error as Error).message,
      ),
    ).to.match(/^\/nowhere\/checks\.yaml, the file of checks, cannot be read \(ENOENT\)\.$/);
  });
});
