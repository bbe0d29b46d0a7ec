// npm run bench:gateway: what a request costs in each proxy, in CPU time of the proxy's processes (so that neighbours on
// the machine fall out), and what each adds to the response time at half of what the built-in plane can do.
//
//   node test/bench/gateway.ts [--seconds 4] [--rounds 3] [--only builtin,nginx] [--other-paths]
//
// Load comes from wrk and ends at an nginx: both are too light to add to the times. Every round takes each proxy in turn;
// what is printed is the median of the rounds, ratios and differences being taken within a round.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AUTHORIZATION, CONTENDERS, startVms } from './gateway-contenders.ts';
import type { Running } from './gateway-contenders.ts';
import { commandOptions } from '../helpers/command-options.ts';

const run = promisify(execFile);
const TICKS_PER_SECOND = 100;
const CONNECTIONS = 32;
/** At half load: so many clients that think before each request. */
const THINKING = 64;

/** What it costs that clients have to be known, and that requests are traced. */
const BESIDE = [
  ['builtin keys', 'builtin'],
  ['haproxy keys', 'haproxy plane'],
  ['builtin traces', 'builtin'],
  ['builtin all traced', 'builtin'],
] as const;

interface Round {
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

const { values } = commandOptions({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    // each request asks for something else: nothing that a proxy has signed before serves it again
    'other-paths': { type: 'boolean', default: false },
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
  const most = full.get('builtin') ?? [...full.values()].at(-1) ?? [];
  await latencyAt(median(most, 'perSecond') / 2, direct, proxies);
} finally {
  for (const one of running.reverse()) await one.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** For wrk: the script by which it asks for something else each time, where that is wanted. */
function scriptOfPaths(): string | undefined {
  if (!values['other-paths']) return undefined;
  const script = join(folder, 'paths.lua');
  writeFileSync(
    script,
    'n = 0 function request() n = n + 1 return wrk.format(nil, "/events?eventID=urn:uuid:" .. n) end',
  );
  return script;
}

/** All contenders in turn, several times over, so that a noisy moment does not hit one of them only. */
async function rounds(proxies: Map<string, Running>): Promise<Map<string, Round[]>> {
  const results = new Map<string, Round[]>();
  const paths = scriptOfPaths();
  for (const proxy of proxies.values()) await load(proxy, 1);
  for (let i = 0; i < Number(values.rounds); i++) {
    for (const [name, proxy] of proxies) {
      const result = await load(proxy, Number(values.seconds), CONNECTIONS, paths);
      results.set(name, [...(results.get(name) ?? []), result]);
    }
  }
  return results;
}

/** As many requests as get through on 32 connections; with a script, what and as many as it lets its clients send. */
async function load(proxy: Running, seconds: number, connections = CONNECTIONS, script?: string): Promise<Round> {
  const url = `http://127.0.0.1:${proxy.port}/events`;
  const before = cpuTicks(proxy.pids());
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    '-H',
    AUTHORIZATION,
    ...(script ? ['-s', script] : []),
    url,
  ];
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
  const ratio = (name: string, to: string) => (results.has(to) ? ratioOf(name, to) : '–');
  const ratioOf = (name: string, to: string) =>
    middle((results.get(name) ?? []).map((round, i) => round.cpuUs / (results.get(to)?.[i]?.cpuUs ?? NaN))).toFixed(2);
  print(['', 'CPU/request', '× nginx', '× http-proxy', '× haproxy', 'requests/s', 'p50', 'p99', 'errors']);
  for (const [name, all] of results) {
    const cpu = [
      `${median(all, 'cpuUs').toFixed(1)} µs`,
      ...['nginx', 'http-proxy', 'haproxy'].map((to) => ratio(name, to)),
    ];
    print([
      name,
      ...(name === 'direct' ? ['', '', '', ''] : cpu),
      median(all, 'perSecond').toFixed(0),
      `${median(all, 'p50').toFixed(2)} ms`,
      `${median(all, 'p99').toFixed(2)} ms`,
      String(all.reduce((sum, one) => sum + one.errors, 0)),
    ]);
  }
  for (const [more, without] of BESIDE)
    if (results.has(more) && results.has(without))
      process.stdout.write(`${more} is ${ratioOf(more, without)} × ${without}\n`);
}

/** Response times under a load that strains none of them, each beside those of the VMs without a proxy just before. */
async function latencyAt(perSecond: number, direct: Running, proxies: Map<string, Running>): Promise<void> {
  // a client asks again 0 to twice this many ms after its answer; e.g. 64 clients at 4000/s: 16 ms
  const thinkMs = (THINKING * 1000) / perSecond;
  const script = join(folder, 'think.lua');
  writeFileSync(script, `function delay() return math.random(0, ${Math.round(2 * thinkMs)}) end`);
  const pairs = new Map<string, { direct: Round; proxy: Round }[]>();
  for (let i = 0; i < 2 * Number(values.rounds); i++) {
    for (const [name, proxy] of proxies) {
      const pair = {
        direct: await load(direct, Number(values.seconds), THINKING, script),
        proxy: await load(proxy, Number(values.seconds), THINKING, script),
      };
      pairs.set(name, [...(pairs.get(name) ?? []), pair]);
    }
  }
  process.stdout.write(
    `\nat ${perSecond.toFixed(0)} requests/s (half of the most that the built-in plane, or else the last of these, answered):\n`,
  );
  print(['', 'requests/s', 'p50 direct', 'p50', 'added', 'p99 direct', 'p99', 'added']);
  for (const [name, all] of pairs) {
    const cells = (['p50', 'p99'] as const).flatMap((key) => [
      median(
        all.map((pair) => pair.direct),
        key,
      ),
      median(
        all.map((pair) => pair.proxy),
        key,
      ),
      middle(all.map((pair) => pair.proxy[key] - pair.direct[key])),
    ]);
    const rate = median(
      all.map((pair) => pair.proxy),
      'perSecond',
    );
    print([name, rate.toFixed(0), ...cells.map((cell) => `${cell.toFixed(2)} ms`)]);
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
