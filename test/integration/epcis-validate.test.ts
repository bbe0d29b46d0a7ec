// Documents checked without capture: by both doors, and by the command.
import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { mmeliot } from '../helpers/mmeliot.ts';
import { present } from '../helpers/present.ts';

const EVENT = {
  type: 'ObjectEvent',
  eventTime: '2024-01-01T00:00:00Z',
  eventTimeZoneOffset: '+00:00',
  epcList: ['urn:epc:id:sgtin:0614141.107346.1'],
  action: 'OBSERVE',
};
const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';
const json = (event: object) =>
  JSON.stringify({
    '@context': CONTEXT,
    type: 'EPCISDocument',
    schemaVersion: '2.0',
    creationDate: '2024-01-01T00:00:00Z',
    epcisBody: { eventList: [event] },
  });
const xml = (action: string) =>
  '<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:1" schemaVersion="1.2" creationDate="2024-01-01T00:00:00Z">\n' +
  '<EPCISBody><EventList><ObjectEvent><eventTime>2024-01-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>\n' +
  `<epcList><epc>urn:epc:id:sgtin:0614141.107346.1</epc></epcList>\n<action>${action}</action></ObjectEvent></EventList></EPCISBody></e:EPCISDocument>`;
const WRONG = { ...EVENT, action: 'MAKE', eventTime: 'yesterday' };

describe('validation without capture', function () {
  this.timeout(60_000);
  let server: EpcisServer;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mmeliot-validate-'));
    const log = { error: () => {}, warn: () => {}, info: () => {} };
    server = await startEpcisServer({
      repository: { url: await present(KINDS[0])[1]() },
      port: 0,
      log,
      allowReset: true,
    });
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  afterEach('nothing was captured', async () => {
    expect(await (await fetch(`${server.address}/events`)).text()).to.contain('"eventList":[]');
    expect(await (await fetch(`${server.address}/capture`)).text()).to.equal('[]');
  });

  const post = (
    path: string,
    body: string | URLSearchParams,
    headers: Record<string, string> = { 'Content-Type': 'application/json' },
  ) => fetch(server.address + path, { method: 'POST', headers, body });

  it('reports by /validate and by a dry run of /capture alike', async () => {
    for (const path of ['/validate', '/capture?dryRun=true']) {
      const good = await post(path, json(EVENT));
      expect([good.status, await good.json()]).to.deep.equal([
        200,
        { valid: true, events: 1, vocabularyElements: 0, findings: [], more: false },
      ]);
      const bad = (await (await post(path, json(WRONG))).json()) as {
        valid: boolean;
        findings: { rule: string; at: string }[];
      };
      expect(bad.valid).to.equal(false);
      expect(bad.findings.map(({ rule, at }) => [rule, at])).to.have.deep.members([
        ['action', '/epcisBody/eventList/0/action'],
        ['time', '/epcisBody/eventList/0/eventTime'],
      ]);
    }
    for (const query of ['dryRun=perhaps', 'dryRun', 'dryrun=true', 'dry_run=true', 'dryRun=false&dryRun=true'])
      expect((await post(`/capture?${query}`, json(EVENT))).status, query).to.equal(400);
    expect((await post('/validate', 'x', { 'Content-Type': 'text/csv' })).status).to.equal(415);
  });

  it('reports by a dry run of POST /events, every fault of the event, and captures none', async () => {
    const single = (event: object) => JSON.stringify({ '@context': CONTEXT, ...event, eventID: 'urn:x:dry' });
    const report = async (body: string, headers?: Record<string, string>) => {
      const answer = await post('/events?dryRun=true', body, headers);
      const { valid, findings } = (await answer.json()) as { valid: boolean; findings: { rule: string; at: string }[] };
      return [answer.status, valid, findings.map(({ rule, at }) => `${rule} ${at}`)];
    };
    expect(await report(single(EVENT))).to.deep.equal([200, true, []]);
    expect(await report(single(WRONG))).to.deep.equal([200, false, ['time /eventTime', 'action /action']]);
    expect(await report('{"@context"')).to.deep.equal([200, false, ['well-formed /']]);
    const element = /<ObjectEvent>[^]*<\/ObjectEvent>/
      .exec(xml('MAKE'))?.[0]
      .replace(/<eventTime>[^<]*/, '<eventTime>now');
    const asXml = await report(element ?? '', { 'Content-Type': 'application/xml' });
    expect(asXml.slice(0, 2)).to.deep.equal([200, false]);
    expect(asXml[2]).to.have.length(2);
    expect((await fetch(`${server.address}/events/urn:x:dry`)).status).to.equal(404);
    expect((await post('/events?dryRun=1', single(EVENT))).status).to.equal(400);
  });

  it('reports in XML for those who read XML', async () => {
    const headers = { 'Content-Type': 'application/xml', Accept: 'application/xml' };
    const text = await (await post('/validate', xml('<&'.replace('<&', 'MAKE')), headers)).text();
    expect(text)
      .to.match(/<epcis:ValidationReport [^>]*valid="false" events="0"/)
      .and.contain('<finding rule="action" at="line 4" severity="error">');
  });

  it('reports at the door of EPCIS 1.x by the status, with a line for each fault', async () => {
    const headers = { 'Content-Type': 'text/xml' };
    const good = await post('/epcis/capture?dryRun=true', xml('ADD'), headers);
    expect([good.status, await good.text()]).to.deep.equal([200, 'The document is valid.\n']);
    const bad = await post('/epcis/capture?dryRun=true', xml('MAKE'), headers);
    expect(bad.status).to.equal(400);
    expect(await bad.text()).to.match(/^line 4: action ‘MAKE’ is none of ADD, OBSERVE, DELETE \[action\] /);
    expect((await post('/epcis/capture?dryRun=yes', xml('ADD'), headers)).status).to.equal(400);
    // as a form, too; and a dry run empties nothing
    const form = await post('/epcis/capture?dryRun=true', new URLSearchParams({ event: xml('ADD') }), {});
    expect(form.status).to.equal(200);
    expect((await post('/epcis/capture?dryRun=true', new URLSearchParams({ dbReset: 'true' }), {})).status).to.equal(
      400,
    );
  });

  it('is a command that names the place of every fault, and exits with 1', async () => {
    const [good, bad, badXml] = ['good.jsonld', 'bad.json', 'bad.XML'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(good, json(EVENT));
    writeFileSync(bad, json(WRONG));
    writeFileSync(badXml, xml('MAKE'));
    const fine = await mmeliot('validate', good);
    expect([fine.status, fine.output]).to.deep.equal([
      0,
      `${good}: valid: 1 events and 0 vocabulary elements are right.\n`,
    ]);
    const { status, output } = await mmeliot('validate', good, bad, badXml);
    expect(status).to.equal(1);
    expect(output)
      .to.contain(`${bad}:/epcisBody/eventList/0/action: action ‘MAKE’`)
      .and.contain(`${badXml}:4: action ‘MAKE’`);
    const missing = await mmeliot('validate', join(folder, 'none.json'));
    expect(missing.status).to.equal(2);
    expect(missing.output).to.match(/none\.json cannot be read \(ENOENT\)/);
  });
});
