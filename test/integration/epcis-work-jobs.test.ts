// What capture jobs promise, on both databases.
import { expect } from 'chai';
import type { Database } from '../../epcis/repository/database/database.ts';
import { createJobStore } from '../../epcis/repository/jobs.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import type { Chunk } from '../../epcis/service/jobs-chunks.ts';
import { runJob } from '../../epcis/service/jobs-run.ts';
import type { DocumentPart } from '../../epcis/service/jobs-parts.ts';
import type { JobClaim, JobStore, ReadDocument } from '../../epcis/service/jobs.ts';
import type { CaptureService } from '../../epcis/service/services.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { meanwhile } from '../helpers/meanwhile.ts';
import { present } from '../helpers/present.ts';

const text = new TextEncoder();

async function* chunksOf(...contents: readonly string[]): AsyncGenerator<Chunk> {
  for (const content of contents) yield { bytes: text.encode(content), events: 2 };
}

for (const [kind, freshUrl] of KINDS) {
  describe(`capture jobs on ${kind}`, function () {
    this.timeout(60_000);
    let database: Database;

    before(async () => {
      database = await openDatabase({ url: await freshUrl() });
      await migrate(database);
    });
    after(() => database.close());

    let jobs: JobStore;
    const about = {
      mediaType: 'application/json',
      errorBehaviour: 'proceed',
      headers: { 'gs1-extensions': 'a=b' },
    } as const;
    const submit = (id: string, ...contents: readonly string[]): Promise<void> =>
      jobs.create({ id, ...about }, chunksOf(...contents));
    const create = (id: string, wait: number, ...contents: readonly string[]): Promise<void> =>
      jobs.create({ id, ...about, place: () => ({ name: `of ${wait}`, wait }) }, chunksOf(...contents));
    const read = async (id: string): Promise<string> => {
      let document = '';
      for await (const bytes of jobs.bytes({ id })) document += new TextDecoder().decode(bytes);
      return document;
    };
    const claim = async (owner: string, seconds = 60): Promise<JobClaim> => present(await jobs.claim(owner, seconds));

    beforeEach(async () => {
      jobs = createJobStore(database);
      await database.run('DELETE FROM capture_job');
      await database.run('DELETE FROM capture_job_chunk');
    });

    it('keep the document, however many chunks it has', async () => {
      await submit('none');
      await submit('one', 'a');
      await submit('three', 'a', 'b', 'c');
      expect(await Promise.all(['none', 'one', 'three'].map(read))).to.deep.equal(['', 'a', 'abc']);
      expect(await jobs.backlog()).to.deep.include({ jobs: 3, events: 8 });
      const claimed = await claim('vm-1');
      expect(claimed).to.deep.include({ ...about, owner: 'vm-1', attempt: 1 });
    });

    it('vanish when the upload breaks off, and cannot be claimed before its end', async () => {
      const seen: (JobClaim | undefined)[] = [];
      async function* broken(): AsyncGenerator<Chunk> {
        yield* chunksOf('a', 'b', 'c');
        seen.push(await jobs.claim('vm-1', 60));
        expect(await jobs.find('broken')).to.equal(undefined);
        throw new Error('hung up');
      }
      const failure: unknown = await jobs.create({ id: 'broken', ...about }, broken()).catch((error: unknown) => error);
      expect(failure).to.have.property('message', 'hung up');
      expect(seen).to.deep.equal([undefined]);
      expect(await read('broken')).to.equal('');
      expect(await jobs.backlog()).to.deep.equal({ jobs: 0, events: 0, oldestSeconds: 0 });
    });

    it('are refused, and leave nothing, where the upload was taken for abandoned meanwhile', async () => {
      async function* slow(): AsyncGenerator<Chunk> {
        yield* chunksOf('a', 'b');
        await database.run('UPDATE capture_job SET created_at = created_at - 3601000');
        await jobs.prune(60, 60);
        yield* chunksOf('c');
      }
      const failure: unknown = await jobs.create({ id: 'slow', ...about }, slow()).catch((error: unknown) => error);
      expect(failure).to.have.property('message').that.includes('more than an hour');
      expect(await database.all('SELECT job_id FROM capture_job_chunk')).to.deep.equal([]);
    });

    it('go to one of many VMs, the oldest first', async () => {
      for (const id of ['a', 'b', 'c']) await submit(id, id);
      await database.run(`UPDATE capture_job SET created_at = created_at - 5000 WHERE id = 'b'`);
      expect((await claim('vm-1')).id).to.equal('b');
      const claims = await Promise.all(Array.from({ length: 8 }, (_, n) => jobs.claim(`vm-${n}`, 60)));
      const ids = claims.flatMap((claimed) => (claimed === undefined ? [] : [claimed.id]));
      expect([...ids].sort()).to.deep.equal(['a', 'c']);
      expect(await jobs.claim('too late', 60)).to.equal(undefined);
      expect((await jobs.backlog()).oldestSeconds).to.be.within(5, 60);
    });

    it('are taken over when the lease runs out, and the old claim counts for nothing', async () => {
      await submit('j', 'x');
      const old = await claim('vm-1', -1);
      const current = await claim('vm-2');
      expect(current).to.deep.include({ id: 'j', attempt: 2 });
      expect(await jobs.renew(old, 60, 1)).to.equal(false);
      expect(await jobs.finish(old, { success: false, errors: [], captured: 0 })).to.equal(false);
      expect(await jobs.renew(current, 60, 1)).to.equal(true);
      expect(await read('j')).to.equal('x');
      const errors = [{ type: 'ValidationException', reason: 'ünlesbar', at: 'line 1' }];
      expect(await jobs.finish(current, { success: false, errors, captured: 2 })).to.equal(true);
      const job = present(await jobs.find('j'));
      expect(job).to.deep.include({ captureID: 'j', running: false, success: false, errors });
      expect(job.progress).to.deep.equal({ captured: 2, events: 2 });
      expect(Date.parse(present(job.finishedAt))).to.be.at.least(Date.parse(job.createdAt));
      expect(await read('j')).to.equal('');
    });

    it('go by their turn: created, and later by what their class waits for', async () => {
      await create('large', 60_000, 'x', 'y');
      await create('small', 0, 'x');
      await create('old and large', 60_000, 'x');
      await database.run(`UPDATE capture_job SET created_at = created_at - 61000 WHERE id = 'old and large'`);
      const { turn } = present(await jobs.claim('vm-1', 60));
      expect(await jobs.claim('vm-2', 60, turn)).to.equal(undefined);
      const second = present(await jobs.claim('vm-2', 60, turn + 60_000));
      const third = await claim('vm-3');
      expect([second.id, third.id]).to.deep.equal(['small', 'large']);
      expect(second.turn).to.be.above(turn).and.below(third.turn);
      expect(await jobs.find('large')).to.deep.include({ class: 'of 60000', progress: { captured: 0, events: 4 } });
    });

    it('tell how many go before one, and what was done lately', async () => {
      for (const [i, id] of ['done', 'first', 'second', 'third'].entries()) await create(id, 10 * i, id);
      expect(await jobs.lately()).to.deep.equal([]);
      await jobs.finish(await claim('vm-1'), { success: true, errors: [], captured: 2 });
      const running = await claim('vm-2');
      await jobs.renew(running, 60, 1);
      const [done, now] = await jobs.lately();
      expect(present(done)).to.include({ worker: 'vm-1', events: 2 });
      expect(present(now)).to.include({ worker: 'vm-2', events: 1 });
      expect(present(now).to).to.be.at.least(present(now).from);
      expect(await jobs.ahead('done')).to.equal(undefined);
      const places = await Promise.all([running.id, 'second', 'third'].map((id) => jobs.ahead(id)));
      expect(places.map((ahead) => ahead?.jobs)).to.have.members([0, 1, 2]);
      expect(places.at(-1)).to.deep.include({ events: 5, workers: 1 });
      expect(await jobs.backlog()).to.include({ jobs: 3, events: 5 });
      const unfinished = await jobs.first(2);
      expect(unfinished).to.have.length(2);
      expect((await jobs.first(9)).find(({ id }) => id === running.id)).to.deep.include({
        ...{ class: 'of 10', running: true, progress: { captured: 1, events: 2 } },
      });
      await jobs.release(running, 0);
      expect(await jobs.backlog()).to.include({ jobs: 3, events: 6 });
    });

    it('of the same moment have places of their own', async () => {
      for (const id of ['a', 'b', 'c']) await create(id, 0, id);
      await database.run('UPDATE capture_job SET created_at = 5');
      const places = await Promise.all(['a', 'b', 'c'].map((id) => jobs.ahead(id)));
      expect(places.map((ahead) => ahead?.jobs)).to.have.members([0, 1, 2]);
    });

    it('are next unless one whose turn is before is at work or could be', async () => {
      await create('small', 0, 'x');
      const small = await claim('vm-1');
      await create('large', 1000, 'x');
      const large = await claim('vm-2');
      expect([await jobs.isNext(small), await jobs.isNext(large)]).to.deep.equal([true, false]);
      await jobs.release(small, 60);
      expect(await jobs.isNext(large), 'the other is tried again later').to.equal(true);
      await create('free', 0, 'x');
      expect(await jobs.isNext(large)).to.equal(false);
      await jobs.finish(await claim('vm-3'), { success: true, errors: [], captured: 0 });
      expect(await jobs.isNext(large)).to.equal(true);
    });

    it('of a VM of an earlier version, which does not know of classes, go as they were created', async () => {
      await create('new', 1000, 'x');
      await database.run(
        `INSERT INTO capture_job (id, state, media_type, headers, error_behaviour, events, created_at, success, errors,
           attempt, lease_until) SELECT 'old', 1, media_type, headers, error_behaviour, 1, created_at, 1, '[]', 0, 0
         FROM capture_job`,
      );
      expect((await claim('vm-1')).id).to.equal('old');
    });

    it('come back at once, or after a delay, when they are given back', async () => {
      await submit('j', 'x');
      await jobs.release(await claim('vm-1'), 0);
      await jobs.release(await claim('vm-2'), 60);
      expect(await jobs.claim('vm-3', 60)).to.equal(undefined);
    });

    it('that are finished while another VM is about to take them over are finished for good', async () => {
      await submit('j', 'x');
      const slow = await claim('vm-1', -1);
      const finish = () => jobs.finish(slow, { success: true, errors: [], captured: 2 });
      const beaten = createJobStore(meanwhile(database, finish));
      expect(await beaten.claim('vm-2', 60)).to.equal(undefined);
      expect(await jobs.find('j')).to.deep.include({ running: false, success: true, errors: [] });
    });

    it('are handed over by as many VMs as leave, which counts as no attempt', async () => {
      await submit('j', 'x');
      const nothing = { captured: 0, duplicates: 0, vocabularyElements: 0, errors: [], warnings: [] };
      const capture: CaptureService = {
        async capture(items) {
          for await (const { kind } of items) throw new Error(`there is no ${kind} in it`);
          return nothing;
        },
      };
      const read: ReadDocument = async function* (bytes) {
        for await (const piece of bytes) if (piece.length === 0) yield* [];
      };
      const parts = {
        ...{ capture, read, maxAttempts: 2, pass: () => Promise.resolve(), logFailure: () => 'logged' },
        alone: <T>(_isNext: unknown, _signal: AbortSignal, work: () => Promise<T>) => work(),
      };
      const runOf = (claimed: JobClaim, signal: AbortSignal): Promise<void> =>
        runJob({ ...parts, store: jobs, progress: { captured: 0 } }, claimed, signal);
      for (let n = 0; n < 4; n++) {
        const leaving = await claim(`vm-${n}`);
        expect(leaving.attempt).to.equal(1);
        await runOf(leaving, AbortSignal.abort(new Error('This VM is closing.')));
        expect(await jobs.renew(leaving, 60, 1), 'it is not its any more').to.equal(false);
      }
      await runOf(await claim('vm-9'), new AbortController().signal);
      expect(await jobs.find('j')).to.deep.include({ running: false, success: true, errors: [] });
    });

    it('in parts are one job to who asks, finished with the last of its parts, by whomever', async () => {
      await submit('j', 'x', 'y');
      const whole = await claim('vm-0');
      const part = (n: number): DocumentPart => ({
        ...{ n, head: 0, tail: 2, from: n, to: n + 1, events: 10, index: 10 * n, linesBefore: 0, linesBehind: 0 },
      });
      expect(await jobs.split(whole, [0, 1, 2].map(part))).to.equal(true);
      expect(await jobs.finish(whole, { success: true, errors: [], captured: 0 }), 'it is not its any more').to.equal(
        false,
      );
      expect((await jobs.list({ perPage: 9 })).jobs.map(({ captureID }) => captureID)).to.deep.equal(['j']);
      expect(await jobs.backlog()).to.deep.include({ jobs: 3, events: 30 });
      const claims = [await claim('vm-1'), await claim('vm-2'), await claim('vm-3')];
      expect(claims.map(({ part: its, errorBehaviour }) => [its?.of, errorBehaviour])).to.deep.equal(
        Array.from({ length: 3 }, () => ['j', 'proceed']),
      );
      const [first, ...others] = claims.sort((a, b) => (a.part?.part.n ?? 0) - (b.part?.part.n ?? 0)) as [
        JobClaim,
        JobClaim,
        JobClaim,
      ];
      expect(await jobs.renew(first, 60, 4)).to.equal(true);
      expect((await jobs.find('j'))?.progress).to.deep.equal({ captured: 4, events: 4 });
      expect(await jobs.ahead('j')).to.deep.include({ jobs: 0, events: 26, workers: 3 });
      const fault = (n: number) => ({ type: 'ValidationException', reason: 'wrong', at: `/epcisBody/eventList/${n}` });
      const everywhere = { type: 'ValidationException', reason: 'what every part has' };
      const outcome = { success: false, errors: [everywhere, fault(3)], captured: 9 };
      // two that end at the same time
      expect(await Promise.all(others.map((each) => jobs.finish(each, outcome)))).to.deep.equal([true, true]);
      expect(await jobs.find('j')).to.deep.include({ running: true });
      await jobs.prune(0, 0);
      expect(
        await Promise.all([first, first].map((each) => jobs.finish(each, { ...outcome, errors: [] }))),
      ).to.have.members([...[true, false]]);
      expect(await jobs.find('j')).to.deep.include({
        ...{ running: false, success: false, progress: { captured: 27, events: 4 } },
        errors: [everywhere, fault(13), fault(23)],
      });
      for (const table of ['capture_job', 'capture_job_chunk'])
        expect((await database.all(`SELECT * FROM ${table}`)).length, table).to.equal(table === 'capture_job' ? 1 : 0);
    });

    it('are listed newest first, page by page', async () => {
      for (let n = 0; n < 5; n++) await submit(`j${n}`, 'x');
      const ids: string[] = [];
      let after: string | undefined;
      do {
        const page = await jobs.list({ perPage: 2, ...(after !== undefined && { after }) });
        expect(page.jobs.length).to.be.at.most(2);
        ids.push(...page.jobs.map((job) => job.captureID));
        after = page.next;
      } while (after !== undefined);
      expect([...ids].sort()).to.deep.equal(['j0', 'j1', 'j2', 'j3', 'j4']);
      await database.run(`UPDATE capture_job SET created_at = created_at + 1000000 WHERE id = 'j1'`);
      expect((await jobs.list({ perPage: 1 })).jobs[0]).to.include({ captureID: 'j1', running: true, success: true });
    });

    it('are forgotten some time after they finished', async () => {
      await submit('old', 'x');
      await submit('open', 'x');
      await database.run(`UPDATE capture_job SET created_at = created_at - 100000`);
      await database.run(`UPDATE capture_job SET created_at = created_at - 1 WHERE id = 'old'`);
      await jobs.finish(await claim('vm-1'), { success: true, errors: [], captured: 0 });
      await jobs.prune(50, 0);
      expect(await jobs.find('old')).to.not.equal(undefined);
      await database.run(`UPDATE capture_job SET finished_at = finished_at - 100000 WHERE id = 'old'`);
      await jobs.prune(50, 0);
      expect(await jobs.find('old')).to.equal(undefined);
      expect(await jobs.find('open')).to.not.equal(undefined);
    });
  });
}
