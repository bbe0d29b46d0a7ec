// A small document that somebody waits for, among large ones that can wait and are captured whole or not at all, on both databases.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Database } from '../../epcis/repository/database/database.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { createJobStore } from '../../epcis/repository/jobs.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { classify } from '../../epcis/service/jobs-classes.ts';
import { createJobService } from '../../epcis/service/jobs.ts';
import { startWork, type Work } from '../../epcis/work/start.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { until } from '../helpers/until.ts';
import { eventsDocument, LEASES, stream } from '../helpers/work-faults.ts';
import { exportEpcs, read, writeEpcs } from '../helpers/work-vm-parts.ts';

const LARGE_EVENTS = 4000;

for (const [kind, freshUrl] of KINDS) {
  describe(`classes of capture jobs on ${kind}`, function () {
    this.timeout(120_000);
    let database: Database;
    /** As another process: the client's VM. */
    let elsewhere: Database;
    let work: Work | undefined;

    before(async () => {
      const url = await freshUrl();
      database = await openDatabase({ url });
      await migrate(database);
      elsewhere = await openDatabase({ url });
    });
    after(async () => {
      await work?.close();
      await database.close();
      await elsewhere.close();
    });

    it('have a small document wait for the large one at work, not for those that wait with it', async () => {
      const store = createJobStore(elsewhere);
      const classes = [{ name: 'small' }, { name: 'large', rules: [{ path: 'large' }] }];
      const jobs = createJobService({
        store,
        newId: randomUUID,
        most: 1000,
        submitted: () => undefined,
        classify: classify(classes, 300_000),
      });
      const submit = async (name: string, path: 'small' | 'large', events: number): Promise<string> => {
        const origin = { path, client: '', header: () => undefined };
        const about = { mediaType: 'text/xml', errorBehaviour: 'rollback', headers: {} } as const;
        return (await jobs.submit({ ...about, origin, bytes: stream(eventsDocument(name, events)) })).captureID;
      };
      const large = [await submit('a', 'large', LARGE_EVENTS), await submit('b', 'large', LARGE_EVENTS)];
      const capture = createCaptureService(createEventRepository(database, { now: () => Date.now() }));
      const parts = { database, capture, read, write: writeEpcs, writeExport: exportEpcs, now: Date.now };
      work = startWork({ ...parts, secret: 'a', logFailure: () => 'logged' }, LEASES);
      const started = (count: number) => async (): Promise<boolean> => {
        const rows = await elsewhere.all('SELECT id FROM capture_job WHERE started_at IS NOT NULL');
        return rows.length >= count;
      };
      await until('both large ones are taken', started(2));
      const small = await submit('c', 'small', 20);
      await until('all are captured', async () => (await store.backlog()).jobs === 0);
      const rows = await database.all('SELECT id, success FROM capture_job ORDER BY finished_at');
      const ended = rows.map(({ id, success }) => [String(id), Number(success)]);
      expect(ended.slice(0, 2)).to.deep.include([small, 1]);
      expect(ended.map(([id]) => id)).to.have.members([...large, small]);
    });
  });
}
