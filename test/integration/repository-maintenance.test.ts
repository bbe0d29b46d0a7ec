// Prune, check, backup and restore, on both databases and from one to the other.
import { expect } from 'chai';
import fc from 'fast-check';
import { backup, backupSteps, isBeingRestored, restore } from '../../epcis/repository/backup.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { createEventRepository, repositorySecret } from '../../epcis/repository/event-repository.ts';
import { check, checkSteps, reindexSteps } from '../../epcis/repository/check.ts';
import { gather } from '../../epcis/service/gather.ts';
import type { Steps } from '../../epcis/service/steps.ts';
import type { Task } from '../../epcis/service/tasks.ts';
import { prune, pruneSteps, stats } from '../../epcis/repository/maintenance.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { migrations } from '../../epcis/repository/migrations/index.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createSubscriptionStore } from '../../epcis/repository/subscriptions.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import type { NewSubscription } from '../../epcis/service/subscriptions-store.ts';
import { anyEvent, itemsOf, masterDataItems } from '../helpers/epcis-samples.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { present } from '../helpers/present.ts';

const DAY = 86_400_000;
const START = Date.UTC(2024, 0, 1);

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

const found = async (database: Database): Promise<readonly (readonly string[])[]> => {
  const query = createQueryService(createEventRepository(database, { now: () => 0 }));
  const events = await gather(await query.events([]));
  return events.map(({ source, hash, recordTime }) => [recordTime, hash, source.text]).sort();
};

