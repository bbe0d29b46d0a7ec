// The composition root: puts the manager together from its parts, step by step. What is behind the two ports, the cloud and the
// gateway, is chosen in open-provider.ts and open-gateway.ts; each other open-*.ts is a step.
import { uptime } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { hostFromHere, showAddress } from '../../epcis/domain/address.ts';
import type { Provider } from '../act/provider.ts';
import { unasked, type Remains } from '../act/release-all.ts';
import type { Gateway } from '../balance/core/contract.ts';
import { toYaml } from '../config/print.ts';
import type { Config } from '../config/schema.ts';
import type { Clock } from '../loop/clock.ts';
import type { Condition } from '../loop/conditions.ts';
import type { ControlLoop } from '../loop/control-loop.ts';
import { within } from '../loop/deadline.ts';
import type { ManagerView } from '../loop/view.ts';
import type { Log } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import type { SourceDeps } from './admin-source.ts';
import { Closing } from './closing.ts';
import { inTheWay, type DataFolder } from './data-folder.ts';
import { noteLog, problemLog } from './event-log.ts';
import { openGroupSecret, type GroupSecret } from './group-secret.ts';
import { openAdmin } from './open-admin.ts';
import { openGateways } from './open-gateway.ts';
import { openLoops, startLoops, type Loops } from './open-loops.ts';
import { openProvider, releaseFleet, secretOfFleet, type OpenedProvider } from './open-provider.ts';
import { openReports, type Reports } from './open-reports.ts';
import { openDatabases } from './open-repository.ts';
import { openWatches, type Watches } from './open-watches.ts';
import { VERSION } from './program.ts';
import { steady } from './steady-clock.ts';
import { changeRoles } from './work-role.ts';

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
  /** Told what is still there while VMs are released at the end. */
  readonly onRemains?: (remains: Remains) => void;
  /** The end is wanted: a start waits for no cloud any more. */
  readonly interrupted?: Promise<void>;
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
  const { onStep = () => undefined, secretFiles = [] } = shape;
  onStep('the repository database (repository.url)');
  const databases = await openDatabases(config, folder, closing);
  onStep(`VMs of provider ${config.provider} to tell the group's secret`);
  const secret = await openSecret(config, folder, log, closing);
  const reports = await openReports(config, secret, closing);
  const { collector } = reports;
  const cloud = await openProvider(config, folder, collector.address, secret);
  closing.add(() => cloud.close());
  const farewell = openFarewell(config, cloud, shape, closing);

  onStep('the gateway');
  const { gateway, keys } = await openGateways(config, folder, log, shape.gateway, secret, closing);
  const watches = await openWatches(databases, folder, secretFiles, log, closing);
  const metrics = createMetrics({
    ...{ version: VERSION, backlog: watches.backlog, replica: watches.replica },
    gateway: () => gateway.counters(),
    manager: () => admin.view(), // who asks, asks the admin server
    log: () => log.counts,
    collector: () => ({ ...collector.counters }),
  });
  const shown = shownOf(config, cloud, gateway);
  const common = { config, folder, log, collector, cloud, gateway, watches, metrics, shown };
  const loops = await openLoops({ ...common, clock, secret }, closing);
  const admin = await openAdmin({ ...common, databases, keys, loops }, closing);
  tellPacking(cloud, watches, loops);

  if (shape.releaseOnClose) farewell.releases(loops);
  onStep(`provider ${config.provider} to list its VMs and what it offers`);
  void shape.interrupted?.then(() => Promise.all(loops.all.map((one) => one.stop())));
  await startLoops(loops, closing);
  takeUp(reports, cloud, gateway, loops, log);
  tellConditions(admin.view, log, closing);
  return {
    ...{ gateway: shown.about.gateway, admin: admin.url, loop: loops.loop },
    notices: [...cloud.notices, ...settingsNotices(admin.view().conditions)],
    async close() {
      await closing.close();
      return farewell.remaining();
    },
  };
}

async function openSecret(config: Config, folder: DataFolder, log: Log, closing: Closing): Promise<GroupSecret> {
  const ofFleet = async () => {
    const found = await secretOfFleet(config);
    if (found !== undefined)
      log.warn({ dataDir: folder.path }, "The data folder held no secret: the VMs' is used again");
    return found;
  };
  const secret = await openGroupSecret(config.collector.secret, folder, ofFleet, log.conceal);
  closing.add(async () => secret.close());
  return secret;
}

