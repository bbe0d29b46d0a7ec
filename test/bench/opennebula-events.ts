// What would events (ZeroMQ hooks) of OpenNebula shorten? The time from a change of state in the cloud until the manager
// has acted on it, with the real loop and provider at their real pace: all that an event could save is in it.
//
//   node test/bench/opennebula-events.ts [VMS]        default 20; about 2 s each
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_PARAMETERS } from '../../src/decide/parameters.ts';
import { createControlLoop } from '../../src/loop/control-loop.ts';
import { Monitor } from '../../src/monitor/monitor.ts';
import { NO_TRAFFIC } from '../helpers/world.ts';
import { openCloud } from '../opennebula/emulated.ts';

const VMS = Number(process.argv[2] ?? 20);
const RUNNING = '3,3';

const cloud = await openCloud();
/** Guests boot as long as they like: RUNNING comes at any moment of the second. */
const start = cloud.room.start.bind(cloud.room);
cloud.room.start = async (order) => {
  await sleep(Math.random() * 5_000);
  return start(order);
};
const provider = cloud.provider({ monitoringMs: 30_000 });
const added = new Map<string, number>();
const removed = new Map<string, number>();
const loop = createControlLoop({
  clock: { now: Date.now, sleep: (ms, signal) => sleep(ms, undefined, signal && { signal }).catch(() => undefined) },
  provider,
  gateway: {
    add: async (id) => void added.set(id, performance.now()),
    drain: async () => true,
    remove: async (id) => void removed.set(id, performance.now()),
  },
  isReady: async () => true,
  monitor: new Monitor(
    { latest: () => undefined, forget: () => undefined },
    { take: () => ({ traffic: NO_TRAFFIC, responseTimes: new Map() }) },
  ),
  store: { load: async () => undefined, save: async () => undefined },
  journal: { append: () => undefined },
  newMark: randomUUID,
  parameters: { ...DEFAULT_PARAMETERS, min: VMS, max: VMS },
});
await loop.start();

/** When each VM was first seen in RUNNING, looked at every 2 ms. */
const ran = new Map<string, number>();
const looking = setInterval(() => {
  for (const [id, vm] of cloud.emulator.cloud.vms)
    if (String(vm.state) === RUNNING && !ran.has(`${id}`)) ran.set(`${id}`, performance.now());
}, 2);

const booted: number[] = [];
while (added.size < VMS) await sleep(5);
for (const [id, at] of added) booted.push(at - (ran.get(id) ?? at));

const gone: number[] = [];
for (const [id] of [...added].slice(0, VMS)) {
  await sleep(Math.random() * 1_000);
  const killed = performance.now();
  await cloud.room.kill(Number(id));
  const limit = killed + 10_000;
  while (!removed.has(id) && performance.now() < limit) await sleep(5);
  if (removed.has(id)) gone.push((removed.get(id) ?? 0) - killed);
}
clearInterval(looking);
await loop.stop();
await cloud.stop();

const row = (what: string, values: readonly number[]): string => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN);
  return `${what.padEnd(44)} n=${values.length}  mean ${Math.round(values.reduce((a, b) => a + b, 0) / values.length)} ms  median ${at(0.5)} ms  most ${at(1)} ms`;
};
process.stdout.write(
  `${row('RUNNING in the cloud → in the gateway', booted)}\n${row('guest ended → out of the gateway', gone)}\n`,
);
