// What classes of stored work are worth: the same documents in the same order, once in one queue and once in classes, captured
// by one VM; small documents that somebody waits for among large ones that can wait:
//   node test/bench/work-classes.ts [seconds] [sqlite|mysql] [rollback|proceed]
// That long eight times, and what it takes each time until all is captured: about 6 minutes for 30 s, 10 for 60. A pair of runs is printed
// when it is done. Clients send when they send, whether or not the ones before have their 202. On SQLite a large document that is rolled back
// as a whole is finished first, and whoever sends meanwhile has his 202 afterwards: that he waits for as well.
// Exit status 1 if a job was lost, or was overtaken by one that came later than its class waits for.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../epcis/repository/database/database.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createJobStore } from '../../epcis/repository/jobs.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { classify, type JobClass } from '../../epcis/service/jobs-classes.ts';
import { createJobService, type JobService } from '../../epcis/service/jobs.ts';
import { seeded } from '../../src/random.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { until } from '../helpers/until.ts';
import { eventsDocument, LEASES, stream, Vm } from '../helpers/work-faults.ts';

const PROMOTE_AFTER_MS = 60_000;
const CLASSES: readonly JobClass[] = [{ name: 'normal' }, { name: 'bulk', rules: [{ path: 'bulk' }] }];
const SMALL_EVENTS = 50;
/** Of what one VM can do: it is busy, and gets through. */
const SHARE = { bulk: 0.6, normal: 0.2 };
const BULK_SECONDS = 3;

type Kind = keyof typeof SHARE;
interface Arrival {
  readonly at: number;
  readonly kind: Kind;
  readonly events: number;
}
interface Done {
  readonly kind: Kind;
  /** When its client sent it: while another has SQLite's one writer, it is stored only afterwards. */
  readonly sent: number;
  /** What its turn is counted from. */
  readonly created: number;
  readonly started: number;
  readonly finished: number;
}

const seconds = Number(process.argv[2] ?? 60);
const [onlyDatabase = '', onlyBehaviour = ''] = process.argv.slice(3);

/** Events a second of one VM with nothing else to do: the best of three, for what else the machine does only takes from it. */
async function rateOf(freshUrl: () => Promise<string>): Promise<number> {
  const events = 4000;
  const rates: number[] = [];
  for (let n = 0; n < 3; n++) {
    const [done] = await run(await freshUrl(), [{ at: 0, kind: 'bulk', events }], [], 'rollback');
    rates.push((events * 1000) / ((done?.finished ?? 0) - (done?.started ?? 0)));
  }
  return Math.max(...rates);
}

/** Poisson arrivals, the same in each run. */
function arrivalsAt(rate: number): readonly Arrival[] {
  const random = seeded(7);
  const of = (kind: Kind, events: number): Arrival[] => {
    const found: Arrival[] = [];
    const every = events / (rate * SHARE[kind]);
    for (let at = 0; at < seconds; at += -Math.log(1 - random()) * every) found.push({ at: at * 1000, kind, events });
    return found;
  };
  const all = [...of('bulk', Math.round(rate * BULK_SECONDS)), ...of('normal', SMALL_EVENTS)];
  return all.sort((a, b) => a.at - b.at);
}

async function run(
  url: string,
  arrivals: readonly Arrival[],
  classes: readonly JobClass[],
  errorBehaviour: 'rollback' | 'proceed',
): Promise<readonly Done[]> {
  const database = await openDatabase({ url });
  await migrate(database);
  const jobs = createJobService({
    ...{ store: createJobStore(database), newId: randomUUID, most: 100_000, submitted: () => undefined },
    classify: classify(classes, PROMOTE_AFTER_MS),
  });
  const vm = new Vm({ url, options: LEASES });
  try {
    await vm.go();
    const start = performance.now();
    const submitted: Promise<readonly [id: string, sent: Sent]>[] = [];
    for (const [n, arrival] of arrivals.entries()) {
      await sleep(Math.max(0, arrival.at - (performance.now() - start)));
      const sent = { kind: arrival.kind, sent: Date.now() };
      const id = submit(jobs, arrival, `${url.length}-${n}`, errorBehaviour);
      submitted.push(id.then((its) => [its, sent] as const));
    }
    const sent = new Map(await Promise.all(submitted));
    await until('all jobs are finished', async () => (await jobs.backlog()).jobs === 0, 300_000);
    return await outcomes(database, sent);
  } finally {
    await vm.end('SIGKILL');
    await database.close();
  }
}

