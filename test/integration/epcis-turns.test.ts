// One client's long questions beside another's short ones: by how many of these are answered meanwhile, however quick the machine.
import { expect } from 'chai';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { soapPoll } from '../../loadgen/workload/queries.ts';
import { objectXml, xml2 } from '../helpers/epcis-documents.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { QUERIES } from '../chaos/hostile-epcis.ts';

const EVENTS = 2_000;
const HOSTILE = { 'x-forwarded-for': '192.0.2.1' };
const OTHER = { 'x-forwarded-for': '192.0.2.2' };
const XML = { 'content-type': 'text/xml' };
const patterns = Array.from({ length: 1_990 }, (_, i) => `urn:epc:idpat:sgtin:9521141.${i}.*`);

/** Each had the service's one thread to itself; and how many pieces it is made of at least. */
const LONG: readonly (readonly [what: string, path: string, body: string | undefined, pieces: number])[] = [
  ['a page of a thousand events', '/events?perPage=1000', undefined, 20],
  ['an order by a field that has no index', '/events?orderBy=ex:colour&perPage=1000', undefined, 40],
  ['two thousand patterns', '/epcis/query', soapPoll({ MATCH_anyEPC: patterns }, 100), 4],
  ['a hundred parameters', QUERIES[0]?.path ?? '', undefined, 2],
];

for (const [kind, freshUrl] of KINDS) {
  describe(`long questions on ${kind}`, function () {
    this.timeout(60_000);
    let server: EpcisServer;

    const ask = async (path: string, headers: Record<string, string>, body?: string): Promise<number> => {
      const post = body === undefined ? {} : { method: 'POST', body };
      const response = await fetch(server.address + path, { headers: { ...headers, ...XML }, ...post });
      await response.text();
      return response.status;
    };

    before(async () => {
      const log = { error: () => {}, warn: () => {}, info: () => {} };
      server = await startEpcisServer({ repository: { url: await freshUrl() }, port: 0, log });
      const at = (n: number): string => new Date(Date.UTC(2024, 0, 1) + n * 1000).toISOString();
      const events = Array.from({ length: EVENTS }, (_, n) =>
        objectXml().replace(/<eventTime>[^<]*/, `<eventTime>${at(n)}`),
      );
      const document = { method: 'POST', headers: XML, body: xml2(events.join('')) };
      const answer = await fetch(`${server.address}/epcis/capture`, document);
      expect(answer.status, await answer.text()).to.equal(200);
    });
    after(() => server.close());

    // how many come between depends on how long one takes, where it waits for a server
    for (const [what, path, body, pieces] of kind === 'sqlite' ? LONG : []) {
      it(`let another client's short ones in: ${what}`, async () => {
        let isOver = false;
        const long = ask(path, HOSTILE, body).finally(() => (isOver = true));
        let answered = 0;
        while (!isOver) {
          expect(await ask('/events?perPage=1', OTHER)).to.equal(200);
          answered++;
        }
        expect(await long).to.equal(200);
        expect(answered).to.be.at.least(pieces);
      });
    }

    for (const [what, path, body] of LONG.slice(0, 3)) {
      it(`are answered by turns of clients, however many one asks: ${what}`, async () => {
        await ask('/events?perPage=1', OTHER);
        const over: string[] = [];
        const answers = Array.from({ length: 16 }, () => ask(path, HOSTILE, body).then(() => over.push('hostile')));
        answers.push(ask(path, OTHER, body).then(() => over.push('other')));
        await Promise.all(answers);
        expect(over.indexOf('other'), over.join(' ')).to.be.below(8);
      });
    }
  });
}
