// Looks for work: capture jobs and due subscription runs, claimed from the repository that all VMs share.
//
// Every VM looks at the repository a few times a second (three small indexed queries) and takes what nobody has. What a VM
// took is its own for a lease, renewed while it works; a VM that dies loses it and another goes on.
import { setTimeout } from 'node:timers/promises';
import type { ClientIdentity } from '../access/identity.ts';
import type { Database } from '../repository/database/database.ts';
import { moveOn, purge } from '../repository/feed.ts';
import { now } from '../repository/leases.ts';
import { putTimesRight } from '../repository/set-back.ts';
import { runJob, type JobRunParts } from '../service/jobs-run.ts';
import type { JobStore, SplitDocument } from '../service/jobs.ts';
import { performSteps, type Steps } from '../service/steps.ts';
import { runSubscription, type SubscriptionRunParts } from '../service/subscriptions-run.ts';
import type { Turn } from '../service/tenant-turns.ts';
import type { SubscriptionStore } from '../service/subscriptions-store.ts';
import type { Sockets } from '../service/subscriptions-manage.ts';
import { followed } from '../tracing/active.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { Alone } from './alone.ts';
import { createCrew, type Task } from './crew.ts';
import type { WorkOptions } from './options.ts';
import { every } from './poll.ts';
import { SetBack } from './set-back.ts';
import type { Pass } from './turns.ts';

export interface RunnerParts {
  readonly database: Database;
  readonly jobs: JobStore;
  readonly subscriptions: SubscriptionStore;
  /** This process, unlike any other. */
  readonly owner: string;
  /** The WebSockets of this process; shared with the subscription service. */
  readonly sockets: Sockets;
  /** As the client has it whose document it is. */
  readonly capture: (client: ClientIdentity | undefined) => JobRunParts['capture'];
  readonly read: JobRunParts['read'];
  /** Absent where a document must be captured as a whole. */
  readonly split?: SplitDocument;
  /** What is no capture. */
  readonly steps: Steps;
  /** As the client has it whose subscription it is. */
  readonly query: (client: ClientIdentity | undefined) => SubscriptionRunParts['query'];
  readonly write: SubscriptionRunParts['write'];
  readonly deliver: SubscriptionRunParts['deliver'];
  readonly logFailure: (error: unknown, what: string) => string;
  readonly tracer?: Tracer;
  /** How its work lets other tenants in. */
  readonly turn?: Turn;
}

export interface Runner {
  /** Look now: something was submitted on this VM. */
  wake(): void;
  /** Takes nothing more, waits a little for what is at hand, gives back the rest. */
  close(): Promise<void>;
}

const HOUSEKEEPING_MS = 10_000;
/** Six rounds of housekeeping. */
const SOCKET_LEASE_SECONDS = 60;

export function startRunner(parts: RunnerParts, options: WorkOptions): Runner {
  const { leaseSeconds, closeSeconds, role } = options;
  const { logFailure } = parts;
  const time = { now: () => performance.now(), sleep: (ms: number) => setTimeout(ms) };
  const alone = new Alone(time);
  const captures = { size: options.captures, claim: (before?: number) => claimJob(parts, options, alone, before) };
  const trials = { running: 0 };
  const clock = new SetBack(time.now);
  const crews = [
    ...(role === 'query' ? [] : [createCrew({ ...captures, leaseSeconds, logFailure })]),
    createCrew({ size: options.deliveries, leaseSeconds, claim: () => claimRun(parts, options, trials), logFailure }),
  ];
  const look = async (): Promise<void> => {
    await moveOn(parts.database);
    await endLostSockets(parts);
    await Promise.all(crews.map((crew) => crew.look()));
  };
  const polls = [
    every(options.pollMs, look, logFailure),
    every(HOUSEKEEPING_MS, () => keepHouse(parts, options, clock), logFailure),
  ] as const;
  return {
    wake: () => polls[0].now(),
    async close() {
      await Promise.all(polls.map((poll) => poll.stop()));
      await Promise.all(crews.map((crew) => crew.close(closeSeconds)));
    },
  };
}

