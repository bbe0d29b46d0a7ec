// A database whose clock was set back: what it had written down for later is an hour further off than it was meant to be.
import { expect } from 'chai';
import type { Database } from '../../epcis/repository/database/database.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createJobStore } from '../../epcis/repository/jobs.ts';
import { iso } from '../../epcis/repository/leases.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { putTimesRight } from '../../epcis/repository/set-back.ts';
import { createSubscriptionStore } from '../../epcis/repository/subscriptions.ts';
import { startEpcisServer } from '../../epcis/server.ts';
import type { NewSubscription } from '../../epcis/service/subscriptions-store.ts';
import { objectXml, xml2 } from '../helpers/epcis-documents.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { present } from '../helpers/present.ts';
import { startReceiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';

const HOUR = 3_600_000;
const LONGEST = { leaseSeconds: 30, maxBackOffSeconds: 300 };
const LOG = { error: () => undefined, warn: () => undefined, info: () => undefined };
const NEVER = { second: '0', minute: '0', hour: '0', dayOfMonth: '29', month: '2' };
const NEXT_MINUTE = { second: '0', minute: '[0-59]', hour: '[0-23]' };

for (const [kind, freshUrl] of KINDS) {
  describe(`a clock that is set back under ${kind}`, function () {
    this.timeout(60_000);
    let url: string;
    let database: Database;

    beforeEach(async () => {
      url = await freshUrl();
      database = await openDatabase({ url });
      await migrate(database);
    });
    afterEach(() => database.close());

    /** The clock is set back by an hour: all that is written down is as much later. */
    async function setBack(): Promise<void> {
      for (const [table, ...columns] of [
        ['capture_job', 'created_at', 'started_at', 'lease_until'],
        ['subscription', 'run_at', 'created_at', 'last_run_at', 'last_notified_at', 'lease_until', 'window_time'],
      ])
        await database.run(
          `UPDATE ${table} SET ${columns.map((column) => `${column} = ${column} + ${HOUR}`).join(', ')}`,
        );
    }

    it('lets another worker take over what a dead one had, and has nothing overtaken for an hour', async () => {
      const jobs = createJobStore(database);
      const submit = (id: string) =>
        jobs.create(
          { id, mediaType: 'application/json', errorBehaviour: 'proceed', headers: {} },
          (async function* () {
            yield { bytes: new Uint8Array(1), events: 1 };
          })(),
        );
      for (const id of ['dead', 'alive', 'waits']) await submit(id);
      const dead = present(await jobs.claim('vm-1', 30));
      const alive = present(await jobs.claim('vm-2', 30));
      await setBack();
      await submit('newer');
      await putTimesRight(database, LONGEST);
      expect(await jobs.renew(alive, 30, 0), 'who lives keeps what it has').to.equal(true);
      const [left] = await database.all(`SELECT MAX(lease_until) AS t FROM capture_job`);
      const { createdAt } = present(await jobs.find('newer'));
      expect(Number(left?.['t']) - Date.parse(createdAt), 'a dead one for a lease').to.be.within(0, 60_000);
      expect(present(await jobs.find('waits')).createdAt <= iso(Date.parse(createdAt) + 30_000)).to.equal(true);
      await database.run(`UPDATE capture_job SET lease_until = lease_until - 31000 WHERE id = '${dead.id}'`);
      const taken = [await jobs.claim('vm-3', 30), await jobs.claim('vm-3', 30), await jobs.claim('vm-3', 30)];
      expect(new Set(taken.map((claim) => claim?.id))).to.deep.equal(new Set([dead.id, 'waits', 'newer']));
    });

    it('lets schedules go on from now, streams at once, and who was put off wait no longer than anybody is', async () => {
      const store = createSubscriptionStore(database);
      const now = await store.now();
      await store.create(newSubscription('yearly', { schedule: NEVER, runAt: now + 300 * 24 * HOUR }));
      await database.run('UPDATE subscription SET created_at = created_at - 864000000');
      await store.create(newSubscription('minutely', { schedule: NEXT_MINUTE, runAt: now + 60_000 }));
      await store.create(newSubscription('stream', { runAt: now }));
      await store.create(newSubscription('put off', { runAt: now + 200_000 }));
      await database.run(`UPDATE subscription SET failures = 4 WHERE id = 'put off'`);
      await setBack();
      await putTimesRight(database, LONGEST);
      const rows = await database.all('SELECT id, run_at FROM subscription');
      const waits = Object.fromEntries(
        rows.map(({ id, run_at: runAt }) => [Buffer.from(id as Uint8Array).toString(), Number(runAt) - now]),
      );
      expect(waits['stream']).to.be.at.most(60_000);
      expect(waits['put off']).to.be.at.most(300_000);
      expect(waits['minutely']).to.be.within(0, 120_000);
      expect(waits['yearly'], 'what is a year away stays so').to.be.above(299 * 24 * HOUR);
    });

    it('is seen by a VM that starts: a stream goes on', async () => {
      const receiver = await startReceiver();
      const start = () =>
        startEpcisServer({
          ...{ repository: { url }, port: 0, log: LOG, subscriptionTargets: ['127.0.0.1'], work: { pollMs: 50 } },
        });
      const capture = async (address: string, epc: string) => {
        const headers = { 'content-type': 'application/xml' };
        const body = xml2(objectXml('', { epc }));
        expect((await fetch(`${address}/capture`, { method: 'POST', headers, body })).status).to.equal(202);
      };
      const first = await start();
      try {
        const post = async (path: string, body: object) => {
          const headers = { 'content-type': 'application/json' };
          const init = { method: 'POST', headers, body: JSON.stringify(body) };
          expect((await fetch(`${first.address}/${path}`, init)).status, path).to.equal(201);
        };
        await post('queries', { name: 'all', query: { eventType: 'ObjectEvent' } });
        await post('queries/all/subscriptions', { dest: receiver.url, stream: true });
        await capture(first.address, 'urn:epc:id:sgtin:0614141.107346.1');
        await until('it is sent', () => receiver.requests.length === 1);
      } finally {
        await first.close();
      }
      await setBack();
      const second = await start();
      try {
        await capture(second.address, 'urn:epc:id:sgtin:0614141.107346.2');
        await until('it is sent', () => receiver.requests.length === 2);
      } finally {
        await second.close();
        receiver.close();
      }
    });
  });
}

function newSubscription(id: string, more: Partial<NewSubscription>): NewSubscription {
  return {
    ...{ id, queryName: 'q', parameters: [], destination: '', reportIfEmpty: false, runAt: 0 },
    ...{ result: { form: 'json' } },
    ...more,
  };
}
