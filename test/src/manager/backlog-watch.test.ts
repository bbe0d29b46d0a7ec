import { expect } from 'chai';
import { Writable } from 'node:stream';
import {
  storedWork,
  timed,
  watchBacklog,
  type BacklogWatch,
  type WorkStores,
} from '../../../src/manager/backlog-watch.ts';
import { UnavailableError } from '../../../epcis/domain/unavailable.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { until } from '../../helpers/until.ts';

type Lately = Awaited<ReturnType<WorkStores['jobs']['lately']>>;
type First = Awaited<ReturnType<WorkStores['jobs']['first']>>;

const storesOf = (
  waiting: Awaited<ReturnType<WorkStores['jobs']['backlog']>>,
  lately: Lately,
  first: First,
): WorkStores => ({
  jobs: { backlog: async () => waiting, lately: async () => lately, first: async () => first },
  subscriptions: { due: async () => 3 },
});

describe('the watch over the backlog', () => {
  let watch: BacklogWatch | undefined;
  afterEach(() => watch?.close());

  const watched = (backlog: () => Promise<{ jobs: number; events: number; oldestSeconds: number }>) => {
    const lines: string[] = [];
    const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
      lines.push(chunk.toString());
      done();
    };
    const log = createLog({ level: 'info', secrets: ['db-passw0rd'] }, new Writable({ write }));
    watch = watchBacklog(backlog, log, async () => ({}), 1);
    return { lines, newest: watch.newest };
  };

  it('has the newest one, in ms', async () => {
    let jobs = 0;
    const { newest } = watched(async () => ({ jobs: ++jobs, events: 500, oldestSeconds: 1.5 }));
    expect(newest()).to.equal(undefined);
    await until('a second look', () => (newest()?.jobs ?? 0) >= 2);
    expect(newest()).to.include({ events: 500, age: 1_500 });
  });

  it('tells due runs, and how fast a VM was lately, where somebody worked', async () => {
    const waiting = { jobs: 1, events: 500, oldestSeconds: 2 };
    const told = (lately: readonly { worker: string; from: number; to: number; events: number }[]) =>
      storedWork([storesOf(waiting, lately, [])]);
    expect(await told([])).to.deep.equal({ ...waiting, runs: 3, first: [] });
    const worked = await told([{ worker: 'a', from: 0, to: 2000, events: 1000 }]);
    expect(worked).to.deep.equal({ ...waiting, runs: 3, rate: 500, first: [] });
  });

  it('quotes no secret of a repository that quotes it', async () => {
    const { lines } = watched(() => Promise.reject(new Error('Access denied for epcis with db-passw0rd.')));
    await until('it failed', () => watch?.repository()?.why);
    expect(watch?.repository()).to.deep.equal({ why: 'Access denied for epcis with ***' });
    expect(lines.join('')).not.to.include('db-passw0rd');
  });

  it('logs why a repository is away in a sentence, and the stack of a defect', async () => {
    const away = watched(() =>
      Promise.reject(new UnavailableError('Later.', { cause: new Error('connect ECONNREFUSED 127.0.0.1:3306') })),
    );
    await until('it is logged', () => away.lines.length > 0);
    expect(JSON.parse(away.lines.join('')))
      .to.include({ why: 'connect ECONNREFUSED 127.0.0.1:3306' })
      .and.not.have.property('err');
    await watch?.close();
    const broken = watched(() => Promise.reject(new TypeError('jobs is undefined')));
    await until('it is logged', () => broken.lines.length > 0);
    expect(broken.lines.join('')).to.match(/TypeError: jobs is undefined\\n +at /);
  });

  it('counts what waits in the repositories of all tenants, and what a VM did for all of them', async () => {
    const job = { id: 'j', kind: 'capture' as const, progress: { captured: 0, events: 9 }, running: false };
    const told = await storedWork([
      storesOf(
        { jobs: 1, events: 500, oldestSeconds: 2 },
        [{ worker: 'a', from: 0, to: 2000, events: 1000 }],
        [{ ...job, createdAt: 2 }],
      ),
      storesOf(
        { jobs: 2, events: 70, oldestSeconds: 9 },
        [{ worker: 'a', from: 1000, to: 3000, events: 2000 }],
        [{ ...job, id: 'older', createdAt: 1 }],
      ),
    ]);
    expect(told).to.include({ jobs: 3, events: 570, oldestSeconds: 9, runs: 6, rate: 1000 });
    expect(told.first?.map(({ id }) => id)).to.deep.equal(['older', 'j']);
  });

  it('says when each job will be finished: when all before it are, at the rate of those at work', () => {
    const job = (id: string, captured: number, events: number, running: boolean) => ({
      ...{ id, kind: 'capture' as const, progress: { captured, events }, createdAt: 0, running },
    });
    const jobs = [job('a', 400, 900, true), job('b', 0, 1000, true), job('c', 0, 500, false)];
    expect(timed(jobs, 500).map(({ left }) => left)).to.deep.equal([500, 1_500, 2_000]);
    expect(timed(jobs, undefined)).to.deep.equal(jobs);
    expect(timed([job('a', 0, 500, false)], 500)[0]).to.include({ left: 1000 });
    // an export is in no capture's way, and goes as fast as it went
    const exported = { ...job('e', 100, 400, true), kind: 'export' as const, ranFor: 1_000 };
    expect(timed([exported, ...jobs], 500).map(({ left }) => left)).to.deep.equal([3_000, 500, 1_500, 2_000]);
  });

  it('tells that by the clock that people see, also after somebody has set it', async () => {
    const job = { id: 'j', kind: 'capture', progress: { captured: 0, events: 9 }, createdAt: 0, running: false };
    const [time, look] = [
      { now: 10_000, steady: 77 },
      { jobs: 1, events: 9, oldestSeconds: 0 },
    ];
    const clocks = { now: () => time.now, steady: () => time.steady };
    const log = createLog({ level: 'silent' });
    const one = watchBacklog(async () => ({ ...look, first: [{ ...job, left: 500 }] }), log, undefined, 60_000, clocks);
    watch = one;
    await until('it is seen', () => one.first().length > 0);
    expect(one.first()).to.deep.equal([{ ...job, end: 10_500 }]);
    time.steady += 200;
    time.now += 3_600_200;
    expect(one.first()).to.deep.equal([{ ...job, end: 3_610_500 }]);
  });

  it('knows nothing while the repository fails, and says so once', async () => {
    let looks = 0;
    let fails = true;
    const { newest, lines } = watched(async () => {
      looks += 1;
      if (fails) throw new Error('the database is away');
      return { jobs: 1, events: 1, oldestSeconds: 0 };
    });
    await until('some looks', () => looks > 3);
    expect(newest()).to.equal(undefined);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include('the database is away');
    fails = false;
    await until('an answer', () => newest() !== undefined);
    expect(lines).to.have.length(2);
  });

  it('never looks again once closed', async () => {
    let looks = 0;
    watched(async () => ({ jobs: ++looks, events: 0, oldestSeconds: 0 }));
    await watch?.close();
    const before = looks;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(looks).to.equal(before);
  });
});
