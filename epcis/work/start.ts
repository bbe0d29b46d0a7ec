// The entry: what a VM process starts for capture jobs, named queries and subscriptions, and what its doors open to.
import { randomUUID } from 'node:crypto';
import type { ClientIdentity } from '../access/identity.ts';
import { guardCapture } from '../access/rules/guard-capture.ts';
import { restrict } from '../access/rules/restrict.ts';
import type { RightsOf } from '../access/rules/client-rights.ts';
import { createSocketDelivery } from '../delivery/socket.ts';
import { createTargets } from '../delivery/targets.ts';
import { createWebhook } from '../delivery/webhook.ts';
import { backupSteps } from '../repository/backup.ts';
import { checkSteps, reindexSteps } from '../repository/check.ts';
import type { Database } from '../repository/database/database.ts';
import { createEventRepository } from '../repository/event-repository.ts';
import type { ElementLimits } from '../repository/master-data.ts';
import { VM_OF_OWNER } from '../repository/job-queue.ts';
import { createJobStore } from '../repository/jobs.ts';
import { pruneSteps } from '../repository/maintenance.ts';
import { createNamedQueryStore } from '../repository/named-queries.ts';
import { createSubscriptionStore } from '../repository/subscriptions.ts';
import { createStepStore } from '../repository/steps.ts';
import { createExportService, exportSteps, type ExportRunParts, type ExportService } from '../service/exports.ts';
import { classify } from '../service/jobs-classes.ts';
import { inTurns } from '../service/jobs-turns.ts';
import { createJobService, type JobService, type ReadDocument, type SplitDocument } from '../service/jobs.ts';
import { createNamedQueryService, type NamedQueryService } from '../service/named-queries.ts';
import { planEvents } from '../service/parameters.ts';
import { createQueryService } from '../service/query.ts';
import type { CaptureService } from '../service/services.ts';
import type { Steps } from '../service/steps.ts';
import type { StepKind } from '../service/tasks.ts';
import { createSubscriptionService, SOCKET, type Sockets } from '../service/subscriptions-manage.ts';
import type { Deliver } from '../service/subscriptions-run.ts';
import type { Turn } from '../service/tenant-turns.ts';
import type { SubscriptionService, WriteResult } from '../service/subscriptions.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { WORK_DEFAULTS, type WorkOptions } from './options.ts';
import { startRunner } from './runner.ts';

export interface WorkParts {
  /** Open and migrated. */
  readonly database: Database;
  readonly capture: CaptureService;
  readonly read: ReadDocument;
  /** Absent where a document must be captured as a whole: what is checked may depend on what stands before it. `bytes`: of a part. */
  readonly split?: (bytes: number) => SplitDocument;
  readonly write: WriteResult;
  readonly writeExport: ExportRunParts['write'];
  /** For failures that are no client's: logs them and returns the id they are logged under. */
  readonly logFailure: (error: unknown, what: string) => string;
  /** ms since 1970, by which rules go. */
  readonly now: () => number;
  /** The repository's: the same on every VM. */
  readonly secret: string;
  /** Access is on: what each client may see and capture. */
  readonly rights?: RightsOf;
  /** Names what a client may see now. */
  readonly seen?: (client: ClientIdentity) => string;
  /** What a vocabulary element may have; default: as a document. */
  readonly elementLimits?: ElementLimits;
  /** How what it captures lets other tenants in. */
  readonly turn?: Turn;
  /** Whose requests are traced, their jobs are. */
  readonly tracer?: Tracer;
}

/** What a client can ask of the background work. */
export interface WorkServices {
  readonly jobs: JobService;
  readonly queries: NamedQueryService;
  readonly subscriptions: SubscriptionService;
  readonly exports: ExportService;
}

export interface Work extends WorkServices {
  /** The same as one client has them: its own jobs, queries and subscriptions. */
  readonly for: (client: ClientIdentity) => WorkServices;
  /** Claims nothing more, waits a little for what is at hand, gives back the rest. */
  readonly close: () => Promise<void>;
}

