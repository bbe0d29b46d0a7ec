// What a group's clients see of large captures, with VMs of their own for stored work and without:
//   node test/bench/roles.ts [seconds] [MB of a capture] [cores of a VM] [rounds] [one variant: its name]
// Interactive queries at 60 % of what the group's VMs can do; in each round first without captures, then with one every 20 s, in the
// same system. The cores of all VMs, and what database, gateway and this process need beside them, must fit into the machine: else
// it is the machine that is measured, and a column says how much of it was idle. Below is what of it the queries met: an upload at
// their own VM, one at another, a job alone, nothing; and by how much this process was late at asking. Last the same packed: the VMs that clients use on one
// node, those for stored work, which come and go, on another. Exit status 1 if an event is missing at the end, or a node is still there.
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Agent, request } from 'undici';
import { freshMariaDb } from '../helpers/mariadb.ts';
import { startSystem, temporaryFolder, type System } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import type { Order, Sent } from './roles-uploader.ts';

const [seconds = 60, megabytes = 100, cores = 0.2, rounds = 2] = process.argv.slice(2, 6).map(Number);
const which = process.argv[6] ?? '';
const EVERY_MS = 20_000;
const SHARE = 0.6;
const VMS = 2;
const KNOWN = 200;
/** Of an event: 100 MB are as many as a document may hold. */
const EVENT_BYTES = 1_010;

const SETTINGS = [
  ...['elasticity.period=2s', `elasticity.min=${VMS}`, `elasticity.max=${VMS}`],
  'gateway.queue.deadline=30s',
];
const VARIANTS = [
  ['every VM does both', [`local.cpu=${cores}`]],
  ['roles', [`local.cpu=${cores}`, 'roles={work: {min: 1, max: 1}}']],
  [
    'roles on nodes',
    [
      ...[`local.cpu=${VMS * cores}`, `packing={worker: {cpu: ${cores}}}`],
      'roles={work: {max: 1, policyParameters: {by: literal, grace: 4s}}}',
    ],
  ],
] as const;

interface Answered {
  readonly at: number;
  readonly ms: number;
  readonly vm: string;
}

/** From the first byte sent to the 202, and then until the job has ended; on this process's clock. */
interface Stored {
  readonly vm: string;
  readonly from: number;
  readonly to: number;
  readonly jobTo: number;
}

/** What a query can meet. */
const MET = ['an upload at its VM', 'an upload elsewhere', 'a job', 'nothing'] as const;
type Met = (typeof MET)[number];

interface Seen {
  readonly times: Readonly<Record<Met, readonly number[]>>;
  /** By how much queries were asked too late, sorted, ms. */
  readonly late: readonly number[];
  readonly failed: number;
  readonly captured: number;
  /** Until the capture's answer, ms, on average. */
  readonly storedMs: number;
  /** Of the machine. */
  readonly idle: number;
  /** Most at once; 0: the VMs are on none. */
  readonly nodes: number;
}

const agent = new Agent({ connections: 64, headersTimeout: 600_000 });

/** The VM that answered. */
async function query({ gateway }: System, n: number): Promise<string> {
  const path = `events?MATCH_epc=${encodeURIComponent(`urn:example:known:${n % KNOWN}`)}`;
  const { statusCode, headers, body } = await request(new URL(path, gateway), { dispatcher: agent });
  await body.dump();
  if (statusCode !== 200) throw new Error(`A query was answered with ${statusCode}.`);
  return String(headers['x-mmeliot-vm']);
}

const uploader = new Worker(new URL('./roles-uploader.ts', import.meta.url));
const answers = new Map<number, (sent: Sent) => void>();
uploader.on('message', ({ id, sent }: { readonly id: number; readonly sent: Sent }) => answers.get(id)?.(sent));
uploader.on('error', (error) => {
  throw error;
});

function toUploader(order: Order): Promise<Sent> {
  const id = answers.size;
  const answer = new Promise<Sent>((resolve) => answers.set(id, resolve));
  uploader.postMessage({ id, order });
  return answer;
}

/** Beforehand, as many as are sent. */
const make = (name: string, events: number, eventBytes: number): Promise<unknown> =>
  toUploader({ make: { name, events, eventBytes } });

