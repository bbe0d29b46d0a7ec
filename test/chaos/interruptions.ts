// What it costs clients that a spot market takes VMs away: node test/chaos/interruptions.ts [--interruptions 100] [--notice 20s] [--only heard|silent|pool] [--database sqlite]
// `mmeliot up` on the emulated EC2, its instances being real VMs of this machine over one MariaDB, under a steady load of queries and capture jobs; half
// of the interruptions come two at a time, one takes a whole pool. Then the same with every notice lost. With --only pool the worst there is: all
// VMs are in one pool, which goes without a word and has no capacity any more.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { poolOf, type Instance } from '../../ec2/emulator/cloud.ts';
import { environmentOf, type MachineOrder } from '../../ec2/emulator/machine-room.ts';
import { startEmulator, type Emulator } from '../../ec2/emulator/server.ts';
import { parseDuration } from '../../loadgen/cli.ts';
import { roomOf } from '../../src/act/local/machine-room.ts';
import { KEY, logIn } from '../ec2/emulated.ts';
import { commandOptions } from '../helpers/command-options.ts';
import { freshMariaDb } from '../helpers/mariadb.ts';
import { startSystem, type System } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { vmMachines } from '../helpers/vm-machines.ts';

export interface Interruptions {
  readonly interruptions: number;
  /** How long before it is taken a VM is told so. */
  readonly noticeMs: number;
  /** VMs are taken without a word. */
  readonly silent: boolean;
  /** All VMs are in one pool, and taken together; the pool has no capacity until the next one goes. */
  readonly onePool?: boolean;
  /** VMs that the load needs, which are also as many as there are. */
  readonly vms: number;
  /** All VMs are processes of this machine, so one file can be their database, too. Default a MariaDB. */
  readonly database?: 'sqlite';
}

export interface Outcome {
  readonly interruptions: number;
  readonly requests: number;
  /** Questions, which the gateway may ask again of another VM. */
  readonly lostQueries: number;
  /** Captures, of which one in flight at a VM that dies without a word can't be repeated. */
  readonly lostCaptures: number;
  readonly jobs: number;
  /** Accepted jobs whose events were not there in the end, or were there twice. */
  readonly jobsLost: number;
  readonly jobsDoubled: number;
  /** The longest time with fewer VMs ready than are needed, and how long a boot took. */
  readonly belowNeedMs: number;
  readonly bootMs: number;
}

const PATIENCE_MS = 120_000;