async function claimJob(
  parts: RunnerParts,
  options: WorkOptions,
  alone: Alone,
  before: number | undefined,
): Promise<Task | undefined> {
  const { leaseSeconds, maxAttempts, partBytes } = options;
  const { jobs: store, capture, read, logFailure } = parts;
  const claim = await store.claim(parts.owner, leaseSeconds, before);
  if (claim === undefined) return undefined;
  const progress = { captured: 0 };
  const splitting =
    parts.split === undefined || partBytes === 0 ? {} : { split: { document: parts.split, fromBytes: 2 * partBytes } };
  const run: Omit<JobRunParts, 'pass'> = {
    ...{ store, capture: capture(claim.client), read, logFailure, maxAttempts, progress, ...splitting },
    alone: (isNext, signal, work) => alone.run(isNext, signal, work),
  };
  const performing = (pass: Pass): JobRunParts['perform'] => {
    return (task, signal) => {
      const mostBytes = task.task.kind === 'export' ? options.exportBytes : Infinity;
      const letOthersGo = async (): Promise<void> => {
        await pass(Infinity);
        await parts.turn?.pause();
      };
      return performSteps({ store, steps: parts.steps, mostBytes, progress, pass: letOthersGo }, task, signal);
    };
  };
  return {
    turn: claim.turn,
    run: (signal, pass) =>
      followed(parts.tracer, claim.headers, `${claim.task?.kind ?? 'capture'} job`, () =>
        runJob({ ...run, pass, perform: performing(pass) }, claim, signal),
      ),
    renew: () => store.renew(claim, leaseSeconds, progress.captured),
  };
}

/**
 * Receivers that took nothing the last time, or never yet, have half of the places: each may be silent for a whole time-out, and a thousand
 * of them would keep all others waiting.
 */
async function claimRun(
  parts: RunnerParts,
  options: WorkOptions,
  trials: { running: number },
): Promise<Task | undefined> {
  const { subscriptions: store, query, write, deliver, logFailure } = parts;
  const { leaseSeconds, pageSize, maxBackOffSeconds, deliveries, role } = options;
  const proven = trials.running >= Math.max(1, Math.floor(deliveries / 2));
  const claim = await store.claim(parts.owner, leaseSeconds, { ownSockets: role === 'query', proven });
  if (claim === undefined) return undefined;
  const run = { store, write, deliver, logFailure, pageSize, maxBackOffSeconds };
  const trial = Number(!claim.isProven);
  trials.running += trial;
  return {
    run: (signal) =>
      runSubscription({ ...run, query: query(claim.subscription.client) }, claim, signal).finally(
        () => (trials.running -= trial),
      ),
    renew: () => store.renew(claim, leaseSeconds),
  };
}

async function keepHouse(parts: RunnerParts, options: WorkOptions, clock: SetBack): Promise<void> {
  const { database, jobs, subscriptions, sockets, owner } = parts;
  const { keepJobsSeconds, keepExportsSeconds } = options;
  if (clock.since(await now(database))) await putTimesRight(database, options);
  if (sockets.size > 0) await subscriptions.renewSockets(owner, SOCKET_LEASE_SECONDS);
  await subscriptions.dropLostSockets();
  await jobs.prune(keepJobsSeconds, keepExportsSeconds);
  while ((await purge(database)) > 0);
}

/** A socket whose subscription is gone (its query was deleted, or this VM was taken for dead) has nothing to wait for. */
async function endLostSockets({ subscriptions, sockets, owner }: RunnerParts): Promise<void> {
  const stored = [...sockets].filter(([, { isStored }]) => isStored);
  if (stored.length === 0) return;
  const alive = new Set(await subscriptions.socketsOf(owner));
  for (const [id, { socket }] of stored) {
    if (alive.has(id)) continue;
    sockets.delete(id);
    socket.end();
  }
}