async function capture({ gateway }: System): Promise<{ readonly job: URL; readonly vm: string }> {
  const { job, vm } = await toUploader({ to: String(gateway) });
  return { job: new URL(job), vm };
}

interface Outcome {
  readonly captured: number;
  /** On this process's clock: gateway, VMs and database are on this machine, too. */
  readonly at: number;
}

const finished = (job: URL): Promise<Outcome> =>
  until(
    'a capture is finished',
    async () => {
      const { body } = await request(job, { headers: { accept: 'application/json' } });
      const { running, success, progress, finishedAt } = (await body.json()) as {
        readonly running: boolean;
        readonly success: boolean;
        readonly finishedAt: string;
        readonly progress: { readonly captured: number };
      };
      if (running) return undefined;
      if (!success) throw new Error(`The job ${job.href} failed.`);
      return { captured: progress.captured, at: Date.parse(finishedAt) - performance.timeOrigin };
    },
    900_000,
  );

/** Answered a second by as many as the VMs take. */
async function capacityOf(system: System): Promise<number> {
  const end = performance.now() + 8_000;
  let answered = 0;
  const asking = Array.from({ length: 8 * VMS }, async (_, n) => {
    for (let at = n; performance.now() < end; at++) await query(system, at).then(() => (answered += 1));
  });
  await Promise.all(asking);
  return answered / 8;
}

/** Of all cores since they were started, ms. */
const idleTime = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);

const nodesOf = async (system: System): Promise<number> => (await system.state()).nodes?.list.length ?? 0;

const EVENTS = Math.floor((megabytes * 1e6) / EVENT_BYTES);
const DOCUMENTS = Math.ceil((seconds * 1000) / EVERY_MS);

/** At a fixed rate, whether answers come or not. */
async function measured(system: System, rate: number, documents: number): Promise<Seen> {
  const answered: Answered[] = [];
  const asked: Promise<void>[] = [];
  const late: number[] = [];
  const uploads: Promise<Omit<Stored, 'jobTo'> & { readonly job: URL }>[] = [];
  let failed = 0;
  let nodes = 0;
  let lookedAt = 0;
  const start = performance.now();
  const idleBefore = idleTime();
  for (let n = 0; performance.now() - start < seconds * 1000; n++) {
    const due = start + (n * 1000) / rate;
    await sleep(Math.max(0, due - performance.now()));
    const at = performance.now();
    late.push(Math.max(0, at - due));
    if (uploads.length < documents && uploads.length <= (at - start) / EVERY_MS)
      uploads.push(capture(system).then((stored) => ({ ...stored, from: at, to: performance.now() })));
    if (at - lookedAt > 2_000) {
      lookedAt = at;
      void nodesOf(system).then((count) => (nodes = Math.max(nodes, count)));
    }
    asked.push(
      query(system, n).then(
        (vm) => void answered.push({ at, ms: performance.now() - at, vm }),
        () => void (failed += 1),
      ),
    );
  }
  await Promise.all(asked);
  const idle = (idleTime() - idleBefore) / (performance.now() - start) / cpus().length;
  const all = await Promise.all(uploads);
  const outcomes = await Promise.all(all.map(({ job }) => finished(job)));
  const stored = all.map((upload, n) => ({ ...upload, jobTo: outcomes[n]?.at ?? NaN }));
  const byMet = Map.groupBy(answered, (one) => met(one, stored));
  const timesOf = (what: Met): readonly number[] => sorted((byMet.get(what) ?? []).map(({ ms }) => ms));
  return {
    times: Object.fromEntries(MET.map((what) => [what, timesOf(what)])) as unknown as Seen['times'],
    ...{ failed, idle, nodes, late: sorted(late), captured: sum(outcomes.map(({ captured }) => captured)) },
    storedMs: sum(stored.map(({ from, to }) => to - from)) / stored.length,
  };
}

