// The composition root: puts the manager together from its parts. What is behind the two ports, the cloud and the
// gateway, is chosen in open-provider.ts and open-gateway.ts.
import { randomUUID } from 'node:crypto';
import { uptime } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, getGlobalDispatcher, request } from 'undici';
import { parse } from 'yaml';
import { rulesHistory } from '../../epcis/repository/access-rules.ts';
import { createJobStore } from '../../epcis/repository/jobs.ts';
import { createSubscriptionStore } from '../../epcis/repository/subscriptions.ts';
import { startAdminServer } from '../admin/server.ts';
import { toYaml } from '../config/print.ts';
import { markOf, ofRole } from '../act/of-role.ts';
import type { Remains } from '../act/release-all.ts';
import { workParametersOf } from '../config/roles.ts';
import { namedIn } from '../config/rules.ts';
import { parametersOf, type Config } from '../config/schema.ts';
import type { Gateway } from '../balance/core/contract.ts';
import { byTls } from '../balance/core/options.ts';
import { connectionOf, trustInAll, VM_NAME, type GroupTrust } from '../tls/group.ts';
import type { Clock } from '../loop/clock.ts';
import type { Condition } from '../loop/conditions.ts';
import { defined } from '../loop/defined.ts';
import { createControlLoop, type ControlLoop } from '../loop/control-loop.ts';
import type { Address } from '../model.ts';
import { Monitor } from '../monitor/monitor.ts';
import { hostFromHere, showAddress } from '../../epcis/domain/address.ts';
import { startCollector } from '../monitor/udp/collector.ts';
import { openJournalFile, readJournal, type JournalFile } from './journal-file.ts';
import type { Log } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import type { MetricSources } from '../telemetry/readings.ts';
import { openStateFile, STATE_FILE } from './state-file.ts';
import { steady } from './steady-clock.ts';
import { openAuditFile } from './audit-file.ts';
import { auditWithRules } from './audit-rules.ts';
import { storedWork, watchBacklog, whyUnwritable } from './backlog-watch.ts';
import { clientAccess } from './client-access.ts';
import { Closing } from './closing.ts';
import { inTheWay, type DataFolder } from './data-folder.ts';
import { openGroupSecret, whileSame } from './group-secret.ts';
import { adminSource, recentTraffic } from './admin-source.ts';
import { gatewayTracing, openGateway, openRemoteGateways } from './open-gateway.ts';
import { openKeyStore, readKeys } from './key-store.ts';
import { openProvider, releaseFleet, secretOfFleet, type OpenedProvider } from './open-provider.ts';
import { openPastFile } from './past-file.ts';
import { previews } from './previews.ts';
import { openRepository, openTenants } from './open-repository.ts';
import { watchDisk } from './disk-watch.ts';
import { watchExposed } from './exposed-files.ts';
import { decisionLog, logChange, logOutcome, noteLog, problemLog } from './event-log.ts';
import { VERSION } from './program.ts';
import { watchReplica } from './replica-watch.ts';
import { changeRoles, openWorkRole } from './work-role.ts';
import { watchTraffic } from './traffic-source.ts';

export interface System {
  /** Where clients connect, and where the operator looks. */
  readonly gateway: string;
  readonly admin: string;
  readonly notices: readonly string[];
  readonly loop: ControlLoop;
  /** Resolves with the VMs that could not be released, as far as they were to be. */
  close(): Promise<Remaining>;
}

export interface Remaining extends Remains {
  /** A command that removes them without mmeliot. */
  readonly byHand?: string;
}

export interface Shape {
  /** `own`: a gateway in this process; `remote`: those that manager.gateways names. */
  readonly gateway: 'own' | 'remote';
  /** Whether `close` releases the VMs, or leaves them to the manager's next start. */
  readonly releaseOnClose: boolean;
  /** Of the configuration: they hold secrets. */
  readonly secretFiles?: readonly string[];
  /** Told what the start waits for, for whoever waits for the start. */
  readonly onStep?: (waitsFor: string) => void;
}

