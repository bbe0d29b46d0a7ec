// How much of a core the collector needs for VMs that report once a second, and whether any report is lost.
//   node test/bench/collector.ts [VMs, default 10000] [seconds, default 10]
// The senders are a process of their own; drops are the kernel's own count for the collector's socket.
import { fork } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeReport } from '../../src/monitor/load-report.ts';
import { signer } from '../../src/monitor/udp/signer.ts';
import { startCollector } from '../../src/monitor/udp/collector.ts';

const SECRET = 'bench';
const TICK_MS = 10;

const [role = '10000', second = '10', third = '0'] = process.argv.slice(2);
if (role === 'send') await send(Number(second), Number(third));
else await collect(Number(role), Number(second));

async function collect(vms: number, seconds: number): Promise<void> {
  const collector = await startCollector({ host: '127.0.0.1', port: 0, group: 'bench', secret: SECRET });
  const { port } = collector.address;
  const sender = fork(import.meta.filename, ['send', String(port), String(vms)]);
  let sent = 0;
  sender.on('message', (count) => (sent = Number(count)));
  const ended = new Promise((resolve) => sender.once('exit', resolve));
  await sleep(2_000);

  const before = { cpu: process.cpuUsage(), at: performance.now(), accepted: collector.counters.accepted };
  await sleep(seconds * 1000);
  const { user, system } = process.cpuUsage(before.cpu);
  const elapsed = performance.now() - before.at;
  const rate = ((collector.counters.accepted - before.accepted) / elapsed) * 1000;
  sender.send('stop');
  await ended;
  await sleep(500);

  const total = Object.values(collector.counters).reduce((sum: number, count: number) => sum + count, 0);
  const core = (user + system) / 1000 / elapsed;
  process.stdout.write(
    [
      `${vms} VMs, one signed report a second each: ${Math.round(rate)} reports/s accepted`,
      `collector's CPU: ${(core * 100).toFixed(1)} % of one core`,
      `sent ${sent}, arrived ${total}, lost ${sent - total}, dropped by the kernel ${drops(port)}`,
      `counted: ${JSON.stringify(collector.counters)}`,
      '',
    ].join('\n'),
  );
  await collector.close();
}

/** Each VM's turn comes once a second; the turns are spread over the second, as independent VMs' are. */
async function send(port: number, vms: number): Promise<void> {
  const socket = createSocket({ type: 'udp4', sendBufferSize: 8 * 1024 * 1024 });
  await new Promise<void>((resolve) => socket.connect(port, '127.0.0.1', resolve));
  const sign = signer(SECRET);
  let running = true;
  process.on('message', () => (running = false));
  let sent = 0;
  const started = performance.now();
  while (running) {
    const due = Math.floor(((performance.now() - started) / 1000) * vms);
    for (; sent < due; sent++) {
      const sample = { at: Date.now(), cpu: sent % 100, memory: 50, networkIn: 1000, networkOut: 2000 };
      socket.send(encodeReport({ group: 'bench', vm: `vm-${sent % vms}`, sequence: sent, sample }, sign));
    }
    await sleep(TICK_MS);
  }
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  process.send?.(sent);
  process.disconnect();
}

function drops(port: number): number {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const line = readFileSync('/proc/net/udp', 'utf8')
    .split('\n')
    .find((one) => one.trim().split(/\s+/)[1]?.endsWith(wanted));
  return Number(line?.trim().split(/\s+/).at(-1) ?? NaN);
}
