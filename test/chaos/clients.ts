// What one hostile client costs the others: node test/chaos/clients.ts [--seconds 2] [--compare 2] [--rounds 3] [--plane builtin|haproxy] [--client NAME]...
//   [--repository mysql]: the VMs that serve EPCIS are over MariaDB; the status is 1 where a promise was not kept
//   [--http2]: HAProxy speaks HTTP/2 (gateway.http2), as it does not by default
//   --seconds: how long it plays against the gateway; --compare: how long what that is compared with takes (default: as long)
// Gateway, VM and hostile client are processes of their own; the others ask from here: alone; beside the same client playing against a
// server that is not on their way, which is what its use of the machine costs them; and beside it playing against the gateway.
import { Agent, createServer, type RequestListener, type RequestOptions } from 'node:http';
import { createSecureServer } from 'node:http2';
import { Agent as TlsAgent } from 'node:https';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { GATEWAY_DEFAULTS } from '../../src/balance/core/options.ts';
import { VM_NODE_OPTIONS } from '../../src/manager/vm-program.ts';
import { commandOptions } from '../helpers/command-options.ts';
import { Authority } from '../helpers/certificates.ts';
import { keyOf, TokenIssuer } from '../helpers/gatekeeper.ts';
import { GatewayProcess, type Door } from '../helpers/gateway-process.ts';
import { startEpcisServer } from '../../epcis/server.ts';
import { objectXml, xml2 } from '../helpers/epcis-documents.ts';
import { startMariaDb } from '../helpers/mariadb.ts';
import { temporaryFolder } from '../helpers/mmeliot.ts';
import { HOSTILE, type Hostile } from './hostile.ts';
import { HOSTILE_EPCIS } from './hostile-epcis.ts';
import { HOSTILE_LARGE } from './hostile-large.ts';
import { HOSTILE_NAMES } from './hostile-names.ts';
import { HOSTILE_WORK } from './hostile-work.ts';
import { HOSTILE_KEYS, KEY_ID, STRANGERS_PATH } from './hostile-keys.ts';
import { HOSTILE_TLS } from './hostile-tls.ts';
import { median } from './measure.ts';
import { askFor, watchGrowth, watchProcessors, workedOff } from './others.ts';
import { startPart } from './part.ts';
import { startProgress } from '../helpers/progress.ts';

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
  /** What the VM takes, alone and beside it. */
  readonly vmAlone: number;
  readonly vmBeside: number;
  /** MB more than before, at most: of the gateway (and its HAProxy), of the VM. */
  readonly gatewayMb: number;
  readonly vmMb: number;
}

const CLIENTS: readonly Hostile[] = [
  ...HOSTILE,
  ...HOSTILE_TLS,
  ...HOSTILE_KEYS,
  ...HOSTILE_EPCIS,
  ...HOSTILE_LARGE,
  ...HOSTILE_NAMES,
  ...HOSTILE_WORK,
];
const clientCalled = (name: string) => CLIENTS.find((one) => one.name === name);
const plays = (plane: Plane, { door }: Hostile): boolean => plane === 'haproxy' || door !== 'http2';

const part = (...args: string[]) => startPart(import.meta.filename, args);
const vmPart = (...args: string[]) => startPart(import.meta.filename, args, VM_NODE_OPTIONS);

const LARGE = Buffer.alloc(32 << 20);
/** What a VM takes for a query. */
const SERVICE_MS = 5;

interface Phase {
  readonly asked: number;
  readonly lost: number;
  readonly p95: number;
  /** Parts of a processor. */
  readonly gateway: number;
  readonly client: number;
  readonly vmTakes: number;
  readonly gatewayMb: number;
  readonly vmMb: number;
}

/**
 * MB that gateway (with its HAProxy) and VM may grow beside a hostile client: answers that are kept for slow readers (64), heads and
 * pieces of bodies of all connections, and what a JavaScript heap takes before it is tidied up.
 */
export const MOST_MB = 256;

interface Playing {
  readonly seconds: number;
  /** The others alone, and beside the client elsewhere; default: as long. */
  readonly compareSeconds?: number;
  readonly rounds?: number;
  /** Where VMs that serve EPCIS keep their events, by name; else in a file each. */
  readonly repository?: ((name: string) => string) | undefined;
  readonly http2?: boolean;
  /** Others that have to have done with one phase before the next begins: the database. */
  readonly also?: readonly number[];
}

