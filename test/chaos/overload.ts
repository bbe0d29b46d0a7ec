// Ten times what the VMs can do: npm run overload [-- --seconds 10] [--plane builtin|haproxy]
// The status is 1 where fewer than 90 % of the peak were answered, or something important was lost.
// Gateway, VMs and the many clients are processes of their own; what is important is asked from here all the while.
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { GATEWAY_DEFAULTS, type GatewayOptions } from '../../src/balance/core/options.ts';
import { commandOptions } from '../helpers/command-options.ts';
import { ask } from '../helpers/gateway.ts';
import { GatewayProcess } from '../helpers/gateway-process.ts';
import { median } from './measure.ts';
import { startPart } from './part.ts';
import { startProgress } from '../helpers/progress.ts';

type Plane = GatewayOptions['dataPlane'];

export interface Overloaded {
  /** Answers a second: most that the VMs give, and under ten times as many requests, those of what is important included. */
  readonly peak: number;
  readonly goodput: number;
  /** ms at the 95th percentile of what is important: before, and under overload. */
  readonly calm: number;
  readonly important: number;
  /** And at the same time of a VM that nobody else asks, past the gateway: what the busy machine costs. */
  readonly machine: number;
  readonly importantLost: number;
  /** Answers 503 a second, ms to one (median), and how many came without Retry-After. */
  readonly refused: number;
  readonly refusedAfter: number;
  readonly withoutRetryAfter: number;
  /** Requests that got neither. */
  readonly failed: number;
  /** ms after it until what is important takes at most twice as long as before. */
  readonly recovery: number;
}

const WORKERS = 4;
const SERVICE_MS = 80;
const VMS = 2;
/** 2 VMs × 4 workers / 80 ms = 100 answers a second; the clients ask for ten times as much. */
const CAPACITY = (VMS * WORKERS * 1000) / SERVICE_MS;
const ADDRESSES = 20;
const LONGEST_MS = 30_000;
/** Of the peak, under ten times as much. */
const LEAST_GOODPUT = 0.9;

const part = (...args: string[]) => startPart(import.meta.filename, args);

export async function overload(plane: Plane, seconds: number): Promise<Overloaded> {
  const gateway = new GatewayProcess(plane);
  const vms = Array.from({ length: VMS }, () => part('vm'));
  const spare = part('vm');
  try {
    const port = await gateway.start();
    for (const [n, vm] of vms.entries()) await gateway.add(`vm-${n}`, await vm.says);
    await important(port, 300);
    const calm = await important(port, seconds * 500);
    const alone = await crowd(port, CAPACITY * 1.2, seconds / 2);
    await important(port, 2_000);
    const both = crowd(port, CAPACITY * 10, seconds);
    const past = spare.says.then((spared) => important(spared, seconds * 1000));
    const beside = await important(port, seconds * 1000);
    const { ok, refused, refusedAfter, withoutRetryAfter, failed } = await both;
    const recovery = await untilTwice(port, calm.p95);
    return {
      ...{
        peak: alone.ok,
        goodput: ok + beside.perSecond,
        calm: calm.p95,
        important: beside.p95,
        importantLost: beside.lost,
      },
      machine: (await past).p95,
      ...{ refused, refusedAfter, withoutRetryAfter, failed, recovery },
    };
  } finally {
    await gateway.stop();
    await Promise.all([...vms, spare].map((vm) => vm.kill()));
  }
}

/** One client that asks one request after the other. */
async function important(port: number, ms: number): Promise<{ p95: number; lost: number; perSecond: number }> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  let lost = 0;
  const start = performance.now();
  while (performance.now() < start + ms) {
    const since = performance.now();
    const answer = await ask(port, '/events', { agent }).catch(() => undefined);
    times.push(performance.now() - since);
    if (answer?.status !== 200) lost++;
  }
  agent.destroy();
  const perSecond = (1000 * (times.length - lost)) / (performance.now() - start);
  times.sort((a, b) => a - b);
  return { p95: times[Math.floor(times.length * 0.95)] ?? 0, lost, perSecond };
}

async function untilTwice(port: number, calm: number): Promise<number> {
  const since = performance.now();
  while ((await important(port, 250)).p95 > 2 * calm && performance.now() - since < 60_000);
  return performance.now() - since;
}

interface Crowd {
  readonly ok: number;
  readonly refused: number;
  readonly refusedAfter: number;
  readonly withoutRetryAfter: number;
  readonly failed: number;
}

/**
 * Many clients that send so many requests a second, whatever becomes of them; by a process of their own. Those that ask for more than
 * there is go on until something is refused, as a busy machine takes longer to fill the queue.
 */