/** Manager and admin page, with a gateway or without. What was started is stopped again when a later part fails. */
export async function startSystem(config: Config, folder: DataFolder, log: Log, shape: Shape): Promise<System> {
  const closing = new Closing();
  try {
    return await start(config, folder, log, shape, closing);
  } catch (error) {
    await closing.close();
    throw inTheWay(error, folder);
  }
}

async function start(config: Config, folder: DataFolder, log: Log, shape: Shape, closing: Closing): Promise<System> {
  const { onStep = () => undefined } = shape;
  onStep('the repository database (repository.url)');
  const repository = await openRepository(config, folder);
  closing.add(() => repository.close());
  const tenants = await openTenants(config, folder);
  for (const { database } of tenants) closing.add(() => database.close());
  onStep(`VMs of provider ${config.provider} to tell the group's secret`);
  const ofFleet = async () => {
    const found = await secretOfFleet(config);
    if (found !== undefined)
      log.warn({ dataDir: folder.path }, "The data folder held no secret: the VMs' is used again");
    return found;
  };
  const secret = await openGroupSecret(config.collector.secret, folder, ofFleet, log.conceal);
  closing.add(async () => secret.close());
  let onNotice = (): void => undefined;
  let isListed = false;
  let keysOf: NonNullable<OpenedProvider['keysOf']> = () => undefined;
  const collector = await startCollector({
    ...{ ...config.collector, secret: secret.all, group: config.group },
    onNotice: () => onNotice(),
    keysOf: (vm) => keysOf(vm),
    hears: () => isListed,
  });
  closing.add(() => collector.close());

  const cloud = await openProvider(config, folder, collector.address, secret);
  const { packing } = cloud;
  if (cloud.keysOf !== undefined) ({ keysOf } = cloud);
  closing.add(() => cloud.close());
  let remains: Remains = { vms: [], kept: [] };
  let started = false; // a start that fails must not release what an earlier one left
  if (shape.releaseOnClose)
    closing.add(async () => {
      if (!started) return;
      const { releaseWithin } = config.manager;
      remains = await releaseFleet(cloud, releaseWithin, { ...clock, now: steady }, kept(), known());
    });

  // metrics are read when somebody asks, from parts that are started later
  const sources: { -readonly [K in keyof MetricSources]: MetricSources[K] } = { version: VERSION };
  const metrics = createMetrics(sources);
  const keysFile = folder.file('keys.json');
  const tracing = shape.gateway === 'own' ? gatewayTracing(config, log) : undefined;
  closing.add(async () => tracing?.close());
  onStep('the gateway');
  const gateway =
    shape.gateway === 'own'
      ? await openGateway(config, folder, log, {
          ...{ secret, access: clientAccess(config, secret, readKeys(keysFile)), tracer: tracing?.tracer },
        })
      : await openRemoteGateways(config, log, secret.oldest());
  closing.add(() => gateway.close());
  const named = namedIn(config);
  const keys = openKeyStore({ file: keysFile, named, now: Date.now, tell: (all) => gateway.setKeys(all) });
  if (shape.gateway === 'remote') await gateway.setKeys(readKeys(keysFile));

  const traffic = watchTraffic(gateway);
  closing.add(() => traffic.close());
  const stores = [{ database: repository }, ...tenants].map(({ database }) => ({
    jobs: createJobStore(database),
    subscriptions: createSubscriptionStore(database),
  }));
  const backlog = watchBacklog(
    () => storedWork(stores),
    log,
    () => whyUnwritable(repository),
  );
  closing.add(() => backlog.close());
  const replica = watchReplica(repository, log);
  closing.add(() => replica.close());
  const journal = openJournal(folder, log);
  closing.add(() => journal.flush());
  const workParameters = workParametersOf(config);
  const role = workParameters && 'query';
  const shared = {
    clock,
    isReady: readiness(config.gateway, trustInAll(secret.all, VM_NAME)),
    notices: () => collector.notices(),
  };
  const logDecision = decisionLog(log);
  const loop = createControlLoop({
    ...shared,
    ...(role !== undefined && { role }),
    provider: ofRole(cloud.provider, role),
    gateway,
    monitor: new Monitor(collector, traffic, backlog.newest),
    store: openStateFile(folder.file(STATE_FILE)),
    journal,
    newMark: () => markOf(role, randomUUID()),
    parameters: parametersOf(config),
    past: await readJournal(folder.path, 2), // a day at the defaults
    stopwatch: () => performance.now(),
    onPeriod(record, timings) {
      for (const newest of loop.records(1)) {
        past.add(newest);
        logDecision(newest, loop.state().parameters.dryRun);
      }
      metrics.period(record, timings);
      for (const { vm, cpu } of record.observation.vms) gateway.reportLoad(vm.id, cpu[0] ?? 0);
    },
    onOutcome(outcome) {
      metrics.outcome(outcome);
      logOutcome(log, outcome);
    },
  });

  const past = await openPastFile(
    {
      folder: folder.file('past'),
      onProblem: (error) => log.error({ err: error }, 'The past can be kept in memory only'),
    },
    loop.records(Infinity),
  );
  closing.add(() => past.flush());

  const url = `${gateway.secure ? 'https' : 'http'}://${showAddress({ ...gateway.address, host: hostFromHere(gateway.address.host) })}/`;
  const about = { version: VERSION, group: config.group, provider: cloud.provider.name, gateway: url };
  const logOf = async (id: string) => cloud.provider.log?.(id);
  const shownConfig = () => parse(toYaml(config)) as unknown;
  const work =
    workParameters &&
    (await openWorkRole({
      ...{ ...shared, provider: cloud.provider, parameters: workParameters, about, config: shownConfig, log, logOf },
      ...{ folder: folder.file('work'), reports: collector, backlog: backlog.newest },
    }));
  const loops = () => [loop, ...(work === undefined ? [] : [work.loop])];
  const kept = () => new Set(loops().flatMap((one) => [...one.kept()]));
  const known = () => loops().flatMap((one) => one.known());
  const repositorySeen = () => {
    const seen = backlog.repository();
    return seen && { ...seen, ...defined({ replica: replica.newest() }) };
  };
  const disk = await watchDisk(folder.path);
  closing.add(() => disk.close());
  const exposed = await watchExposed([...(shape.secretFiles ?? []), folder.file('secret')]);
  closing.add(() => exposed.close());
  const source = adminSource({
    ...{ loop, past, config: shownConfig, about: { ...about, ...(role !== undefined && { role }) } },
    ...(work !== undefined && { work: work.source }),
    jobs: () => backlog.first(),
    ...(packing && { nodes: () => packing.shown() }),
    gateway: { fleet: () => gateway.fleet(), traffic: recentTraffic(gateway) },
    preview: previews({ folder: folder.path, flush: () => journal.flush(), loop }),
    logOf,
    facts: () => ({
      queueCapacity: config.gateway.queue.capacity,
      ...defined({ gateways: gateway.problems, repository: repositorySeen() }),
      ...defined({ disk: disk.newest(), apart: collector.apart() }),
      refused: collector.refused(),
      exposed: exposed.newest(),
      ...(packing && { nodes: packing.shown().list }),
    }),
    onChange: (patch, who) => logChange(log, patch, who),
  });
  sources.gateway = () => gateway.counters();
  sources.manager = () => source.view();
  sources.backlog = backlog.newest;
  sources.replica = replica.newest;
  sources.log = () => log.counts;
  sources.collector = () => ({ ...collector.counters });
  const audit = openAuditFile({
    ...{ file: folder.file('audit.jsonl'), now: Date.now },
    onProblem: (error) => log.error({ err: error }, 'The audit log cannot be written'),
  });
  closing.add(() => audit.flush());
  const rules = [{ database: repository }, ...tenants].map(({ database, ...of }) => ({
    ...of,
    history: () => rulesHistory(database),
  }));
  const changes = auditWithRules(audit, rules, (error) =>
    log.warn({ err: error }, 'A repository does not tell who applied its rules'),
  );
  const admin = await startAdminServer(config.admin, { source, keys, audit: changes, metrics, log });
  closing.add(() => admin.close());

  packing?.jobsAre(() => backlog.first());
  const holds = (): boolean => {
    const { dryRun, paused } = loop.state().parameters;
    return dryRun || paused;
  };
  packing?.moveBy(async (vm, its, why) => {
    const of = its === 'work' ? work?.loop : loop;
    await of?.byHand({ what: 'replace', vm }, `the manager, since ${why}`);
  }, holds);

  started = true;
  onStep(`provider ${config.provider} to list its VMs and what it offers`);
  await loop.start();
  closing.add(() => loop.stop());
  if (work !== undefined) await work.loop.start();
  closing.add(async () => work?.close());
  // not before: a cloud that doesn't answer says nothing of VMs that serve
  void loop.taken
    .then(async () => {
      isListed = true;
      await forgetGone(gateway, loop);
      await changeRoles(cloud.provider, loop, role, log);
    })
    .catch(({ message }: Error) => log.warn({ problem: message }, 'Not all that an earlier manager left is put right'));
  onNotice = () => {
    loop.hurry();
    work?.loop.hurry();
  };
  const tellProblems = problemLog(log);
  const tellNotes = noteLog(log);
  const watching = setInterval(() => {
    const { problems, conditions } = source.view();
    tellProblems(problems);
    tellNotes(conditions);
  }, LOOK_EVERY_MS);
  closing.add(async () => clearInterval(watching));
  const close = async (): Promise<Remaining> => {
    await closing.close();
    const byHand = remains.vms.length === 0 ? undefined : cloud.byHand?.(remains.vms);
    return { ...remains, ...(byHand !== undefined && { byHand }) };
  };
  const notices = [...cloud.notices, ...settingsNotices(source.view().conditions)];
  return { gateway: url, admin: admin.url, notices, loop, close };
}