/** Plays one hostile client for so long, so often; asks all the while. */
export async function playAgainst(dataPlane: Plane, client: string, playing: Playing): Promise<Outcome> {
  const { seconds, compareSeconds = seconds, rounds = 1, also = [], http2 = false } = playing;
  const folder = temporaryFolder();
  const { door, by } = await openDoor(clientCalled(client)?.door, folder.path);
  const gateway = new GatewayProcess(dataPlane, { ...door, http2 });
  const { repository = (name: string) => `sqlite://${folder.path}/${name}.db` } = playing;
  const startVm = (name: string) => (clientCalled(client)?.epcis ? vmPart('epcis', repository(name)) : part('vm'));
  const tried = client.replace(/\W+/g, '_');
  const vm = startVm(`${dataPlane}_${tried}_here`);
  const elsewhere =
    door.tls === undefined
      ? startVm(`${dataPlane}_${tried}_elsewhere`)
      : part('tls', door.tls.certificate, door.tls.key);
  try {
    const port = await gateway.start();
    await gateway.add('vm', await vm.says);
    const elsewherePort = await elsewhere.says;
    const pids = await gateway.pids();
    const phase = async (forSeconds: number, at?: number) => {
      await workedOff([...pids, vm.pid, elsewhere.pid, ...also]);
      return playPhase({ port, by, pids, vm: vm.pid, client, at, seconds: forSeconds });
    };
    await askFor(port, by, 300);
    const all: [Phase, Phase, Phase][] = [];
    for (let i = 0; i < rounds; i++) {
      const [alone, away] = [await phase(compareSeconds), await phase(compareSeconds, elsewherePort)];
      all.push([alone, away, await phase(seconds, port)]);
    }
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
      vmAlone: of(0, 'vmTakes'),
      vmBeside: of(2, 'vmTakes'),
      gatewayMb: Math.max(...all.map((round) => round[2].gatewayMb)),
      vmMb: Math.max(...all.map((round) => round[2].vmMb)),
    };
  } finally {
    by.agent.destroy();
    await gateway.stop();
    await vm.kill();
    await elsewhere.kill();
    folder.remove();
  }
}

type By = RequestOptions & { readonly agent: Agent };

/** The gateway's, and how the others come in by it. */
async function openDoor(kind: Hostile['door'], folder: string): Promise<{ door: Door; by: By }> {
  if (kind === undefined) return { door: {}, by: { agent: new Agent({ keepAlive: true }) } };
  if (kind === 'keys') {
    const { key, record } = keyOf('others');
    const issuer = new TokenIssuer(folder);
    await issuer.rotate(KEY_ID);
    const door = { known: { keys: [record], jwks: issuer.jwks } };
    return { door, by: { agent: new Agent({ keepAlive: true }), headers: { authorization: `Bearer ${key}` } } };
  }
  const authority = new Authority(folder);
  const agent = new TlsAgent({ keepAlive: true, ca: authority.pem });
  return { door: { tls: authority.issue('gateway') }, by: { agent, protocol: 'https:' } };
}

interface Play {
  readonly port: number;
  readonly by: By;
  readonly pids: readonly number[];
  readonly vm: number;
  readonly client: string;
  /** Where the hostile client plays; undefined: nowhere. */
  readonly at: number | undefined;
  readonly seconds: number;
}

