// The second control loop, where the group has the role `work`: over the VMs that do stored work. It is the same loop, without a
// gateway and without traffic; its journal and state stand in a folder of their own.
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AdminSource } from '../admin/source.ts';
import type { Deed } from '../act/by-hand.ts';
import type { GatewayPort } from '../act/execute.ts';
import { markOf, ofRole, roleOf } from '../act/of-role.ts';
import type { Provider } from '../act/provider.ts';
import { createControlLoop, type ControlLoop, type ControlLoopDeps } from '../loop/control-loop.ts';
import type { About } from '../loop/view.ts';
import type { Backlog, Role, Traffic } from '../model.ts';
import { Monitor, type ReportSource } from '../monitor/monitor.ts';
import type { Log } from '../telemetry/log.ts';
import { adminSource, type SourceDeps } from './admin-source.ts';
import { decisionLog, logChange, logOutcome } from './event-log.ts';
import { openJournalFile, readJournal } from './journal-file.ts';
import { openPastFile } from './past-file.ts';
import { previews } from './previews.ts';
import { openStateFile, STATE_FILE } from './state-file.ts';

interface Parts
  extends
    Pick<ControlLoopDeps, 'clock' | 'provider' | 'isReady' | 'notices' | 'parameters'>,
    Pick<SourceDeps, 'config' | 'logOf'> {
  /** Where its journal and state are. */
  readonly folder: string;
  readonly about: About;
  readonly reports: ReportSource;
  readonly backlog: () => Backlog | undefined;
  readonly log: Log;
}

export interface WorkRole {
  readonly loop: ControlLoop;
  readonly source: AdminSource;
  close(): Promise<void>;
}

export async function openWorkRole(parts: Parts): Promise<WorkRole> {
  const { folder, about, reports, backlog, log, provider, config, logOf, ...shared } = parts;
  const role = 'work';
  const onProblem = (error: Error) => log.error({ err: error, role }, 'The journal cannot be written');
  await mkdir(folder, { recursive: true });
  const journal = openJournalFile({ folder, onProblem });
  const logDecision = decisionLog(log);
  const loop = createControlLoop({
    ...shared,
    ...{ role, journal, gateway: NO_GATEWAY },
    provider: ofRole(provider, role),
    monitor: new Monitor(reports, { take: () => ({ traffic: NO_TRAFFIC, responseTimes: new Map() }) }, backlog),
    store: openStateFile(join(folder, STATE_FILE)),
    newMark: () => markOf(role, randomUUID()),
    past: await readJournal(folder, 2),
    onPeriod() {
      for (const newest of loop.records(1)) {
        past.add(newest);
        logDecision(newest, loop.state().parameters.dryRun);
      }
    },
    onOutcome: (outcome) => logOutcome(log, outcome, role),
  });
  const past = await openPastFile({ folder: join(folder, 'past'), onProblem }, loop.records(Infinity));
  const source = adminSource({
    ...{ loop, past, config, logOf, about: { ...about, role } },
    gateway: { fleet: () => [], traffic: () => NO_TRAFFIC },
    preview: previews({ folder, flush: () => journal.flush(), loop, role }),
    facts: () => ({ queueCapacity: 0 }),
    onChange: (patch, who) => logChange(log, patch, who),
  });
  return {
    ...{ loop, source },
    async close() {
      await loop.stop();
      await Promise.all([journal.flush(), past.flush()]);
    },
  };
}

/** No client's request goes to these VMs. One that leaves is told to end, and gives back what it doesn't finish. */
const NO_GATEWAY: GatewayPort = {
  add: async () => undefined,
  drain: async () => true,
  remove: async () => undefined,
};

const NO_TRAFFIC: Traffic = {
  ...{ arrivalRate: 0, throughput: 0, inFlight: 0, queued: 0, queueTime: 0, responseTime: 0, lost: 0 },
};

/**
 * VMs that do something else than what the configuration says now: another one takes the place of each that clients use; those
 * for stored work are given back where the group has no such role any more.
 */
export async function changeRoles(
  provider: Provider,
  loop: { byHand(deed: Deed, who: string): Promise<void> },
  role: Role | undefined,
  log: Pick<Log, 'info' | 'warn'>,
): Promise<void> {
  for (const { id, mark } of await provider.list()) {
    const its = roleOf(mark);
    if (its === role || (its === 'work' && role !== undefined)) continue;
    log.info({ vm: id, role: its ?? 'both' }, 'The group has other roles now: this VM leaves');
    const leaves = its === 'work' ? provider.release(id) : loop.byHand({ what: 'replace', vm: id }, 'the manager');
    await leaves.catch((error: unknown) => log.warn({ err: error, vm: id }, 'The VM keeps the role that it had'));
  }
}
