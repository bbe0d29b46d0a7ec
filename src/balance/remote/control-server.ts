// The door by which a manager in another process steers a gateway: GatewayPort as HTTP, authenticated by the group's secret.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KeyRecord } from '../../access/keys.ts';
import type { Address } from '../../model.ts';
import { contextOf, readPair, watchPair, type Pair } from '../../tls/certificate.ts';
import { GATEWAY_NAME, groupCertificate, RENEW_MS } from '../../tls/group.ts';
import { isLoopback } from '../../../epcis/domain/address.ts';
import { hasTls, type TlsFiles } from '../../settings/tls.ts';
import type { Gateway, GatewayLog } from '../core/contract.ts';
import type { GatewayState } from './remote-gateway.ts';

export interface ControlOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The group's, the newest first: two while it is changed. The same list until it changes. */
  readonly secrets: () => readonly string[];
  /** Without files it has a certificate of the group, unless only this machine reaches it. */
  readonly tls: TlsFiles;
  /** Whose hosts and limits the gateway knows. */
  readonly tenants?: readonly string[];
  /** What the gateway was started with, each setting as a digest. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface ControlServer {
  readonly address: Address;
  readonly secure: boolean;
  close(): Promise<void>;
}

const MAX_BODY = 10_000_000;
const LOOK_MS = 500;

export async function startControlServer(
  gateway: Gateway,
  options: ControlOptions,
  log: GatewayLog,
): Promise<ControlServer> {
  const { tls } = options;
  const handler = (request: IncomingMessage, response: ServerResponse) =>
    void answer(gateway, options, request, response);
  const secure = hasTls(tls) || !isLoopback(options.host);
  const own = () => groupCertificate(options.secrets()[0] ?? '', GATEWAY_NAME, Date.now());
  const server = secure
    ? createTlsServer(contextOf(hasTls(tls) ? readPair(tls) : own()), handler)
    : createServer(handler);
  const problem = (error: Error) =>
    log.warn({ file: tls.certificate }, `The certificate stays as it was: ${error.message}`);
  const use = (pair: Pair) => 'setSecureContext' in server && server.setSecureContext(contextOf(pair));
  const renewal = setInterval(() => hasTls(tls) || use(own()), RENEW_MS).unref();
  let known = options.secrets();
  const follow = setInterval(() => {
    if (hasTls(tls) || options.secrets() === known) return;
    known = options.secrets();
    use(own());
  }, LOOK_MS).unref();
  const stopWatching = hasTls(tls) ? watchPair(tls, use, problem) : () => {};
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: { host: options.host, port },
    secure,
    close: async () => {
      clearInterval(renewal);
      clearInterval(follow);
      stopWatching();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  gateway: Gateway,
  options: ControlOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const say = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (!options.secrets().some((secret) => isAuthorised(request.headers.authorization, secret))) {
    say(401, { error: "The manager's secret is not this gateway's: give both the same collector.secret." });
    return;
  }
  try {
    const result = await serve(gateway, options, request);
    if (result === undefined) say(404, { error: 'There is no such call.' });
    else say(200, result);
  } catch (error) {
    say(400, { error: (error as Error).message });
  }
}

/** Both sides hashed, so that the comparison tells nothing of the secret's length. */
function isAuthorised(header: string | undefined, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return secret !== '' && timingSafeEqual(digest(header ?? ''), digest(`Bearer ${secret}`));
}

async function serve(gateway: Gateway, options: ControlOptions, request: IncomingMessage): Promise<object | undefined> {
  const [, resource, id = '', action] = (request.url ?? '').split('/').map(decodeURIComponent);
  const call = `${request.method} ${resource}${id === '' ? '' : '/id'}${action === undefined ? '' : `/${action}`}`;
  switch (call) {
    case 'GET state':
      return stateOf(gateway, options);
    case 'PUT keys':
      await gateway.setKeys(keysIn(await body(request)));
      return {};
    case 'PUT vms/id':
      await gateway.add(id, addressIn(await body(request)));
      return {};
    case 'POST vms/id/drain':
      return { empty: await gateway.drain(id, numberIn(await body(request), 'deadlineMs')) };
    case 'DELETE vms/id':
      await gateway.remove(id);
      return {};
    case 'PUT vms/id/load':
      gateway.reportLoad(id, numberIn(await body(request), 'load'));
      return {};
    default:
      return undefined;
  }
}

function stateOf(gateway: Gateway, { tenants = [], settings = {} }: ControlOptions): GatewayState {
  const { vms, ...counters } = gateway.counters();
  return {
    address: gateway.address,
    secure: gateway.secure,
    fleet: gateway.fleet(),
    keys: gateway.keys,
    tenants,
    settings,
    problems: gateway.problems ?? [],
    counters: { ...counters, vms: [...vms] },
  };
}

async function body(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_BODY) throw new Error('The body is too large.');
  }
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error('A JSON object is expected.');
  return value as Record<string, unknown>;
}

function addressIn({ host, port }: Readonly<Record<string, unknown>>): Address {
  if (typeof host !== 'string' || !Number.isInteger(port)) throw new Error('An address has a host and a port.');
  return { host, port: port as number };
}

function keysIn({ keys }: Readonly<Record<string, unknown>>): readonly KeyRecord[] {
  if (!Array.isArray(keys)) throw new Error('Keys are a list.');
  return keys as readonly KeyRecord[];
}

function numberIn(values: Readonly<Record<string, unknown>>, name: string): number {
  const value = values[name];
  if (typeof value !== 'number' || !(value >= 0)) throw new Error(`${name} is a number of 0 or more.`);
  return value;
}
