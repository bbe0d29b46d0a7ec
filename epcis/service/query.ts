// The query service: parameters in, events out. `createQueryService` is what the doors and subscriptions are given.
import { EpcisException } from '../domain/exceptions.ts';
import type { Criterion, EventOrder, EventQuery, Position } from './criteria.ts';
import type { EventRepository, EventRow } from './repository.ts';
import { vocabularies } from './master-data-query.ts';
import type { QueryPlan } from './parameter-rule.ts';
import { classCriterion } from './parameters-fields.ts';
import { planEvents, QUERY_LIMITS, type QueryLimits } from './parameters.ts';
import { keyed, sortKeyed, type Keyed } from './field-order.ts';
import { withStandardValues } from './standard-values.ts';
import type { EventPage, PageRequest, QueryService, StoredEvent } from './services.ts';
import type { RunQuery, RunWindow } from './subscriptions-store.ts';
import { gather } from './gather.ts';
import { traceOf } from './trace.ts';
import { upToBytes } from './up-to-bytes.ts';

export interface QueryServiceOptions {
  readonly limits?: QueryLimits;
  /** Events that are sorted in memory, for an order that no index gives (an extension field). Default 10,000. */
  readonly maxSorted?: number;
}

/** Up to so many events are read before the first is given, instead of counting them first. */
const READ_AHEAD = 500;
/**
 * A page ends with the event that brings its sources to so many bytes: whoever writes it may hold it whole, and a thousand events may be 8 GB.
 * (1,000 events of usual size are some 2 MB.)
 */
const PAGE_BYTES = 8 * 1024 * 1024;
/** Master-data elements that one parameter on a field without a column may stand for. */
const MAX_ELEMENTS = 5000;

const COLUMN_OF = {
  eventTypes: 'type',
  epcs: 'epc',
  bizSteps: 'bizStep',
  bizLocations: 'bizLocation',
  readPoints: 'readPoint',
  dispositions: 'disposition',
} as const;

export function createQueryService(
  repository: EventRepository,
  { limits = QUERY_LIMITS, maxSorted = 10_000 }: QueryServiceOptions = {},
): QueryService & RunQuery {
  const queryOf = async (plan: QueryPlan, more: readonly Criterion[] = []): Promise<EventQuery> => ({
    criteria: [...plan.criteria, ...(await attributeCriteria(repository, plan)), ...more],
    order: orderOf(plan),
  });

  const pageOf = async (plan: QueryPlan, page: PageRequest, run?: RunWindow): Promise<EventPage> => {
    const start = page.after === undefined ? undefined : readPlace(page.after);
    const query = run
      ? { ...(await queryOf(plan, [inWindow(run)])), order: orderOfRun(plan, start) }
      : await queryOf(plan);
    if (isByField(plan)) return sortedPage(await sorted(repository, query, plan, maxSorted, start), start, page, plan);
    if (!start) await refuseTooMany(repository, query, plan);
    return openPage(repository, { ...query, ...(start && { after: start.position }) }, page, plan, start?.given ?? 0);
  };

  return {
    async events(parameters) {
      const plan = planEvents(parameters, limits);
      const query = await queryOf(plan);
      if (isByField(plan))
        return each((await sorted(repository, query, plan, maxSorted)).slice(0, plan.eventCountLimit));
      if (plan.maxEventCount !== undefined) return upTo(repository, query, plan.maxEventCount);
      return repository.events({ ...query, ...(plan.eventCountLimit && { limit: plan.eventCountLimit }) });
    },
    eventPage: async (parameters, page) => pageOf(planEvents(parameters, limits), page),
    async eventsById(id) {
      const criteria: Criterion[] = [{ kind: 'eventID', values: [id] }];
      return gather(repository.events({ criteria, order: { by: 'recordTime', direction: 'ASC' } }));
    },
    trace: (request) => traceOf(repository, request),
    vocabularies: async (parameters) => vocabularies(repository, parameters, limits),
    values: async (of, page) => {
      const held = await repository.values(COLUMN_OF[of], page.perPage, page.after);
      return withStandardValues(of, held, page);
    },
    page: async (parameters, window, page) => pageOf(planEvents(parameters, limits), page, window),
    async count(parameters, window, atMost) {
      const within = window === undefined ? [] : [inWindow(window)];
      return repository.count(await queryOf(planEvents(parameters, limits), within), atMost);
    },
  };
}

function isByField({ orderBy }: QueryPlan): boolean {
  return orderBy !== undefined && orderBy !== 'eventTime' && orderBy !== 'recordTime';
}

function orderOf({ orderBy, orderDirection: direction = 'DESC' }: QueryPlan): EventOrder {
  return { by: orderBy === 'recordTime' ? 'recordTime' : 'eventTime', direction };
}

function inWindow({ after, upTo }: RunWindow): Criterion {
  return { kind: 'feed', after, upTo };
}

/** As committed, unless the client wants another order. What an earlier version began by record time ends so. */
function orderOfRun(plan: QueryPlan, start: Place | undefined): EventOrder {
  if (plan.orderBy !== undefined) return orderOf(plan);
  return { by: start?.isOfFeed === false ? 'recordTime' : 'feed', direction: 'ASC' };
}

