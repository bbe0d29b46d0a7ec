// Every resource of the REST door, as one table: EPCIS 2.0's, and ours beside them.
import { ASKING, EVENTS, GONE, NOT_MODIFIED, PAGE_HEADERS, REPORT, SENDING } from './answers.ts';
import { getJob, getJobs, postCapture } from './capture.ts';
import { COLLECTIONS, getRoot, getValue, getValueEvents, getValues, type CollectionName } from './collections.ts';
import { isDryRun } from '../http/dry-run.ts';
import { getEvent, getEvents, postEvent } from './events.ts';
import type { RestExchange } from './exchange.ts';
import { EXPORTS, TRACES, VALIDATE } from './own-resources.ts';
import { readToken } from './page-token.ts';
import { deleteQuery, getQueries, getQuery, getQueryEvents, postQuery } from './queries.ts';
import type { Operation, Resource } from './resource.ts';
import { DRY_RUN, postValidate } from './validate.ts';
import { deleteSubscription, getSubscription, getSubscriptions, postSubscription } from './subscriptions.ts';

/** A single one: OPTIONS tells more of it. */
export const SUBSCRIPTION = '/queries/{queryName}/subscriptions/{subscriptionID}';

/** One of each collection, as a sentence and as the names of operations have it. */
const SINGULAR: Readonly<Record<CollectionName, readonly [one: string, id: string]>> = {
  eventTypes: ['an event type', 'EventType'],
  epcs: ['an EPC', 'Epc'],
  bizSteps: ['a business step', 'BizStep'],
  bizLocations: ['a business location', 'BizLocation'],
  readPoints: ['a read point', 'ReadPoint'],
  dispositions: ['a disposition', 'Disposition'],
};

function collection(name: CollectionName): Resource[] {
  const [one, id] = SINGULAR[name];
  const value = `{+${id.replace(/^./, (letter) => letter.toLowerCase())}}`;
  const list: Operation = {
    id: `get${id}s`,
    summary: `All ${name} that events have.`,
    handler: (exchange) => getValues(exchange, name),
    query: ['page'],
    answers: {
      200: { meaning: 'A page of them.', schema: 'Collection', headers: [...PAGE_HEADERS, 'ETag'] },
      304: NOT_MODIFIED,
    },
    exceptions: ['QueryParameterException'],
  };
  const events: Operation = {
    id: `get${id}Events`,
    summary: `The events with ${one}, narrowed by any parameter of a query.`,
    handler: (exchange) => getValueEvents(exchange, name),
    query: ['page', 'events'],
    said: COLLECTIONS[name],
    answers: { 200: EVENTS },
    exceptions: ASKING,
  };
  const single: Operation = {
    id: `get${id}`,
    summary: `What there is below ${one}.`,
    handler: (exchange) => getValue(exchange, name),
    answers: { 200: { meaning: 'Its resources.', schema: 'Collection', headers: ['ETag'] }, 304: NOT_MODIFIED },
    exceptions: ['NoSuchResourceException'],
  };
  return [
    { path: `/${name}`, methods: { GET: list } },
    { path: `/${name}/${value}/events`, methods: { GET: events } },
    { path: `/${name}/${value}`, methods: { GET: single } },
  ];
}

const CAPTURE: readonly Resource[] = [
  {
    path: '/capture',
    methods: {
      GET: {
        id: 'getCaptureJobs',
        role: 'capture',
        summary: 'The capture jobs, newest first.',
        handler: getJobs,
        query: ['page'],
        answers: { 200: { meaning: 'A page of jobs.', schema: 'CaptureJobs', headers: PAGE_HEADERS } },
        exceptions: ['QueryParameterException'],
      },
      POST: {
        id: 'postCapture',
        role: 'capture',
        summary: 'Captures a document by a job that any VM reports on.',
        handler: postCapture,
        body: 'document',
        query: [DRY_RUN],
        answers: {
          200: REPORT,
          202: { meaning: 'The job is at Location.', headers: ['Location', 'GS1-Capture-Error-Behaviour'] },
        },
        exceptions: SENDING,
      },
    },
  },
  {
    path: '/capture/{captureID}',
    methods: {
      GET: {
        id: 'getCaptureJob',
        role: 'capture',
        summary: 'How a capture job stands.',
        handler: getJob,
        answers: { 200: { meaning: 'The job.', schema: 'CaptureJob' } },
        exceptions: ['NoSuchResourceException'],
      },
    },
  },
];

const SINGLE_EVENTS: readonly Resource[] = [
  {
    path: '/events',
    methods: {
      GET: {
        id: 'getEvents',
        summary: 'Events, by any parameter of a query.',
        handler: (exchange) => getEvents(exchange),
        query: ['page', 'events'],
        answers: { 200: EVENTS },
        exceptions: ASKING,
      },
      POST: {
        id: 'postEvent',
        role: 'capture',
        summary: 'Captures one event at once.',
        handler: (exchange) => (isDryRun(exchange.url) ? postValidate(exchange, 'event') : postEvent(exchange)),
        body: 'event',
        query: [DRY_RUN],
        answers: {
          200: REPORT,
          201: {
            meaning: 'The event, as it was captured.',
            schema: 'Event',
            headers: ['Location', 'Capture-Warnings'],
          },
        },
        exceptions: [...SENDING, 'ResourceAlreadyExistsException'],
      },
    },
  },
  {
    path: '/events/{+eventID}',
    methods: {
      GET: {
        id: 'getEvent',
        summary: 'An event, and the declarations that it was an error.',
        handler: getEvent,
        answers: {
          200: { meaning: 'The events of this ID.', schema: 'QueryDocument', headers: ['ETag', 'GS1-EPC-Format'] },
          304: NOT_MODIFIED,
        },
        exceptions: ['NoSuchResourceException'],
      },
    },
  },
];

