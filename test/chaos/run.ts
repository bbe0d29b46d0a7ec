// One fault at a time against the real system under steady mixed load:
// npm run chaos [-- --fault NAME,NAME] [--repeat 3] [--minutes M] [--together] [--short] [--from GIT-REF]
//   --random [--seed N]: at random moments, two or three overlapping, for so many minutes (10) on one system
//   --minutes: each as often as it goes in so many minutes; --together: one after the other in one system, where they can be;
//   --short: faults take a third of the time; --from: the commit whose programs are upgraded from, and gone back to
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { commandOptions } from '../helpers/command-options.ts';
import { until } from '../helpers/until.ts';
import { shorten, type Fault } from './faults/fault.ts';
import { FAULTS } from './faults/index.ts';
import { upgradeFrom } from './faults/upgrade.ts';
import { OWN_NETWORK } from './faults/network.ts';
import {
  checkDelivered,
  checkDeliveredInOrder,
  checkHistory,
  checkShown,
  checkStored,
  type Finding,
} from './history.ts';
import { Load } from './load.ts';
import { atRandom } from './random.ts';
import { costOf, gapsIn, median, type Cost, type Outcome } from './measure.ts';
import { startProgress } from '../helpers/progress.ts';
import { World, type WorldOptions } from './faults/world.ts';

interface Result {
  readonly costs: readonly Cost[];
  readonly findings: readonly Finding[];
}

/** That long without an answer is told of. */
const LONG_GAP_MS = 3_000;

/** `again`: whether to inflict it once more, asked with the number of times it has been. */
async function tryFault(fault: Fault, again: (times: number) => boolean): Promise<Result> {
  const world = await World.start(fault.world);
  const load = new Load(world.url, 'chaos', fault.jobMs);
  const costs: Cost[] = [];
  try {
    await load.start();
    await load.flows();
    while (again(costs.length)) {
      const began = performance.now();
      await fault.inflict(world);
      const over = performance.now();
      await world.isWell();
      const before = load.outcomes.length;
      await until('requests go on', () => load.outcomes.length > before + 20, 120_000);
      await load.flows();
      costs.push(costOf(load.outcomes, { began, over, until: performance.now() }));
      for (const gap of gapsIn(load.outcomes, began, performance.now()))
        if (gap.until - gap.from > LONG_GAP_MS)
          process.stderr.write(`no answer from ${inSeconds(gap.from - began)} to ${inSeconds(gap.until - began)}\n`);
    }
    await load.stop();
    sayWhy(load.outcomes);
    return { costs, findings: await findingsOf(world, load, fault.lag?.()) };
  } finally {
    await load.stop();
    load.close();
    await world.stop();
  }
}

/** What failed, and how often: on stderr, beside the table. */
function sayWhy(outcomes: readonly Outcome[]): void {
  const times = new Map<string, number>();
  for (const { why } of outcomes) if (why !== undefined) times.set(why, (times.get(why) ?? 0) + 1);
  for (const [why, count] of times) process.stderr.write(`${count} × ${why}\n`);
}