async function submit(
  jobs: JobService,
  { kind, events }: Arrival,
  name: string,
  errorBehaviour: 'rollback' | 'proceed',
): Promise<string> {
  const origin = { path: kind, client: '', header: () => undefined };
  const bytes = stream(eventsDocument(name, events));
  const { captureID } = await jobs.submit({ bytes, mediaType: 'text/xml', errorBehaviour, headers: {}, origin });
  return captureID;
}

type Sent = Pick<Done, 'kind' | 'sent'>;

async function outcomes(database: Database, all: ReadonlyMap<string, Sent>): Promise<readonly Done[]> {
  const rows = await database.all('SELECT id, created_at, started_at, finished_at, success, captured FROM capture_job');
  return rows.map((row) => {
    if (Number(row['success']) !== 1) throw new Error(`Job ${String(row['id'])} failed.`);
    const [created, started, finished] = ['created_at', 'started_at', 'finished_at'].map((name) => Number(row[name]));
    const id = row['id'] instanceof Uint8Array ? Buffer.from(row['id']).toString() : String(row['id']);
    const sent = all.get(id);
    if (sent === undefined) throw new Error(`Nobody sent the job ${id}.`);
    return { ...sent, created: created ?? 0, started: started ?? 0, finished: finished ?? 0 };
  });
}

/** Jobs that began after one that came later than the class of the first waits for. */
function brokenPromises(done: readonly Done[]): number {
  const promised = ({ created, kind }: Done) => created + (kind === 'bulk' ? PROMOTE_AFTER_MS : 0);
  return done.filter((job) => done.some((other) => other.created > promised(job) && other.started < job.started))
    .length;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const print = (cells: readonly (string | number)[]): void => {
  const widths = [8, 9, 8, 6, 16, 17, 9, 14, 9];
  process.stdout.write(`${cells.map((cell, n) => String(cell).padStart(widths[n] ?? 0)).join('  ')}\n`);
};
/** Nobody waits then, in one queue or in classes. */
const NOT_BUSY =
  'says nothing of classes: the VM had little to do, as its rate was measured while the machine was busier';

let isWrong = false;
print([
  'database',
  'on error',
  'class',
  'jobs',
  'in the queue (s)',
  'in classes (s)',
  'less',
  'turnaround (s)',
  'less',
]);
for (const [database, freshUrl] of KINDS.filter(([kind]) => kind.includes(onlyDatabase))) {
  const arrivals = arrivalsAt(await rateOf(freshUrl));
  for (const errorBehaviour of (['rollback', 'proceed'] as const).filter((one) => one.includes(onlyBehaviour))) {
    const before = await run(await freshUrl(), arrivals, [], errorBehaviour);
    const after = await run(await freshUrl(), arrivals, CLASSES, errorBehaviour);
    isWrong ||= before.length < arrivals.length || after.length < arrivals.length || brokenPromises(after) > 0;
    const large =
      mean(before.filter(({ kind }) => kind === 'bulk').map(({ started, finished }) => finished - started)) / 1000;
    for (const kind of ['normal', 'bulk', undefined] as const) {
      const of = (done: readonly Done[]) => done.filter((job) => kind === undefined || job.kind === kind);
      const queue = (done: readonly Done[]) => mean(of(done).map(({ sent, started }) => started - sent)) / 1000;
      const whole = (done: readonly Done[]) => mean(of(done).map(({ sent, finished }) => finished - sent)) / 1000;
      const less = (of: (done: readonly Done[]) => number) => `${Math.round((1 - of(after) / of(before)) * 100)} %`;
      print([
        ...[database, errorBehaviour, kind ?? 'all', of(after).length],
        ...[queue(before).toFixed(2), queue(after).toFixed(2), less(queue)],
        ...[`${whole(before).toFixed(2)} > ${whole(after).toFixed(2)}`, less(whole)],
      ]);
    }
    const longest = (done: readonly Done[]) => Math.max(...done.map(({ sent, started }) => started - sent)) / 1000;
    process.stdout.write(
      `    longest in the queue: ${longest(before).toFixed(1)} s, in classes ${longest(after).toFixed(1)} s; overtaken by later ones than promised: ${brokenPromises(after)}\n`,
    );
    if (large < BULK_SECONDS / 2)
      process.stdout.write(`    ${NOT_BUSY} (${large.toFixed(1)} s for a large document)\n`);
  }
}
process.exit(isWrong ? 1 : 0);
