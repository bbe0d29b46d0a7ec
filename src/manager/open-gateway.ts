// The gateway of this process, or those of others, and the clients' keys that it is told.
import { hash } from 'node:crypto';
import { startTracing, type Tracing } from '../../epcis/tracing/start.ts';
import type { Tracer } from '../../epcis/tracing/tracer.ts';
import { startControlServer, type ControlServer } from '../balance/remote/control-server.ts';
import { gatewayCluster } from '../balance/builtin/gateway-cluster.ts';
import { startHaproxy } from '../balance/haproxy/start.ts';
import { startGateway } from '../balance/gateway.ts';
import type { Gateway } from '../balance/core/contract.ts';
import { connectGateways, type RemoteGatewayOptions } from '../balance/remote/remote-gateway.ts';
import type { Access } from '../access/access.ts';
import type { ClientKeys } from '../admin/source.ts';
import { readWhole, whyUnreadable } from '../../epcis/files/read-whole.ts';
import { namedIn } from '../config/rules.ts';
import type { Config } from '../config/schema.ts';
import { MmeliotError } from '../errors.ts';
import { clientsAreKnown } from '../access/options.ts';
import { clientAccess } from './client-access.ts';
import type { Closing } from './closing.ts';
import type { DataFolder } from './data-folder.ts';
import type { GroupSecret } from './group-secret.ts';
import { openKeyStore, readKeys } from './key-store.ts';
import { VERSION } from './program.ts';
import type { Log } from '../telemetry/log.ts';
import { GATEWAY_NAME, trustInAll, VM_NAME } from '../tls/group.ts';

interface Parts {
  readonly secret: Pick<GroupSecret, 'all'>;
  /** Undefined: anybody may come in. */
  readonly access: Access | undefined;
  /** Undefined: there are no traces. */
  readonly tracer: Tracer | undefined;
}

/** Who sends the gateway's spans. */
export const gatewayTracing = ({ tracing, group }: Config, log: Log): Tracing | undefined =>
  startTracing(
    tracing,
    { 'service.name': 'mmeliot-gateway', 'service.namespace': group, 'service.version': VERSION },
    log,
  );

export async function openGateway(config: Config, folder: DataFolder, log: Log, parts: Parts): Promise<Gateway> {
  const { secret, access, tracer } = parts;
  const now = () => performance.timeOrigin + performance.now();
  try {
    const haproxy = { folder: folder.path, start: startHaproxy };
    const { corsOrigins } = config.epcis;
    const vmTrust = trustInAll(secret.all, VM_NAME);
    return await startGateway(config.gateway, {
      ...{ now, log, corsOrigins, haproxy, vmTrust },
      ...(tracer && { tracer }),
      ...(access && { access }),
    });
  } catch (error) {
    throw config.gateway.dataPlane === 'haproxy'
      ? haproxyError(error as Error, config.gateway)
      : listenError(error, 'gateway.', config.gateway);
  }
}

function haproxyError(error: Error, { host, port }: Config['gateway']): MmeliotError {
  const hint = `Is HAProxy 2.6 or later installed, and is port ${port} of ${host} free?`;
  return new MmeliotError('CONFIG_INVALID', `gateway.dataPlane is haproxy: ${error.message} ${hint}`, { cause: error });
}

export async function openControlServer(
  gateway: Gateway,
  config: Config,
  log: Log,
  secret: Pick<GroupSecret, 'all'>,
): Promise<ControlServer> {
  try {
    const { tenants } = config.epcis;
    const settings = settingsOf(config);
    const options = { ...config.gateway.control, secrets: secret.all, tenants, settings };
    return await startControlServer(gateway, options, log);
  } catch (error) {
    throw listenError(error, 'gateway.control.', config.gateway.control);
  }
}

/** What clients notice of a gateway, by names. */
function settingsOf(config: Config): Readonly<Record<string, string>> {
  const { corsOrigins } = config.epcis;
  const { identity } = config;
  const told = { gateway: shared(config.gateway), identity, access: clientsAreKnown(config), epcis: { corsOrigins } };
  return Object.fromEntries(digests(told));
}