/** What an independent reader finds at the end, when the subscriber has had time to get everything. */
async function findingsOf(world: World, load: Load, lag?: number): Promise<Finding[]> {
  const stored = await world.stored();
  const delivered = () => checkDelivered(stored.keys(), load.delivered());
  await until('the subscriber has everything', () => delivered().every(({ what }) => what !== 'lost'), 60_000).catch(
    () => {},
  );
  await world.allCaughtUp();
  const shown = [...(await load.shown())].flatMap(([door, ids]) => checkShown(door, stored.keys(), ids));
  const odd = load.odd.map((sentence) => ({ what: 'wrong', sentence }) as const);
  const late = checkDeliveredInOrder(load.history, load.delivered());
  const history = checkHistory(load.history, lag);
  return [...history, ...checkStored(load.history, stored), ...shown, ...delivered(), ...late, ...odd];
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function rowOf({ name }: Fault, { costs, findings }: Result): string {
  const sum = (of: (cost: Cost) => number) => costs.reduce((total, cost) => total + of(cost), 0);
  const count = (what: Finding['what']) => findings.filter((one) => one.what === what).length;
  const recoveries = costs.map(({ recovery }) => recovery);
  const cells = [name, costs.length, sum(({ requests }) => requests), sum(({ failed }) => failed)];
  const gap = Math.max(...costs.map(({ longestGap }) => longestGap));
  return `| ${[
    ...[...cells, count('lost'), count('wrong'), count('doubled')],
    ...[gap, median(recoveries), Math.max(...recoveries)].map(inSeconds),
  ].join(' | ')} |`;
}

/**
 * Those that can happen to one system, one after the other in one: none wants another repository or data plane than the others. A cloud
 * they all want, or none: it goes on calling a VM its own that has died.
 */
function together(faults: readonly Fault[]): readonly Fault[] {
  const systems: { world: WorldOptions; faults: Fault[] }[] = [];
  for (const fault of faults) {
    const { world = {} } = fault;
    const joint = systems.find(
      (system) =>
        system.world.cloud === world.cloud &&
        isDeepStrictEqual({ ...system.world, ...world }, { ...world, ...system.world }),
    );
    joint?.faults.push(fault);
    if (joint === undefined) systems.push({ world, faults: [fault] });
    else joint.world = { ...joint.world, ...world };
  }
  return systems.map(({ world, faults: some }) => ({
    name: some.map(({ name }) => name).join(', '),
    what: some.map(({ what }) => what).join('; '),
    world,
    inflict: async (system) => {
      for (const one of some) {
        await one.inflict(system);
        await system.isWell();
      }
    },
  }));
}

function chosenFrom(names: string | undefined): readonly Fault[] {
  if (names === undefined) return FAULTS;
  return names.split(',').map((name) => {
    const fault = FAULTS.find((one) => one.name === name);
    if (fault !== undefined) return fault;
    throw new Error(`There is no fault ${name}; there are ${FAULTS.map((one) => one.name).join(', ')}.`);
  });
}

/** Whether all went as promised. */
async function tryAndPrint(fault: Fault, again: (times: number) => boolean): Promise<boolean> {
  try {
    const result = await tryFault(fault, again);
    print(rowOf(fault, result));
    for (const { what, sentence } of result.findings.slice(0, 20)) print(`  ${what}: ${sentence}`);
    return result.findings.length === 0;
  } catch (error) {
    print(
      `| ${fault.name} | **the system did not find back**: ${error instanceof Error ? error.message : String(error)} |`,
    );
    return false;
  }
}

async function main(): Promise<void> {
  // the database of each system ends with this process, whatever ends it
  process.setMaxListeners(200);
  // what runs in its folders ends with them, at an exit
  process.once('SIGINT', () => process.exit(130));
  const { values } = commandOptions({
    options: {
      fault: { type: 'string' },
      repeat: { type: 'string', default: '3' },
      minutes: { type: 'string' },
      ...{ together: { type: 'boolean' }, short: { type: 'boolean' }, from: { type: 'string' } },
      ...{ random: { type: 'boolean' }, seed: { type: 'string' } },
    },
  });
  if (values.short) shorten(1 / 3);
  if (values.from !== undefined) upgradeFrom(values.from);
  if (values.random) return atRandomMoments(Number(values.minutes ?? 10), values.seed);
  const can: Fault[] = [];
  const cannot: string[] = [];
  for (const fault of chosenFrom(values.fault)) {
    const why = fault.cannot?.();
    if (why === undefined) can.push(fault);
    else cannot.push(`| ${fault.name} | not tried: ${why} |`);
  }
  const faults = values.together ? together(can) : can;
  printHead();
  const progress = startProgress(faults.length);
  for (const fault of faults) {
    progress(`${fault.name}: ${fault.what}`);
    const end = performance.now() + Number(values.minutes) * 60_000;
    const again = (times: number) =>
      values.minutes === undefined ? times < Number(values.repeat) : times === 0 || performance.now() < end;
    if (!(await tryAndPrint(fault, again))) process.exitCode = 1;
  }
  for (const row of cannot) print(row);
}

function printHead(): void {
  print('| fault | times | requests | failed | lost | wrong | doubled | longest gap | recovery, median | worst |');
  print('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
}

/** Faults at moments that follow from the seed; without one it is the time of day. */
async function atRandomMoments(minutes: number, seed = String(Date.now() % 1_000_000)): Promise<void> {
  const tell = (what: string): void => void process.stderr.write(`seed ${seed}, ${what}\n`);
  printHead();
  const fault = atRandom({ seed: Number(seed), minutes, tell });
  tell(fault.what);
  if (!(await tryAndPrint(fault, (times) => times === 0))) process.exitCode = 1;
}

/** The same again in a network of its own, where this machine lets it: some faults need one. */
function inOwnNetwork(): number | undefined {
  if (process.env[OWN_NETWORK] !== undefined || process.getuid?.() !== 0) return undefined;
  const again = 'ip link set lo up && exec "$0" "$@"';
  const tried = spawnSync('unshare', ['--net', 'true']);
  if (tried.status !== 0) return undefined;
  const args = ['--net', 'sh', '-c', again, process.execPath, ...process.argv.slice(1)];
  return spawnSync('unshare', args, { stdio: 'inherit', env: { ...process.env, [OWN_NETWORK]: 'yes' } }).status ?? 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const status = inOwnNetwork();
  if (status === undefined)
    await main().catch((error: Error) => {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 2;
    });
  else process.exitCode = status;
}
