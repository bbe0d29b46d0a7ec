// The control loops: over the VMs that clients use, and where the group has roles over those for stored work (work-role.ts).
import { randomUUID } from 'node:crypto';
import { markOf, ofRole } from '../act/of-role.ts';
import type { AdminSource } from '../admin/source.ts';
import type { Gateway } from '../balance/core/contract.ts';
import { workParametersOf } from '../config/roles.ts';
import { parametersOf, type Config } from '../config/schema.ts';
import type { Clock } from '../loop/clock.ts';
import { createControlLoop, type ControlLoop, type ControlLoopDeps } from '../loop/control-loop.ts';
import type { Role } from '../model.ts';
import { Monitor } from '../monitor/monitor.ts';
import type { Collector } from '../monitor/udp/collector.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { trustInAll, VM_NAME } from '../tls/group.ts';
import type { SourceDeps } from './admin-source.ts';
import type { Closing } from './closing.ts';
import type { DataFolder } from './data-folder.ts';
import { decisionLog, logOutcome } from './event-log.ts';
import type { GroupSecret } from './group-secret.ts';
import { openJournalFile, readJournal } from './journal-file.ts';
import type { OpenedProvider } from './open-provider.ts';
import type { Watches } from './open-watches.ts';
import { openPastFile, type PastFile } from './past-file.ts';
import { previews } from './previews.ts';
import { readiness } from './readiness.ts';
import { openStateFile, STATE_FILE } from './state-file.ts';
import { watchTraffic } from './traffic-source.ts';
import { openWorkRole, type WorkRole } from './work-role.ts';

interface Parts {
  readonly clock: Clock;
  readonly config: Config;
  readonly folder: DataFolder;
  readonly log: Log;
  readonly secret: Pick<GroupSecret, 'all'>;
  readonly collector: Collector;
  readonly cloud: Pick<OpenedProvider, 'provider'>;
  readonly gateway: Gateway;
  readonly watches: Pick<Watches, 'backlog'>;
  readonly metrics: Pick<Metrics, 'period' | 'outcome'>;
  /** What is shown of each, whatever it does. */
  readonly shown: Pick<SourceDeps, 'about' | 'config' | 'logOf'>;
}

interface ClientLoop {
  readonly loop: ControlLoop;
  readonly past: PastFile;
  readonly preview: AdminSource['preview'];
}

export interface Loops extends ClientLoop {
  /** Of `loop`; undefined: the group has no roles. */
  readonly role: Role | undefined;
  readonly work: WorkRole | undefined;
  readonly all: readonly ControlLoop[];
}

type Shared = Pick<ControlLoopDeps, 'clock' | 'isReady' | 'notices'>;

export async function openLoops(parts: Parts, closing: Closing): Promise<Loops> {
  const { clock, config, folder, log, secret, collector, cloud, watches, shown } = parts;
  const workParameters = workParametersOf(config);
  const role = workParameters && 'query';
  const shared: Shared = {
    clock,
    isReady: readiness(config.gateway, trustInAll(secret.all, VM_NAME)),
    notices: () => collector.notices(),
  };
  const ofClients = await openClientLoop(parts, shared, role, closing);
  const work =
    workParameters &&
    (await openWorkRole({
      ...{ ...shared, ...shown, provider: cloud.provider, parameters: workParameters, log },
      ...{ folder: folder.file('work'), reports: collector, backlog: watches.backlog },
    }));
  return { ...ofClients, role, work, all: [ofClients.loop, ...(work === undefined ? [] : [work.loop])] };
}

async function openClientLoop(
  { config, folder, log, collector, cloud, gateway, watches, metrics }: Parts,
  shared: Shared,
  role: Role | undefined,
  closing: Closing,
): Promise<ClientLoop> {
  const traffic = watchTraffic(gateway);
  closing.add(() => traffic.close());
  const journal = openJournalFile({
    folder: folder.path,
    onProblem: (error) => log.error({ err: error }, 'The journal cannot be written'),
  });
  closing.add(() => journal.flush());
  const logDecision = decisionLog(log);
  const loop = createControlLoop({
    ...{ ...shared, gateway, journal },
    ...(role !== undefined && { role }),
    provider: ofRole(cloud.provider, role),
    monitor: new Monitor(collector, traffic, watches.backlog),
    store: openStateFile(folder.file(STATE_FILE)),
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
  return { loop, past, preview: previews({ folder: folder.path, flush: () => journal.flush(), loop }) };
}

export async function startLoops({ loop, work }: Pick<Loops, 'loop' | 'work'>, closing: Closing): Promise<void> {
  await loop.start();
  closing.add(() => loop.stop());
  if (work === undefined) return;
  await work.loop.start();
  closing.add(() => work.close());
}