/** Of a cloud that has not answered since the start no VM was asked for: it has one more look to say which an earlier manager left. */
const silenceOf = (provider: Provider): Promise<string | undefined> =>
  within(clock, LAST_LOOK_MS, provider.list()).then(
    () => undefined,
    ({ message }: Error) => message,
  );
const LAST_LOOK_MS = 5_000;

/** The end of the fleet, where it ends with the manager: when all that uses its VMs is closed, and before the cloud is. */
function openFarewell(
  { manager: { releaseWithin } }: Config,
  cloud: OpenedProvider,
  { onRemains }: Shape,
  closing: Closing,
) {
  let loops: readonly ControlLoop[] | undefined;
  let remains: Remains = { vms: [], kept: [] };
  closing.add(async () => {
    if (loops === undefined) return;
    const kept = new Set(loops.flatMap((one) => [...one.kept()]));
    const known = loops.flatMap((one) => one.known());
    let isAsking = true;
    void Promise.all(loops.map((one) => one.settled())).then(() => (isAsking = false));
    const leaving = { kept, known, isAsking: () => isAsking, ...(onRemains && { tell: onRemains }) };
    const isHeard = loops.every((one) => one.state().providerAnswered);
    if (!isHeard) onRemains?.({ ...unasked(leaving), unlisted: 'it has not answered since the start' });
    const silence = isHeard ? undefined : await silenceOf(cloud.provider);
    remains =
      silence === undefined
        ? await releaseFleet(cloud, releaseWithin, { ...clock, now: steady }, leaving)
        : { ...unasked(leaving), unlisted: silence };
  });
  return {
    /** Not sooner: a start that fails must not release what an earlier one left. */
    releases: ({ all }: Pick<Loops, 'all'>): void => void (loops = all),
    remaining(): Remaining {
      const byHand = remains.vms.length === 0 ? undefined : cloud.byHand?.(remains.vms);
      return { ...remains, ...(byHand !== undefined && { byHand }) };
    },
  };
}

function shownOf(
  config: Config,
  { provider }: Pick<OpenedProvider, 'provider'>,
  { secure, address }: Pick<Gateway, 'secure' | 'address'>,
): Pick<SourceDeps, 'about' | 'config' | 'logOf'> {
  const url = `${secure ? 'https' : 'http'}://${showAddress({ ...address, host: hostFromHere(address.host) })}/`;
  return {
    about: { version: VERSION, group: config.group, provider: provider.name, gateway: url },
    config: () => parse(toYaml(config)) as unknown,
    logOf: async (id) => provider.log?.(id),
  };
}

/** Which jobs workers are at, and who moves workers: of that a provider knows nothing. */
function tellPacking({ packing }: Pick<OpenedProvider, 'packing'>, watches: Watches, { loop, work }: Loops): void {
  packing?.jobsAre(watches.jobs);
  const holds = (): boolean => {
    const { dryRun, paused } = loop.state().parameters;
    return dryRun || paused;
  };
  packing?.moveBy(async (vm, its, why) => {
    const of = its === 'work' ? work?.loop : loop;
    await of?.byHand({ what: 'replace', vm }, `the manager, since ${why}`);
  }, holds);
}

/** Not before the cloud has listed its VMs: one that doesn't answer says nothing of VMs that serve. */
function takeUp(
  reports: Reports,
  { provider, keysOf }: OpenedProvider,
  gateway: Gateway,
  { loop, role, all }: Loops,
  log: Log,
): void {
  const onNotice = () => all.forEach((one) => one.hurry());
  void loop.taken
    .then(async () => {
      reports.hear({ ...(keysOf && { keysOf }), onNotice });
      await forgetGone(gateway, loop);
      await changeRoles(provider, loop, role, log);
    })
    .catch(({ message }: Error) => log.warn({ problem: message }, 'Not all that an earlier manager left is put right'));
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

function tellConditions(view: () => ManagerView, log: Log, closing: Closing): void {
  const tellProblems = problemLog(log);
  const tellNotes = noteLog(log);
  const watching = setInterval(() => {
    const { problems, conditions } = view();
    tellProblems(problems);
    tellNotes(conditions);
  }, LOOK_EVERY_MS);
  closing.add(async () => clearInterval(watching));
}

export const clock: Clock = {
  now: Date.now,
  // counts on while the machine is suspended, as performance.now does not
  steady: () => uptime() * 1_000,
  sleep: (ms, signal) => sleep(ms, undefined, signal && { signal }).catch(() => undefined), // aborted: over
};
