// The EPCIS service of one VM. `startEpcisServer` is the one entry of this folder.
import type { IncomingMessage } from 'node:http';
import { pino } from 'pino';
import { CLIENT_HEADER, CLIENT_HEADER_NEXT, clientKey, readClient } from './access/client-token.ts';
import { EvenTime } from './access/even-time.ts';
import { GatewayTime } from './access/gateway-time.ts';
import type { ClientIdentity } from './access/identity.ts';
import type { Clients } from './bindings/http/doors.ts';
import type { Log } from './bindings/http/failure.ts';
import type { Certificate } from './bindings/http/tls.ts';
import { isAboutDocuments, serve } from './bindings/http/serve.ts';
import { closedDoors, createRouters } from './bindings/routers.ts';
import { checkDocument } from './checks/checks.ts';
import { openCompanyPrefixes } from './company-prefixes.ts';
import { withDefaults, type EpcisOptions, type Settings } from './options.ts';
import type { Database, OpenDatabase } from './repository/database/database.ts';
import { createEventRepository, repositorySecret } from './repository/event-repository.ts';
import { repositorySettings } from './repository/database/options.ts';
import { urlOfTenant } from './tenants.ts';
import { EpcisException } from './domain/exceptions.ts';
import { migrate } from './repository/migrate.ts';
import { openDatabase } from './repository/database/open.ts';
import { reachable } from './repository/database/reachable.ts';
import { repositoryTime } from './repository/time.ts';
import { GiveWay } from './service/give-way.ts';
import { TenantTurns } from './service/tenant-turns.ts';
import type { Backlog } from './service/jobs.ts';
import type { EventRepository } from './service/repository.ts';
import { repositoryHistory } from './service/rule-history.ts';
import { traced } from './repository/database/traced.ts';
import { startTracing, type Tracing } from './tracing/start.ts';
import type { Tracer } from './tracing/tracer.ts';
import { createDocuments, wire, type OpenCheck, type Wired } from './wire.ts';

export { DEFAULTS, type EpcisLimits, type EpcisOptions } from './options.ts';

export interface EpcisServer {
  /** `http://host:port`, with the port that was taken. */
  readonly address: string;
  readonly port: number;
  /** Capture jobs that wait or run, in the whole fleet. */
  backlog(): Promise<Backlog>;
  /** New connections by TLS get it; for a service that was started with one. */
  useCertificate(certificate: Certificate): void;
  /** Resolves when requests in flight are answered, work at hand is done or given back, and the repository is closed. */
  close(): Promise<void>;
}

/** Resolves when the service answers requests; rejects with a sentence for the operator. */
export async function startEpcisServer(options: EpcisOptions, open = openDatabase): Promise<EpcisServer> {
  const settings = withDefaults(options);
  const log = options.log ?? pino({ name: 'epcis' });
  const opened = await open(options.repository);
  const { tracing: wanted } = options;
  const tracing = wanted && startTracing(wanted, wanted.resource, log);
  const database = watched(opened, log, tracing);
  try {
    await migrate(opened);
    return await start(settings, database, log, tracing);
  } catch (error) {
    await database.close();
    await tracing?.close();
    throw error;
  }
}