/** HASATTR_ and EQATTR_ of fields that hold no column: the elements are looked up, then the events with one of them. */
async function attributeCriteria(
  repository: EventRepository,
  { attributes }: QueryPlan,
): Promise<readonly Criterion[]> {
  if (attributes.length === 0) return [];
  return Promise.all(
    attributes.map(async ({ of, attributes: names, values }) => {
      const query = values
        ? { attributeValues: names.map((attribute) => ({ attribute, values })) }
        : { hasAttribute: names };
      const ids: string[] = [];
      for await (const { id } of repository.vocabulary({ ...query, limit: MAX_ELEMENTS + 1 })) ids.push(id);
      if (ids.length > MAX_ELEMENTS) throw tooComplex(`An attribute stands for more than ${MAX_ELEMENTS} elements.`);
      // no element: nothing can match
      const values_ = ids.length === 0 ? ['\u0000none'] : ids;
      return typeof of === 'number' ? classCriterion(of, values_) : { kind: 'text', name: of, values: values_ };
    }),
  );
}

async function refuseTooMany(
  repository: EventRepository,
  query: EventQuery,
  { maxEventCount }: QueryPlan,
): Promise<void> {
  if (maxEventCount === undefined) return;
  if ((await repository.count(query, maxEventCount + 1)) > maxEventCount) throw tooLarge(maxEventCount);
}

/** All, or QueryTooLargeException before the first one. */
async function upTo(repository: EventRepository, query: EventQuery, max: number): Promise<AsyncIterable<StoredEvent>> {
  if (max > READ_AHEAD) {
    await refuseTooMany(repository, query, { criteria: [], attributes: [], maxEventCount: max });
    return repository.events({ ...query, limit: max });
  }
  const events = await gather(repository.events({ ...query, limit: max + 1 }));
  if (events.length > max) throw tooLarge(max);
  return each(events);
}

/** One event more than the page holds says whether there is a next page. */
function openPage(
  repository: EventRepository,
  query: EventQuery,
  { perPage }: PageRequest,
  { eventCountLimit = Infinity }: QueryPlan,
  given: number,
): EventPage {
  const size = Math.min(perPage, eventCountLimit - given);
  let place: string | undefined;
  async function* events(): AsyncGenerator<StoredEvent> {
    let last: EventRow | undefined;
    let count = 0;
    let bytes = 0;
    for await (const event of repository.events({ ...query, limit: size + 1 })) {
      if (count === size || bytes >= PAGE_BYTES) {
        if (last && given + count < eventCountLimit) place = writePlace(last.position, given + count, query.order);
        if (count === size) continue; // it is the last one; a cursor left early costs its connection
        return;
      }
      count += 1;
      bytes += event.size;
      last = event;
      yield event;
    }
  }
  return { events: events(), next: () => place };
}

async function sorted(
  repository: EventRepository,
  query: EventQuery,
  { orderBy = '', orderDirection = 'DESC', maxEventCount }: QueryPlan,
  most: number,
  start?: Place,
): Promise<readonly EventRow[]> {
  const events: Keyed[] = [];
  // it is about all of them at once: what is captured while a client goes from page to page makes none of these too large
  const max = (start === undefined ? maxEventCount : undefined) ?? Infinity;
  for await (const event of repository.events({ ...query, limit: Math.min(most, max) + 1 }))
    events.push(keyed(event, orderBy));
  if (events.length > max) throw tooLarge(max);
  if (events.length > most)
    throw tooComplex(`Only up to ${most} events can be ordered by an extension field; ask for fewer.`);
  return sortKeyed(events, orderDirection);
}

/** Goes on behind the event that was given last, wherever that stands by now: others may have been captured before it. */
function sortedPage(
  events: readonly EventRow[],
  start: Place | undefined,
  { perPage }: PageRequest,
  plan: QueryPlan,
): EventPage {
  const { eventCountLimit = Infinity } = plan;
  const given = start?.given ?? 0;
  const last = start === undefined ? -1 : events.findIndex(({ position }) => position.id === start.position.id);
  // where it is gone, the number of those given is the nearest
  const from = last === -1 ? given : last + 1;
  const page = upToBytes(
    events.slice(from, from + Math.min(perPage, eventCountLimit - given)),
    ({ size }) => size,
    PAGE_BYTES,
  );
  const end = page.at(-1);
  const told = given + page.length;
  const isLast = end === undefined || from + page.length >= events.length || told >= eventCountLimit;
  return { events: each(page), next: () => (isLast ? undefined : writePlace(end.position, told, orderOf(plan))) };
}

/** Where a page ended. */
interface Place {
  readonly position: Position;
  readonly given: number;
  /** The position is one of the feed. */
  readonly isOfFeed: boolean;
}

/** `time.id.number of events given so far`; in the order of the feed `f` stands before its position. */
function writePlace({ time, id }: Position, given: number, { by }: EventOrder): string {
  return `${by === 'feed' ? 'f' : ''}${time}.${id}.${given}`;
}

function readPlace(text: string): Place {
  const match = /^(f?)(-?\d{1,18})\.(\d{1,19})\.(\d{1,12})$/.exec(text);
  if (!match) throw new EpcisException('QueryParameterException', 'The page token is not one of ours.');
  const position = { time: Number(match[2]), id: match[3] ?? '0' };
  return { position, given: Number(match[4]), isOfFeed: match[1] === 'f' };
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

function tooLarge(max: number): EpcisException {
  return new EpcisException('QueryTooLargeException', `The query has more than ${max} results.`);
}

function tooComplex(reason: string): EpcisException {
  return new EpcisException('QueryTooComplexException', reason);
}
