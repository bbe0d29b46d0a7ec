// What named queries, subscriptions and the feed promise, on both databases.
import { expect } from 'chai';
import type { Database } from '../../epcis/repository/database/database.ts';
import { announce, moveOn, purge, sequence } from '../../epcis/repository/feed.ts';
import { inWindow } from '../../epcis/repository/sql/feed-window.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { migrations } from '../../epcis/repository/migrations/index.ts';
import { createNamedQueryStore } from '../../epcis/repository/named-queries.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createSubscriptionStore } from '../../epcis/repository/subscriptions.ts';
import { PIECE } from '../../epcis/service/question-turns.ts';
import type { NewSubscription, RunClaim, SubscriptionStore } from '../../epcis/service/subscriptions-store.ts';
import { answering } from '../../epcis/turns/own-turn.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { meanwhile } from '../helpers/meanwhile.ts';
import { present } from '../helpers/present.ts';

for (const [kind, freshUrl] of KINDS) {
  describe(`subscriptions on ${kind}`, function () {
    this.timeout(60_000);
    let database: Database;

    before(async () => {
      database = await openDatabase({ url: await freshUrl() });
      await migrate(database);
    });
    after(() => database.close());

    it('named queries keep their names apart, in order, and take their subscriptions with them', async () => {
      const queries = createNamedQueryStore(database);
      const subscriptions = createSubscriptionStore(database);
      const parameters = [{ name: 'EQ_bizStep', values: ['shipping', 'ärger'] }];
      const query = (name: string) => ({ name, kind: 'events', parameters, definition: `{"name":"${name}"}` }) as const;
      for (const name of ['b', 'B', 'a', 'a ', 'ä']) expect(await queries.create(query(name))).to.equal(true);
      expect(await queries.create(query('a'))).to.equal(false);
      expect(await queries.find('B')).to.deep.include(query('B'));
      const listed = async (after: string, limit: number) => {
        const { queries: found, isMore } = await queries.list(after, limit);
        return { names: found.map(({ name }) => name), isMore };
      };
      expect(await listed('', 5)).to.deep.equal({ names: ['B', 'a', 'a ', 'b', 'ä'], isMore: false });
      expect(await listed('B', 1)).to.deep.equal({ names: ['a'], isMore: true });
      expect(await queries.names('a', 2)).to.deep.equal(['a ', 'b']);
      await subscriptions.create(newSubscription('of a', { queryName: 'a' }));
      await subscriptions.create(newSubscription('of B', { queryName: 'B' }));
      expect(await queries.delete('a')).to.equal(true);
      expect(await queries.delete('a')).to.equal(false);
      expect(await subscriptions.find('of a')).to.equal(undefined);
      expect(await subscriptions.delete('of B', 'a')).to.equal(false);
      expect(await subscriptions.delete('of B', 'B')).to.equal(true);
    });

    it('large named queries are written, and listed, a few megabytes at a time and in pieces between which others have their turn', async () => {
      const queries = createNamedQueryStore(database);
      const spent: number[] = [];
      const spend = (units: number) => void spent.push(units);
      const asking = <T>(act: () => Promise<T>) => answering({ spend, end: () => {} }, act);
      // three bytes each
      const parameters = [{ name: 'EQ_bizStep', values: ['€'.repeat(300_000)] }];
      const definition = JSON.stringify({ EQ_bizStep: parameters[0]?.values });
      for (const name of ['1', '2', '3'])
        await asking(() => queries.create({ name, kind: 'events', parameters, definition }));
      expect(spent.splice(0), 'made in text, and stored').to.have.lengthOf(2 * 3);
      const { queries: listed, isMore } = await asking(() => queries.list('', 10));
      expect({ listed: listed.length, isMore }).to.deep.equal({ listed: 2, isMore: true });
      expect(spent.filter((units) => units >= PIECE)).to.have.lengthOf(2);
      for (const name of ['1', '2', '3']) await queries.delete(name);
    });

    it('what an earlier version left without a position comes first, in the order it had', async () => {
      const old = await openDatabase({ url: await freshUrl() });
      await migrate(old, migrations.slice(0, 2));
      for (const n of [2, 1, 3])
        await old.run('INSERT INTO feed_batch (batch, position) VALUES (?, NULL)', [new Uint8Array(16).fill(n)]);
      await migrate(old);
      if (kind === 'mysql') {
        await old.run('DELETE FROM schema_version WHERE version = 3'); // by a VM that died before it could note it
        expect(await migrate(old)).to.deep.equal([3]);
      }
      await old.transaction((connection) => announce(connection, [7]));
      await old.transaction(sequence);
      const rows = await old.all(
        `SELECT b.batch, e.event_id FROM feed_batch b LEFT JOIN feed_event e ON e.batch = b.batch ORDER BY b.position`,
      );
      expect(rows.map(({ batch, event_id: id }) => Number(id ?? (batch as Uint8Array)[0]))).to.deep.equal([1, 2, 3, 7]);
      await old.close();
    });

    describe('subscriptions and the feed', () => {
      let store: SubscriptionStore;
      const head = (): Promise<number> => database.transaction(sequence);
      const capture = (...ids: readonly number[]): Promise<void> =>
        database.transaction((connection) => announce(connection, ids));
      const claim = async (owner: string, seconds = 60): Promise<RunClaim> =>
        present(await store.claim(owner, seconds));

      before(() =>
        database.run('CREATE TABLE IF NOT EXISTS some_event (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(10))'),
      );

      beforeEach(async () => {
        store = createSubscriptionStore(database);
        for (const table of ['subscription', 'feed_batch', 'feed_event', 'some_event']) {
          await database.run(`DELETE FROM ${table}`);
        }
      });

      it('keep everything they were given, and one of an ID', async () => {
        const given = {
          ...newSubscription('Q 1'),
          schedule: { second: '0', dayOfWeek: '[1-5]' },
          signatureToken: 'secret',
          recordedSince: '2006-06-25T00:00:00.000Z',
          reportIfEmpty: true,
        };
        const created = await store.create(given);
        expect({ ...created, runAt: 0 }).to.deep.include(given);
        expect(created).to.include({ initialRecordTime: given.recordedSince, minRecordTime: given.recordedSince });
        expect(await store.create(given)).to.equal(undefined);
        expect(present(await store.create(newSubscription('q 1'))).stream).to.equal(true);
        expect((await store.list('SimpleEventQuery')).map(({ id }) => id)).to.deep.equal(['Q 1', 'q 1']);
      });

      it('run when due, on one VM', async () => {
        await store.create(newSubscription('later', { runAt: (await store.now()) + 60_000, schedule: { hour: '1' } }));
        await store.create(newSubscription('due', { runAt: (await store.now()) - 1000, schedule: { hour: '1' } }));
        await store.create({ ...newSubscription('of a socket'), socketOwner: 'vm-9' });
        expect(await store.due()).to.equal(1);
        const claims = await Promise.all(Array.from({ length: 6 }, (_, n) => store.claim(`vm-${n}`, 60)));
        expect(claims.flatMap((claimed) => claimed?.id ?? [])).to.deep.equal(['due']);
      });

      it('run once, where the VM that was slow finishes while another one is about to take over', async () => {
        await store.create(newSubscription('s', { schedule: { hour: '1' } }));
        const slow = await claim('vm-1', -1);
        const runAt = present(await store.begin(slow)).time + 60_000;
        const beaten = createSubscriptionStore(
          meanwhile(database, () => store.finish(slow, { runAt, notified: true })),
        );
        expect(await beaten.claim('vm-2', 60)).to.equal(undefined);
      });

      it('a take-over repeats the same run from the same place', async () => {
        await capture(1);
        await store.create(newSubscription('s'));
        const old = await claim('vm-1', -1);
        const begun = present(await store.begin(old));
        expect(await store.progress(old, 'page 2', 7)).to.equal(true);
        await capture(2);
        const current = await claim('vm-2');
        const run = present(await store.begin(current));
        expect(run).to.deep.equal({ ...begun, cursor: 'page 2', sent: 7 });
        expect(await store.begin(old)).to.equal(undefined);
        expect(await store.progress(old, 'page 3', 9)).to.equal(false);
        await store.finish(old, { runAt: 0, notified: true });
        await store.finish(current, { runAt: run.time, notified: true });
        const next = present(await store.begin(await claim('vm-1')));
        expect(next).to.deep.include({ after: run.upTo, upTo: run.upTo + 1, sent: 0 });
        const { lastNotifiedAt, minRecordTime } = present(await store.find('s'));
        expect(lastNotifiedAt).to.be.a('string');
        expect(Date.parse(minRecordTime)).to.equal(run.time);
      });

      it('without a schedule they are due when something was captured, and after a failure when its pause is over', async () => {
        await store.create(newSubscription('s'));
        const first = await claim('vm');
        await store.begin(first);
        await store.finish(first, { runAt: 0, notified: false });
        expect(await store.claim('vm', 60)).to.equal(undefined);
        await capture(1);
        await moveOn(database);
        const second = await claim('vm');
        await store.begin(second);
        await store.postpone(second, 60, 1);
        expect(await store.claim('vm', 60)).to.equal(undefined);
        await database.run('UPDATE subscription SET run_at = run_at - 61000');
        expect((await claim('vm')).failures).to.equal(1);
      });

      it('without an initialRecordTime they begin with what becomes visible from then on', async () => {
        await capture(1);
        const { recordedSince, ...given } = newSubscription('s');
        expect(recordedSince).to.be.a('string');
        const created = present(await store.create(given));
        expect(created).to.include({ initialRecordTime: created.createdAt, minRecordTime: created.createdAt });
        expect(await store.claim('vm', 60)).to.equal(undefined);
        await capture(2);
        await moveOn(database);
        const { after, upTo } = present(await store.begin(await claim('vm')));
        expect(upTo).to.equal(present(after) + 1);
      });

      it('every event is in exactly one window, however late it becomes visible', async () => {
        const insert = async (ids: readonly number[]): Promise<void> => {
          for (const id of ids) await database.run('INSERT INTO some_event (id) VALUES (?)', [id]);
          await capture(...ids);
        };
        const inside = async (after: number | undefined, upTo: number): Promise<number[]> => {
          const { sql, values } = inWindow('e.id', { after, upTo });
          const rows = await database.all(`SELECT e.id FROM some_event e WHERE ${sql} ORDER BY e.id`, values);
          return rows.map((row) => Number(row['id']));
        };
        await database.run('INSERT INTO some_event (id) VALUES (1)'); // older than the feed
        await insert([2, 3]);
        const first = await head();
        await insert([4]); // visible, without a position yet
        expect(await inside(undefined, first)).to.deep.equal([1, 2, 3]);
        const second = await head();
        expect(await inside(first, second)).to.deep.equal([4]);
        await insert([5]);
        await insert([6]);
        const third = await head();
        expect(third).to.equal(second + 2);
        expect(await inside(undefined, first)).to.deep.equal([1, 2, 3]);
        expect(await inside(second, third)).to.deep.equal([5, 6]);
        expect(await inside(third, third)).to.deep.equal([]);
      });

      if (kind === 'mysql') {
        it('a transaction that is still open is in no window yet, and in the next one after its commit', async () => {
          let commit = (): void => undefined;
          let announced = (): void => undefined;
          const isAnnounced = new Promise<void>((done) => (announced = done));
          const mayCommit = new Promise<void>((done) => (commit = done));
          const before = await head();
          const open = database.transaction(async (connection) => {
            await announce(connection, [1]);
            announced();
            await mayCommit;
          });
          await isAnnounced;
          await capture(2);
          expect(await head()).to.equal(before + 1);
          commit();
          await open;
          expect(await head()).to.equal(before + 2);
          const late = `SELECT position FROM feed_batch b JOIN feed_event e ON e.batch = b.batch WHERE event_id = 1`;
          expect(Number((await database.all(late))[0]?.['position'])).to.equal(before + 2);
        });
      }

      it('what was committed first stands first, however close together and whatever its key', async () => {
        const from = await head();
        for (let id = 1; id <= 40; id += 1) await capture(id);
        // as a VM whose clock is behind would have made it, and one of an earlier version, which knows no order
        await database.run('INSERT INTO feed_batch (batch, position) VALUES (?, NULL)', [new Uint8Array(16)]);
        await database.run('INSERT INTO feed_event (batch, event_id) VALUES (?, 41)', [new Uint8Array(16)]);
        await head();
        const rows = await database.all(
          `SELECT e.event_id AS id FROM feed_batch b JOIN feed_event e ON e.batch = b.batch
           WHERE b.position > ? ORDER BY b.position`,
          [from],
        );
        expect(rows.map((row) => Number(row['id']))).to.deep.equal(Array.from({ length: 41 }, (_, n) => n + 1));
      });

      it('the feed keeps what a subscription has not got yet, and nothing else', async () => {
        const batches = async (): Promise<number> => (await database.all('SELECT batch FROM feed_batch')).length;
        await capture(1);
        expect(await purge(database)).to.equal(1); // nobody waits
        await capture(2);
        await store.create(newSubscription('s'));
        await moveOn(database);
        const run = await claim('vm');
        await store.begin(run);
        await capture(3);
        await head();
        await purge(database);
        expect(await batches()).to.equal(1);
        await store.finish(run, { runAt: 0, notified: false });
        await purge(database);
        expect(await batches()).to.equal(1);
        const next = await claim('vm');
        await store.begin(next);
        await store.finish(next, { runAt: 0, notified: false });
        await purge(database);
        expect(await batches()).to.equal(0);
        expect(await database.all('SELECT event_id FROM feed_event')).to.deep.equal([]);
      });

      it('hands out positions once when several VMs do it at the same time', async () => {
        const before = await head();
        for (let id = 1; id <= 30; id++) await capture(id);
        const heads = await Promise.all(Array.from({ length: 4 }, head));
        expect(Math.max(...heads)).to.equal(before + 30);
        const rows = await database.all('SELECT COUNT(DISTINCT position) AS n FROM feed_batch');
        expect(Number(rows[0]?.['n'])).to.equal(30);
      });

      it('a WebSocket is served by the VM that holds it and forgotten with it', async () => {
        await store.create(newSubscription('socket', { socketOwner: 'vm-1' }));
        expect(await store.claim('vm-2', 60)).to.equal(undefined);
        expect((await claim('vm-1')).id).to.equal('socket');
        await store.renewSockets('vm-1', 60);
        expect(await store.socketsOf('vm-1')).to.deep.equal(['socket']);
        await store.dropLostSockets();
        expect(await store.find('socket')).to.not.equal(undefined);
        await store.renewSockets('vm-1', -1);
        await store.dropLostSockets();
        expect(await store.find('socket')).to.equal(undefined);
      });
    });
  });
}

function newSubscription(id: string, given: Partial<NewSubscription> = {}): NewSubscription {
  return {
    id,
    queryName: 'SimpleEventQuery',
    parameters: [{ name: 'eventType', values: ['ObjectEvent'] }],
    destination: 'http://receiver.example/',
    reportIfEmpty: false,
    result: { form: 'json' },
    recordedSince: '2006-06-25T00:00:00.000Z',
    runAt: 0,
    ...given,
  };
}
