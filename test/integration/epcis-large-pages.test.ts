// Large events and large queries, many in one page: a page ends where it is large, and what is left is on the next ones.
import { expect } from 'chai';
import { pino } from 'pino';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { objectXml, xml2 } from '../helpers/epcis-documents.ts';
import { until } from '../helpers/until.ts';
import { KINDS } from '../helpers/fresh-repository.ts';

const MB = 1024 * 1024;

for (const [kind, freshUrl] of KINDS)
  describe(`EPCIS pages of what is large (${kind})`, function () {
    this.timeout(120_000);
    let server: EpcisServer;
    before(async () => {
      server = await startEpcisServer({
        repository: { url: await freshUrl() },
        port: 0,
        log: pino({ level: 'silent' }),
      });
    });
    after(() => server.close());

    interface Job {
      readonly running: boolean;
      readonly success: boolean;
      readonly errors: readonly unknown[];
    }

    async function outcomeOf(sent: Response): Promise<Job> {
      expect(sent.status, await sent.text()).to.equal(202);
      const job = new URL(sent.headers.get('location') ?? '', server.address).href;
      return until('the job has ended', async () => {
        const told = (await (await fetch(job)).json()) as Job;
        return !told.running && told;
      });
    }

    /** What each page gives, until there is no next one. */
    async function pagesOf<T>(path: string, read: (body: unknown) => T[]): Promise<T[][]> {
      const pages: T[][] = [];
      let next: string | undefined = `${server.address}${path}`;
      while (next !== undefined) {
        const answer: Response = await fetch(next);
        pages.push(read(await answer.json()));
        next = /<([^>]*)>; *rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
        if (next !== undefined) next = new URL(next, server.address).href;
      }
      return pages;
    }

    it('gives few large events at a time, each once', async () => {
      const event = (i: number) =>
        objectXml(`<e:note xmlns:e="http://example.org/">${'x'.repeat(5 * MB)}</e:note>`, {
          epc: `urn:epc:id:sgtin:9521141.012345.${i}`,
        });
      for (const i of [1, 2, 3]) {
        const body = xml2(event(i));
        const sent = await fetch(`${server.address}/capture`, {
          ...{
            method: 'POST',
            headers: { 'content-type': 'application/xml', 'gs1-capture-error-behaviour': 'rollback' },
          },
          body,
        });
        expect(sent.status).to.equal(202);
        const job = new URL(sent.headers.get('location') ?? '', server.address).href;
        for (let running = true; running;) ({ running } = (await (await fetch(job)).json()) as { running: boolean });
      }
      const pages = await pagesOf('/events?perPage=1000', (body) => {
        const { epcisBody } = body as {
          epcisBody: { queryResults: { resultsBody: { eventList: { epcList: string[] }[] } } };
        };
        return epcisBody.queryResults.resultsBody.eventList.flatMap(({ epcList }) => epcList);
      });
      expect(pages.map((page) => page.length)).to.deep.equal([2, 1]);
      expect(new Set(pages.flat()).size).to.equal(3);
    });

    it('lists few large queries at a time, each once, and all of their names', async () => {
      const names = Array.from({ length: 20 }, (_, i) => `query ${String(i).padStart(2, '0')}`);
      for (const name of names) {
        const query = { EQ_bizStep: [`urn:x:${'y'.repeat(0.45 * MB)}`] };
        const sent = await fetch(`${server.address}/queries`, {
          ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
          body: JSON.stringify({ name, query }),
        });
        expect(sent.status).to.equal(201);
      }
      const pages = await pagesOf('/queries?perPage=1000', (body) =>
        (body as { name: string }[]).map((one) => one.name),
      );
      expect(pages.flat()).to.deep.equal(['SimpleEventQuery', 'SimpleMasterDataQuery', ...names]);
      expect(pages.length).to.be.greaterThan(1);
      const poll =
        '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
        '<q:GetQueryNames xmlns:q="urn:epcglobal:epcis-query:xsd:1"/></s:Body></s:Envelope>';
      const asked = await fetch(`${server.address}/epcis/query`, {
        ...{ method: 'POST', headers: { 'content-type': 'text/xml' }, body: poll },
      });
      expect((await asked.text()).match(/<string>/g)).to.have.lengthOf(22);
    });

    it('tells of a document in short what is wrong with it, however long that is', async () => {
      const event = (time: string) => objectXml().replace('2030-05-06T07:08:09.123+02:00', time);
      for (const i of [1, 2]) {
        const body = xml2(event(`${i}${'x'.repeat(MB)}`).repeat(3));
        const headers = { 'content-type': 'application/xml', 'gs1-capture-error-behaviour': 'proceed' };
        const job = await outcomeOf(await fetch(`${server.address}/capture`, { method: 'POST', headers, body }));
        expect(job.errors).to.have.lengthOf(3);
        expect(JSON.stringify(job).length).to.be.below(10_000);
      }
    });

    it('lets no vocabulary element grow beyond what one may have', async () => {
      const element = (from: number) => {
        const attributes = Array.from({ length: 4_000 }, (_, i) => `<attribute id="urn:x:${from + i}">1</attribute>`);
        return (
          '<e:EPCISMasterDataDocument xmlns:e="urn:epcglobal:epcis-masterdata:xsd:1" schemaVersion="1.0" creationDate="2026-01-01T00:00:00Z">' +
          '<EPCISBody><VocabularyList><Vocabulary type="urn:epcglobal:epcis:vtype:BusinessLocation"><VocabularyElementList>' +
          `<VocabularyElement id="urn:epc:id:sgln:9521141.00001.0">${attributes.join('')}</VocabularyElement>` +
          '</VocabularyElementList></Vocabulary></VocabularyList></EPCISBody></e:EPCISMasterDataDocument>'
        );
      };
      const captured: boolean[] = [];
      for (const from of [0, 6_000, 6_000, 12_000]) {
        const headers = { 'content-type': 'application/xml' };
        const job = await outcomeOf(
          await fetch(`${server.address}/capture`, { method: 'POST', headers, body: element(from) }),
        );
        captured.push(job.success);
      }
      expect(captured).to.deep.equal([true, true, true, false]);
    });
  });