async function playPhase({ port, by, pids, vm, client, at, seconds }: Play): Promise<Phase> {
  const hostile = at === undefined ? undefined : part('hostile', client, String(at));
  await hostile?.says;
  const growth = [watchGrowth(pids), watchGrowth([vm])];
  const takes = [pids, hostile === undefined ? [] : [hostile.pid], [vm]].map(watchProcessors);
  const told = await askFor(port, by, seconds * 1000);
  const [gatewayPart = 0, clientPart = 0, vmTakes = 0] = takes.map((part) => part());
  const [gatewayMb = 0, vmMb = 0] = growth.map((most) => most());
  await hostile?.kill();
  return { ...told, gateway: gatewayPart, client: clientPart, vmTakes, gatewayMb, vmMb };
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const HEAD = [
  'client',
  'asked',
  'lost',
  'alone',
  'elsewhere',
  'beside',
  '× alone',
  '× elsewhere',
  'gateway CPU',
  'VM CPU',
  'its CPU',
];
const GROWN = ['gateway MB', 'VM MB', 'not kept'];

async function main(): Promise<void> {
  const { values } = commandOptions({
    options: {
      seconds: { type: 'string', default: '2' },
      compare: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      plane: { type: 'string' },
      client: { type: 'string', multiple: true },
      repository: { type: 'string' },
      http2: { type: 'boolean', default: false },
    },
  });
  const planes = (['builtin', 'haproxy'] as const).filter((plane) =>
    [undefined, plane].includes(values.plane as Plane),
  );
  const clients = CLIENTS.filter(({ name }) => values.client === undefined || values.client.includes(name));
  const toPlay = (plane: Plane) => clients.filter((client) => plays(plane, client));
  const database = values.repository === 'mysql' ? await startMariaDb() : undefined;
  const repository = database && ((name: string) => database.url(name));
  const progress = startProgress(planes.flatMap(toPlay).length);
  for (const plane of planes) {
    print(
      `\n${plane}: p95 of the others in ms: alone, beside the client elsewhere, beside it here; CPU in parts of a processor\n`,
    );
    print(`| ${[...HEAD, ...GROWN].join(' | ')} |`);
    print(`|${' --- |'.repeat(HEAD.length + GROWN.length)}`);
    for (const { name } of toPlay(plane)) {
      progress(`${plane}: ${name}`);
      const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
      const compareSeconds = Number(values.compare ?? values.seconds);
      const also = database === undefined ? [] : [database.pid()];
      const { http2 } = values;
      const one = await playAgainst(plane, name, { seconds, compareSeconds, rounds, repository, also, http2 });
      const broken = notKept(one);
      print(`| ${name} | ${cellsOf(one).join(' | ')} | ${broken.join(', ')} |`);
      if (broken.length > 0) process.exitCode = 1;
    }
  }
  await database?.stop();
}

/** The p95 of others is to be twice what it is beside the same client elsewhere at most; what is within some ms is no matter. */
const NO_MATTER_MS = 10;

function notKept({ lost, elsewhere, beside, gatewayMb, vmMb }: Outcome): string[] {
  return [
    ...(lost > 0 ? ['lost'] : []),
    ...(beside > 2 * elsewhere && beside - elsewhere > NO_MATTER_MS ? ['p95'] : []),
    ...(Math.max(gatewayMb, vmMb) > MOST_MB ? ['memory'] : []),
  ];
}

function cellsOf(one: Outcome): (string | number)[] {
  const { asked, lost, alone, elsewhere, beside } = one;
  const times = [alone, elsewhere, beside, beside / alone, beside / elsewhere].map((value) => value.toFixed(1));
  const part = (before: number, during: number): string => `${before.toFixed(2)} → ${during.toFixed(2)}`;
  const cpu = [part(one.gatewayAlone, one.gatewayBeside), part(one.vmAlone, one.vmBeside)];
  return [asked, lost, ...times, ...cpu, one.clientTakes.toFixed(2), one.gatewayMb, one.vmMb];
}

const answerAsVm: RequestListener = (request, response) => {
  request.on('error', () => {});
  if (request.url === GATEWAY_DEFAULTS.health.path) response.end();
  else if (request.url === STRANGERS_PATH) response.writeHead(401).end();
  else if (request.url === '/refused') response.writeHead(415, { 'content-length': 0, connection: 'close' }).end();
  else if (request.headers['x-large'] !== undefined) response.end(LARGE);
  else request.on('end', () => setTimeout(() => response.end('answer'), SERVICE_MS)).resume();
};

function serveAsVm(): void {
  const server = createServer({ maxHeaderSize: 65_536 }, answerAsVm);
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

/** The same for clients by TLS, HTTP/2 included. */
function serveByTls(certificate: string, key: string): void {
  const pair = { cert: readFileSync(certificate), key: readFileSync(key) };
  const server = createSecureServer({ ...pair, allowHTTP1: true }, answerAsVm as never);
  server.on('sessionError', () => {}).on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

async function serveAsEpcis(url: string): Promise<void> {
  const server = await startEpcisServer({
    repository: { url },
    ...{ port: 0, subscriptionTargets: ['127.0.0.1'], log: pino({ level: 'silent' }) },
  });
  const capture = {
    method: 'POST',
    headers: { 'content-type': 'application/xml' },
    // newer than what hostile clients capture: a page of theirs would be in each answer that is measured
    body: xml2(Array.from({ length: 50 }, (_, i) => objectXml('', { epc: `urn:x:others:${i}` })).join('')),
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
  else if (what === 'tls') serveByTls(name, port as string);
  else if (what === 'epcis') await serveAsEpcis(name);
  else if (what === 'hostile') await playHostile(name, Number(port));
  else await main();
}
