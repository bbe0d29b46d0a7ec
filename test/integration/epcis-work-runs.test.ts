// Subscriptions from capture to receiver, on both databases: streams, schedules, receivers that are down.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Database } from '../../epcis/repository/database/database.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import type { SubscriptionRequest } from '../../epcis/service/subscriptions.ts';
import type { WorkOptions } from '../../epcis/work/options.ts';
import { startWork, type Work } from '../../epcis/work/start.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';
import { eventsDocument, stream } from '../helpers/work-faults.ts';
import { RUN_OPTIONS } from '../helpers/work-faults-runs.ts';
import { exportEpcs, read, writeEpcs } from '../helpers/work-vm-parts.ts';

for (const [kind, freshUrl] of KINDS) {
  describe(`subscriptions from end to end on ${kind}`, function () {
    this.timeout(120_000);
    let url: string;
    let database: Database;
    let work: Work;
    let receiver: Receiver;
    let documents = 0;

    before(async () => {
      url = await freshUrl();
      database = await openDatabase({ url });
      await migrate(database);
    });
    after(() => database.close());
    beforeEach(async () => {
      await database.run('DELETE FROM subscription');
      receiver = await startReceiver();
      work = start();
    });
    afterEach(async () => {
      await work.close();
      receiver.close();
    });

    /** How far the capturing VM's clock is off, in ms. */
    let skew = 0;
    const capture = createCaptureServiceOf(
      () => database,
      () => Date.now() + skew,
    );
    const start = (options: Partial<WorkOptions> = {}): Work =>
      startWork(
        {
          database,
          capture,
          read,
          write: writeEpcs,
          writeExport: exportEpcs,
          now: Date.now,
          secret: 'a',
          logFailure: () => 'logged',
        },
        { ...RUN_OPTIONS, leaseSeconds: 60, maxBackOffSeconds: 0.1, ...options },
      );
    /** Captures so many events and returns their EPCs. */
    const captureEvents = async (count: number): Promise<string[]> => {
      const name = `e${++documents}`;
      await capture.capture(read(stream(eventsDocument(name, count))), { errorBehaviour: 'rollback' });
      return Array.from({ length: count }, (_, n) => `urn:example:${name}:${n}`);
    };
    const subscribe = (given: Partial<SubscriptionRequest> = {}) =>
      work.subscriptions.subscribe({
        queryName: 'SimpleEventQuery',
        destination: receiver.url,
        result: { form: 'json' },
        ...(given.schedule === undefined && { stream: true }),
        ...given,
      });
    /** What the receiver accepted, in order, and each page once however often it was sent. */
    const accepted = new Map<string, string[]>();
    const epcs = (): string[] => [...accepted.values()].flat();
    beforeEach(() => {
      accepted.clear();
      receiver.answer = (response, { key, body }) => {
        accepted.set(key, JSON.parse(body) as string[]);
        response.writeHead(204).end();
      };
    });

    it('a stream sends what matches soon after it was captured, each event once', async () => {
      await captureEvents(2); // before the subscription
      await subscribe({ parameters: [{ name: 'MATCH_epc', values: ['urn:example:never'] }], id: 'never' });
      await subscribe({ parameters: [{ name: 'eventType', values: ['ObjectEvent'] }], signatureToken: 'secret' });
      const first = await captureEvents(7);
      await until('the first events arrive', () => epcs().length >= 7);
      const second = await captureEvents(1);
      await until('the next event arrives', () => epcs().length >= 8);
      expect(epcs().sort()).to.deep.equal([...first, ...second].sort());
      expect(receiver.requests.map(({ body }) => (JSON.parse(body) as string[]).length)).to.deep.equal([3, 3, 1, 1]);
      expect(receiver.requests[0]?.headers['gs1-signature']).to.match(/^sha256=[0-9a-f]{64}$/);
    });

    it('the first run reaches back to the initialRecordTime, and nothing is sent again', async () => {
      const old = await captureEvents(4);
      for (const table of ['feed_event', 'feed_batch']) await database.run(`DELETE FROM ${table}`); // as purge does
      old.push(...(await captureEvents(1)));
      const { initialRecordTime, id } = await subscribe({ initialRecordTime: '2006-06-25T00:00:00Z' });
      expect(initialRecordTime).to.equal('2006-06-25T00:00:00.000Z');
      await until('the old events arrive', () => old.every((epc) => epcs().includes(epc)));
      const count = epcs().length;
      const more = await captureEvents(2);
      await until('the new events arrive', () => more.every((epc) => epcs().includes(epc)));
      expect(epcs()).to.have.length(count + 2);
      expect(new Set(epcs()).size).to.equal(count + 2);
      await until('the run is over', async () => (await work.subscriptions.get(id)).lastNotifiedAt !== undefined);
    });

    it('a schedule runs at its seconds, and reports an empty result if asked to', async () => {
      const everySecond = { schedule: { second: '[0-59]' }, id: randomUUID() };
      await subscribe({ ...everySecond, reportIfEmpty: true });
      await until('two empty reports', () => receiver.requests.filter(({ body }) => body === '[]').length >= 2);
      const events = await captureEvents(2);
      await until('the events', () => epcs().length >= 2);
      expect(epcs().sort()).to.deep.equal(events);
    });

    it('a receiver that was down gets everything, in order and once', async () => {
      let isDown = true;
      receiver.answer = (response, { key, body }) => {
        if (!isDown) accepted.set(key, [...(accepted.get(key) ?? []), ...(JSON.parse(body) as string[])]);
        response.writeHead(isDown ? 503 : 204).end();
      };
      await subscribe();
      const events = [...(await captureEvents(4)), ...(await captureEvents(1))];
      await until('three tries', () => receiver.requests.length >= 3);
      isDown = false;
      await until('everything arrives', () => epcs().length >= 5);
      const later = await captureEvents(1);
      await until('what was captured later arrives', () => epcs().length >= 6);
      expect(epcs()).to.deep.equal([...events, ...later]);
    });

    it('receivers that never answer leave places for those that do', async () => {
      await work.close();
      work = start({ deliveries: 2, receiverTimeoutSeconds: 600 });
      const silent = await startReceiver();
      silent.answer = () => undefined;
      await subscribe({ id: 'good' });
      await captureEvents(1);
      await until(
        'the good one is known',
        async () => (await work.subscriptions.get('good')).lastNotifiedAt !== undefined,
      );
      for (const id of ['a', 'b', 'c']) await subscribe({ id, destination: silent.url });
      await captureEvents(1);
      await until('one of the silent is asked', () => silent.requests.length > 0);
      await until('the good one has got it all the same', () => epcs().length === 2);
      await captureEvents(1);
      await until('and what came later', () => epcs().length === 3);
      expect(silent.requests).to.have.length(1);
      silent.close();
    });

    it('what was captured first is sent first, by VMs whose clocks are apart', async () => {
      let isDown = true;
      receiver.answer = (response, { key, body }) => {
        if (!isDown) accepted.set(key, JSON.parse(body) as string[]);
        response.writeHead(isDown ? 503 : 204).end();
      };
      await subscribe();
      const events: string[] = [];
      for (const clock of [3_600_000, 0, 0, -60_000, 0]) {
        skew = clock;
        events.push(...(await captureEvents(2)));
      }
      skew = 0;
      await until('a try', () => receiver.requests.length > 0);
      isDown = false;
      await until('everything arrives', () => epcs().length >= events.length);
      expect(epcs()).to.deep.equal(events);
    });

    it('ends with its query', async () => {
      await work.queries.create({ name: 'mine', parameters: [], definition: '{}' });
      await subscribe({ queryName: 'mine' });
      const ended = new Promise<void>((done) => {
        void work.subscriptions.open(
          { queryName: 'mine', stream: true, result: { form: 'json' } },
          { send: async () => undefined, end: done },
        );
      });
      await until('both subscriptions are there', async () => (await work.subscriptions.list('mine')).length === 2);
      await work.queries.delete('mine');
      await ended;
      await captureEvents(1);
      expect(receiver.requests).to.deep.equal([]);
    });

    it('a WebSocket gets its events on the VM that holds it', async () => {
      const other = start();
      const sent: string[] = [];
      const socket = { send: async (document: string) => void sent.push(document), end: () => undefined };
      const open = await work.subscriptions.open(
        { queryName: 'SimpleEventQuery', stream: true, result: { form: 'json' } },
        socket,
      );
      const events = await captureEvents(2);
      await until('the document', () => sent.length > 0);
      expect(sent.flatMap((document) => JSON.parse(document) as string[])).to.deep.equal(events);
      await open.close();
      expect(await work.subscriptions.list('SimpleEventQuery')).to.deep.equal([]);
      await other.close();
    });
  });
}

function createCaptureServiceOf(database: () => Database, now: () => number): ReturnType<typeof createCaptureService> {
  return {
    capture: (items, options) =>
      createCaptureService(createEventRepository(database(), { now })).capture(items, options),
  };
}
