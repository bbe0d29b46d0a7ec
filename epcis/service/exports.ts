// Exports: all events of a query as one document, made as stored work and kept for a while, so that a client fetches it when it likes
// and no request lasts as long as the query. Whoever makes it asks with the rights that the client has then.
import type { ClientIdentity } from '../access/identity.ts';
import { EpcisException, LimitReachedException } from '../domain/exceptions.ts';
import type { Classify, JobOrigin } from './jobs-classes.ts';
import { prospectsOf, type CaptureJob, type JobStore } from './jobs.ts';
import type { PageRequest, QueryParameter, QueryService, StoredEvent } from './services.ts';
import type { SteppedJob, Steps, StepStore } from './steps.ts';
import type { RunQuery } from './subscriptions-store.ts';
import type { Step } from './tasks.ts';

export const EXPORT_FORMATS = ['json', 'xml', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What is asked for. */
export interface ExportRequest {
  readonly queryName: string;
  readonly parameters: readonly QueryParameter[];
  readonly format: ExportFormat;
  /** How events are written, as GS1's headers say it. */
  readonly version: '1.2' | '2.0';
  readonly epcFormat?: string;
  readonly cbvFormat?: string;
  /** With access on: what the client might see when it asked. */
  readonly seen?: string;
}

export interface Export extends Pick<CaptureJob, 'place' | 'bounded' | 'estimatedEnd'> {
  readonly id: string;
  readonly request: ExportRequest;
  readonly job: Omit<SteppedJob, 'id' | 'asked'>;
  /** Of one that is made: until when it is kept. */
  readonly keptUntil?: string;
}

export interface ExportService {
  /** LimitReachedException where the client has as many as it may have; QueryParameterException. */
  create(request: ExportRequest, origin?: JobOrigin): Promise<Export>;
  /** NoSuchResourceException when there is none; as of all below. */
  get(id: string): Promise<Export>;
  /** Newest first. */
  list(page: PageRequest): Promise<{ readonly exports: readonly Export[]; readonly next?: string }>;
  /** Stops it if it is being made. */
  remove(id: string): Promise<void>;
  /** The whole document as gzip. NoSuchResourceException where it isn't made yet, or could not be. */
  document(id: string): Promise<{ readonly made: Export; readonly bytes: AsyncIterable<Uint8Array> }>;
}

export interface ExportParts {
  readonly store: StepStore;
  readonly ahead: JobStore['ahead'];
  /** The parameter registry: throws a QueryParameterException. */
  readonly checkParameters: (parameters: readonly QueryParameter[]) => void;
  readonly classify: Classify;
  readonly newId: () => string;
  /** That one client may have at a time. */
  readonly most: number;
  readonly keepSeconds: number;
  /** With access on: names what the client may see now. What it might see before is not given out any more. */
  readonly seen?: () => string;
  /** Called when there is one to be made. */
  readonly submitted: () => void;
}

export function createExportService(parts: ExportParts): ExportService {
  const { store, ahead, checkParameters, classify, newId, most, keepSeconds, submitted, seen } = parts;
  const shown = ({ id, asked, ...job }: SteppedJob): Export => {
    const until = job.finishedAt === undefined ? undefined : Date.parse(job.finishedAt) + keepSeconds * 1000;
    return {
      ...{ id, job, request: asked as unknown as ExportRequest },
      ...(until !== undefined && { keptUntil: new Date(until).toISOString() }),
    };
  };
  const get = async (id: string): Promise<Export> => {
    const job = await store.find(id);
    if (job === undefined) throw noSuch(`There is no export '${id}'.`);
    return job.running ? { ...shown(job), ...prospectsOf(await ahead(id)) } : shown(job);
  };
  return {
    async create(request, origin) {
      checkParameters(request.parameters);
      const id = newId();
      const asked = { ...request, ...(seen && { seen: seen() }) };
      await store.create({ id, asked, place: classify(origin, 0) });
      // counted with it, so that of two at the same time not both are one too many
      if ((await store.count()) > most) {
        await store.remove(id);
        throw new LimitReachedException(
          `There may be ${most} exports at a time: delete one, or wait until one is forgotten.`,
          60,
        );
      }
      submitted();
      return get(id);
    },
    get,
    async list(page) {
      const { jobs, next } = await store.list(page);
      return { exports: jobs.map(shown), ...(next !== undefined && { next }) };
    },
    async remove(id) {
      if (!(await store.remove(id))) throw noSuch(`There is no export '${id}'.`);
    },
    async document(id) {
      const made = await get(id);
      if (made.job.running) throw noSuch(`The export '${id}' is not made yet.`);
      if (!made.job.success) throw noSuch(`The export '${id}' could not be made.`);
      if (seen !== undefined && made.request.seen !== seen())
        throw noSuch(`The export '${id}' was made by other rules than hold now: make it again.`);
      return { made, bytes: store.document(id) };
    },
  };
}

function noSuch(reason: string): EpcisException {
  return new EpcisException('NoSuchResourceException', reason);
}

/** Where in the document a page of events stands. */
export interface PagePosition {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** There are events before it. */
  readonly isBehind: boolean;
  /** What the page before left to know. */
  readonly known?: string;
}

/** How a document is written, a page of its events after the other, each by another VM if need be. */
export interface ExportWriter {
  event(stored: StoredEvent): string;
  page(
    events: readonly string[],
    at: PagePosition,
  ): Pick<Step, 'text' | 'bytes'> & {
    /** For the next page. */
    readonly known?: string;
  };
}

/** `before`, `between` and `after` its events. */
export function textWriter(
  frame: { readonly before: string; readonly between: string; readonly after: string },
  event: ExportWriter['event'],
): ExportWriter {
  const { before, between, after } = frame;
  return {
    event,
    page: (events, { isFirst, isLast, isBehind }) => ({
      text: [
        isFirst ? before : '',
        isBehind && events.length > 0 ? between : '',
        events.join(between),
        isLast ? after : '',
      ].join(''),
    }),
  };
}

/** Events of a step, each of which may have megabytes. */
const PAGE = 500;

export interface ExportRunParts {
  /** As the client has it whose export it is. */
  readonly query: (client: ClientIdentity | undefined) => Pick<QueryService, 'eventPage'> & Pick<RunQuery, 'count'>;
  readonly write: (request: ExportRequest) => ExportWriter;
}

/** Page by page behind the last event that is stored, so none comes twice. What is captured meanwhile may be in it, or not. */
export function exportSteps({ query, write }: ExportRunParts): Steps {
  return async function* (task, client) {
    const request = task.asked as unknown as ExportRequest;
    const { parameters } = request;
    const own = query(client);
    const writer = write(request);
    let reached = task.reached?.['after'];
    if (reached === ALL) return; // nothing was left but to say so
    let known = task.reached?.['known'] as string | undefined;
    let { done } = task;
    const total = task.total ?? (await totalOf(own, parameters));
    while (reached !== ALL) {
      const isFirst = reached === undefined;
      const page = await own.eventPage(parameters, { perPage: PAGE, ...(!isFirst && { after: String(reached) }) });
      const events: string[] = [];
      for await (const stored of page.events) events.push(writer.event(stored));
      reached = page.next() ?? ALL;
      const at = { isFirst, isLast: reached === ALL, isBehind: done > 0 };
      const { known: next, ...adds } = writer.page(events, { ...at, ...(known !== undefined && { known }) });
      done += events.length;
      known = next;
      const place = { after: reached, ...(known !== undefined && { known }) };
      yield { reached: place, done, ...adds, ...(total !== undefined && { total }) };
    }
  };
}

/** No place of a page is called so. */
const ALL = '';

/** For the progress only: a query may be too slow to be counted at once, and be read page by page all the same. */
async function totalOf(
  query: Pick<RunQuery, 'count'>,
  parameters: readonly QueryParameter[],
): Promise<number | undefined> {
  try {
    return await query.count(parameters, undefined, Number.MAX_SAFE_INTEGER);
  } catch (error) {
    if (error instanceof EpcisException && error.name === 'QueryTooComplexException') return undefined;
    throw error;
  }
}
