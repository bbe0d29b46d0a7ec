// CPU per control cycle, its growth with the fleet, and memory over many cycles, on virtual time.
//   node --expose-gc test/bench/control-loop.ts [cycles for the memory run, default 300] [VMs in it, default 10000]
// A cycle is one period with its journal line (encoded, not written) and one pass of the reconciliation.
import { performance } from 'node:perf_hooks';
import { onlyOffer, type ProvidedVm } from '../../src/act/provider.ts';
import { DEFAULT_PARAMETERS } from '../../src/decide/parameters.ts';
import { createControlLoop, type ControlLoop } from '../../src/loop/control-loop.ts';
import { encodeEntry } from '../../src/loop/journal.ts';
import { Monitor } from '../../src/monitor/monitor.ts';
import { NO_TRAFFIC } from '../helpers/world.ts';

const PERIOD_MS = 10_000;

interface Simulated {
  readonly loop: ControlLoop;
  readonly cycle: () => Promise<void>;
  readonly journalBytes: () => number;
}

async function simulated(vms: number): Promise<Simulated> {
  let now = 1_700_000_000_000;
  let bytes = 0;
  const provided: ProvidedVm[] = Array.from({ length: vms }, (_, i) => ({
    id: `vm-${i}`,
    mark: `mark-${i}`,
    state: 'running',
    address: { host: '10.0.0.1', port: 8080 },
    createdAt: now,
  }));
  const cpu = (vm: string) => 40 + ((Number(vm.slice(3)) * 7 + now / PERIOD_MS) % 20);
  const loop = createControlLoop({
    // sleeps are deadlines only; nothing here is late
    clock: { now: () => now, sleep: () => new Promise(() => undefined) },
    provider: {
      name: 'simulated',
      list: () => Promise.resolve(provided.slice()),
      offers: () => Promise.resolve([onlyOffer('simulated')]),
      allocate: () => Promise.reject(new Error('none wanted')),
      release: () => Promise.resolve(),
    },
    gateway: { add: () => Promise.resolve(), drain: () => Promise.resolve(true), remove: () => Promise.resolve() },
    isReady: () => Promise.resolve(true),
    monitor: new Monitor(
      {
        latest: (vm) => ({
          sample: { at: now, cpu: cpu(vm), memory: 50, networkIn: 1, networkOut: 1 },
          receivedAt: now,
        }),
        forget: () => undefined,
      },
      { take: () => ({ traffic: NO_TRAFFIC, responseTimes: new Map(provided.map((vm) => [vm.id, 100 + (now % 7)])) }) },
    ),
    store: { load: () => Promise.resolve(undefined), save: () => Promise.resolve() },
    journal: { append: (entry) => (bytes += encodeEntry(entry).length) },
    newMark: () => 'never',
    parameters: { ...DEFAULT_PARAMETERS, min: 1, max: vms },
  });
  while (loop.state().fleet.filter((vm) => vm.state === 'ready').length < vms) {
    await loop.reconcileOnce();
    await loop.settled();
    now += 1_000;
  }
  const cycle = async () => {
    now += PERIOD_MS;
    await loop.reconcileOnce();
    await loop.runOnce();
  };
  return { loop, cycle, journalBytes: () => bytes };
}

/** Median CPU of a cycle in ms, in blocks of ten so that the clock's grain doesn't count. */
async function cpuPerCycle(vms: number): Promise<{ readonly median: number; readonly line: number }> {
  const { cycle, journalBytes } = await simulated(vms);
  for (let i = 0; i < 20; i++) await cycle();
  const blocks: number[] = [];
  const bytes = journalBytes();
  for (let block = 0; block < 10; block++) {
    const before = process.cpuUsage();
    for (let i = 0; i < 10; i++) await cycle();
    const { user, system } = process.cpuUsage(before);
    blocks.push((user + system) / 1000 / 10);
  }
  return { median: blocks.sort((a, b) => a - b)[5] ?? NaN, line: (journalBytes() - bytes) / 100 };
}

const [cycles = '300', size = '10000'] = process.argv.slice(2);
const results = new Map<number, number>();
for (const vms of [100, 1_000, 10_000]) {
  const { median, line } = await cpuPerCycle(vms);
  results.set(vms, median);
  process.stdout.write(
    `${vms} VMs: ${median.toFixed(2)} ms of CPU per cycle, ${Math.round(line / 1000)} kB of journal\n`,
  );
}
const growth = (results.get(10_000) ?? NaN) / (results.get(100) ?? NaN);
process.stdout.write(`100 times the VMs cost ${growth.toFixed(0)} times the CPU\n`);

const { cycle } = await simulated(Number(size));
const started = performance.now();
const heaps: number[] = [];
for (let i = 0; i < Number(cycles); i++) {
  await cycle();
  if (i % Math.ceil(Number(cycles) / 10) !== 0) continue;
  globalThis.gc?.();
  heaps.push(process.memoryUsage().heapUsed / 1e6);
}
process.stdout.write(
  `heap in MB over ${cycles} cycles of ${size} VMs: ${heaps.map((mb) => mb.toFixed(0)).join(' ')} ` +
    `(${((performance.now() - started) / 1000).toFixed(0)} s)\n`,
);
process.exit(0);
