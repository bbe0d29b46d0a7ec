// Looks at the stored work in the repository from time to time. The control loop takes what was seen last and never
// waits for the repository.
import { UnavailableError } from '../../epcis/domain/unavailable.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { rateOf } from '../../epcis/service/jobs-estimate.ts';
import type { Backlog as JobBacklog, JobStore, UnfinishedJob } from '../../epcis/service/jobs.ts';
import type { SubscriptionStore } from '../../epcis/service/subscriptions-store.ts';
import type { ShownJob } from '../loop/view.ts';
import type { Backlog, Millis } from '../model.ts';
import type { Log } from '../telemetry/log.ts';

/** What waits, as the repository tells it. */
interface StoredWork extends JobBacklog {
  readonly runs?: number;
  readonly rate?: number;
  /** Those whose turn is first. */
  readonly first?: readonly TimedJob[];
}

/** `left`: it takes so long yet, if all goes on as it went lately. */
type TimedJob = Omit<ShownJob, 'end'> & { readonly left?: Millis };

/** As many as a person looks through. */
const SHOWN_JOBS = 20;

/** One repository's. */
export interface WorkStores {
  readonly jobs: Pick<JobStore, 'backlog' | 'lately' | 'first'>;
  readonly subscriptions: Pick<SubscriptionStore, 'due'>;
}

/** Stored work, due subscription runs, and how fast jobs went lately: of all repositories, since each VM works for all tenants. */
export async function storedWork(repositories: readonly WorkStores[]): Promise<StoredWork> {
  const all = await Promise.all(
    repositories.map(async ({ jobs, subscriptions }) => {
      const looks = [jobs.backlog(), jobs.lately(), subscriptions.due(), jobs.first(SHOWN_JOBS)] as const;
      const [waiting, lately, runs, first] = await Promise.all(looks);
      return { waiting, lately, runs, first };
    }),
  );
  const sum = (of: (one: (typeof all)[number]) => number): number => all.reduce((total, one) => total + of(one), 0);
  const rate = rateOf(all.flatMap(({ lately }) => lately));
  // each in its order already; of several, those that wait longest first
  const first = all.length === 1 ? (all[0]?.first ?? []) : byAge(all.flatMap((one) => one.first));
  return {
    jobs: sum(({ waiting }) => waiting.jobs),
    events: sum(({ waiting }) => waiting.events),
    oldestSeconds: Math.max(0, ...all.map(({ waiting }) => waiting.oldestSeconds)),
    runs: sum(({ runs }) => runs),
    first: timed(first, rate),
    ...(rate !== undefined && { rate }),
  };
}

const byAge = (jobs: readonly UnfinishedJob[]): readonly UnfinishedJob[] =>
  [...jobs].sort((a, b) => a.createdAt - b.createdAt).slice(0, SHOWN_JOBS);

const isCapture = ({ kind }: UnfinishedJob): boolean => kind === 'capture' || kind === 'part';

/** A capture is finished when all before it are, at the rate of the VMs that have jobs now; what else is at work as fast as it goes. */
export function timed(first: readonly UnfinishedJob[], rate: number | undefined): readonly TimedJob[] {
  const workers = Math.max(1, first.filter((job) => job.running && isCapture(job)).length);
  let ahead = 0;
  return first.map(({ ranFor = 0, ...job }) => {
    const { captured, events } = job.progress;
    if (!isCapture(job)) {
      if (!job.running || captured === 0) return job;
      return { ...job, left: Math.round(((events - captured) * ranFor) / captured) };
    }
    ahead += Math.max(0, events - captured);
    return rate === undefined ? job : { ...job, left: Math.round((ahead * 1000) / (rate * workers)) };
  });
}

interface Seen {
  readonly why?: string;
  readonly unwritable?: string;
  readonly isPart?: true;
}

/** What is the matter with a repository that answers. */
interface Matters {
  readonly unwritable?: unknown;
  /** It holds a part of a backup. */
  readonly isPart?: boolean;
}

/** Changes nothing, and is refused where nothing can be changed; why, then. Whether this user may write is another matter. */
export async function whyUnwritable(database: Pick<Database, 'dialect' | 'run'>): Promise<unknown> {
  // a SQLite file is not locked for it: that kept VMs waiting
  if (database.dialect === 'sqlite') return undefined;
  try {
    await database.run('UPDATE capture_job SET captured = captured WHERE 1 = 0');
    return undefined;
  } catch (error) {
    return error instanceof UnavailableError ? error : undefined;
  }
}

export interface BacklogWatch {
  /** Undefined while the repository doesn't answer. */
  readonly newest: () => Backlog | undefined;
  /** The jobs whose turn is first, as they were seen last. */
  readonly first: () => readonly ShownJob[];
  /** Undefined before the first answer; `why` where it doesn't answer. */
  readonly repository: () => Seen | undefined;
  readonly close: () => Promise<void>;
}

const LOOK_EVERY_MS = 2_000;
/** A repository that takes longer doesn't answer. */
const PATIENCE_MS = 10_000;

/** `steady`: nobody sets it, as somebody may the other one, by which people are told when something ends. */
const CLOCKS = { now: Date.now, steady: () => performance.now() };

/** Looks at once, then after every `everyMs`; a look that takes longer delays the next one. */
export function watchBacklog(
  look: () => Promise<StoredWork>,
  log: Pick<Log, 'info' | 'warn' | 'hide'>,
  matters: () => Promise<Matters> = async () => ({}),
  everyMs: number = LOOK_EVERY_MS,
  { now, steady } = CLOCKS,
): BacklogWatch {
  let newest: Backlog | undefined;
  let first: readonly TimedJob[] = [];
  let seenAt = steady();
  let repository: Seen | undefined;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function round(): Promise<void> {
    try {
      const { oldestSeconds, first: jobs = [], ...waiting } = await answered(look());
      newest = { ...waiting, age: oldestSeconds * 1000 };
      first = jobs;
      seenAt = steady();
      const { unwritable, isPart = false } = await answered(matters());
      repository = {
        ...(unwritable !== undefined && { unwritable: log.hide(whyOf(unwritable)) }),
        ...(isPart && { isPart }),
      };
      if (failing) log.info('The repository tells the backlog of jobs again');
      failing = false;
    } catch (error) {
      newest = undefined;
      first = [];
      repository = { why: log.hide(whyOf(error)) };
      // one that is away is no defect of ours: a sentence, and no stack
      const why = error instanceof UnavailableError ? { why: repository.why } : { err: error };
      if (!failing) log.warn(why, 'The repository does not tell the backlog of jobs');
      failing = true;
    }
    if (!closed) timer = setTimeout(again, everyMs);
  }

  const again = (): void => void (looking = round());
  let looking = round();
  return {
    newest: () => newest,
    first: () => first.map((job) => withEnd(job, now() - (steady() - seenAt))),
    repository: () => repository,
    async close() {
      closed = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

async function answered<T>(call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  });
  return Promise.race([call, late]).finally(() => clearTimeout(timer));
}

const withEnd = ({ left, ...job }: TimedJob, since: Millis): ShownJob =>
  left === undefined ? job : { ...job, end: Math.round(since + left) };

/** Without the full stop: it becomes part of a sentence. */
function whyOf(error: unknown): string {
  // what clients are told of it hides where the database is
  const cause = error instanceof UnavailableError ? error.cause : error;
  const { message, code } = cause as NodeJS.ErrnoException;
  return (message || code || 'it failed').replace(/[.]$/, '');
}