async function crowd(port: number, perSecond: number, seconds: number): Promise<Crowd> {
  const clients = startPart<Crowd>(import.meta.filename, ['crowd', String(port), String(perSecond), String(seconds)]);
  const told = await clients.says;
  await clients.kill();
  return told;
}

async function playCrowd(port: number, perSecond: number, seconds: number): Promise<void> {
  const agents = Array.from({ length: ADDRESSES }, () => new Agent({ keepAlive: true, maxSockets: 500 }));
  const refusedAfter: number[] = [];
  const counts = { ok: 0, refused: 0, withoutRetryAfter: 0, failed: 0 };
  let sent = 0;
  const start = performance.now();
  let over = false;
  const send = () => {
    const n = sent++ % ADDRESSES;
    const since = performance.now();
    const options = {
      port,
      host: '127.0.0.1',
      localAddress: `127.0.1.${n + 1}`,
      headers: { 'x-request-class': 'bulk' },
    };
    request({ ...options, path: '/events', agent: agents[n] as Agent }, (response) => {
      const now = performance.now();
      response.on('error', () => {}).resume();
      if (over) return;
      if (response.statusCode === 200) counts.ok++;
      else if (response.statusCode === 503) {
        counts.refused++;
        refusedAfter.push(now - since);
        if (response.headers['retry-after'] === undefined) counts.withoutRetryAfter++;
      } else counts.failed++;
    })
      .on('error', () => void (!over && counts.failed++))
      .end();
  };
  const isTooMuch = perSecond > 2 * CAPACITY;
  const goesOn = (ms: number) => ms < seconds * 1000 || (isTooMuch && counts.refused === 0 && ms < LONGEST_MS);
  let ms = 0;
  for (; goesOn(ms); ms = performance.now() - start) {
    while (sent < (Math.min(ms, seconds * 1000) * perSecond) / 1000) send();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  over = true;
  const perSecondOf = (count: number) => (1000 * count) / ms;
  process.send?.({
    ...{ ok: perSecondOf(counts.ok), refused: perSecondOf(counts.refused), refusedAfter: median(refusedAfter) },
    ...{ withoutRetryAfter: counts.withoutRetryAfter, failed: counts.failed },
  });
}

/** As many at once as it has workers; the others wait in it. */
function serveAsVm(): void {
  const waiting: (() => void)[] = [];
  let working = 0;
  const next = () => {
    if (working >= WORKERS) return;
    const work = waiting.shift();
    if (work === undefined) return;
    working++;
    setTimeout(() => {
      work();
      working--;
      next();
    }, SERVICE_MS);
  };
  const server = createServer((asked, response) => {
    asked.on('error', () => {}).resume();
    if (asked.url === GATEWAY_DEFAULTS.health.path) return void response.end();
    waiting.push(() => response.end('answer'));
    next();
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const HEAD = [
  ...[
    'plane',
    'answers a second',
    'of the peak',
    'important: p95 before',
    'under it',
    'past the gateway',
    'lost',
    '503 a second',
    'after',
  ],
  ...['without Retry-After', 'failed', 'as before after'],
];

async function main(): Promise<void> {
  const { values } = commandOptions({
    options: { seconds: { type: 'string', default: '10' }, plane: { type: 'string' } },
  });
  const planes = (['builtin', 'haproxy'] as const).filter((plane) =>
    [undefined, plane].includes(values.plane as Plane),
  );
  const progress = startProgress(planes.length);
  print(`Ten times capacity for ${values.seconds} s\n`);
  print(`| ${HEAD.join(' | ')} |\n|${' --- |'.repeat(HEAD.length)}`);
  for (const plane of planes) {
    progress(plane);
    const one = await overload(plane, Number(values.seconds));
    const ms = (value: number): string => `${value.toFixed(0)} ms`;
    const share = `${((100 * one.goodput) / one.peak).toFixed(0)} % of ${one.peak.toFixed(0)}`;
    const important = [ms(one.calm), ms(one.important), ms(one.machine), one.importantLost];
    const refused = [one.refused.toFixed(0), ms(one.refusedAfter), one.withoutRetryAfter, one.failed];
    print(`| ${[plane, one.goodput.toFixed(0), share, ...important, ...refused, ms(one.recovery)].join(' | ')} |`);
    if (one.goodput < LEAST_GOODPUT * one.peak || one.importantLost + one.withoutRetryAfter + one.failed > 0)
      process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , what = '', ...args] = process.argv;
  if (what === 'vm') serveAsVm();
  else if (what === 'crowd') await playCrowd(...(args.map(Number) as [number, number, number]));
  else await main();
}
