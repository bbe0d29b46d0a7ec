// Exports through the doors: made on whichever VM has time, whole whoever dies over them, and of what the client may see.
import { expect } from 'chai';
import { gunzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { request } from 'undici';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { applyRules } from '../../epcis/repository/access-rules.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { createJobStore } from '../../epcis/repository/jobs.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { createStepStore } from '../../epcis/repository/steps.ts';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { exportSteps } from '../../epcis/service/exports.ts';
import { runJob } from '../../epcis/service/jobs-run.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import { performSteps } from '../../epcis/service/steps.ts';
import { as, client, startGuarded } from '../helpers/access.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { present } from '../helpers/present.ts';
import { until } from '../helpers/until.ts';
import { exportEpcs } from '../helpers/work-vm-parts.ts';
import { eventsDocument } from '../helpers/work-faults.ts';

const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
/** More than two pages of an export, which has 500 events in each. */
const EVENTS = 1203;

interface Told {
  readonly exportID: string;
  readonly running: boolean;
  readonly success: boolean;
  readonly errors: readonly { readonly type: string }[];
  readonly progress: { readonly exported: number; readonly events?: number };
  readonly document?: string;
  readonly keptUntil?: string;
}

for (const [kind, freshUrl] of KINDS) {
  describe(`exports on ${kind}`, function () {
    this.timeout(60_000);
    let database: Database;
    let front: EpcisServer;
    let worker: EpcisServer;

    before(async () => {
      const url = await freshUrl();
      const work = { pollMs: 50, exports: 4 };
      // who takes the request in makes nothing
      front = await startEpcisServer({ repository: { url }, port: 0, work, log, role: 'query' });
      worker = await startEpcisServer({ repository: { url }, port: 0, work, log, role: 'work' });
      database = await openDatabase({ url });
      await captured(eventsDocument('all', EVENTS), 'text/xml');
    });
    after(async () => {
      await Promise.all([front.close(), worker.close()]);
      await database.close();
    });

    const send = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(front.address + path, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    const captured = async (document: string, type: string): Promise<void> => {
      const answer = await send('/epcis/capture', document, { 'content-type': type });
      expect(answer.status).to.equal(200);
    };
    const told = async (id: string): Promise<Told> =>
      (await (await fetch(`${front.address}/exports/${id}`)).json()) as Told;
    const made = async (body: unknown, headers: Record<string, string> = {}): Promise<Told> => {
      const answer = await send('/exports', body, headers);
      expect(answer.status, await answer.clone().text()).to.equal(202);
      const { exportID } = (await answer.json()) as Told;
      return until('the export is made', async () => {
        const now = await told(exportID);
        return now.running ? undefined : now;
      });
    };
    const fetched = async ({ document = '' }: Told, encoding: string): Promise<Buffer> => {
      const headers = { 'accept-encoding': encoding };
      const { statusCode, headers: answered, body } = await request(front.address + document, { headers });
      expect(statusCode).to.equal(200);
      const bytes = Buffer.from(await body.arrayBuffer());
      expect(answered['content-encoding']).to.equal(encoding === 'gzip' ? 'gzip' : undefined);
      return encoding === 'gzip' ? gunzipSync(bytes) : bytes;
    };
    const remove = (id: string) => fetch(`${front.address}/exports/${id}`, { method: 'DELETE' });

    it('are one document, in JSON, XML or as a table, compressed or not', async () => {
      const json = await made({});
      expect(json).to.deep.include({ success: true, errors: [], progress: { exported: EVENTS, events: EVENTS } });
      expect(Date.parse(json.keptUntil ?? '')).to.be.greaterThan(Date.now());
      const text = (await fetched(json, 'gzip')).toString();
      expect((await fetched(json, 'identity')).toString()).to.equal(text);
      const { epcisBody } = JSON.parse(text) as {
        readonly epcisBody: {
          readonly queryResults: { readonly resultsBody: { readonly eventList: { epcList: string[] }[] } };
        };
      };
      const epcs = epcisBody.queryResults.resultsBody.eventList.map(({ epcList }) => epcList[0]);
      expect(new Set(epcs).size).to.equal(EVENTS);
      expect(epcs).to.have.lengthOf(EVENTS);

      const query = { MATCH_epc: ['urn:example:all:7', 'urn:example:all:8'] };
      const xml = await made({ format: 'xml', query }, { 'GS1-EPCIS-Max': '1.2' });
      const document = (await fetched(xml, 'gzip')).toString();
      expect(document).to.match(/schemaVersion="1\.2"/);
      expect(document.match(/<epc>urn:example:all:[78]<\/epc>/g)).to.have.lengthOf(2);

      const csv = await made({ format: 'csv', query });
      const rows = (await fetched(csv, 'identity')).toString().split('\r\n');
      expect(rows[0])
        .to.match(/^eventID,type,eventTime,/)
        .and.match(/,event$/);
      expect(rows.slice(1, 3).every((row) => /,OBSERVE,.*,urn:example:all:[78],/.test(row))).to.equal(true);
      expect(rows[3]).to.equal('');

      const parquet = await made({ format: 'parquet' });
      const columns = await parquetReadObjects({
        file: new Uint8Array(await fetched(parquet, 'gzip')).buffer,
        compressors: { GZIP: (bytes) => new Uint8Array(gunzipSync(bytes)) },
      });
      expect(columns.flatMap(({ epcList }) => epcList as string[])).to.deep.equal(epcs);

      // four are there: a fifth is refused until one is deleted
      const refused = await send('/exports', {});
      expect(refused.status).to.equal(429);
      expect(refused.headers.get('retry-after')).to.equal('60');
      const { length } = (await (await fetch(`${front.address}/exports`)).json()) as readonly Told[];
      expect(length).to.equal(4);
      for (const { exportID } of [json, xml, csv, parquet]) expect((await remove(exportID)).status).to.equal(204);
      expect((await fetch(`${front.address}/exports/${json.exportID}/document`)).status).to.equal(404);
      const [left] = await database.all('SELECT COUNT(*) AS n FROM capture_job_chunk');
      expect(Number(left?.['n'])).to.equal(0);
    });

    it('say what is wrong with the query: at once what is, and later what the repository finds', async () => {
      expect((await send('/exports', { query: { EQ_nothing: 'x' } })).status).to.equal(400);
      expect((await send('/exports', { format: 'orc' })).status).to.equal(400);
      expect((await send('/exports', { formats: 'csv' })).status).to.equal(400);
      expect((await send('/exports', { format: 'json' }, { 'GS1-EPCIS-Max': '1.2' })).status).to.equal(406);
      const failed = await made({ query: { maxEventCount: 5 } });
      expect(failed).to.deep.include({ success: false }).and.not.have.property('document');
      expect(failed.errors[0]?.type).to.equal('epcisException:QueryTooLargeException');
      expect((await fetch(`${front.address}/exports/${failed.exportID}/document`)).status).to.equal(404);
      expect((await remove(failed.exportID)).status).to.equal(204);
    });

    it('go on behind the last page that is stored when a VM dies over them', async () => {
      const store = createStepStore(database, 'export');
      const jobs = createJobStore(database);
      const query = createQueryService(createEventRepository(database, { now: Date.now }));
      const asked = { queryName: 'SimpleEventQuery', parameters: [], format: 'json', version: '2.0' };
      const pages: number[] = [];
      const steps = exportSteps({
        query: () => ({
          count: (...given) => query.count(...given),
          eventPage: (...given) => {
            pages.push(1);
            return query.eventPage(...given);
          },
        }),
        write: exportEpcs,
      });
      await worker.close(); // this test is the worker
      await store.create({ id: 'left', asked, place: { wait: 0 } });
      // a VM stores two pages and is heard of no more; its lease is over at once
      const dead = present(await jobs.claim('dead', 60));
      const progress = { captured: 0 };
      const parts = { store: jobs, steps, mostBytes: Infinity, progress };
      const dying = performSteps(
        { ...parts, pass: () => (progress.captured === 1000 ? Promise.reject(new Error('dead')) : Promise.resolve()) },
        { ...dead, task: present(dead.task) },
        new AbortController().signal,
      );
      expect(await dying.catch((error: Error) => error.message)).to.equal('dead');
      await database.run(`UPDATE capture_job SET lease_until = 0 WHERE id = 'left'`);
      const next = present(await jobs.claim('next', 60));
      const run = {
        ...{ store: jobs, maxAttempts: 3, logFailure: () => 'logged', pass: () => Promise.resolve(), progress },
        alone: <T>(_isNext: unknown, _signal: AbortSignal, work: () => Promise<T>) => work(),
        capture: { capture: () => Promise.reject(new Error('not a capture')) },
        read: () => {
          throw new Error('not a capture');
        },
      };
      const perform = (claim: Parameters<typeof performSteps>[1], signal: AbortSignal) =>
        performSteps({ ...parts, pass: () => Promise.resolve() }, claim, signal);
      await runJob({ ...run, perform }, next, new AbortController().signal);
      // what the dead one still writes counts for nothing
      expect(await jobs.storeStep(dead, { reached: {}, done: 1, text: 'late' })).to.equal(undefined);
      expect(pages).to.have.lengthOf(3);
      const bytes: Uint8Array[] = [];
      for await (const chunk of store.document('left')) bytes.push(chunk);
      const epcs = JSON.parse(gunzipSync(Buffer.concat(bytes)).toString()) as string[];
      expect(epcs).to.have.lengthOf(EVENTS);
      expect(new Set(epcs).size).to.equal(EVENTS);
      expect(await store.find('left')).to.deep.include({
        success: true,
        running: false,
        progress: { done: EVENTS, total: EVENTS },
      });
      // it is forgotten in time, though jobs of clients stay
      await database.run(`UPDATE capture_job SET created_at = 5, finished_at = 5 WHERE id = 'left'`);
      await jobs.prune(1e9, 60);
      expect(await store.find('left')).to.equal(undefined);
    });

    it('hold what the client may see, and are nothing to another', async () => {
      const url = await freshUrl();
      const rules = JSON.stringify({
        rules: [
          { name: 'one', for: 'client:one', see: { EQ_bizStep: ['shipping'] } },
          { name: 'capture', for: 'everybody', capture: 'everything' },
        ],
      });
      const own = await openDatabase({ url });
      await migrate(own);
      const apply = (text: string): Promise<number> =>
        applyRules(own, { source: text, rules: text, appliedBy: 'test', appliedFrom: 'here' });
      await apply(rules);
      const guarded = await startGuarded(url, { work: { pollMs: 50 } });
      try {
        const [one, two] = [client('one'), client('two')];
        const event = (n: number, bizStep: string) => ({
          ...{ '@context': [], type: 'ObjectEvent', eventTime: '2026-01-01T00:00:00Z', eventTimeZoneOffset: '+00:00' },
          ...{ action: 'OBSERVE', epcList: [`urn:example:${n}`], bizStep },
        });
        const posting = (body: unknown): RequestInit => ({
          ...{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
        });
        for (const each of [event(1, 'shipping'), event(2, 'packing')])
          expect((await as(guarded, two, '/events', posting(each))).status).to.equal(201);
        const madeBy = async (who: typeof one) => {
          const answer = await as(guarded, who, '/exports', posting({ format: 'csv' }));
          const { exportID } = (await answer.json()) as Told;
          const done = await until('it is made', async () => {
            const now = (await (await as(guarded, who, `/exports/${exportID}`)).json()) as Told;
            return now.running ? undefined : now;
          });
          return { done, text: await (await as(guarded, who, `/exports/${exportID}/document`)).text() };
        };
        const ofOne = await madeBy(one);
        expect(ofOne.text).to.include('urn:example:1').and.not.include('urn:example:2');
        expect(ofOne.done.progress).to.deep.equal({ exported: 1, events: 1 });
        expect((await madeBy(two)).text.split('\r\n')).to.have.lengthOf(2);
        for (const path of ['', '/document']) {
          const other = await as(guarded, two, `/exports/${ofOne.done.exportID}${path}`);
          expect(other.status, path).to.equal(404);
        }
        expect((await as(guarded, two, `/exports/${ofOne.done.exportID}`, { method: 'DELETE' })).status).to.equal(404);
        const capturer = client('one', { roles: ['capture'] });
        expect((await as(guarded, capturer, '/exports', posting({}))).status).to.equal(403);
        // what it might see before it sees no more, in a document that was made then either
        const again = (): Promise<Response> => as(guarded, one, `/exports/${ofOne.done.exportID}/document`);
        await apply(rules.replace('"client:one"', '["client:one", "client:three"]'));
        expect((await again()).status).to.equal(200);
        await apply(rules.replace('shipping', 'packing'));
        await until('the rule', async () => (await again()).status === 404);
        expect(await (await again()).text()).to.include('was made by other rules than hold now: make it again.');
        expect((await madeBy(one)).text)
          .to.include('urn:example:2')
          .and.not.include('urn:example:1');
      } finally {
        await guarded.close();
        await own.close();
      }
    });
  });
}
