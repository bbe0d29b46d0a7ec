// A gateway, a VM and one hostile client at a time, each a process of its own, and the others, who ask from here.
import { Agent, createServer, type RequestListener, type RequestOptions } from 'node:http';
import { createSecureServer } from 'node:http2';
import { Agent as TlsAgent } from 'node:https';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { startEpcisServer } from '../../epcis/server.ts';
import { GATEWAY_DEFAULTS } from '../../src/balance/core/options.ts';
import type { Counters } from '../../src/balance/core/counters.ts';
import { VM_NODE_OPTIONS } from '../../src/manager/vm-program.ts';
import { Authority } from '../helpers/certificates.ts';
import { objectXml, xml2 } from '../helpers/epcis-documents.ts';
import { keyOf, TokenIssuer } from '../helpers/gatekeeper.ts';
import { GatewayProcess, type Door } from '../helpers/gateway-process.ts';
import { temporaryFolder, type TemporaryFolder } from '../helpers/temporary-folder.ts';
import { startHostile, type Plane } from './hostile-all.ts';
import type { Hostile } from './hostile.ts';
import { KEY_ID, STRANGERS_PATH } from './hostile-keys.ts';
import { askFor, watchGrowth, watchProcessors, workedOff } from './others.ts';
import { startPart, type Part } from './part.ts';

/**
 * MB that gateway (with its HAProxy) and VM may grow beside a hostile client: answers that are kept for slow readers (64), heads and
 * pieces of bodies of all connections, and what a JavaScript heap takes before it is tidied up.
 */
export const MOST_MB = 256;

const LARGE = Buffer.alloc(32 << 20);
/** What a VM takes for a query. */
const SERVICE_MS = 5;

export interface Phase {
  readonly asked: number;
  readonly lost: number;
  /** ms at the 95th percentile. */
  readonly p95: number;
  /** Parts of a processor that the gateway (and its HAProxy), the client and the VM take. */
  readonly gateway: number;
  readonly client: number;
  readonly vm: number;
  /** MB more than before, at most. */
  readonly gatewayMb: number;
  readonly vmMb: number;
}

export interface StageOptions {
  readonly plane: Plane;
  /** For clients of this kind. */
  readonly like: Pick<Hostile, 'epcis' | 'door'>;
  /** Where a VM that serves EPCIS keeps its events, by its name; else in a file. */
  readonly repository?: ((name: string) => string) | undefined;
  readonly http2?: boolean;
  /** Others that have to have done with one phase before the next begins: the database. */
  readonly also?: readonly number[];
}

type By = RequestOptions & { readonly agent: Agent };

/** Where a hostile client plays; `elsewhere` is a server that is on nobody's way. */
type Where = 'nowhere' | 'elsewhere' | 'here';

export class Stage {
  readonly #folder: TemporaryFolder;
  readonly #by: By;
  readonly #gateway: GatewayProcess;
  readonly #vm: Part<number>;
  readonly #startElsewhere: () => Part<number>;
  readonly #also: readonly number[];
  #elsewhere: Part<number> | undefined;
  #port = 0;
  #pids: readonly number[] = [];

  private constructor(folder: TemporaryFolder, { door, by }: Opened, options: StageOptions) {
    const { plane, like, repository, http2 = false, also = [] } = options;
    const { tls } = door;
    const urlOf = repository ?? ((name: string) => `sqlite://${folder.path}/${name}.db`);
    const startVm = (name: string) =>
      like.epcis === true ? part(['epcis', urlOf(name)], VM_NODE_OPTIONS) : part(['vm']);
    this.#folder = folder;
    this.#by = by;
    this.#also = also;
    this.#gateway = new GatewayProcess(plane, { ...door, http2 });
    this.#vm = startVm('here');
    this.#startElsewhere = () => (tls === undefined ? startVm('elsewhere') : part(['tls', tls.certificate, tls.key]));
  }

  static async open(options: StageOptions): Promise<Stage> {
    const folder = temporaryFolder();
    const stage = new Stage(folder, await openDoor(options.like.door, folder.path), options);
    stage.#port = await stage.#gateway.start();
    await stage.#gateway.add('vm', await stage.#vm.says);
    stage.#pids = await stage.#gateway.pids();
    await askFor(stage.#port, stage.#by, 300);
    return stage;
  }

  /** The others ask for so long, and at least so often, beside the client or without it. */
  async play(client: Hostile, ms: number, where: Where = 'here', least = 0): Promise<Phase> {
    const port = await this.#portOf(where);
    const hostile = port === undefined ? undefined : startHostile(client, port);
    await hostile?.says;
    const growth = [watchGrowth(this.#pids), watchGrowth([this.#vm.pid])];
    const takes = [this.#pids, hostile === undefined ? [] : [hostile.pid], [this.#vm.pid]].map(watchProcessors);
    const told = await askFor(this.#port, this.#by, ms, least);
    const [gateway = 0, clientTakes = 0, vm = 0] = takes.map((part) => part());
    const [gatewayMb = 0, vmMb = 0] = growth.map((most) => most());
    await hostile?.kill();
    return { ...told, gateway, client: clientTakes, vm, gatewayMb, vmMb };
  }

  /** When all have done with what a client left behind that is gone. */
  calm(): Promise<void> {
    return workedOff([...this.#pids, this.#vm.pid, ...(this.#elsewhere ? [this.#elsewhere.pid] : []), ...this.#also]);
  }

  counters(): Promise<Counters> {
    return this.#gateway.counters();
  }

  async close(): Promise<void> {
    this.#by.agent.destroy();
    await this.#gateway.stop();
    await this.#vm.kill();
    await this.#elsewhere?.kill();
    this.#folder.remove();
  }

  async #portOf(where: Where): Promise<number | undefined> {
    if (where === 'nowhere') return undefined;
    if (where === 'here') return this.#port;
    if (this.#elsewhere !== undefined) return this.#elsewhere.says;
    this.#elsewhere = this.#startElsewhere();
    const port = await this.#elsewhere.says;
    await this.calm();
    return port;
  }
}

const part = (args: readonly string[], node: readonly string[] = []) => startPart(import.meta.filename, args, node);

/** The gateway's, and how the others come in by it. */
interface Opened {
  readonly door: Door;
  readonly by: By;
}

async function openDoor(kind: Hostile['door'], folder: string): Promise<Opened> {
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , what = '', name = '', key = ''] = process.argv;
  // a part goes with whoever began it
  process.on('disconnect', () => process.exit());
  if (what === 'vm') serveAsVm();
  else if (what === 'tls') serveByTls(name, key);
  else if (what === 'epcis') await serveAsEpcis(name);
}
