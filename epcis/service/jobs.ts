// Capture jobs: `/capture` stores the document and answers 202; any VM captures it, any VM reports on it.
import type { ClientIdentity } from '../access/identity.ts';
import { EpcisException, LimitReachedException } from '../domain/exceptions.ts';
import { chunked, type Chunk } from './jobs-chunks.ts';
import type { Classify, JobOrigin, JobPlace } from './jobs-classes.ts';
import { estimatedEnd, type Ahead, type Stretch } from './jobs-estimate.ts';
import type { DocumentPart } from './jobs-parts.ts';
import type { Step, StepKind, Task } from './tasks.ts';
import type { CaptureItem, CaptureOptions, CaptureResult, PageRequest } from './services.ts';

export interface JobDocument {
  /** As received; read once, chunk by chunk, never held whole. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The request's Content-Type. */
  readonly mediaType: string;
  readonly errorBehaviour: CaptureOptions['errorBehaviour'];
  /** Request headers the reader needs later (GS1-Extensions, GS1-EPCIS-Version ...), names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What its class is told by. */
  readonly origin?: JobOrigin;
}

/** The type of what stands among a job's errors and is none: a check of the operator's that only warns. */
export const WARNING = 'warning';

/** GS1's capture-job document, less the problem form of its errors (that is the binding's). */
export interface CaptureJob {
  readonly captureID: string;
  readonly createdAt: string;
  readonly finishedAt?: string;
  readonly running: boolean;
  readonly success: boolean;
  readonly captureErrorBehaviour: CaptureOptions['errorBehaviour'];
  readonly errors: CaptureResult['errors'];
  /** Not GS1's: its class, how far it is, and of a job that is not finished how many go before it and when it will be. */
  readonly class?: string;
  readonly progress?: JobProgress;
  readonly place?: number;
  readonly bounded?: true;
  readonly estimatedEnd?: string;
}

export interface UnfinishedJob {
  readonly id: string;
  readonly kind: 'capture' | 'part' | StepKind;
  readonly class?: string;
  readonly progress: JobProgress;
  readonly createdAt: number;
  /** A worker has it, whose name begins so, and for how many ms. */
  readonly running: boolean;
  readonly worker?: string;
  readonly ranFor?: number;
}

export interface JobProgress {
  readonly captured: number;
  /** As counted while the document was received. */
  readonly events: number;
}

/** What waits or runs: the manager can scale on it. */
export interface Backlog {
  readonly jobs: number;
  /** Not captured yet; counted while the documents were received, before anyone validated them. */
  readonly events: number;
  /** Age of the oldest unfinished job; 0 when there is none. */
  readonly oldestSeconds: number;
}

export type SubmittedJob = Pick<CaptureJob, 'captureID'>;

export interface JobService {
  /** Resolves when the document is stored for good. Usually this VM captures it right afterwards. How long that takes is not looked up for each. */
  submit(document: JobDocument): Promise<SubmittedJob>;
  /** NoSuchResourceException when there is none. */
  get(captureID: string): Promise<CaptureJob>;
  /** Newest first. */
  list(page: PageRequest): Promise<{ readonly jobs: readonly CaptureJob[]; readonly next?: string }>;
  backlog(): Promise<Backlog>;
}

/**
 * The bindings' document reader, whatever the form of the document. With `proceed` a wrong item is thrown and reading can go
 * on with the next one.
 */
export type ReadDocument = (
  bytes: AsyncIterable<Uint8Array>,
  about: Pick<JobDocument, 'mediaType' | 'headers'> & Partial<Pick<JobDocument, 'errorBehaviour'>>,
) => AsyncIterable<CaptureItem>;

/** Where several workers may cut a document; empty where they may not. */
export type SplitDocument = (
  bytes: AsyncIterable<Uint8Array>,
  about: Pick<JobDocument, 'mediaType' | 'headers'>,
) => Promise<readonly DocumentPart[]>;

/** Right to work on a job until its lease runs out. `attempt` makes an old claim invalid once somebody else has it. */
export interface JobClaim extends Pick<JobDocument, 'mediaType' | 'headers' | 'errorBehaviour'> {
  readonly id: string;
  readonly owner: string;
  readonly attempt: number;
  /** Whose turn is before goes first. */
  readonly turn: number;
  /** Whose document it is, captured with whose rights; none: received while access was off. */
  readonly client?: ClientIdentity;
  /** Of what is no capture. */
  readonly task?: Task;
  /** Of a part of a job's document: which, of which job. */
  readonly part?: { readonly of: string; readonly part: DocumentPart };
}

/** Counts up while a job runs. */
export interface Progress {
  captured: number;
}

export interface JobOutcome {
  /** Events that the document held, as far as it was read. */
  readonly captured: number;
  readonly success: boolean;
  readonly errors: CaptureResult['errors'];
}

export interface NewJob extends Omit<JobDocument, 'bytes' | 'origin'> {
  readonly id: string;
  /** By the size of the document; default: there are no classes. */
  readonly place?: (bytes: number) => JobPlace;
}

