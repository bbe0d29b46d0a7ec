// What one hostile client costs the others: node test/chaos/clients.ts [--seconds 5] [--plane builtin|haproxy] [--client NAME]
// Gateway and hostile client are processes of their own; the others ask from here, first alone, then beside it.
import { fork } from 'node:child_process';
import { Agent } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ask, Bench } from '../helpers/gateway.ts';
import { GatewayProcess } from '../helpers/gateway-process.ts';
import { HOSTILE } from './hostile.ts';

type Plane = 'builtin' | 'haproxy';

export interface Outcome {
  readonly client: string;
  readonly asked: number;
  readonly lost: number;
  /** ms at the 95th percentile: alone, and beside the hostile client. */
  readonly alone: number;
  readonly beside: number;
  /** Of the gateway, more than before. */
  readonly megabytes: number;
}

const OTHERS = 4;
const LARGE = Buffer.alloc(32 << 20);

/** Plays one hostile client for so long; asks all the while. */
export async function playAgainst(dataPlane: Plane, client: string, seconds: number): Promise<Outcome> {
  const bench = new Bench();
  const gateway = new GatewayProcess(dataPlane);
  const agent = new Agent({ keepAlive: true });
  try {
    const port = await gateway.start();
    const vm = await bench.vm((request, response) => {
      request.on('error', () => {});
      if (request.url === '/refused') response.writeHead(415, { 'content-length': 0, connection: 'close' }).end();
      else if (request.headers['x-large'] !== undefined) response.end(LARGE);
      else request.on('end', () => response.end('answer')).resume();
    });
    await gateway.add('vm', vm.port);
    await askFor(port, agent, 300);
    const alone = await askFor(port, agent, seconds * 1000);
    const before = await gateway.memory();
    const hostile = fork(fileURLToPath(import.meta.url), ['play', client, String(port)]);
    await new Promise((resolve) => hostile.once('message', resolve));
    const beside = await askFor(port, agent, seconds * 1000);
    const megabytes = Math.round(((await gateway.memory()) - before) / 1e6);
    const exited = new Promise((resolve) => hostile.once('exit', resolve));
    hostile.kill('SIGKILL');
    await exited;
    const { asked, lost } = beside;
    return { client, asked, lost, alone: alone.p95, beside: beside.p95, megabytes };
  } finally {
    agent.destroy();
    await gateway.stop();
    await bench.close();
  }
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
    print(`\n${plane}: p95 of the others in ms, alone and beside one hostile client`);
    print(`| ${'client'.padEnd(24)} | asked | lost | alone | beside | × | MB |`);
    for (const { name } of HOSTILE) {
      if (values.client !== undefined && values.client !== name) continue;
      const { asked, lost, alone, beside, megabytes } = await playAgainst(plane, name, Number(values.seconds));
      const cells = [asked, lost, alone.toFixed(1), beside.toFixed(1), (beside / alone).toFixed(1), megabytes];
      print(`| ${name.padEnd(24)} | ${cells.join(' | ')} |`);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'play') {
    const hostile = HOSTILE.find(({ name }) => name === process.argv[3]);
    process.send?.('playing');
    await hostile?.play(Number(process.argv[4]), () => false);
  } else await main();
}
