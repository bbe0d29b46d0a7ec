// One claimed job from its document to its outcome.
//
// The outcome is stored only after capture has committed. A VM that dies in between leaves a job whose lease runs out:
// whoever takes it over captures the document again, finds every event there already (same identity), and finishes the job.
import { EpcisException } from '../domain/exceptions.ts';
import { backOff } from '../domain/back-off.ts';
import { eachItem } from './each-item.ts';
import {
  WARNING,
  type JobClaim,
  type JobOutcome,
  type JobStore,
  type Progress,
  type ReadDocument,
  type SplitDocument,
} from './jobs.ts';
import { CHUNK_BYTES } from './jobs-chunks.ts';
import { ofPart } from './jobs-parts.ts';
import type { Task } from './tasks.ts';
import type { CaptureItem, CaptureService } from './services.ts';

export interface JobRunParts {
  readonly store: JobStore;
  readonly capture: CaptureService;
  readonly read: ReadDocument;
  /** A failure that is not the document's fault; returns the id it was logged under. */
  readonly logFailure: (error: unknown, what: string) => string;
  /** How often a job is tried before it is given up: one that kills its VM must not kill the whole fleet for ever. */
  readonly maxAttempts: number;
  /** Waits while this process has jobs whose turn is before, `longestMs` in all. */
  readonly pass: (longestMs: number) => Promise<void>;
  readonly progress: Progress;
  /** Does the work when nobody else's keeps the repository, and `isNext` has been true for a while. */
  readonly alone: <T>(isNext: () => Promise<boolean>, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
  /** Where a document that is large enough, and may be captured in parts, is cut. */
  readonly split?: { readonly document: SplitDocument; readonly fromBytes: number };
  /** What is no capture; absent where there is nothing but captures. */
  readonly perform?: (claim: JobClaim & { readonly task: Task }, signal: AbortSignal) => Promise<JobOutcome>;
}

/** Somebody else has the job by now, or it was deleted: there is nothing to tell, and nobody to tell it. */
export class ClaimLost extends Error {
  constructor() {
    super('Somebody else has the job, or it was deleted.');
  }
}

/** Seconds between two attempts at a job, at most. */
const MAX_BACK_OFF = 60;
/** A status is for reading; a document with a million errors is not helped by a million lines. */
const MAX_ERRORS = 1000;
/**
 * What a job that is captured whole or not at all gives way for in all: its transaction is open meanwhile, and the more important
 * job may be waiting for a lock of it.
 */
const PATIENCE_MS = 10_000;

/** Resolves when the job is finished, given back or lost; `signal` makes it stop early and give the job back. */
export async function runJob(parts: JobRunParts, claim: JobClaim, signal: AbortSignal): Promise<void> {
  const { store, maxAttempts } = parts;
  if (claim.attempt > maxAttempts) {
    const reason = `The job was tried ${maxAttempts} times and never came to an end.`;
    await store.finish(claim, failed('ImplementationException', reason));
    return;
  }
  try {
    parts.progress.captured = 0;
    if (await isSplit(parts, claim)) return;
    const outcome = await outcomeOf(parts, claim, signal);
    await store.finish(claim, outcome);
  } catch (error) {
    if (error instanceof ClaimLost) return;
    if (signal.aborted) return store.handOver(claim);
    if (claim.attempt < maxAttempts) {
      parts.logFailure(error, `${nameOf(claim)}, attempt ${claim.attempt}`);
      return store.release(claim, backOff(claim.attempt, 1, MAX_BACK_OFF));
    }
    const id = parts.logFailure(error, `${nameOf(claim)}, last attempt`);
    const what = claim.task?.kind ?? 'capture';
    await store.finish(claim, failed('ImplementationException', `The ${what} failed; it is logged as ${id}.`));
  }
}

/** The job is others' then, and this worker's as well: its parts are claimed as jobs are. */
async function isSplit({ store, split }: JobRunParts, claim: JobClaim): Promise<boolean> {
  const { errorBehaviour, task, part } = claim;
  if (split === undefined || errorBehaviour !== 'proceed' || task !== undefined || part !== undefined) return false;
  if ((await store.size(claim.id)) < split.fromBytes) return false;
  const parts = await split.document(store.bytes(claim), claim);
  return parts.length > 1 && (await store.split(claim, parts));
}

const nameOf = ({ id, task }: JobClaim): string => `${task?.kind ?? 'capture'} job ${id}`;

/** Faults of the document, or of what was asked for, are an outcome; everything else is thrown, and tried again. */
async function outcomeOf(parts: JobRunParts, claim: JobClaim, signal: AbortSignal): Promise<JobOutcome> {
  const { progress, perform } = parts;
  try {
    if (isTask(claim)) {
      if (perform === undefined) throw new Error(`Nothing here knows ${claim.task.kind}.`);
      return await perform(claim, signal);
    }
    return await captured(parts, claim, signal);
  } catch (error) {
    if (error instanceof EpcisException && error.name !== 'ImplementationException') {
      return failed(error.name, error.message, progress.captured);
    }
    throw error;
  }
}

const isTask = (claim: JobClaim): claim is JobClaim & { readonly task: Task } => claim.task !== undefined;

async function captured(parts: JobRunParts, claim: JobClaim, signal: AbortSignal): Promise<JobOutcome> {
  const { store, capture, read, progress } = parts;
  const all = read(givingWay(parts, claim, signal), claim);
  const items = counted(claim.part === undefined ? all : ofPart(all, claim.part.part), progress);
  const { errorBehaviour } = claim;
  const work = () => capture.capture(items, { errorBehaviour });
  const { errors, warnings } = await ((await keepsOthersWaiting(parts, claim))
    ? parts.alone(() => store.isNext(claim), signal, work)
    : work());
  const told = warnings.map(({ reason, at }) => ({ type: WARNING, reason, at }));
  const { captured } = progress;
  return { success: errors.length === 0, errors: [...errors.slice(0, MAX_ERRORS), ...told], captured };
}

async function keepsOthersWaiting({ store }: JobRunParts, { id, errorBehaviour }: JobClaim): Promise<boolean> {
  return store.isExclusive && errorBehaviour === 'rollback' && (await store.size(id)) > CHUNK_BYTES;
}

/** Until it is aborted, and between two pieces it lets go before it whose turn it is. */
async function* givingWay(
  { store, pass }: JobRunParts,
  claim: JobClaim,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const piece of store.bytes(claim)) {
    await pass(claim.errorBehaviour === 'proceed' ? Infinity : store.isExclusive ? 0 : PATIENCE_MS);
    signal.throwIfAborted();
    yield piece;
  }
}

function counted(items: AsyncIterable<CaptureItem>, progress: Progress): AsyncIterable<CaptureItem> {
  return eachItem(items, (item) => {
    if (item.kind === 'event') progress.captured += 1;
    return item;
  });
}

function failed(type: string, reason: string, captured = 0): JobOutcome {
  return { success: false, errors: [{ type, reason }], captured };
}
