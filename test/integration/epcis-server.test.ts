// What an operator sets, and what the service says when it cannot be so.
import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { startEpcisServer, type EpcisOptions, type EpcisServer } from '../../epcis/server.ts';
import { CONTEXT, json2, objectJson, objectXml, xml2 } from '../helpers/epcis-documents.ts';
import { KINDS } from '../helpers/fresh-repository.ts';

const LOG = { error: () => {}, warn: () => {}, info: () => {} };

function document(events: number): string {
  const event =
    '<ObjectEvent><eventTime>2024-01-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>' +
    '<epcList><epc>urn:epc:id:sgtin:0614141.107340.';
  const rest = '</epc></epcList><action>ADD</action></ObjectEvent>';
  const list = Array.from({ length: events }, (_, n) => event + n + rest).join('');
  return (
    '<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:1" schemaVersion="1.0" creationDate="2024-01-01T00:00:00Z">' +
    `<EPCISBody><EventList>${list}</EventList></EPCISBody></e:EPCISDocument>`
  );
}

const fields = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `x:f${n}`);
const manyElements = (count: number): string =>
  objectXml(
    fields(count)
      .map((name) => `<${name}>v</${name}>`)
      .join(''),
  ).replace('<ObjectEvent', '<ObjectEvent xmlns:x="urn:x"');
const manyFields = (count: number): string =>
  objectJson({
    '@context': [CONTEXT, { x: 'urn:x' }],
    ...Object.fromEntries(fields(count).map((name) => [name, 'v'])),
  });

const linked = document(1).replace(/urn:epc:id:sgtin:[\d.]+/, 'https://id.gs1.org/01/00614141073405/21/5');

