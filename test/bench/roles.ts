// What a group's clients see of large captures, with VMs of their own for stored work and without:
//   node test/bench/roles.ts [seconds] [events of a capture]
// Interactive queries at 60 % of what the group's VMs can do, and from the second line on a capture every 20 s. Exit status 1 if
// an event is missing at the end.
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { freshMariaDb } from '../helpers/mariadb.ts';
import { startSystem, temporaryFolder, type System } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { eventsDocument } from '../helpers/work-faults.ts';

const seconds = Number(process.argv[2] ?? 60);
const EVENTS = Number(process.argv[3] ?? 30_000);
const EVERY_MS = 20_000;
const SHARE = 0.6;
const VMS = 2;
const KNOWN = 200;

const SETTINGS = [
  ...['local.cpu=0.25', 'elasticity.period=2s', `elasticity.min=${VMS}`, `elasticity.max=${VMS}`],
  'gateway.queue.deadline=30s',
];
const ROLES = 'roles={work: {max: 2, policyParameters: {within: 10s, grace: 10s}}}';

interface Seen {
  readonly p50: number;
  readonly p95: number;
  readonly failed: number;
  readonly captured: number;
  readonly workers: number;
}

const agent = new Agent({ connections: 64 });

async function query({ gateway }: System, n: number): Promise<boolean> {
  const path = `events?MATCH_epc=${encodeURIComponent(`urn:example:known:${n % KNOWN}`)}`;
  const { statusCode, body } = await request(new URL(path, gateway), { dispatcher: agent });
  await body.dump();
  return statusCode === 200;
}

/** Made beforehand: the process that asks is not to be busy with that meanwhile. */
const documentOf = (name: string, events: number): Buffer =>
  Buffer.from(
    eventsDocument(name, events)
      .replace('schemaVersion="1.2"', 'schemaVersion="2.0"')
      .replace('urn:epcglobal:epcis:xsd:1', 'urn:epcglobal:epcis:xsd:2'),
  );

/** Returns the job's URL. */
async function capture({ gateway }: System, xml: Buffer): Promise<URL> {
  const headers = { 'content-type': 'application/xml', 'GS1-EPCIS-Version': '2.0' };
  const { statusCode, headers: told } = await request(new URL('capture', gateway), {
    ...{ method: 'POST', headers, body: xml, dispatcher: agent },
  });
  if (statusCode !== 202) throw new Error(`A capture was answered with ${statusCode}.`);
  return new URL(String(told['location']), gateway);
}

const finished = (job: URL): Promise<number> =>
  until(
    'a capture is finished',
    async () => {
      const { body } = await request(job, { headers: { accept: 'application/json' } });
      const { running, success, progress } = (await body.json()) as {
        readonly running: boolean;
        readonly success: boolean;
        readonly progress: { readonly captured: number };
      };
      if (running) return undefined;
      if (!success) throw new Error(`The job ${job.href} failed.`);
      return progress.captured;
    },
    600_000,
  );

/** Answered a second by as many as the VMs take. */
async function capacityOf(system: System): Promise<number> {
  const end = performance.now() + 8_000;
  let answered = 0;
  const asking = Array.from({ length: 8 * VMS }, async (_, n) => {
    for (let at = n; performance.now() < end; at++) if (await query(system, at)) answered += 1;
  });
  await Promise.all(asking);
  return answered / 8;
}

/** At a fixed rate, whether answers come or not. */
async function measured(system: System, rate: number, captures: boolean): Promise<Seen> {
  const times: number[] = [];
  const asked: Promise<void>[] = [];
  const jobs: Promise<URL>[] = [];
  let failed = 0;
  let workers = 0;
  const count = captures ? Math.ceil((seconds * 1000) / EVERY_MS) : 0;
  const documents = Array.from({ length: count }, (_, n) => documentOf(`${rate}-${n}`, EVENTS));
  const start = performance.now();
  for (let n = 0; performance.now() - start < seconds * 1000; n++) {
    await sleep(Math.max(0, (n * 1000) / rate - (performance.now() - start)));
    const document = documents[jobs.length];
    if (document !== undefined && jobs.length <= (performance.now() - start) / EVERY_MS)
      jobs.push(capture(system, document));
    if (n % Math.ceil(rate) === 0)
      void system.state().then(({ work }) => (workers = Math.max(workers, work?.counts.ready ?? 0)));
    const from = performance.now();
    asked.push(
      query(system, n).then(
        (good) => void (good ? times.push(performance.now() - from) : (failed += 1)),
        () => void (failed += 1),
      ),
    );
  }
  await Promise.all(asked);
  const events = await Promise.all(jobs.map(async (job) => finished(await job)));
  times.sort((a, b) => a - b);
  const p95 = times[Math.floor(times.length * 0.95)] ?? NaN;
  const p50 = times[Math.floor(times.length / 2)] ?? NaN;
  return { p50, p95, failed, workers, captured: events.reduce((sum, one) => sum + one, 0) };
}

const print = (cells: readonly (string | number)[]): void => {
  const widths = [28, 9, 9, 9, 12, 10, 16, 12];
  process.stdout.write(
    `${cells.map((cell, n) => (n === 0 ? String(cell).padEnd(28) : String(cell).padStart(widths[n] ?? 0))).join('  ')}\n`,
  );
};

let rate: number | undefined;
let quiet: number | undefined;
let isWrong = false;
print(['', 'queries/s', 'p50 (ms)', 'p95 (ms)', 'times quiet', 'not 200', 'events captured', 'VMs for work']);
for (const [name, settings, captures] of [
  ['no captures', [], false],
  ['captures, every VM does both', [], true],
  ['captures, roles', [ROLES], true],
] as const) {
  const folder = temporaryFolder();
  const system = await startSystem(folder.path, ...SETTINGS, ...settings, `repository.url=${await freshMariaDb()}`);
  try {
    await until('the VMs are ready', async () => (await system.state()).counts.ready === VMS, 120_000);
    await finished(await capture(system, documentOf('known', KNOWN)));
    // of each: a VM is slow before it has answered for a while
    const capacity = await capacityOf(system);
    rate ??= SHARE * capacity;
    const seen = await measured(system, rate, captures);
    quiet ??= seen.p95;
    const wanted = captures ? Math.ceil((seconds * 1000) / EVERY_MS) * EVENTS : 0;
    isWrong ||= seen.captured < wanted;
    const cells = [
      rate.toFixed(0),
      seen.p50.toFixed(0),
      seen.p95.toFixed(0),
      (seen.p95 / quiet).toFixed(2),
      seen.failed,
      seen.captured,
    ];
    print([name, ...cells, seen.workers]);
  } finally {
    await system.stop();
    folder.remove();
  }
}
process.exit(isWrong ? 1 : 0);