function met({ at, ms, vm }: Answered, stored: readonly Stored[]): Met {
  const uploads = stored.filter(({ from, to }) => from < at + ms && at < to);
  if (uploads.some((upload) => upload.vm === vm)) return 'an upload at its VM';
  if (uploads.length > 0) return 'an upload elsewhere';
  return stored.some(({ to, jobTo }) => to < at + ms && at < jobTo) ? 'a job' : 'nothing';
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
const sorted = (values: readonly number[]): readonly number[] => [...values].sort((a, b) => a - b);

/** Of all rounds. */
const together = (all: readonly Seen[]): Seen => ({
  times: Object.fromEntries(
    MET.map((what) => [what, sorted(all.flatMap(({ times }) => times[what]))]),
  ) as unknown as Seen['times'],
  late: sorted(all.flatMap(({ late }) => late)),
  failed: sum(all.map(({ failed }) => failed)),
  captured: sum(all.map(({ captured }) => captured)),
  storedMs: sum(all.map(({ storedMs }) => storedMs)) / all.length,
  idle: sum(all.map(({ idle }) => idle)) / all.length,
  nodes: Math.max(...all.map(({ nodes }) => nodes)),
});

const timesOf = ({ times }: Seen): readonly number[] => sorted(MET.flatMap((what) => times[what]));
const at = (values: readonly number[], share: number): number => values[Math.floor(values.length * share)] ?? NaN;
const p95 = (seen: Seen): number => at(timesOf(seen), 0.95);

const WIDTHS = [31, 9, 8, 8, 11, 7, 15, 14, 12, 5];
const print = (...cells: readonly (string | number)[]): void => {
  const padded = cells.map((cell, n) =>
    n === 0 ? String(cell).padEnd(WIDTHS[n] ?? 0) : String(cell).padStart(WIDTHS[n] ?? 0),
  );
  process.stdout.write(`${padded.join('  ')}\n`);
};

let rate: number | undefined;
let isWrong = false;
print(
  '',
  'queries/s',
  'p50 (ms)',
  'p95 (ms)',
  'times quiet',
  'not 200',
  'events captured',
  '202 after (ms)',
  'machine idle',
);
for (const [name, settings] of VARIANTS.filter(([name]) => which === '' || name === which)) {
  const folder = temporaryFolder();
  const system = await startSystem(folder.path, ...SETTINGS, ...settings, `repository.url=${await freshMariaDb()}`);
  try {
    const isUp = async (): Promise<boolean> => {
      const { counts, work } = await system.state();
      return counts.ready === VMS && (work === undefined || work.counts.ready === 1 || name === 'roles on nodes');
    };
    await until('the VMs are ready', isUp, 120_000);
    await make('known', KNOWN, 0);
    await finished((await capture(system)).job);
    // of each: a VM is slow before it has answered for a while
    const capacity = await capacityOf(system);
    rate ??= SHARE * capacity;
    const atRest = async (): Promise<boolean> => (await nodesOf(system)) <= 1;
    const quiet: Seen[] = [];
    const busy: Seen[] = [];
    for (let round = 0; round < rounds; round++) {
      await until('nodes that nobody needs are given back', atRest, 180_000);
      quiet.push(await measured(system, rate, 0));
      for (let n = 0; n < DOCUMENTS; n++) await make(`${round}-${n}`, EVENTS, EVENT_BYTES);
      busy.push(await measured(system, rate, DOCUMENTS));
    }
    await until('nodes that nobody needs are given back', atRest, 180_000);
    const [without, captures] = [together(quiet), together(busy)];
    isWrong ||= captures.captured < rounds * DOCUMENTS * EVENTS;
    for (const [what, seen] of [
      ['no captures', without],
      ['captures', captures],
    ] as const) {
      const { times, late, failed, captured, storedMs, idle, nodes } = seen;
      const all = timesOf(seen);
      const after = captured === 0 ? '-' : storedMs.toFixed(0);
      const p50 = at(all, 0.5).toFixed(1);
      const ratio = (p95(seen) / p95(without)).toFixed(2);
      const cells = [rate.toFixed(0), p50, p95(seen).toFixed(1), ratio, failed, captured, after];
      print(`${name}, ${what}`, ...cells, `${(idle * 100).toFixed(0)} %`, nodes || '-');
      for (const one of MET.filter((one) => what === 'captures' && times[one].length > 0)) {
        const share = `${((times[one].length / all.length) * 100).toFixed(0)} %`;
        print(`  of these beside ${one}`, share, ...[0.5, 0.95].map((part) => at(times[one], part).toFixed(1)));
      }
      print('  asked too late by', '', ...[0.5, 0.95].map((part) => at(late, part).toFixed(1)));
    }
  } finally {
    await system.stop();
    folder.remove();
  }
}
process.exit(isWrong ? 1 : 0);