for (const [kind, freshUrl] of KINDS) {
  describe(`the EPCIS service on ${kind}`, function () {
    this.timeout(60_000);
    const open: EpcisServer[] = [];
    afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

    const start = async (options: Partial<EpcisOptions> = {}): Promise<EpcisServer> => {
      const server = await startEpcisServer({ repository: { url: await freshUrl() }, port: 0, log: LOG, ...options });
      open.push(server);
      return server;
    };
    const refusal = (options: Partial<EpcisOptions>) =>
      start(options).then(
        () => 'started',
        (error: Error) => error.message,
      );
    const capture = (server: EpcisServer, body: string | URLSearchParams, path = '/epcis/capture') =>
      fetch(server.address + path, {
        method: 'POST',
        body,
        ...(typeof body === 'string' && { headers: { 'Content-Type': 'text/xml' } }),
      });
    const count = async (server: EpcisServer, query = '') =>
      (
        await (await fetch(`${server.address}/events${query}`, { headers: { 'GS1-Extensions': 'x=urn:x' } })).text()
      ).match(/"ObjectEvent"/g)?.length ?? 0;

    it('starts, and answers, while another one writes for as long as it takes', async () => {
      const url = await freshUrl();
      await start({ repository: { url } });
      const other = await openDatabase({ url });
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
      const writing = Promise.withResolvers<void>();
      const long = other.transaction(async (connection) => {
        await connection.run(`UPDATE setting SET value = value WHERE name = 'secret'`);
        writing.resolve();
        await isOver;
      });
      try {
        await writing.promise;
        const second = await start({ repository: { url } });
        expect(await count(second)).to.equal(0);
      } finally {
        end();
        await long;
        await other.close();
      }
    });

    it('obeys dbReset where it is allowed', async () => {
      const server = await start({ allowReset: true });
      const reset = () => capture(server, new URLSearchParams({ dbReset: 'true' }));
      expect((await capture(server, document(2))).status).to.equal(200);
      expect(await count(server)).to.equal(2);
      expect((await reset()).status).to.equal(200);
      expect(await count(server)).to.equal(0);
      expect((await capture(server, document(2))).status).to.equal(200);
      expect(await count(server)).to.equal(2);
    });

    it("takes a newer table of company prefixes, and says of a file that isn't one", async () => {
      const folder = await mkdtemp(join(tmpdir(), 'mmeliot prefixes '));
      try {
        const table = join(folder, 'list.json');
        const entry = [{ prefix: '061414', gcpLength: 9 }];
        await writeFile(table, JSON.stringify({ GCPPrefixFormatList: { date: '2030-01-01', entry } }));
        const server = await start({ companyPrefixes: table });
        expect((await capture(server, linked)).status).to.equal(200);
        const events = await fetch(`${server.address}/events`, { headers: { 'GS1-EPC-Format': 'Always_EPC_URN' } });
        // as long as the file says; the shipped table has seven digits
        expect(await events.text()).to.contain('urn:epc:id:sgtin:061414107.0340.5');
        expect(await refusal({ companyPrefixes: join(folder, 'none') })).to.match(/company prefixes cannot be read/);
        expect(await refusal({ companyPrefixes: '/dev/zero' })).to.match(/company prefixes has more than 64 MiB/);
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it('serves where it is told to', async () => {
      const server = await start({ contextPaths: ['/my/epcis'], restPrefix: '/v2' });
      expect((await capture(server, document(1), '/my/epcis/capture')).status).to.equal(200);
      expect((await capture(server, document(1))).status).to.equal(404);
      const page = await fetch(`${server.address}/v2/events`);
      expect(page.status).to.equal(200);
      expect((await fetch(`${server.address}/ready`)).status).to.equal(200);
      const wsdl = await fetch(`${server.address}/my/epcis/query`);
      expect([wsdl.status, wsdl.headers.get('allow')]).to.deep.equal([405, 'POST']);
    });

    it('enforces its limits', async () => {
      const limits = { captureEvents: 3, eventBytes: 100_000, captureBytes: 400_000, requestBytes: 500, depth: 12 };
      const server = await start({ limits });
      expect((await capture(server, document(3))).status).to.equal(200);
      const long = document(1).replace('ADD', `<!--${'x'.repeat(300_000)}-->ADD`);
      const deep = document(1).replace(
        '<action>',
        `${'<a:a xmlns:a="urn:a">'.repeat(12)}${'</a:a>'.repeat(12)}<action>`,
      );
      const large = document(1).replace('<EventList>', `<!--${'x'.repeat(500_000)}--><EventList>`);
      for (const body of [document(4), large, long, deep]) {
        expect((await capture(server, body)).status, body.slice(-300)).to.equal(400);
      }
      const query = JSON.stringify({ name: 'long', query: { EQ_action: ['x'.repeat(600)] } });
      const headers = { 'Content-Type': 'application/json' };
      expect((await fetch(`${server.address}/queries`, { method: 'POST', headers, body: query })).status).to.equal(413);
      expect(await count(server)).to.equal(3);
    });

    it('finds an event of very many fields by its first and its last', async () => {
      const server = await start({ limits: { eventValues: 20_000 } });
      const headers = { 'Content-Type': 'application/json' };
      const stored = await fetch(`${server.address}/events`, { method: 'POST', headers, body: manyFields(10_000) });
      expect(stored.status).to.equal(201);
      for (const [name, found] of [
        ['f0', 1],
        ['f9999', 1],
        ['f10000', 0],
      ])
        expect(await count(server, `?EQ_x:${name}=v`), String(name)).to.equal(found);
    });

    it('refuses an event of too many values at every door', async () => {
      const server = await start({ limits: { eventValues: 10_000 } });
      const tooMany = manyFields(10_000);
      const post = (path: string, body: string, type = 'application/json') =>
        fetch(server.address + path, { method: 'POST', headers: { 'Content-Type': type }, body });
      for (const path of ['/capture', '/validate', '/capture?dryRun=true']) {
        const answer = await post(path, json2(tooMany));
        expect(answer.status, path).to.equal(413);
        expect(await answer.text()).to.match(/eventList\/0 holds more values than allowed; the limit is 10000/);
        expect((await post(path, xml2(manyElements(10_000)), 'application/xml')).status, path).to.equal(413);
      }
      expect((await post('/events', tooMany)).status).to.equal(413);
      const query = await post(
        '/queries',
        JSON.stringify({ name: 'a', query: JSON.parse(manyFields(15_000)) as object }),
      );
      expect([query.status, (await query.text()).includes('the body holds more values than allowed')]).to.deep.equal([
        413,
        true,
      ]);
      const soap = await capture(server, xml2(manyElements(10_000)));
      expect([soap.status, await soap.text()]).to.deep.equal([
        400,
        'one element holds more values than allowed (line 3); the limit is 10000\n',
      ]);
    });

    it('takes page tokens of every VM, and none that is signed with another secret', async () => {
      const url = await freshUrl();
      const [one, two, other] = [
        await start({ repository: { url } }),
        await start({ repository: { url } }),
        await start({ repository: { url }, secret: 'another' }),
      ];
      await capture(one, document(2));
      const link = (await fetch(`${one.address}/events?perPage=1`)).headers.get('link') ?? '';
      const next = /^<([^>]+)>/.exec(link)?.[1] ?? '';
      expect((await fetch(two.address + next)).status).to.equal(200);
      expect((await fetch(other.address + next)).status).to.equal(400);
    });

    it('counts the capture jobs that wait', async () => {
      const server = await start();
      expect(await server.backlog()).to.deep.equal({ jobs: 0, events: 0, oldestSeconds: 0 });
    });

    it('closes once, however often it is asked to', async () => {
      const server = await start();
      await Promise.all([server.close(), server.close()]);
      await server.close();
    });

    it('says what it cannot do', async () => {
      const { port } = await start();
      expect(await refusal({ port })).to.equal(`EPCIS cannot listen at 127.0.0.1:${port}: it is taken.`);
      expect(await refusal({ host: '192.0.2.1' })).to.match(/192\.0\.2\.1:0: it is not on this machine/);
      expect(await refusal({ restPrefix: '/epcis' })).to.match(/cannot be both/);
      expect(await refusal({ contextPaths: ['epcis'] })).to.match(
        /^contextPaths has 'epcis': a path such as \/epcis-repository is expected\.$/,
      );
      expect(await refusal({ repository: { url: 'mysql://nobody@127.0.0.1:9/x' } })).to.match(/127\.0\.0\.1/);
    });
  });
}
