// One claimed run of a subscription: everything in its window of the feed, page by page, to the receiver.
//
// The place in the run is stored after each page that the receiver accepted (2xx), and only then. Whoever goes on, this VM
// after a back-off or another one after a take-over, repeats the page that was not accepted and no other. A VM that dies
// between the receiver's 2xx and the storing of it can't know: the page is sent again, with the same delivery ID.
import { EpcisException } from '../domain/exceptions.ts';
import { backOff } from '../domain/back-off.ts';
import { nextRun, parseSchedule } from './schedule.ts';
import type { QueryParameter, StoredEvent } from './services.ts';
import type { Run, RunClaim, RunQuery, StoredSubscription, SubscriptionStore } from './subscriptions-store.ts';
import type { Notice, WriteResult } from './subscriptions.ts';

export interface Delivery {
  readonly subscription: StoredSubscription;
  /** The same whenever the same page is sent again. */
  readonly id: string;
  readonly mediaType: string;
  readonly text: string;
}

/** Resolves when the receiver has it; `too large`: it asks for less at a time. Everything else rejects. */
export type Deliver = (delivery: Delivery, signal: AbortSignal) => Promise<'accepted' | 'too large'>;

export interface SubscriptionRunParts {
  readonly store: SubscriptionStore;
  readonly query: RunQuery;
  readonly write: WriteResult;
  readonly deliver: Deliver;
  readonly logFailure: (error: unknown, what: string) => string;
  /** Events in one document. */
  readonly pageSize: number;
  /** Longest pause before a receiver that is down is tried again. */
  readonly maxBackOffSeconds: number;
}

/** Resolves when the run is finished, put off or lost; `signal` makes it stop early and give the run back. */
export async function runSubscription(
  parts: SubscriptionRunParts,
  claim: RunClaim,
  signal: AbortSignal,
): Promise<void> {
  const { store } = parts;
  try {
    const run = await store.begin(claim);
    if (run === undefined) return;
    const notified = await deliverRun(parts, claim, run, signal).catch((error: unknown) =>
      deliverException(parts, claim, run, error, signal),
    );
    if (notified !== 'lost') {
      await store.finish(claim, { runAt: nextTime(claim.subscription, run, await store.now()), notified });
    }
  } catch (error) {
    if (signal.aborted) return store.postpone(claim, 0, claim.failures);
    parts.logFailure(error, `subscription ${claim.id}, failure ${claim.failures + 1}`);
    await store.postpone(claim, backOff(claim.failures + 1, 1, parts.maxBackOffSeconds), claim.failures + 1);
  }
}

/**
 * The receiver is told of the standard's exceptions. A result that is too large ends the run: it would be larger still
 * next time. Everything else keeps the run, to be tried again.
 */
async function deliverException(
  parts: SubscriptionRunParts,
  { subscription }: RunClaim,
  run: Run,
  error: unknown,
  signal: AbortSignal,
): Promise<true> {
  if (!(error instanceof EpcisException)) throw error;
  const isTooLarge = error.name === 'QueryTooLargeException' || error.name === 'QueryTooComplexException';
  // EPCIS 1.x knows two callbacks for exceptions
  const isKnown = subscription.result.form !== 'soap' || error.name === 'QueryTooLargeException';
  const name = isKnown ? error.name : 'ImplementationException';
  const document = parts.write.exception(noticeOf(subscription), name, error.message);
  const answer = await parts.deliver(
    { ...document, subscription, id: deliveryId(subscription, run, 'exception') },
    signal,
  );
  if (!isTooLarge || answer === 'too large') throw error;
  return true;
}

/** Runs that were missed meanwhile are one run: its window covers them. */
function nextTime({ schedule }: StoredSubscription, run: Run, now: number): number {
  if (schedule === undefined) return run.time;
  return nextRun(parseSchedule(schedule), now) ?? Number.MAX_SAFE_INTEGER;
}