export async function interrupted(plan: Interruptions): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-interruptions-'));
  let order: MachineOrder | undefined;
  const machines = vmMachines(
    { folder: join(folder, 'machines'), name: `mmeliot-interruptions-${process.pid}`, cpu: 0.4, quota: 'auto' },
    () => (order === undefined ? {} : environmentOf(order)),
  );
  const room = roomOf(machines, (next: MachineOrder) => (order = next), 50);
  const pace = { bootMs: 100, shutdownMs: 100, noticeMs: plan.noticeMs, marketMs: 500 };
  const emulator = await startEmulator({ ...KEY, ...pace }, room);
  logIn(KEY);
  let system: System | undefined;
  try {
    const repository = plan.database === 'sqlite' ? `sqlite://${join(folder, 'epcis.db')}` : await freshMariaDb();
    system = await startSystem(join(folder, 'data'), ...settingsOf(plan, emulator, repository));
    return await play(plan, system, emulator);
  } catch (error) {
    const how = `exit ${system?.child.exitCode}, signal ${system?.child.signalCode}`;
    process.stderr.write(`${system?.output().slice(-4_000)}\n(${how})\n`);
    throw error;
  } finally {
    await system?.stop();
    await emulator.close();
    await machines.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const settingsOf = (
  { vms, noticeMs, onePool = false }: Interruptions,
  emulator: Emulator,
  repository: string,
): readonly string[] => [
  ...['provider=ec2', 'access=open', `ec2.endpoint=${emulator.url}`, 'ec2.region=us-east-1', 'ec2.noticeEvery=500ms'],
  ...['fleet.spotShare=100', `fleet.pools=${onePool ? 1 : 2}`, `fleet.poolRest=${noticeMs}ms`],
  ...[`elasticity.min=${vms}`, `elasticity.max=${vms}`, 'elasticity.period=1s', 'elasticity.drainDeadline=5s'],
  `repository.url=${repository}`,
  'logLevel=error',
];

async function play(plan: Interruptions, system: System, emulator: Emulator): Promise<Outcome> {
  await whole(plan, system, emulator);
  const clients = startClients(system.gateway);
  const capacity = watchCapacity(plan.vms, system);
  await emulator.setFaults({ noNotice: plan.silent });
  let taken = 0;
  try {
    for (let round = 1; taken < plan.interruptions; round++) {
      taken += (await take(plan, emulator, round, plan.interruptions - taken)).length;
      await until('all VMs that were to be taken are gone', () => leaving(emulator).length === 0, PATIENCE_MS);
      await whole(plan, system, emulator);
    }
  } catch (error) {
    // before the gateway is stopped: what is refused then is nobody's loss
    clients.stop();
    await capacity.end();
    throw error;
  }
  const { belowNeedMs, bootMs } = await capacity.end();
  return { interruptions: taken, belowNeedMs, bootMs, ...(await clients.end()) };
}

/** One, then two at a time; the third round takes a whole pool. */
async function take(
  { silent, onePool = false }: Interruptions,
  emulator: Emulator,
  round: number,
  left: number,
): Promise<readonly Instance[]> {
  const { cloud } = emulator;
  const spot = [...cloud.instances.values()].filter((one) => one.spot && one.state === 'running');
  const [first] = spot;
  const pool = first && poolOf(first);
  const chosen =
    onePool || round === 3
      ? spot.filter((one) => poolOf(one) === pool)
      : spot.slice(0, Math.min(left, round % 2 === 0 ? 2 : 1));
  if (onePool) await emulator.setFaults({ noCapacity: `${pool}/spot` });
  for (const one of chosen)
    if (silent) cloud.take(one);
    else cloud.interrupt(one);
  return chosen;
}

const leaving = ({ cloud }: Emulator): readonly Instance[] =>
  [...cloud.instances.values()].filter(
    ({ state, noticeAt }) => state === 'shutting-down' || (state === 'running' && noticeAt !== undefined),
  );

/** As many interruptible VMs as are needed are ready (the cloud says so, too), and nobody stands in for another one. */
const whole = ({ vms }: Interruptions, system: System, { cloud }: Emulator): Promise<unknown> =>
  until(
    `${vms} interruptible VMs are ready`,
    async () => {
      const { vms: shown } = await system.state();
      const ready = shown.filter((vm) => vm.state === 'ready' && vm.interruptAt === undefined);
      const runs = (id: string): boolean => cloud.instances.get(id)?.state === 'running';
      return ready.length === vms && ready.every(({ id, offer }) => offer?.market === 'interruptible' && runs(id));
    },
    PATIENCE_MS,
  );

/** Two that ask and two that capture, one request after the other. */
function startClients(gateway: string) {
  let over = false;
  let requests = 0;
  let lostQueries = 0;
  let lostCaptures = 0;
  const accepted: string[] = [];
  const send = async (path: string, init?: RequestInit): Promise<boolean> => {
    requests += 1;
    const began = performance.now();
    const trouble = await fetch(`${gateway}${path}`, init).then(
      async (answer) => (answer.ok ? void (await answer.arrayBuffer()) : `${answer.status} ${await answer.text()}`),
      ({ message, cause }: Error) => (cause instanceof Error ? cause.message : message),
    );
    if (trouble === undefined) return true;
    const ms = Math.round(performance.now() - began);
    process.stderr.write(`${new Date().toISOString()} lost after ${ms} ms: ${path} ${trouble}\n`);
    return false;
  };
  const ask = async (): Promise<void> => {
    while (!over) {
      if (!(await send('events?perPage=1'))) lostQueries += 1;
      await pause(20);
    }
  };
  const capture = async (who: number): Promise<void> => {
    for (let i = 1; !over; i++) {
      const epc = `urn:epc:id:sgtin:0614141.10734${who}.${i}`;
      if (await send('capture', documentOf(epc))) accepted.push(epc);
      else lostCaptures += 1;
      await pause(100);
    }
  };
  const running = Promise.all([ask(), ask(), capture(1), capture(2)]);
  return {
    stop: () => void (over = true),
    async end() {
      over = true;
      await running;
      const counts: number[] = [];
      for (const epc of accepted)
        counts.push(await until(`the job of ${epc} has ended`, () => countOf(gateway, epc)).catch(() => 0));
      return {
        requests,
        lostQueries,
        lostCaptures,
        jobs: accepted.length,
        jobsLost: counts.filter((count) => count === 0).length,
        jobsDoubled: counts.filter((count) => count > 1).length,
      };
    },
  };
}

const documentOf = (epc: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/ld+json', 'GS1-EPCIS-Version': '2.0.0' },
  body: JSON.stringify({
    '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld'],
    type: 'EPCISDocument',
    schemaVersion: '2.0',
    creationDate: '2026-01-01T12:00:00.000Z',
    epcisBody: {
      eventList: [
        {
          type: 'ObjectEvent',
          eventTime: '2026-01-01T12:00:00.000Z',
          eventTimeZoneOffset: '+00:00',
          epcList: [epc],
          action: 'OBSERVE',
        },
      ],
    },
  }),
});

