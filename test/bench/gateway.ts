// npm run bench:gateway: what a request costs in each proxy, in CPU time of the proxy's processes (so that neighbours on
// the machine fall out), and what each adds to the response time at half its load.
//
//   node test/bench/gateway.ts [--seconds 4] [--rounds 3] [--only builtin,nginx]
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { CONTENDERS, startVms } from './gateway-contenders.ts';
import type { Running } from './gateway-contenders.ts';
import { steadyLoad } from './steady-load.ts';

const run = promisify(execFile);
const TICKS_PER_SECOND = 100;
const CONNECTIONS = 32;

interface Round {
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const names = Object.keys(CONTENDERS).filter((name) => values.only?.split(',').includes(name) ?? true);
const folder = mkdtempSync(join(tmpdir(), 'mmeliot-bench-'));
const running: Running[] = [];

try {
  const vms = await startVms(folder);
  running.push(vms);
  const proxies = new Map<string, Running>();
  for (const name of names) {
    const started = await CONTENDERS[name]?.(folder, vms.ports);
    if (started === undefined) continue;
    running.push(started);
    proxies.set(name, started);
  }
  const direct: Running = { ...vms, port: vms.ports[0] as number };
  const full = await rounds(new Map([['direct', direct], ...proxies]));
  report(full);
  const half = Math.min(...[...full.values()].map((one) => median(one, 'perSecond'))) / 2;
  await latencyAt(half, direct, proxies);
} finally {
  for (const one of running.reverse()) await one.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** All contenders in turn, several times over, so that a noisy moment does not hit one of them only. */
async function rounds(proxies: Map<string, Running>): Promise<Map<string, Round[]>> {
  const results = new Map<string, Round[]>();
  for (const proxy of proxies.values()) await load(proxy, 1);
  for (let i = 0; i < Number(values.rounds); i++) {
    for (const [name, proxy] of proxies) {
      const result = await load(proxy, Number(values.seconds));
      results.set(name, [...(results.get(name) ?? []), result]);
    }
  }
  return results;
}

/** As many requests as get through on 32 connections. */
async function load(proxy: Running, seconds: number): Promise<Round> {
  const url = `http://127.0.0.1:${proxy.port}/events`;
  const before = cpuTicks(proxy.pids());
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--latency', url];
  const { stdout } = await run('wrk', args);
  const ticks = cpuTicks(proxy.pids()) - before;
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  return {
    cpuUs: ((ticks / TICKS_PER_SECOND) * 1e6) / requests,
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50: milliseconds(/50%\s+(\S+)/.exec(stdout)?.[1]),
    p99: milliseconds(/99%\s+(\S+)/.exec(stdout)?.[1]),
    errors: Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0),
  };
}

function report(results: Map<string, Round[]>): void {
  const of = (name: string) => median(results.get(name) ?? [], 'cpuUs');
  const head = ['', 'CPU/request', '× nginx', '× hap. rules', '× http-proxy', 'requests/s', 'p50', 'p99', 'errors'];
  print(head);
  for (const [name, all] of results) {
    print([
      name,
      name === 'direct' ? '' : `${of(name).toFixed(1)} µs`,
      name === 'direct' ? '' : (of(name) / of('nginx')).toFixed(2),
      name === 'direct' ? '' : (of(name) / of('haproxy, rules')).toFixed(2),
      name === 'direct' ? '' : (of(name) / of('http-proxy')).toFixed(2),
      median(all, 'perSecond').toFixed(0),
      `${median(all, 'p50').toFixed(2)} ms`,
      `${median(all, 'p99').toFixed(2)} ms`,
      String(all.reduce((sum, one) => sum + one.errors, 0)),
    ]);
  }
}

/** Response times at a steady rate that none of them is strained by, each beside those of the VMs without a proxy. */
async function latencyAt(perSecond: number, direct: Running, proxies: Map<string, Running>): Promise<void> {
  process.stdout.write(`\nat ${perSecond.toFixed(0)} requests/s (half of the slowest's most):\n`);
  const p99s = new Map<string, [number, number][]>();
  for (let i = 0; i < Number(values.rounds); i++) {
    for (const [name, proxy] of proxies) {
      const ports = [direct.port, proxy.port];
      const pair = await steadyLoad(ports, '/events', perSecond, Number(values.seconds) * 1000);
      p99s.set(name, [...(p99s.get(name) ?? []), pair as [number, number]]);
    }
  }
  print(['', 'p99 direct', 'p99', 'added']);
  for (const [name, pairs] of p99s) {
    const cells = [pairs.map(([one]) => one), pairs.map(([, two]) => two), pairs.map(([one, two]) => two - one)];
    print([name, ...cells.map((cell) => `${middle(cell).toFixed(2)} ms`)]);
  }
}

function median(all: readonly Round[], key: keyof Round): number {
  return middle(all.map((one) => one[key]));
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function print(cells: readonly string[]): void {
  process.stdout.write(`${cells.map((cell, i) => (i === 0 ? cell.padEnd(15) : cell.padStart(13))).join('')}\n`);
}

function milliseconds(text = ''): number {
  const value = parseFloat(text);
  if (text.endsWith('us')) return value / 1000;
  return text.endsWith('ms') ? value : value * 1000;
}

/** User and system time of these processes and their children, in clock ticks. */
function cpuTicks(pids: readonly number[]): number {
  let ticks = 0;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    let stat: string;
    try {
      stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
    } catch {
      continue; // it has ended meanwhile
    }
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const parent = Number(fields[1]);
    if (pids.includes(Number(entry)) || pids.includes(parent)) ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks;
}
