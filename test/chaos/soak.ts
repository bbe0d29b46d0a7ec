// The whole system for a long time, while its fleet grows and shrinks: npm run soak [-- --minutes 30]
// Nothing may fail, be lost, wrong or doubled; memory and descriptors of no process may grow. The status is 1 where one of it was so.
// Of each request that failed it tells all that is known, and what the parts logged at that time.
// Twenty rows tell how it goes; one that is interrupted ends with what was measured until then.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { commandOptions } from '../helpers/command-options.ts';
import { residentBytes } from '../../src/act/local/process-info.ts';
import { World } from './faults/world.ts';
import { happeningsIn, tellFailures } from './failures.ts';
import { checkHistory, checkStored } from './history.ts';
import { Load } from './load.ts';
import { slopeOf, type Reading } from './measure.ts';
import { startProgress } from '../helpers/progress.ts';

const EACH_MS = 5_000;
/** The fleet has another size after so long. */
const SCALE_MS = 30_000;
const SIZES = [2, 3, 1, 2, 1, 3];
const ROWS = 20;

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function p99Of(load: Load, from: number, to: number): number {
  const times = load.outcomes
    .filter(({ ended }) => ended >= from && ended < to)
    .map(({ began, ended }) => ended - began);
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? 0;
}

/** MB a minute over the second half beyond which a process grows, where there was time enough to tell (a heap breathes). */
const MOST_SLOPE = 1;
const TELLS_FROM_MINUTES = 10;
/** More descriptors at the end than halfway, beside those of connections that come and go. */
const MORE_DESCRIPTORS = 20;

interface Watched {
  readonly memory: Reading[];
  readonly descriptors: number[];
}

/** Of each process that is there: VMs too, which come and go. */
function note(watched: Map<string, Watched>, world: World, at: number): void {
  const vms = world.vms().map(({ id, pid }) => [`${id} (${pid})`, pid] as const);
  const parts = [
    ['gateway', world.gateway.child.pid ?? 0],
    ['manager', world.manager.child.pid ?? 0],
  ] as const;
  for (const [name, pid] of [...parts, ...vms]) {
    const { memory, descriptors } = watched.get(name) ?? { memory: [], descriptors: [] };
    try {
      descriptors.push(descriptorsOf(pid));
      memory.push({ at, value: (residentBytes(pid) ?? 0) / 1e6 });
    } catch {
      continue; // it has just ended
    }
    watched.set(name, { memory, descriptors });
  }
}

/** What it printed of one process; whether it grew. */
function printGrowth(name: string, { memory, descriptors }: Watched): boolean {
  const half = memory.slice(memory.length / 2);
  const slope = slopeOf(half) * 60_000;
  const minutes = ((memory.at(-1)?.at ?? 0) - (memory[0]?.at ?? 0)) / 60_000;
  const [halfway = 0, last = 0] = [descriptors[Math.floor(descriptors.length / 2)], descriptors.at(-1)];
  const grows = (minutes >= TELLS_FROM_MINUTES && slope > MOST_SLOPE) || last > halfway + MORE_DESCRIPTORS;
  const most = Math.max(...memory.map(({ value }) => value));
  const cells = [name, minutes.toFixed(1), memory.at(-1)?.value.toFixed(0), most.toFixed(0), slope.toFixed(2)];
  print(`| ${[...cells, halfway, last, grows ? '**yes**' : 'no'].join(' | ')} |`);
  return grows;
}

/** How it goes: since the last row, and in the whole run. */
function printRow(load: Load, watched: ReadonlyMap<string, Watched>, { start, since, now, journal }: Row): void {
  const minute = ((now - start) / 60_000).toFixed(1);
  const failed = load.outcomes.filter(({ answered }) => !answered).length;
  const mb = (name: string): string => watched.get(name)?.memory.at(-1)?.value.toFixed(0) ?? '';
  const p99 = p99Of(load, since, now).toFixed(0);
  print(
    `| ${[minute, load.outcomes.length, failed, load.odd.length, p99, mb('gateway'), mb('manager'), journal].join(' | ')} |`,
  );
}

interface Row {
  readonly start: number;
  readonly since: number;
  readonly now: number;
  readonly journal: number;
}

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const HEAD = ['minute', 'requests', 'failed', 'odd', 'p99 in ms', 'gateway MB', 'manager MB', 'journal, KB'];

async function main(): Promise<void> {
  const { values } = commandOptions({ options: { minutes: { type: 'string', default: '30' } } });
  const world = await World.start();
  const load = new Load(world.url, 'soak');
  const watched = new Map<string, Watched>();
  let interrupted = false;
  process.once('SIGINT', () => (interrupted = true));
  const journal = () => Math.round(bytesOf(join(world.dataDir, 'journal.jsonl')) / 1000);
  const steps = Math.ceil((Number(values.minutes) * 60_000) / SCALE_MS);
  const progress = startProgress(steps);
  try {
    await load.start();
    await load.flows();
    const start = performance.now();
    const length = Number(values.minutes) * 60_000;
    let sizes = 0;
    let since = start;
    print(`| ${HEAD.join(' | ')} |\n|${' --- |'.repeat(HEAD.length)}`);
    for (let now = start; now < start + length && !interrupted; now = performance.now()) {
      if (now - start >= sizes * SCALE_MS) {
        const size = SIZES[sizes++ % SIZES.length] ?? 1;
        progress(`${size} VMs wanted`);
        await world.setSize(size);
      }
      note(watched, world, now - start);
      if (now - since >= length / ROWS) {
        printRow(load, watched, { start, since, now, journal: journal() });
        since = now;
      }
      await new Promise((resolve) => setTimeout(resolve, EACH_MS));
    }
    const end = performance.now();
    await load.stop();
    const findings = [...checkHistory(load.history), ...checkStored(load.history, await world.stored())];
    const count = (what: string) => findings.filter((one) => one.what === what).length;
    const failed = load.outcomes.filter(({ answered }) => !answered).length;
    const third = (end - start) / 3;
    const p99 = [0, 1, 2].map((n) => p99Of(load, start + n * third, start + (n + 1) * third).toFixed(0));
    print(interrupted ? `\nInterrupted after ${((end - start) / 60_000).toFixed(1)} minutes:\n` : '');
    print(
      '| requests | failed | lost | wrong | doubled | odd | changes of size | p99 in ms, by thirds | journal, KB |',
    );
    print(`|${' --- |'.repeat(9)}`);
    const counts = [load.outcomes.length, failed, count('lost'), count('wrong'), count('doubled'), load.odd.length];
    print(`| ${[...counts, sizes, p99.join(', '), journal()].join(' | ')} |\n`);
    print(
      '| process | minutes | MB at last | at most | MB a minute, second half | descriptors halfway | at last | grows |',
    );
    print(`|${' --- |'.repeat(8)}`);
    // a VM that was there for a moment tells nothing
    const told = [...watched].filter(([, { memory }]) => memory.length > 3);
    const growing = told.filter(([name, one]) => printGrowth(name, one));
    const happenings = world.logs().flatMap(({ part, log }) => happeningsIn(part, log, performance.timeOrigin));
    for (const one of tellFailures(load.outcomes, happenings, start).slice(0, 20)) print(one);
    for (const { what, sentence } of findings.slice(0, 20)) print(`  ${what}: ${sentence}`);
    for (const sentence of load.odd.slice(0, 20)) print(`  odd: ${sentence}`);
    if (failed + findings.length + load.odd.length + growing.length > 0) process.exitCode = 1;
  } finally {
    await load.stop();
    load.close();
    await world.stop();
  }
}

await main();
