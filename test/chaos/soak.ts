// The whole system for a long time, while its fleet grows and shrinks: npm run soak [-- --minutes 30]
// Nothing may be lost, wrong or doubled; memory and descriptors must not grow.
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { residentBytes } from '../helpers/resident.ts';
import { World } from './faults/world.ts';
import { checkHistory, checkStored } from './history.ts';
import { Load } from './load.ts';
import { slopeOf, type Reading } from './measure.ts';

const EACH_MS = 5_000;
/** The fleet has another size after so long. */
const SCALE_MS = 30_000;
const SIZES = [2, 3, 1, 2, 1, 3];

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function p99Of(load: Load, from: number, to: number): number {
  const times = load.outcomes
    .filter(({ ended }) => ended >= from && ended < to)
    .map(({ began, ended }) => ended - began);
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? 0;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } });
  const world = await World.start();
  const load = new Load(world.url, 'soak');
  const memory = new Map<string, Reading[]>();
  const descriptors = new Map<string, number[]>();
  const note = (name: string, pid: number, at: number) => {
    memory.set(name, [...(memory.get(name) ?? []), { at, value: residentBytes(pid) / 1e6 }]);
    descriptors.set(name, [...(descriptors.get(name) ?? []), descriptorsOf(pid)]);
  };
  try {
    await load.start();
    await load.flows();
    const start = performance.now();
    const end = start + Number(values.minutes) * 60_000;
    let sizes = 0;
    for (let now = start; now < end; now = performance.now()) {
      if (now - start >= sizes * SCALE_MS) await world.setSize(SIZES[sizes++ % SIZES.length] ?? 1);
      note('gateway', world.gateway.child.pid ?? 0, now - start);
      note('manager', world.manager.child.pid ?? 0, now - start);
      await new Promise((resolve) => setTimeout(resolve, EACH_MS));
    }
    await load.stop();
    const stored = await world.stored();
    const findings = [...checkHistory(load.history), ...checkStored(load.history, stored)];
    const failed = load.outcomes.filter(({ answered }) => !answered).length;
    print(
      `${load.outcomes.length} requests, ${failed} failed, ${load.odd.length} odd; ${findings.length} lost, wrong or doubled; ${sizes} changes of size`,
    );
    for (const [name, readings] of memory) {
      const half = readings.slice(readings.length / 2);
      const all = descriptors.get(name) ?? [];
      print(
        `${name}: ${readings.at(-1)?.value.toFixed(0)} MB, ${(slopeOf(half) * 60_000).toFixed(2)} MB a minute in the second half; ` +
          `${all[0]} descriptors at first, ${all.at(-1)} at last`,
      );
    }
    const third = (end - start) / 3;
    const p99 = [0, 1, 2].map((n) => p99Of(load, start + n * third, start + (n + 1) * third).toFixed(0));
    print(`p99 in ms, by thirds: ${p99.join(', ')}`);
    for (const { what, sentence } of findings.slice(0, 20)) print(`  ${what}: ${sentence}`);
    for (const sentence of load.odd.slice(0, 20)) print(`  odd: ${sentence}`);
    if (findings.length + load.odd.length > 0) process.exitCode = 1;
  } finally {
    await load.stop();
    load.close();
    await world.stop();
  }
}

await main();