/** Where it listens and its certificate are its own. */
const shared = ({ host: _, port: _1, control: _2, tls: _3, ...rest }: Config['gateway']): object => rest;

/** Example: { queue: { capacity: 3 } } is one of `queue.capacity`. */
const digests = (values: object, before = ''): (readonly [string, string])[] =>
  Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? digests(value, `${before}${name}.`)
      : [[`${before}${name}`, hash('sha256', JSON.stringify(value) ?? '').slice(0, 16)] as const],
  );

function rootsIn(file: string): string {
  try {
    return readWhole(file).toString();
  } catch (error) {
    throw new MmeliotError('CONFIG_INVALID', `manager.gatewayCa ${file} ${whyUnreadable(error)}.`, { cause: error });
  }
}

/** How the gateways named by manager.gateways are spoken to. */
export function gatewaysOf({ manager }: Config, secrets: () => readonly string[]): readonly RemoteGatewayOptions[] {
  const { gateways, gatewayCa } = manager;
  const group = trustInAll(secrets, GATEWAY_NAME);
  return gateways.map((url) => ({ url, secrets, group, ...(gatewayCa !== '' && { ca: rootsIn(gatewayCa) }) }));
}

/** The gateways named by manager.gateways, as one. */
async function openRemoteGateways(
  config: Config,
  log: Log,
  { all: secrets }: Pick<GroupSecret, 'all'>,
): Promise<Gateway> {
  const all = gatewaysOf(config, secrets).map((one) => ({ ...one, tenants: config.epcis.tenants }));
  const [first, ...others] = await connectGateways(all, log).catch((error: Error) => {
    throw new MmeliotError('CONFIG_INVALID', `manager.gateways: ${error.message}`, { cause: error });
  });
  if (first === undefined) {
    const what =
      'manager.gateways is empty: name the control door of each `mmeliot gateway`, for instance http://127.0.0.1:8083.';
    throw new MmeliotError('CONFIG_INVALID', what);
  }
  return gatewayCluster([first, ...others], log);
}

/** The gateway, of this process or others, and the clients' keys that it is told. */
export async function openGateways(
  config: Config,
  folder: DataFolder,
  log: Log,
  whose: 'own' | 'remote',
  secret: Pick<GroupSecret, 'all'>,
  closing: Closing,
): Promise<{ gateway: Gateway; keys: ClientKeys }> {
  const file = folder.file('keys.json');
  const tracing = whose === 'own' ? gatewayTracing(config, log) : undefined;
  closing.add(async () => tracing?.close());
  const gateway =
    whose === 'own'
      ? await openGateway(config, folder, log, {
          ...{ secret, access: clientAccess(config, secret, readKeys(file)), tracer: tracing?.tracer },
        })
      : await openRemoteGateways(config, log, secret);
  closing.add(() => gateway.close());
  const keys = openKeyStore({ file, named: namedIn(config), now: Date.now, tell: (all) => gateway.setKeys(all) });
  if (whose === 'remote') await gateway.setKeys(readKeys(file));
  return { gateway, keys };
}

const FIRST_FREE_PORT = 1024;

/** A port that can't be had, in one sentence; any other error as it is. */
export function listenError(error: unknown, setting: string, { host, port }: { host: string; port: number }): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    const what = `Port ${port} of ${host} (${setting}port) is in use by another process: stop that one, or choose another port.`;
    return new MmeliotError('PORT_TAKEN', what, { cause: error });
  }
  if (code === 'EACCES' && port < FIRST_FREE_PORT) {
    const what = `Port ${port} of ${host} (${setting}port) may be listened on only by who has the right to ports below ${FIRST_FREE_PORT} (CAP_NET_BIND_SERVICE): choose another port, or give that right.`;
    return new MmeliotError('CONFIG_INVALID', what, { cause: error });
  }
  if (code !== undefined && /^E(ACCES|ADDRNOTAVAIL|NOTFOUND)$/.test(code)) {
    const what = `Nothing can listen on ${host}, port ${port} (${code}): check ${setting}host and ${setting}port.`;
    return new MmeliotError('CONFIG_INVALID', what, { cause: error });
  }
  return error;
}
