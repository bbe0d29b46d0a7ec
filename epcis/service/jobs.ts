// Capture jobs: `/capture` stores the document and answers 202; any VM captures it, any VM reports on it.
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

/** The bindings' document reader, whatever the form of the document. */
export type ReadDocument = (
  bytes: AsyncIterable<Uint8Array>,
  about: Pick<JobDocument, 'mediaType' | 'headers'>,
) => AsyncIterable<CaptureItem>;
