// What one hostile client costs the others: node test/chaos/clients.ts [--seconds 2] [--rounds 3] [--plane builtin|haproxy] [--client NAME]
// Gateway, VM and hostile client are processes of their own; the others ask from here: alone; beside the same client playing against a
// server that is not on their way, which is what its use of the machine costs them; and beside it playing against the gateway.
import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { GATEWAY_DEFAULTS } from '../../src/balance/core/options.ts';
import { ask } from '../helpers/gateway.ts';
import { GatewayProcess } from '../helpers/gateway-process.ts';
import { processorMs, residentBytes } from '../helpers/resident.ts';
import { startEpcisServer } from '../../epcis/server.ts';
import { objectXml, xml2 } from '../helpers/epcis-documents.ts';
import { temporaryFolder } from '../helpers/mmeliot.ts';
import { HOSTILE } from './hostile.ts';
import { HOSTILE_EPCIS } from './hostile-epcis.ts';
import { median } from './measure.ts';
import { startPart } from './part.ts';

type Plane = 'builtin' | 'haproxy';

export interface Outcome {
  readonly client: string;
  readonly asked: number;
  readonly lost: number;
  /** ms at the 95th percentile, median of the rounds: alone; beside the client elsewhere; beside it at the gateway. */
  readonly alone: number;
  readonly elsewhere: number;
  readonly beside: number;
  /** Parts of a processor that the gateway (and its HAProxy) takes, alone and beside it; and what the client takes. */
  readonly gatewayAlone: number;
  readonly gatewayBeside: number;
  readonly clientTakes: number;
  /** MB more than before, at most: of the gateway (and its HAProxy), of the VM. */
  readonly gatewayMb: number;
  readonly vmMb: number;
}

const CLIENTS = [...HOSTILE, ...HOSTILE_EPCIS];
const clientCalled = (name: string) => CLIENTS.find((one) => one.name === name);

const part = (...args: string[]) => startPart(import.meta.filename, ...args);

/** So many ask, each every so many ms, or as soon as it has its answer. */
const OTHERS = 4;
const EVERY_MS = 20;
const LARGE = Buffer.alloc(32 << 20);
/** What a VM takes for a query. */
const SERVICE_MS = 5;
const MB = 1_000_000;

interface Phase {
  readonly asked: number;
  readonly lost: number;
  readonly p95: number;
  /** Parts of a processor. */
  readonly gateway: number;
  readonly client: number;
  readonly gatewayMb: number;
  readonly vmMb: number;
}

/** Plays one hostile client for so long, so often; asks all the while. */
export async function playAgainst(dataPlane: Plane, client: string, seconds: number, rounds = 1): Promise<Outcome> {
  const gateway = new GatewayProcess(dataPlane);
  const kind = clientCalled(client)?.epcis ? 'epcis' : 'vm';
  const folder = temporaryFolder();
  const [vm, elsewhere] = [part(kind, folder.path), part(kind, folder.path)];
  const agent = new Agent({ keepAlive: true });
  try {
    const port = await gateway.start();
    await gateway.add('vm', await vm.says);
    const elsewherePort = await elsewhere.says;
    const pids = await gateway.pids();
    const phase = (at?: number) => playPhase({ port, agent, pids, vm: vm.pid, client, at, seconds });
    await askFor(port, agent, 300);
    const all: [Phase, Phase, Phase][] = [];
    for (let i = 0; i < rounds; i++) all.push([await phase(), await phase(elsewherePort), await phase(port)]);
    const of = (which: 0 | 1 | 2, what: keyof Phase) => median(all.map((round) => round[which][what]));
    const sum = (what: keyof Phase) => all.reduce((total, round) => total + round[2][what], 0);
    return {
      client,
      asked: sum('asked'),
      lost: sum('lost'),
      alone: of(0, 'p95'),
      elsewhere: of(1, 'p95'),
      beside: of(2, 'p95'),
      gatewayAlone: of(0, 'gateway'),
      gatewayBeside: of(2, 'gateway'),
      clientTakes: of(2, 'client'),
      gatewayMb: Math.max(...all.map((round) => round[2].gatewayMb)),
      vmMb: Math.max(...all.map((round) => round[2].vmMb)),
    };
  } finally {
    agent.destroy();
    await gateway.stop();
    await vm.kill();
    await elsewhere.kill();
    folder.remove();
  }
}

interface Play {
  readonly port: number;
  readonly agent: Agent;
  readonly pids: readonly number[];
  readonly vm: number;
  readonly client: string;
  /** Where the hostile client plays; undefined: nowhere. */
  readonly at: number | undefined;
  readonly seconds: number;
}