export interface JobsAhead {
  readonly jobs: number;
  /** There are more of them: they were counted no further. */
  readonly isBounded: boolean;
}

/** Port: jobs in the repository. Leases run by the repository's clock. */
export interface JobStore {
  /** An open transaction keeps all others waiting (SQLite): nothing may pause in one. */
  readonly isExclusive: boolean;
  /** Nobody can claim the job before its last chunk is stored. */
  create(job: NewJob, chunks: AsyncIterable<Chunk>): Promise<void>;
  find(id: string): Promise<CaptureJob | undefined>;
  /** What an unfinished job's end is estimated from, and how many go before it; undefined of any other. */
  ahead(id: string): Promise<(Ahead & JobsAhead) | undefined>;
  /** Unfinished captures, those that are being received included; counts no further than `most`. */
  unfinished(most: number): Promise<number>;
  list(page: PageRequest): Promise<{ readonly jobs: readonly CaptureJob[]; readonly next?: string }>;
  backlog(): Promise<Backlog>;
  /** Those whose turn is first, of all that are not finished. */
  first(count: number): Promise<readonly UnfinishedJob[]>;
  /** What workers did in the last minutes, and what they have done of what they have now. */
  lately(): Promise<readonly Stretch[]>;
  /** The job that nobody works on whose turn it is; with `before`, only one whose turn is before that. */
  claim(owner: string, leaseSeconds: number, before?: number): Promise<JobClaim | undefined>;
  /** No other capture whose turn is before is at work or could be. */
  isNext(claim: JobClaim): Promise<boolean>;
  /** The document, or a part of one. */
  bytes(claim: Pick<JobClaim, 'id' | 'part'>): AsyncIterable<Uint8Array>;
  /** Of the document, in bytes; not much less. */
  size(id: string): Promise<number>;
  /** Leaves the job to whoever captures its parts. False: as with renew, and nothing is stored. */
  split(claim: JobClaim, parts: readonly DocumentPart[]): Promise<boolean>;
  /** False: the lease ran out and another VM has the job. */
  renew(claim: JobClaim, leaseSeconds: number, captured: number): Promise<boolean>;
  /** Stores the outcome and drops the document, unless that is the outcome. False: as with renew, and nothing is stored. */
  finish(claim: JobClaim, outcome: JobOutcome): Promise<boolean>;
  /** Stores a step; resolves to the bytes of the document so far, compressed. Undefined: as with renew, and nothing is stored. */
  storeStep(claim: JobClaim, step: Step): Promise<number | undefined>;
  /** Gives the job back, to be claimed again after the delay. */
  release(claim: JobClaim, delaySeconds: number): Promise<void>;
  /** Gives the job back for no fault of its own, to be claimed at once: this was no attempt at it. */
  handOver(claim: JobClaim): Promise<void>;
  /** Forgets jobs that finished longer ago, documents that were made longer ago, and uploads that were never completed. */
  prune(finishedSeconds: number, documentSeconds: number): Promise<void>;
}

export interface JobServiceParts {
  readonly store: JobStore;
  readonly newId: () => string;
  readonly classify: Classify;
  /** Unfinished ones that one client may have. */
  readonly most: number;
  /** Called after a job is stored, so that this VM need not wait for its next look at the repository. */
  readonly submitted: () => void;
}

const TRY_AGAIN_SECONDS = 10;

export function createJobService({ store, newId, classify, most, submitted }: JobServiceParts): JobService {
  const get = async (captureID: string): Promise<CaptureJob> => {
    const job = await store.find(captureID);
    if (job === undefined) {
      throw new EpcisException('NoSuchResourceException', `There is no capture job '${captureID}'.`);
    }
    return job.running ? { ...job, ...prospectsOf(await store.ahead(captureID)) } : job;
  };
  return {
    async submit({ bytes, origin, ...about }) {
      // before anything is received; of those that come at the same time each may be the last one
      if ((await store.unfinished(most)) >= most) {
        const reason = `There may be ${most} unfinished capture jobs of a client at a time: try again when some are captured.`;
        throw new LimitReachedException(reason, TRY_AGAIN_SECONDS);
      }
      const id = newId();
      await store.create({ ...about, id, place: (size) => classify(origin, size) }, chunked(bytes));
      submitted();
      return { captureID: id };
    },
    get,
    list: (page) => store.list(page),
    backlog: () => store.backlog(),
  };
}

/** Place 1: it is being captured, or next. Bounded: it has this place or a later one. */
export function prospectsOf(
  ahead: Awaited<ReturnType<JobStore['ahead']>>,
): Pick<CaptureJob, 'place' | 'bounded' | 'estimatedEnd'> {
  if (ahead === undefined) return {};
  const place = ahead.jobs + 1;
  if (ahead.isBounded) return { place, bounded: true };
  const end = estimatedEnd(ahead);
  return { place, ...(end !== undefined && { estimatedEnd: new Date(end).toISOString() }) };
}