const QUERIES: readonly Resource[] = [
  {
    path: '/queries',
    methods: {
      GET: {
        id: 'getQueries',
        summary: 'The named queries.',
        handler: getQueries,
        query: ['page'],
        answers: { 200: { meaning: 'A page of them.', schema: 'Queries', headers: PAGE_HEADERS } },
        exceptions: ['QueryParameterException'],
      },
      POST: {
        id: 'postQuery',
        summary: 'Gives a query a name.',
        handler: postQuery,
        body: 'query',
        answers: { 201: { meaning: 'The query is at Location.', headers: ['Location'] } },
        exceptions: [...SENDING, 'QueryParameterException', 'ResourceAlreadyExistsException'],
      },
    },
  },
  {
    path: '/queries/{queryName}',
    methods: {
      GET: {
        id: 'getQuery',
        summary: 'A named query.',
        handler: getQuery,
        answers: { 200: { meaning: 'The query.', schema: 'Query' } },
        exceptions: ['NoSuchNameException'],
      },
      DELETE: {
        id: 'deleteQuery',
        summary: 'Deletes a named query with its subscriptions.',
        handler: deleteQuery,
        answers: { 204: GONE },
        exceptions: ['NoSuchNameException', 'SecurityException'],
      },
    },
  },
  {
    path: '/queries/{queryName}/events',
    methods: {
      GET: {
        id: 'getQueryEvents',
        summary: 'The events of a named query; with an upgrade to WebSocket, a subscription.',
        handler: getQueryEvents,
        query: ['page', 'events'],
        answers: { 200: EVENTS },
        exceptions: [...ASKING, 'NoSuchNameException', 'QueryValidationException'],
      },
    },
  },
  {
    path: '/queries/{queryName}/subscriptions',
    methods: {
      GET: {
        id: 'getSubscriptions',
        role: 'subscribe',
        summary: 'The subscriptions of a named query.',
        handler: getSubscriptions,
        query: ['page'],
        answers: { 200: { meaning: 'A page of them.', schema: 'Subscriptions', headers: PAGE_HEADERS } },
        exceptions: ['QueryParameterException', 'NoSuchNameException'],
      },
      POST: {
        id: 'postSubscription',
        role: 'subscribe',
        summary: 'Has the results of a named query sent to a webhook.',
        handler: postSubscription,
        body: 'subscription',
        answers: { 201: { meaning: 'The subscription.', schema: 'Subscription', headers: ['Location'] } },
        exceptions: [
          ...SENDING,
          ...(['InvalidURIException', 'NoSuchNameException'] as const),
          ...(['SubscribeNotPermittedException', 'SubscriptionControlsException'] as const),
        ],
      },
    },
  },
  {
    path: SUBSCRIPTION,
    methods: {
      GET: {
        id: 'getSubscription',
        role: 'subscribe',
        summary: 'A subscription.',
        handler: getSubscription,
        answers: { 200: { meaning: 'The subscription.', schema: 'Subscription' } },
        exceptions: ['NoSuchSubscriptionException'],
      },
      DELETE: {
        id: 'deleteSubscription',
        role: 'subscribe',
        summary: 'Ends a subscription.',
        handler: deleteSubscription,
        answers: { 204: GONE },
        exceptions: ['NoSuchSubscriptionException'],
      },
    },
  },
];

export const RESOURCES: readonly Resource[] = [
  {
    path: '/',
    methods: {
      GET: {
        id: 'getRoot',
        role: 'any',
        summary: 'The top-level resources.',
        handler: getRoot,
        answers: { 200: { meaning: 'Their names.', schema: 'Collection', headers: ['ETag'] }, 304: NOT_MODIFIED },
        fails: false,
      },
    },
  },
  ...CAPTURE,
  ...SINGLE_EVENTS,
  ...VALIDATE,
  ...TRACES,
  ...(Object.keys(COLLECTIONS) as CollectionName[]).flatMap(collection),
  ...QUERIES,
  ...EXPORTS,
  {
    path: '/nextPageToken/{token}',
    methods: {
      DELETE: {
        id: 'deletePageToken',
        summary: 'Nothing: a page token holds all it needs and occupies nothing.',
        handler: deleteToken,
        answers: { 204: GONE },
        exceptions: ['QueryParameterException'],
        fails: false,
      },
    },
  },
];

/** A token holds everything itself, so there is nothing to release; it is still checked, to tell typing errors. */
function deleteToken(exchange: RestExchange): void {
  readToken(exchange.value, exchange.tokenSecret, exchange.doors.rest.tokenTime());
  exchange.empty(204);
}
