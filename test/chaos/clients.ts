// What one hostile client costs the others: node test/chaos/clients.ts [--seconds 5] [--plane builtin|haproxy] [--client NAME]
// Gateway, VM and hostile client are processes of their own; the others ask from here, first alone, then beside it.
import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { GATEWAY_DEFAULTS } from '../../src/balance/core/options.ts';
import { ask } from '../helpers/gateway.ts';
import { GatewayProcess } from '../helpers/gateway-process.ts';
import { residentBytes } from '../helpers/resident.ts';
import { HOSTILE } from './hostile.ts';
import { startPart } from './part.ts';

type Plane = 'builtin' | 'haproxy';

export interface Outcome {
  readonly client: string;
  readonly asked: number;
  readonly lost: number;
  /** ms at the 95th percentile: alone, and beside the hostile client. */
  readonly alone: number;
  readonly beside: number;
  /** MB more than before, at most: of the gateway (and its HAProxy), of the VM. */
  readonly gatewayMb: number;
  readonly vmMb: number;
}

const part = (...args: string[]) => startPart(import.meta.filename, ...args);

const OTHERS = 4;
const LARGE = Buffer.alloc(32 << 20);
/** What a VM takes for a query. */
const SERVICE_MS = 5;

/** Plays one hostile client for so long; asks all the while. */
export async function playAgainst(dataPlane: Plane, client: string, seconds: number): Promise<Outcome> {
  const gateway = new GatewayProcess(dataPlane);
  const vm = part('vm');
  const agent = new Agent({ keepAlive: true });
  try {
    const port = await gateway.start();
    await gateway.add('vm', await vm.says);
    await askFor(port, agent, 300);
    const alone = await askFor(port, agent, seconds * 1000);
    const pids = await gateway.pids();
    const growth = [watchGrowth(pids), watchGrowth([vm.pid])];
    const hostile = part('hostile', client, String(port));
    await hostile.says;
    const beside = await askFor(port, agent, seconds * 1000);
    const [gatewayMb = 0, vmMb = 0] = growth.map((most) => most());
    await hostile.kill();
    return { client, asked: beside.asked, lost: beside.lost, alone: alone.p95, beside: beside.p95, gatewayMb, vmMb };
  } finally {
    agent.destroy();
    await gateway.stop();
    await vm.kill();
  }
}

/** How many MB these processes have grown at most, until asked. */
function watchGrowth(pids: readonly number[]): () => number {
  const now = () => pids.reduce((sum, pid) => sum + residentBytes(pid), 0);
  const before = now();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, now())), 50);
  return () => {
    clearInterval(timer);
    return Math.round((most - before) / 1e6);
  };
}

/** Some that ask one request after the other. */
async function askFor(port: number, agent: Agent, ms: number): Promise<{ asked: number; lost: number; p95: number }> {
  const times: number[] = [];
  let lost = 0;
  const end = performance.now() + ms;
  const one = async () => {
    while (performance.now() < end) {
      const since = performance.now();
      const answer = await ask(port, '/events', { agent }).catch(() => undefined);
      times.push(performance.now() - since);
      if (answer?.text !== 'answer') lost++;
    }
  };
  await Promise.all(Array.from({ length: OTHERS }, one));
  times.sort((a, b) => a - b);
  return { asked: times.length, lost, p95: times[Math.floor(times.length * 0.95)] ?? 0 };
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '5' }, plane: { type: 'string' }, client: { type: 'string' } },
  });
  for (const plane of ['builtin', 'haproxy'] as const) {
    if (values.plane !== undefined && values.plane !== plane) continue;
    print(`\n${plane}: p95 of the others in ms, alone and beside one hostile client; MB that gateway and VM grew by`);
    print(`| ${'client'.padEnd(24)} | asked | lost | alone | beside | × | gateway MB | VM MB |`);
    for (const { name } of HOSTILE) {
      if (values.client !== undefined && values.client !== name) continue;
      const { asked, lost, alone, beside, gatewayMb, vmMb } = await playAgainst(plane, name, Number(values.seconds));
      const cells = [asked, lost, alone.toFixed(1), beside.toFixed(1), (beside / alone).toFixed(1), gatewayMb, vmMb];
      print(`| ${name.padEnd(24)} | ${cells.join(' | ')} |`);
    }
  }
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

async function playHostile(name: string, port: number): Promise<void> {
  process.send?.(0);
  await HOSTILE.find((one) => one.name === name)?.play(port, () => false);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , what = '', name = '', port] = process.argv;
  if (what === 'vm') serveAsVm();
  else if (what === 'hostile') await playHostile(name, Number(port));
  else await main();
}