/** A gateway that ran on without its manager may still know VMs that are gone. */
async function forgetGone(gateway: Pick<Gateway, 'fleet' | 'remove'>, loop: ControlLoop): Promise<void> {
  const fleet = new Set(loop.state().fleet.map(({ id }) => id));
  for (const { id } of gateway.fleet()) if (!fleet.has(id)) await gateway.remove(id);
}

/** What was changed while an earlier manager ran wins over file and command line; who forgot a dry run waits for VMs in vain. */
const SAID_AT_START = new Set<Condition['name']>(['settings', 'paused', 'dry-run']);

const settingsNotices = (conditions: readonly Condition[]): readonly string[] =>
  conditions
    .filter(({ name, status }) => SAID_AT_START.has(name) && status !== 'ok')
    .map(({ reason, remedy }) => `${reason} ${remedy}`);

/** What is the matter is told soon, whatever the period is. */
const LOOK_EVERY_MS = 1_000;

export const clock: Clock = {
  now: Date.now,
  // counts on while the machine is suspended, as performance.now does not
  steady: () => uptime() * 1_000,
  sleep: (ms, signal) => sleep(ms, undefined, signal && { signal }).catch(() => undefined), // aborted: over
};

const READY_MS = 5_000;

/** A VM's check answers 200 only when the repository answers it. */
function readiness(gateway: Config['gateway'], trust: GroupTrust) {
  const limits = { headersTimeout: READY_MS, bodyTimeout: READY_MS };
  const known = whileSame(
    () => trust.ca,
    () => new Agent({ connect: connectionOf(trust) }),
  );
  return async (_id: string, address: Address): Promise<boolean> => {
    const [protocol, dispatcher] = byTls(gateway, address) ? ['https', known()] : ['http', getGlobalDispatcher()];
    const url = `${protocol}://${showAddress(address)}${gateway.health.path}`;
    const { statusCode, body } = await request(url, { ...limits, dispatcher });
    await body.dump();
    return statusCode === 200;
  };
}

function openJournal(folder: DataFolder, log: Log): JournalFile {
  const onProblem = (error: Error) => log.error({ err: error }, 'The journal cannot be written');
  return openJournalFile({ folder: folder.path, onProblem });
}