/** Events with that EPC; undefined while there is none, or no answer. */
async function countOf(gateway: string, epc: string): Promise<number | undefined> {
  const answer = await fetch(`${gateway}events?MATCH_epc=${encodeURIComponent(epc)}`).catch(() => undefined);
  if (!answer?.ok) return undefined;
  const found = (await answer.json()) as {
    readonly epcisBody?: {
      readonly queryResults?: { readonly resultsBody?: { readonly eventList?: readonly unknown[] } };
    };
  };
  return found.epcisBody?.queryResults?.resultsBody?.eventList?.length || undefined;
}

const LOOK_MS = 200;

/** How long fewer VMs are ready than are needed, at the longest; those that serve until they are taken count. */
function watchCapacity(need: number, system: System) {
  let over = false;
  let belowNeedMs = 0;
  let since: number | undefined;
  const boots: number[] = [];
  const watch = async (): Promise<void> => {
    while (!over) {
      const state = await system.state().catch(() => undefined); // why it doesn't answer is told in the end
      const now = performance.now();
      const vms = state?.vms ?? [];
      for (const { bootTime } of vms) if (bootTime !== undefined) boots.push(bootTime);
      if (vms.filter(({ state }) => state === 'ready').length >= need) since = undefined;
      else belowNeedMs = Math.max(belowNeedMs, now - (since ??= now));
      await pause(LOOK_MS);
    }
  };
  const running = watch();
  return {
    async end() {
      over = true;
      await running;
      return { belowNeedMs: Math.round(belowNeedMs), bootMs: Math.round(Math.max(0, ...boots)) };
    },
  };
}

const pause = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms));
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const SHOWN: Readonly<Record<string, string>> = { heard: 'heard', silent: 'lost', pool: 'lost, all in one pool' };

async function main(): Promise<void> {
  const { values } = commandOptions({
    options: {
      interruptions: { type: 'string', default: '100' },
      notice: { type: 'string', default: '20s' },
      only: { type: 'string' },
      database: { type: 'string' },
    },
  });
  print(
    '| notices | interruptions | requests | queries lost | captures lost | jobs | lost | doubled | longest below need ms | longest boot ms |',
  );
  if (values.only !== undefined && SHOWN[values.only] === undefined)
    throw new Error(`--only ${values.only}: one of ${Object.keys(SHOWN).join(', ')}.`);
  const kinds = ['heard', 'silent', 'pool'].filter((kind) => (values.only ?? 'heard silent').split(' ').includes(kind));
  for (const kind of kinds) {
    const plan = {
      interruptions: Number(values.interruptions),
      noticeMs: parseDuration(values.notice),
      silent: kind !== 'heard',
      onePool: kind === 'pool',
      vms: 3,
      ...(values.database === 'sqlite' && { database: 'sqlite' as const }),
    };
    const seen = await interrupted(plan);
    const { interruptions, requests, lostQueries, lostCaptures, jobs, jobsLost, jobsDoubled, belowNeedMs, bootMs } =
      seen;
    const cells = [
      interruptions,
      requests,
      lostQueries,
      lostCaptures,
      jobs,
      jobsLost,
      jobsDoubled,
      belowNeedMs,
      bootMs,
    ];
    print(`| ${SHOWN[kind]} | ${cells.join(' | ')} |`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