async function playPhase({ port, agent, pids, vm, client, at, seconds }: Play): Promise<Phase> {
  const hostile = at === undefined ? undefined : part('hostile', client, String(at));
  await hostile?.says;
  const growth = [watchGrowth(pids), watchGrowth([vm])];
  const takes = [pids, hostile === undefined ? [] : [hostile.pid]].map(watchProcessors);
  const told = await askFor(port, agent, seconds * 1000);
  const [gatewayPart = 0, clientPart = 0] = takes.map((part) => part());
  const [gatewayMb = 0, vmMb = 0] = growth.map((most) => most());
  await hostile?.kill();
  return { ...told, gateway: gatewayPart, client: clientPart, gatewayMb, vmMb };
}

/** Which part of a processor these processes take from now until asked. */
function watchProcessors(pids: readonly number[]): () => number {
  const now = () => pids.reduce((sum, pid) => sum + processorMs(pid), 0);
  const [before, since] = [now(), performance.now()];
  return () => (now() - before) / (performance.now() - since);
}

/** How many MB these processes have grown at most, until asked. */
function watchGrowth(pids: readonly number[]): () => number {
  const now = () => pids.reduce((sum, pid) => sum + residentBytes(pid), 0);
  const before = now();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, now())), 50);
  return () => {
    clearInterval(timer);
    return Math.round((most - before) / MB);
  };
}

/** Some that ask in a steady rhythm; how long an answer takes counts from when it should have been asked for. */
async function askFor(port: number, agent: Agent, ms: number): Promise<{ asked: number; lost: number; p95: number }> {
  const times: number[] = [];
  let lost = 0;
  const begin = performance.now();
  const one = async (_: unknown, which: number) => {
    for (let due = begin + (which * EVERY_MS) / OTHERS; due < begin + ms; due += EVERY_MS) {
      if (performance.now() > begin + ms) break;
      const early = due - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      const since = Math.max(due, performance.now() - EVERY_MS);
      const answer = await ask(port, '/events', { agent }).catch(() => undefined);
      times.push(performance.now() - since);
      if (answer?.status !== 200) lost++;
    }
  };
  await Promise.all(Array.from({ length: OTHERS }, one));
  times.sort((a, b) => a - b);
  return { asked: times.length, lost, p95: times[Math.floor(times.length * 0.95)] ?? 0 };
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const HEAD = [
  'asked',
  'lost',
  'alone',
  'elsewhere',
  'beside',
  '× alone',
  '× elsewhere',
  'gateway CPU',
  'its CPU',
  'MB',
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      plane: { type: 'string' },
      client: { type: 'string' },
    },
  });
  for (const plane of ['builtin', 'haproxy'] as const) {
    if (values.plane !== undefined && values.plane !== plane) continue;
    print(
      `\n${plane}: p95 of the others in ms: alone, beside the client elsewhere, beside it here; CPU in parts of a processor`,
    );
    print(`| ${['client'.padEnd(24), ...HEAD].join(' | ')} |`);
    for (const { name } of CLIENTS) {
      if (values.client !== undefined && values.client !== name) continue;
      const one = await playAgainst(plane, name, Number(values.seconds), Number(values.rounds));
      print(`| ${name.padEnd(24)} | ${cellsOf(one).join(' | ')} |`);
    }
  }
}

function cellsOf(one: Outcome): (string | number)[] {
  const { asked, lost, alone, elsewhere, beside } = one;
  const times = [alone, elsewhere, beside, beside / alone, beside / elsewhere].map((value) => value.toFixed(1));
  const gateway = `${one.gatewayAlone.toFixed(2)} → ${one.gatewayBeside.toFixed(2)}`;
  return [asked, lost, ...times, gateway, one.clientTakes.toFixed(2), `${one.gatewayMb}, VM ${one.vmMb}`];
}

function serveAsVm(): void {
  const server = createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    request.on('error', () => {});
    if (request.url === GATEWAY_DEFAULTS.health.path) response.end();
    else if (request.url === '/refused') response.writeHead(415, { 'content-length': 0, connection: 'close' }).end();
    else if (request.headers['x-large'] !== undefined) response.end(LARGE);
    else request.on('end', () => setTimeout(() => response.end('answer'), SERVICE_MS)).resume();
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

async function serveAsEpcis(folder: string): Promise<void> {
  const server = await startEpcisServer({
    repository: { url: `sqlite://${folder}/epcis-${process.pid}.db` },
    ...{ port: 0, subscriptionTargets: ['127.0.0.1'], log: pino({ level: 'silent' }) },
  });
  const capture = {
    method: 'POST',
    headers: { 'content-type': 'application/xml' },
    body: xml2(objectXml().repeat(50)),
  };
  await fetch(`${server.address}/capture`, capture);
  process.send?.(server.port);
}

async function playHostile(name: string, port: number): Promise<void> {
  process.send?.(0);
  await clientCalled(name)?.play(port, () => false);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , what = '', name = '', port] = process.argv;
  // a part goes with whoever began it
  process.on('disconnect', () => process.exit());
  if (what === 'vm') serveAsVm();
  else if (what === 'epcis') await serveAsEpcis(name);
  else if (what === 'hostile') await playHostile(name, Number(port));
  else await main();
}
