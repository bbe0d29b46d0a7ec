// Stored work that goes by steps: exports, and what an operator has done with the repository. Each step is stored with where the next
// one begins and with what it adds to the document, in one transaction. A VM that takes over goes on behind the last one.
import type { ClientIdentity } from '../access/identity.ts';
import { EpcisException } from '../domain/exceptions.ts';
import type { JobPlace } from './jobs-classes.ts';
import { ClaimLost } from './jobs-run.ts';
import type { JobClaim, JobOutcome, JobStore, Progress } from './jobs.ts';
import type { PageRequest } from './services.ts';
import type { Step, Task } from './tasks.ts';

/** From where the task was left to its end. A step that was not stored is done again, so it must do no harm twice. */
export type Steps = (task: Task, client: ClientIdentity | undefined) => AsyncIterable<Step>;

export interface SteppedJob {
  readonly id: string;
  readonly asked: Task['asked'];
  readonly createdAt: string;
  readonly finishedAt?: string;
  readonly running: boolean;
  readonly success: boolean;
  readonly errors: JobOutcome['errors'];
  readonly class?: string;
  /** Events dealt with, and how many there are, if that is known. */
  readonly progress: Pick<Step, 'done' | 'total'>;
  /** Of its document, compressed. */
  readonly bytes: number;
}

/** Port: such work of one kind in the repository. */
export interface StepStore {
  create(job: { readonly id: string; readonly asked: Task['asked']; readonly place: JobPlace }): Promise<void>;
  find(id: string): Promise<SteppedJob | undefined>;
  /** Newest first. */
  list(page: PageRequest): Promise<{ readonly jobs: readonly SteppedJob[]; readonly next?: string }>;
  count(): Promise<number>;
  /** With its document, whoever works on it. False: there is none. */
  remove(id: string): Promise<boolean>;
  /** Its document so far, as gzip. */
  document(id: string): AsyncIterable<Uint8Array>;
}

export interface StepParts {
  readonly store: Pick<JobStore, 'storeStep'>;
  readonly steps: Steps;
  /** Of the document, compressed. */
  readonly mostBytes: number;
  readonly progress: Progress;
  /** Waits while others go first. */
  readonly pass: () => Promise<void>;
}

export async function performSteps(
  { store, steps, mostBytes, progress, pass }: StepParts,
  claim: JobClaim & { readonly task: Task },
  signal: AbortSignal,
): Promise<JobOutcome> {
  progress.captured = claim.task.done;
  for await (const step of steps(claim.task, claim.client)) {
    signal.throwIfAborted();
    const bytes = await store.storeStep(claim, step);
    if (bytes === undefined) throw new ClaimLost();
    if (bytes > mostBytes)
      throw new EpcisException('QueryTooLargeException', `The document has more than ${mostBytes} bytes.`);
    progress.captured = step.done;
    await pass();
    signal.throwIfAborted();
  }
  return { success: true, errors: [], captured: progress.captured };
}