export function startWork(parts: WorkParts, given: Partial<WorkOptions>): Work {
  const options = { ...WORK_DEFAULTS, ...given };
  const { database, capture, read, write, logFailure, secret } = parts;
  const owner = ownerOf(options.worker ?? randomUUID());
  const sockets: Sockets = new Map();
  const jobs = createJobStore(database);
  const subscriptions = createSubscriptionStore(database);
  const targets = createTargets({ allow: options.subscriptionTargets });
  const webhook = createWebhook(targets, { timeoutSeconds: options.receiverTimeoutSeconds, secret });
  const toSocket = createSocketDelivery(sockets, { timeoutSeconds: options.receiverTimeoutSeconds });
  const deliver: Deliver = (delivery, signal) =>
    delivery.subscription.destination === SOCKET ? toSocket(delivery, signal) : webhook.deliver(delivery, signal);
  const events = createEventRepository(onPrimary(database), {
    now: () => Date.now(),
    ...(parts.elementLimits && { elementLimits: parts.elementLimits }),
    ...(parts.turn && { turn: parts.turn }),
  });
  const query = createQueryService(events);
  const { rights, seen } = parts;
  const queryFor = (client: ClientIdentity | undefined) =>
    rights ? createQueryService(restrict(events, () => rights(client))) : query;

  const steps: Readonly<Record<StepKind, Steps>> = {
    export: exportSteps({ query: queryFor, write: parts.writeExport }),
    check: (task) => checkSteps(database, task),
    reindex: (task) => reindexSteps(database, task),
    prune: (task) => pruneSteps(database, task),
    backup: (task) => backupSteps(database, task),
  };

  const runner = startRunner(
    {
      ...{ database, jobs, subscriptions, owner, sockets, read, write, deliver, logFailure },
      ...(parts.tracer && { tracer: parts.tracer }),
      ...(parts.turn && { turn: parts.turn }),
      // what was submitted by nobody in particular, while access was off, has the rights of nobody
      capture: (client) => (rights ? guardCapture(events, () => rights(client), parts.now) : capture),
      query: queryFor,
      ...(parts.split && { split: parts.split(options.partBytes) }),
      steps: (task, client) => steps[task.kind](task, client),
    },
    options,
  );
  const classifyJob = inTurns(classify(options.jobClasses, options.promoteAfterSeconds * 1000), () =>
    performance.now(),
  );
  const servicesOf = (client?: ClientIdentity): WorkServices => {
    const queries = createNamedQueryService({
      store: createNamedQueryStore(database, client),
      checkParameters: planEvents,
      most: options.namedQueries,
    });
    return {
      jobs: createJobService({
        store: createJobStore(database, client),
        newId: randomUUID,
        classify: classifyJob,
        most: options.unfinishedJobs,
        submitted: () => runner.wake(),
      }),
      queries,
      subscriptions: createSubscriptionService({
        store: createSubscriptionStore(database, client),
        queries,
        checkParameters: planEvents,
        ...(client?.subscriptions !== undefined && { most: client.subscriptions }),
        checkTarget: (destination) => targets.check(destination),
        ...(options.triggers.length > 0 && { triggers: options.triggers }),
        newId: randomUUID,
        sockets,
        owner,
        subscribed: () => runner.wake(),
      }),
      exports: createExportService({
        store: createStepStore(database, 'export', client),
        ahead: (id) => jobs.ahead(id),
        checkParameters: planEvents,
        classify: classifyJob,
        newId: randomUUID,
        most: options.exports,
        keepSeconds: options.keepExportsSeconds,
        ...(seen && client && { seen: () => seen(client) }),
        submitted: () => runner.wake(),
      }),
    };
  };
  return {
    ...servicesOf(),
    for: servicesOf,
    async close() {
      await runner.close();
      await webhook.close();
    },
  };
}

/** Unlike any other process's, and beginning as those of the same VM. */
const ownerOf = (vm: string): string => vm.slice(0, VM_OF_OWNER) + randomUUID().slice(VM_OF_OWNER);

/** A replica may lag: a run would take what has not arrived there for what does not exist, and skip it for good. */
function onPrimary(database: Database): Database {
  return {
    dialect: database.dialect,
    all: (sql, values) => database.all(sql, values),
    run: (sql, values) => database.run(sql, values),
    // a page at most, never a whole result
    async *stream(sql, values) {
      yield (await database.all(sql, values)).map((row) => Object.values(row));
    },
    transaction: (work) => database.transaction(work),
    close: () => database.close(),
  };
}