for (const [n, [kind, freshUrl]] of KINDS.entries()) {
  describe(`maintenance on ${kind}`, function () {
    this.timeout(120_000);
    let database: Database;
    let day = 0;

    beforeEach(async () => {
      database = await openDatabase({ url: await freshUrl() });
      await migrate(database);
      const repository = createEventRepository(database, { now: () => START + day * DAY });
      const capture = createCaptureService(repository);
      await capture.capture(masterDataItems(), { errorBehaviour: 'rollback' });
      for (day = 0; day < 3; day += 1) {
        const events = fc.sample(anyEvent, { numRuns: 150, seed: 20 + day });
        await capture.capture(itemsOf(events.map((event, of) => ({ ...event, eventID: `urn:x:${day}:${of}` }))), {
          errorBehaviour: 'rollback',
        });
      }
    });
    afterEach(() => database.close());

    it('prunes what was captured before a time, and its index', async () => {
      const steps: number[] = [];
      const onStep = (pruned: number): void => void steps.push(pruned);
      expect(await prune(database, START + 2 * DAY, { onStep })).to.equal(300);
      expect(steps).to.deep.equal([200, 300]);
      expect(await check(database)).to.deep.equal({ events: 150, faults: [] });
      expect((await found(database)).every(([recordTime]) => recordTime?.startsWith('2024-01-03'))).to.equal(true);
      await prune(database, START + 9 * DAY);
      for (const table of ['event', 'event_epc', 'event_text', 'event_number'])
        expect(await database.all(`SELECT 1 FROM ${table} LIMIT 1`), table).to.deep.equal([]);
    });

    it('says what there is', async () => {
      const { bytes, ...counted } = await stats(database);
      expect(counted).to.deep.equal({
        schemaVersion: migrations.length,
        events: 450,
        oldest: '2024-01-01T00:00:00.000Z',
        newest: '2024-01-03T00:00:00.000Z',
        vocabularyElements: 4,
      });
      expect(bytes).to.be.greaterThan(50_000);
    });

    it('looks for the index of some events together', async () => {
      let asked = 0;
      const all: Database['all'] = (...question) => {
        asked += 1;
        return database.all(...question);
      };
      const counting = Object.assign(Object.create(database) as Database, { all });
      expect((await check(counting)).faults).to.deep.equal([]);
      expect(asked).to.be.below(450);
    });

    it('finds what is damaged', async () => {
      expect(await check(database)).to.deep.equal({ events: 450, faults: [] });
      const [row] = await database.all('SELECT CAST(id AS CHAR(20)) AS id FROM event ORDER BY id LIMIT 1');
      const id = BigInt(Buffer.from(String(row?.['id'])).toString());
      await database.run('DELETE FROM event_text WHERE event_id = ?', [id]);
      const { faults } = await check(database);
      expect(faults).to.deep.equal([`Event ${id} misses rows in event_text.`]);
      await database.run('UPDATE event SET payload = ? WHERE id = ?', [new Uint8Array([9, 9]), id]);
      expect((await check(database)).faults).to.deep.equal([`Event ${id} cannot be unpacked.`]);
      await database.run('DELETE FROM event WHERE id = ?', [id]);
      expect((await check(database)).faults).to.include(`event_number has a row of event ${id}, which is not there.`);
    });

    it('backs up what another database restores', async () => {
      const other = KINDS[(n + 1) % KINDS.length];
      if (!other) throw new Error('no other kind');
      const copy = await openDatabase({ url: await other[1]() });
      await migrate(copy);
      const secret = await repositorySecret(database);
      const lines = await gather(backup(database));
      expect(await restore(copy, () => each(lines))).to.equal(450);
      expect(await found(copy)).to.deep.equal(await found(database));
      expect(await check(copy)).to.deep.equal({ events: 450, faults: [] });
      expect((await stats(copy)).vocabularyElements).to.equal(4);
      expect(await repositorySecret(copy)).to.equal(secret);
      const again: unknown = await restore(copy, () => each(lines)).catch((error: unknown) => error);
      expect(again).to.have.property('message').that.includes('into an empty one');
      await copy.close();
    });

    it('goes on as stored work behind the step that was stored last, whoever dies when', async () => {
      const whole = async (steps: Steps, task: Task, dies: boolean): Promise<{ text: string; done: number }> => {
        let text = '';
        let { done, reached } = task;
        let total: number | undefined;
        for (let isAll = false; !isAll;) {
          isAll = true;
          const left = { ...task, done, ...(reached && { reached }), ...(total !== undefined && { total }) };
          for await (const step of steps(left, undefined)) {
            ({ done, reached } = step);
            ({ total } = step);
            text += step.text ?? '';
            isAll = !dies;
            if (dies) break;
          }
        }
        return { text, done };
      };
      const backed: Steps = (task) => backupSteps(database, task);
      const task = { kind: 'backup', asked: {}, done: 0 } as const;
      const once = await whole(backed, task, false);
      expect(once.done).to.equal(450);
      expect(await whole(backed, task, true)).to.deep.equal(once);

      const damaged = await database.run('DELETE FROM event_number WHERE event_id IN (SELECT id FROM event)');
      expect(damaged).to.be.greaterThan(0);
      const checked: Steps = (given) => checkSteps(database, given);
      const faults = await whole(checked, { ...task, kind: 'check' }, false);
      expect(faults.text).to.include('misses rows in event_number');
      const again = await whole(checked, { ...task, kind: 'check' }, true);
      expect([again.done, again.text === faults.text]).to.deep.equal([faults.done, true]);
      const mended = await whole((given) => reindexSteps(database, given), { ...task, kind: 'reindex' }, true);
      expect(mended.text).to.match(/^[1-9]\d* events had an index that was wrong\.\n$/);
      expect((await check(database)).faults).to.deep.equal([]);

      const before = { before: START + 2 * DAY };
      const pruned = await whole(
        (given) => pruneSteps(database, given),
        { kind: 'prune', asked: before, done: 0 },
        true,
      );
      expect(pruned.done).to.equal(300);
      expect(await check(database)).to.deep.equal({ events: 150, faults: [] });
    });

    it("begins a subscription's next run at its last one, since the feed stays behind", async () => {
      const store = createSubscriptionStore(database);
      const about = { queryName: 'q', parameters: [], destination: '', reportIfEmpty: false, result: { form: 'json' } };
      await store.create({ ...about, id: 'webhook', runAt: 0 } as NewSubscription);
      await store.create({ ...about, id: 'socket', runAt: 0, socketOwner: 'vm' } as NewSubscription);
      const lastRun = START + 1.5 * DAY;
      await database.run('UPDATE subscription SET position = 9, window_upto = 12, last_run_at = ?', [lastRun]);
      const copy = await openDatabase({ url: await freshUrl() });
      await migrate(copy);
      await restore(copy, () => backup(database));
      const restored = createSubscriptionStore(copy);
      expect(await restored.list('q')).to.have.length(1);
      const claim = present(await restored.claim('vm', 60));
      expect(claim.subscription.recordedSince).to.equal(new Date(lastRun).toISOString());
      expect(await restored.begin(claim)).to.deep.include({ after: undefined, sent: 0 });
      await copy.close();
    });

    it('refuses a backup that is not whole, before anything of it is written', async () => {
      const lines = await gather(backup(database));
      const changed = lines.with(-2, (lines.at(-2) ?? '').replace('"event"', '"evenu"'));
      for (const damaged of [[], lines.slice(0, -1), lines.toSpliced(5, 1), lines.slice(1), changed]) {
        const copy = await openDatabase({ url: await freshUrl() });
        await migrate(copy);
        const before = await gather(backup(copy));
        const failure: unknown = await restore(copy, () => each(damaged)).catch((error: unknown) => error);
        expect(failure).to.have.property('code', 'REPOSITORY_BACKUP');
        expect(await gather(backup(copy))).to.deep.equal(before);
        await copy.close();
      }
    });

    it('goes on with a backup whose restoring was broken off, and with no other', async () => {
      const capture = createCaptureService(createEventRepository(database, { now: () => START + 9 * DAY }));
      const more = fc.sample(anyEvent, { numRuns: 150, seed: 30 });
      await capture.capture(itemsOf(more.map((event, of) => ({ ...event, eventID: `urn:x:9:${of}` }))), {
        errorBehaviour: 'rollback',
      });
      const lines = await gather(backup(database));
      const copy = await openDatabase({ url: await freshUrl() });
      await migrate(copy);
      const full = new Error('no room');
      const failure: unknown = await restore(
        copy,
        () => each(lines),
        () => {
          throw full;
        },
      ).catch((error: unknown) => error);
      expect(failure).to.equal(full);
      expect((await stats(copy)).events).to.equal(500);
      expect(await isBeingRestored(copy)).to.equal(true);
      const half = await gather(backup(copy));
      const other: unknown = await restore(copy, () => each(half)).catch((error: unknown) => error);
      expect(other).to.have.property('message').that.includes('a part of another backup');
      expect(await restore(copy, () => each(lines))).to.equal(600);
      expect(await found(copy)).to.deep.equal(await found(database));
      expect(await isBeingRestored(copy)).to.equal(false);
      expect(await check(copy)).to.deep.equal({ events: 600, faults: [] });
      expect((await stats(copy)).vocabularyElements).to.equal(4);
      const done: unknown = await restore(copy, () => each(lines)).catch((error: unknown) => error);
      expect(done).to.have.property('message').that.includes('holds events');
      await copy.close();
    });
  });
}