async function start(settings: Settings, database: Database, log: Log, tracing?: Tracing): Promise<EpcisServer> {
  const {
    limits,
    host,
    cores = 1,
    restPrefix: prefix,
    pageTokenSeconds: tokenSeconds,
    contextPaths,
    compressFrom,
  } = settings;
  const secret = settings.secret ?? (await repositorySecret(database));
  const repositoryNow = await repositoryTime(database);
  const prefixes = openCompanyPrefixes(settings.companyPrefixes);
  const giveWay = new GiveWay(limits.uploadShare, { ...PROCESS_TIME, used: cpuMs }, cores);
  // with no tenants there is nobody to take turns with
  const turns = settings.tenants.length > 0 ? new TenantTurns(limits.tenantShare, cores, PROCESS_TIME) : undefined;
  const tracer = tracing?.tracer;
  const even = new EvenTime();
  const wireTenant: WireTenant = async (over, tenant) => {
    const turn = turns && { turn: turns.of(tenant) };
    const times = { now: () => Date.now(), queryTimeoutMs: limits.querySeconds * 1000 };
    const elementLimits = { itemBytes: limits.eventBytes, itemValues: limits.eventValues };
    const events = createEventRepository(over, { ...times, elementLimits, ...turn });
    const open = await checksOf(settings, events);
    const documents = createDocuments(limits, prefixes, giveWay, {
      ...(open && { open }),
      ...turn,
      ...(settings.role && { role: settings.role }),
    });
    return wire(settings, over, events, documents, log, {
      now: repositoryNow,
      secret,
      even,
      ...(tracer && { tracer }),
      ...turn,
    });
  };
  const wired = await wireTenant(database);
  const tenants = await orClose(
    () => openTenants(settings, wireTenant, log, tracer),
    () => wired.close(),
  );
  const { services, documents } = wired;
  const [contextPath] = contextPaths;
  const queryPath = contextPath === undefined ? undefined : `${contextPath}/query`;
  const rest = { prefix, secret, tokenSeconds, tokenTime: repositoryNow, queryPath };
  const clients = settings.access ? { clients: clientsOf(settings, wired, tenants, turns, repositoryNow) } : {};
  const doors = { services, ...clients, documents, limits, compressFrom, log, now: () => new Date(), rest };
  const asked = (): void => giveWay.asked();
  const ready = async (): Promise<void> => void (await database.all('SELECT 1'));
  const closing = async (): Promise<void> => {
    await wired.close();
    for (const tenant of tenants.values()) await tenant.close();
    await even.close();
  };
  const routers = settings.role === 'work' ? closedDoors() : createRouters(doors, contextPaths);
  const http = await orClose(() => serve(routers, { ...settings, ready, asked, ...(tracer && { tracer }) }), closing);
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${http.port}`;
  log.info({ address }, 'EPCIS service is listening');
  let closed: Promise<void> | undefined;
  return {
    address,
    port: http.port,
    backlog: () => services.jobs.backlog(),
    useCertificate: (certificate) => http.useCertificate(certificate),
    close: () => (closed ??= close(http, closing, database).then(() => tracing?.close())),
  };
}

/** As requests have it: it does not keep them waiting when it goes away, and traces tell of it. */
function watched(database: OpenDatabase, log: Log, traces: object | undefined): Database {
  const watching = reachable(database, repositoryTeller(log));
  return traces === undefined ? watching : traced(watching);
}

const SAID_AGAIN_MS = 10_000;

/** Every request meets the same: that is no line for each. */
function repositoryTeller(log: Log): (why: unknown) => void {
  let saidAt = -Infinity;
  return (why) => {
    if (why === undefined) {
      saidAt = -Infinity;
      return log.info({}, 'The repository answers again.');
    }
    const now = performance.now();
    if (now - saidAt < SAID_AGAIN_MS) return;
    saidAt = now;
    const sentence = (why as Error).message;
    log.error({ why: sentence }, 'The repository does not answer, or cannot be written to: requests are answered 503.');
  };
}

/** The services over the repository of one tenant, or of who belongs to none. */
type WireTenant = (database: Database, tenant?: string) => Promise<Wired>;

const PROCESS_TIME = {
  now: () => performance.now(),
  active: () => performance.eventLoopUtilization().active,
  sleep: (ms: number) => new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve))),
};

/** Each tenant's services over its own repository, which is made where there is none; their connections together are as many as the main one's. */
async function openTenants(
  settings: Settings,
  wireTenant: WireTenant,
  log: Log,
  tracer: Tracer | undefined,
): Promise<ReadonlyMap<string, Wired>> {
  const { tenants, repository } = settings;
  const poolSize = Math.max(
    2,
    Math.ceil((repository.poolSize ?? repositorySettings.poolSize.default) / tenants.length),
  );
  const opened = new Map<string, Wired>();
  try {
    for (const tenant of tenants) {
      const own = await openDatabase({ url: urlOfTenant(repository.url, tenant), poolSize });
      const database = watched(own, log, tracer);
      const wired = await orClose(
        async () => {
          await migrate(own);
          return wireTenant(database, tenant);
        },
        () => database.close(),
      );
      const close = async (): Promise<void> => {
        await wired.close();
        await database.close();
      };
      opened.set(tenant, { ...wired, close });
    }
    return opened;
  } catch (error) {
    for (const tenant of opened.values()) await tenant.close();
    throw error;
  }
}

/** What the operator has documents checked for; loaded only where there is something. */
async function checksOf({ checks: file }: Settings, events: EventRepository): Promise<OpenCheck> {
  if (file === '') return undefined;
  const { openChecks } = await import('./checks/open-checks.ts');
  const checks = await openChecks(file);
  const before = repositoryHistory(events);
  return () => checkDocument(checks, before);
}

/** That this process has used, of one core. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Those whom the gateway vouches for, by a header on each request. */
function clientsOf(
  { groupSecret = '', clientKey: given }: Settings,
  wired: Wired,
  tenants: ReadonlyMap<string, Wired>,
  turns: TenantTurns | undefined,
  repository: () => number,
): Clients {
  const key = given ?? clientKey(groupSecret);
  const gateway = new GatewayTime({ repository, own: Date.now, elapsed: () => performance.now() });
  const isGood = (expires: number): boolean => gateway.isGood(expires);
  const wiredFor = ({ tenant }: ClientIdentity): Wired => {
    const own = tenant === undefined ? wired : tenants.get(tenant);
    if (own === undefined) throw new EpcisException('SecurityException', `There is no tenant ${tenant} here.`);
    return own;
  };
  return {
    of: (request: IncomingMessage & { readonly originalUrl?: string }) => {
      const { method = '', headers } = request;
      // as the gateway sent it: routers take the prefix off
      const path = request.originalUrl ?? request.url ?? '';
      for (const text of [headers[CLIENT_HEADER], headers[CLIENT_HEADER_NEXT]]) {
        const client = typeof text === 'string' ? readClient(text, { method, path }, key, isGood) : undefined;
        if (client === undefined) continue;
        if (!isAboutDocuments(path)) turns?.asked(client.tenant);
        return client;
      }
      return undefined;
    },
    services: (client) => wiredFor(client).servicesFor(client),
    documents: (client) => wiredFor(client).documents,
  };
}

/** What was started before must not run on where this fails: a tenant's repository that is away, a port that is taken. */
async function orClose<T>(work: () => Promise<T>, close: () => Promise<void>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await close();
    throw error;
  }
}

async function close(
  http: { close(): Promise<void> },
  closing: () => Promise<void>,
  database: Database,
): Promise<void> {
  await http.close();
  await closing();
  await database.close();
}
