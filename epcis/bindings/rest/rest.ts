// The REST door: every resource of EPCIS 2.0's OpenAPI document, as one table.
import { Router } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EpcisException } from '../../domain/exceptions.ts';
import { asFailure } from '../http/failure.ts';
import { getJob, getJobs, postCapture } from './capture.ts';
import { COLLECTIONS, getRoot, getValue, getValueEvents, getValues, type CollectionName } from './collections.ts';
import { getEvent, getEvents, postEvent } from './events.ts';
import { Exchange, type RestDoors } from './exchange.ts';
import { checkVersions, DISCOVERY_HEADERS, VERSION_HEADERS } from './headers.ts';
import { errorForm } from './negotiate.ts';
import { readToken } from './page-token.ts';
import { problemOf, writeProblem, type Problem } from './problem.ts';
import { deleteQuery, getQueries, getQuery, getQueryEvents, postQuery } from './queries.ts';
import { deleteSubscription, getSubscription, getSubscriptions, postSubscription } from './subscriptions.ts';

type Handler = (exchange: Exchange) => void | Promise<void>;

interface Resource {
  /** Variable parts are groups. They take slashes too: clients and proxies are careless about escaping URIs in paths. */
  readonly path: RegExp;
  readonly methods: Readonly<Partial<Record<'GET' | 'POST' | 'DELETE', Handler>>>;
}

const collections = (Object.keys(COLLECTIONS) as CollectionName[]).flatMap((name): Resource[] => [
  { path: new RegExp(`^/${name}/?$`), methods: { GET: (exchange) => getValues(exchange, name) } },
  { path: new RegExp(`^/${name}/(.+)/events$`), methods: { GET: (exchange) => getValueEvents(exchange, name) } },
  { path: new RegExp(`^/${name}/(.+)$`), methods: { GET: (exchange) => getValue(exchange, name) } },
]);

const RESOURCES: readonly Resource[] = [
  { path: /^\/$/, methods: { GET: getRoot } },
  { path: /^\/capture\/?$/, methods: { GET: getJobs, POST: postCapture } },
  { path: /^\/capture\/([^/]+)$/, methods: { GET: getJob } },
  { path: /^\/events\/?$/, methods: { GET: (exchange) => getEvents(exchange), POST: postEvent } },
  { path: /^\/events\/(.+)$/, methods: { GET: getEvent } },
  ...collections,
  { path: /^\/queries\/?$/, methods: { GET: getQueries, POST: postQuery } },
  { path: /^\/queries\/([^/]+)$/, methods: { GET: getQuery, DELETE: deleteQuery } },
  { path: /^\/queries\/([^/]+)\/events$/, methods: { GET: getQueryEvents } },
  { path: /^\/queries\/([^/]+)\/subscriptions$/, methods: { GET: getSubscriptions, POST: postSubscription } },
  {
    path: /^\/queries\/([^/]+)\/subscriptions\/([^/]+)$/,
    methods: { GET: getSubscription, DELETE: deleteSubscription },
  },
  { path: /^\/nextPageToken\/([^/]+)$/, methods: { DELETE: deleteToken } },
];

export function restRouter(doors: RestDoors): Router {
  const router = Router();
  for (const { path, methods } of RESOURCES) {
    const allowed = ['OPTIONS', ...Object.keys(methods)].join(', ');
    router.all(path, async (request, response) => {
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const values = Object.values(request.params).map(String);
      const exchange = new Exchange(doors, request, response, values);
      try {
        checkRequest(exchange);
        const handler = methods[method as keyof typeof methods];
        if (method === 'OPTIONS') discover(exchange, allowed, 'POST' in methods && path.test('/capture'));
        else if (handler === undefined) refuseMethod(exchange, allowed);
        else await handler(exchange);
      } catch (error) {
        answerFailure(doors, request, response, error);
      }
    });
  }
  return router;
}

/** For what no resource is at, and what express itself refuses. */
export function noSuchResource(doors: RestDoors, request: IncomingMessage, response: ServerResponse): void {
  const [path] = (request.url ?? '/').split('?');
  answerFailure(
    doors,
    request,
    response,
    new EpcisException('NoSuchResourceException', `There is nothing at ${path}.`),
  );
}

export function answerFailure(
  doors: RestDoors,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  // the client has left: its hanging up is the error
  if (response.destroyed) return;
  const problem = problemOf(asFailure(error, doors.log, request));
  const headers = problem.type === 'epcisException:CaptureLimitExceededException' ? captureLimits(doors) : {};
  // too late for a status: cut the connection, or the document would look complete
  if (response.headersSent) response.destroy();
  else sendProblem(request, response, problem, headers);
}

function captureLimits({ limits }: RestDoors): Record<string, string> {
  return {
    'GS1-EPCIS-Capture-Limit': String(limits.captureEvents),
    'GS1-EPCIS-Capture-File-Size-Limit': String(limits.captureBytes),
  };
}

function sendProblem(request: IncomingMessage, response: ServerResponse, problem: Problem, headers = {}): void {
  const { type, text } = writeProblem(problem, errorForm(request.headers.accept));
  // what is left of a refused body is not worth reading
  const connection: Record<string, string> = request.complete ? {} : { Connection: 'close' };
  const length = String(Buffer.byteLength(text));
  const common = { ...VERSION_HEADERS, 'Content-Type': type, 'Content-Length': length, ...connection };
  response.writeHead(problem.status, { ...common, ...headers }).end(text);
}

function checkRequest(exchange: Exchange): void {
  const { uriLength } = exchange.doors.limits;
  if (exchange.url.length > uriLength) {
    const reason = `The URI has more than ${uriLength} characters; make the query a named one (POST /queries).`;
    throw new EpcisException('URITooLongException', reason);
  }
  checkVersions(exchange.request.headers);
}

function discover(exchange: Exchange, allowed: string, isCapture: boolean): void {
  const capture: Record<string, string> = isCapture
    ? { ...captureLimits(exchange.doors), 'GS1-Capture-Error-Behaviour': 'rollback, proceed' }
    : {};
  exchange.empty(204, { ...DISCOVERY_HEADERS, ...capture, Allow: allowed });
}

function refuseMethod({ request, response }: Exchange, allowed: string): void {
  const detail = `${request.method} is not possible here; possible: ${allowed}.`;
  sendProblem(
    request,
    response,
    { type: 'about:blank', title: 'Method Not Allowed', status: 405, detail },
    { Allow: allowed },
  );
}

/** A token holds everything itself, so there is nothing to release; it is still checked, to tell typing errors. */
function deleteToken(exchange: Exchange): void {
  readToken(exchange.value, exchange.doors.rest.secret, exchange.doors.now().getTime());
  exchange.empty(204);
}
