// Capture jobs: `/capture` stores the document and answers 202; any VM captures it, any VM reports on it.
import type { ClientIdentity } from '../access/identity.ts';
import { EpcisException } from '../domain/exceptions.ts';
import { chunked, type Chunk } from './jobs-chunks.ts';
import type { CaptureItem, CaptureOptions, CaptureResult, PageRequest } from './services.ts';

export interface JobDocument {
  /** As received; read once, chunk by chunk, never held whole. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The request's Content-Type. */
  readonly mediaType: string;
  readonly errorBehaviour: CaptureOptions['errorBehaviour'];
  /** Request headers the reader needs later (GS1-Extensions, GS1-EPCIS-Version ...), names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
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
}

/** What waits or runs: the manager can scale on it. */
export interface Backlog {
  readonly jobs: number;
  /** Counted while the documents were received, before anyone validated them. */
  readonly events: number;
  /** Age of the oldest unfinished job; 0 when there is none. */
  readonly oldestSeconds: number;
}

export interface JobService {
  /** Resolves when the document is stored for good. Usually this VM captures it right afterwards. */
  submit(document: JobDocument): Promise<CaptureJob>;
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

/** Right to work on a job until its lease runs out. `attempt` makes an old claim invalid once somebody else has it. */
export interface JobClaim extends Pick<JobDocument, 'mediaType' | 'headers' | 'errorBehaviour'> {
  readonly id: string;
  readonly owner: string;
  readonly attempt: number;
  /** Whose document it is, captured with whose rights; none: received while access was off. */
  readonly client?: ClientIdentity;
}

export interface JobOutcome {
  readonly success: boolean;
  readonly errors: CaptureResult['errors'];
}

/** Port: jobs in the repository. Leases run by the repository's clock. */
export interface JobStore {
  /** Nobody can claim the job before its last chunk is stored. */
  create(job: Omit<JobDocument, 'bytes'> & { readonly id: string }, chunks: AsyncIterable<Chunk>): Promise<void>;
  find(id: string): Promise<CaptureJob | undefined>;
  list(page: PageRequest): Promise<{ readonly jobs: readonly CaptureJob[]; readonly next?: string }>;
  backlog(): Promise<Backlog>;
  /** The oldest job that nobody works on. */
  claim(owner: string, leaseSeconds: number): Promise<JobClaim | undefined>;
  bytes(id: string): AsyncIterable<Uint8Array>;
  /** False: the lease ran out and another VM has the job. */
  renew(claim: JobClaim, leaseSeconds: number): Promise<boolean>;
  /** Stores the outcome and drops the document. False: as with renew, and nothing is stored. */
  finish(claim: JobClaim, outcome: JobOutcome): Promise<boolean>;
  /** Gives the job back, to be claimed again after the delay. */
  release(claim: JobClaim, delaySeconds: number): Promise<void>;
  /** Forgets jobs that finished longer ago, and uploads that were never completed. */
  prune(finishedSeconds: number): Promise<void>;
}

export interface JobServiceParts {
  readonly store: JobStore;
  readonly newId: () => string;
  /** Called after a job is stored, so that this VM need not wait for its next look at the repository. */
  readonly submitted: () => void;
}

export function createJobService({ store, newId, submitted }: JobServiceParts): JobService {
  const get = async (captureID: string): Promise<CaptureJob> => {
    const job = await store.find(captureID);
    if (job === undefined) {
      throw new EpcisException('NoSuchResourceException', `There is no capture job '${captureID}'.`);
    }
    return job;
  };
  return {
    async submit({ bytes, ...about }) {
      const id = newId();
      await store.create({ ...about, id }, chunked(bytes));
      submitted();
      return get(id);
    },
    get,
    list: (page) => store.list(page),
    backlog: () => store.backlog(),
  };
}