async function deliverRun(
  parts: SubscriptionRunParts,
  claim: RunClaim,
  run: Run,
  signal: AbortSignal,
): Promise<boolean | 'lost'> {
  const { subscription } = claim;
  const limits = limitsOf(subscription.parameters);
  const parameters = since(limits.parameters, subscription.recordedSince);
  await refuseIfTooLarge(parts, parameters, run, limits.maxEventCount);
  // a stream speaks when something matches; only a schedule has times at which nothing may be news
  const reportsEmpty = subscription.reportIfEmpty && subscription.schedule !== undefined;
  let { cursor, sent } = run;
  for (let pageSize = parts.pageSize; ;) {
    signal.throwIfAborted();
    const perPage = Math.min(pageSize, limits.eventCountLimit - sent);
    const { events, next } = await readPage(parts, parameters, run, perPage, cursor);
    if (events.length > 0 || (sent === 0 && reportsEmpty)) {
      const document = parts.write.results(noticeOf(subscription), events);
      const answer = await parts.deliver(
        { ...document, subscription, id: deliveryId(subscription, run, sent) },
        signal,
      );
      if (answer === 'too large') {
        if (events.length <= 1) throw new Error('The receiver finds a single event too large (413).');
        pageSize = Math.ceil(events.length / 2);
        continue;
      }
    }
    sent += events.length;
    if (next === undefined || sent >= limits.eventCountLimit) return sent > 0 || reportsEmpty;
    if (!(await parts.store.progress(claim, next, sent))) return 'lost';
    cursor = next;
  }
}

async function readPage(
  parts: SubscriptionRunParts,
  parameters: readonly QueryParameter[],
  run: Run,
  perPage: number,
  after: string | undefined,
): Promise<{ readonly events: readonly StoredEvent[]; readonly next: string | undefined }> {
  const page = await parts.query.page(parameters, run, { perPage, ...(after !== undefined && { after }) });
  const events: StoredEvent[] = [];
  for await (const event of page.events) events.push(event);
  return { events, next: page.next() };
}

interface Limits {
  readonly parameters: readonly QueryParameter[];
  readonly maxEventCount: number;
  readonly eventCountLimit: number;
}

/** Both limits are of a run as a whole, whatever its pages; so they are kept here and not given to the query. */
function limitsOf(parameters: readonly QueryParameter[]): Limits {
  const number = (name: string): number => {
    const value = parameters.find((parameter) => parameter.name === name)?.values[0];
    return value === undefined || value === '' ? Infinity : Number(value);
  };
  return {
    parameters: parameters.filter(({ name }) => name !== 'maxEventCount' && name !== 'eventCountLimit'),
    maxEventCount: number('maxEventCount'),
    eventCountLimit: number('eventCountLimit'),
  };
}

/** The initialRecordTime, unless the client's own GE_recordTime is later. */
function since(parameters: readonly QueryParameter[], initialRecordTime?: string): readonly QueryParameter[] {
  if (initialRecordTime === undefined) return parameters;
  const own = parameters.find(({ name }) => name === 'GE_recordTime')?.values[0];
  if (own !== undefined && Date.parse(own) >= Date.parse(initialRecordTime)) return parameters;
  const others = parameters.filter(({ name }) => name !== 'GE_recordTime');
  return [...others, { name: 'GE_recordTime', values: [initialRecordTime] }];
}

/** Counted before the first page is sent. */
async function refuseIfTooLarge(
  parts: SubscriptionRunParts,
  parameters: readonly QueryParameter[],
  run: Run,
  max: number,
): Promise<void> {
  if (max === Infinity || run.cursor !== undefined) return;
  const count = await parts.query.count(parameters, run, max + 1);
  if (count > max) throw new EpcisException('QueryTooLargeException', `The query has more than ${max} results.`);
}

/** Example: `orders/1042/500` is the page after the first 500 events of the run up to position 1042. */
function deliveryId({ id }: StoredSubscription, run: Run, page: number | 'exception'): string {
  return `${id}/${run.upTo}/${page}`;
}

function noticeOf({ id, queryName, result }: StoredSubscription): Notice {
  return { queryName, subscriptionId: id, result };
}
