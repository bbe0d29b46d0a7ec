// One fault at a time against the real system under steady mixed load:
// npm run chaos [-- --fault NAME] [--repeat 3] [--minutes M]   (M: as often as it goes in so many minutes)
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { until } from '../helpers/until.ts';
import type { Fault } from './faults/fault.ts';
import { FAULTS } from './faults/index.ts';
import { OWN_NETWORK } from './faults/network.ts';
import { checkDelivered, checkHistory, checkStored, type Finding } from './history.ts';
import { Load } from './load.ts';
import { costOf, median, type Cost } from './measure.ts';
import { World } from './faults/world.ts';

export interface Result {
  readonly costs: readonly Cost[];
  readonly findings: readonly Finding[];
}

/** `again`: whether to inflict it once more, asked with the number of times it has been. */
export async function tryFault(fault: Fault, again: (times: number) => boolean): Promise<Result> {
  const world = await World.start(fault.world);
  const load = new Load(world.url, fault.name);
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
    }
    await load.stop();
    return { costs, findings: await findingsOf(world, load) };
  } finally {
    await load.stop();
    load.close();
    await world.stop();
  }
}

/** What an independent reader finds at the end, when the subscriber has had time to get everything. */
async function findingsOf(world: World, load: Load): Promise<Finding[]> {
  const stored = await world.stored();
  const delivered = () => checkDelivered(stored.keys(), load.delivered());
  await until('the subscriber has everything', () => delivered().every(({ what }) => what !== 'lost'), 60_000).catch(
    () => {},
  );
  const odd = load.odd.map((sentence) => ({ what: 'wrong', sentence }) as const);
  return [...checkHistory(load.history), ...checkStored(load.history, stored), ...delivered(), ...odd];
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

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { fault: { type: 'string' }, repeat: { type: 'string', default: '3' }, minutes: { type: 'string' } },
  });
  const chosen = FAULTS.filter(({ name }) => values.fault === undefined || name === values.fault);
  if (chosen.length === 0) {
    throw new Error(`There is no fault ${values.fault}; there are ${FAULTS.map(({ name }) => name).join(', ')}.`);
  }
  print('| fault | times | requests | failed | lost | wrong | doubled | longest gap | recovery, median | worst |');
  print('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const fault of chosen) {
    const cannot = fault.cannot?.();
    if (cannot !== undefined) {
      print(`| ${fault.name} | not tried: ${cannot} |`);
      continue;
    }
    const end = performance.now() + Number(values.minutes) * 60_000;
    const again = (times: number) =>
      values.minutes === undefined ? times < Number(values.repeat) : times === 0 || performance.now() < end;
    const result = await tryFault(fault, again);
    print(rowOf(fault, result));
    for (const { what, sentence } of result.findings.slice(0, 20)) print(`  ${what}: ${sentence}`);
    if (result.findings.length > 0) process.exitCode = 1;
  }
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
  if (status === undefined) await main();
  else process.exitCode = status;
}
