// The REST door: the table of resources as a router, and the answers to what no resource takes.
import { Router } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EpcisException, LimitReachedException } from '../../domain/exceptions.ts';
import { admitted } from '../http/admission.ts';
import { asFailure } from '../http/failure.ts';
import { nameOf } from '../http/segment.ts';
import { servedAt } from '../http/tracing.ts';
import { RestExchange, type RestDoors } from './exchange.ts';
import { checkHeaders, DISCOVERY_HEADERS, VERSION_HEADERS, writeExtensions } from './headers.ts';
import { errorForm } from './negotiate.ts';
import { problemOf, writeProblem, type ProblemDetails } from './problem.ts';
import { SUBSCRIPTION } from './resources.ts';
import { minRecordTime } from './subscriptions.ts';
import { otherCase, patternOf, templateOf, type Resource } from './resource.ts';

export function restRouter(doors: RestDoors, resources: readonly Resource[]): Router {
  const router = Router();
  for (const { path, methods } of resources) {
    const allowed = ['OPTIONS', ...Object.keys(methods).flatMap(withHead)].join(', ');
    router.all(patternOf(path), async (request, response) => {
      servedAt(`${doors.rest.prefix}${templateOf(path)}`, request);
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const values = Object.values(request.params).map((part) => nameOf(String(part)));
      const operation = methods[method as keyof typeof methods];
      try {
        const open = admitted(doors, request, operation === undefined ? 'any' : (operation.role ?? 'query'));
        const exchange = new RestExchange(open, request, response, values);
        checkRequest(exchange);
        if (method === 'OPTIONS') await discover(exchange, allowed, path);
        else if (operation === undefined) refuseMethod(exchange, allowed);
        else await operation.handler(exchange);
      } catch (error) {
        answerFailure(doors, request, response, error);
      }
    });
  }
  return router;
}

/** What can be got can be asked for without its body. */
const withHead = (method: string): readonly string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method]);

/** For what no resource is at, and what express itself refuses. `paths`: what there is instead. */
export function noSuchResource(
  doors: RestDoors,
  request: IncomingMessage,
  response: ServerResponse,
  paths: readonly string[],
): void {
  try {
    admitted(doors, request, 'any');
  } catch (error) {
    return answerFailure(doors, request, response, error);
  }
  const [path = '/'] = (request.url ?? '/').split('?');
  const right = otherCase(paths, path);
  const hint = right === undefined ? '.' : `; write ${right}: upper and lower case differ in a path.`;
  const exception = new EpcisException('NoSuchResourceException', `There is nothing at ${path}${hint}`);
  answerFailure(doors, request, response, exception);
}

export function answerFailure(
  doors: RestDoors,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  // the client has left: its hanging up is the error
  if (response.destroyed) return;
  const failure = asFailure(error, doors.log, request);
  const problem = problemOf(failure);
  const headers =
    failure.unavailable ?? (error instanceof LimitReachedException ? retryAfter(error) : headersOf(doors, problem));
  // too late for a status: cut the connection, or the document would look complete
  if (response.headersSent) response.destroy();
  else sendProblem(request, response, problem, headers);
}

function headersOf(doors: RestDoors, { type, status }: ProblemDetails): Record<string, string> {
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' };
  return type === 'epcisException:CaptureLimitExceededException' ? captureLimits(doors) : {};
}

const retryAfter = (error: LimitReachedException) => ({ 'Retry-After': String(error.retryAfter) });

function captureLimits({ limits }: RestDoors): Record<string, string> {
  return {
    'GS1-EPCIS-Capture-Limit': String(limits.captureEvents),
    'GS1-EPCIS-Capture-File-Size-Limit': String(limits.captureBytes),
  };
}

function sendProblem(request: IncomingMessage, response: ServerResponse, problem: ProblemDetails, headers = {}): void {
  const { type, text } = writeProblem(problem, errorForm(request.headers.accept));
  // what is left of a refused body is not worth reading
  const connection: Record<string, string> = request.complete ? {} : { Connection: 'close' };
  const length = String(Buffer.byteLength(text));
  const common = { ...VERSION_HEADERS, 'Content-Type': type, 'Content-Length': length, ...connection };
  response.writeHead(problem.status, { ...common, ...headers }).end(text);
}

/** Of every request, a WebSocket's too. */
export function checkRequest(exchange: RestExchange): void {
  const { uriLength } = exchange.doors.limits;
  if (exchange.url.length > uriLength) {
    const reason = `The URI has more than ${uriLength} characters; make the query a named one (POST /queries).`;
    throw new EpcisException('URITooLongException', reason);
  }
  checkHeaders(exchange.request.headers);
}

async function discover(exchange: RestExchange, allowed: string, path: string): Promise<void> {
  const own = writeExtensions(exchange.extensions);
  const extensions: Record<string, string> =
    own === '' ? {} : { 'GS1-Extensions': `${DISCOVERY_HEADERS['GS1-Extensions']}, ${own}` };
  exchange.empty(204, { ...DISCOVERY_HEADERS, ...extensions, ...(await headersAt(path, exchange)), Allow: allowed });
}

/** What OPTIONS tells of some resources only. */
async function headersAt(path: string, exchange: RestExchange): Promise<Readonly<Record<string, string>>> {
  if (path === '/capture') return { ...captureLimits(exchange.doors), 'GS1-Capture-Error-Behaviour': 'all' };
  return path === SUBSCRIPTION ? minRecordTime(exchange) : {};
}

function refuseMethod({ request, response }: RestExchange, allowed: string): void {
  const detail = `${request.method} is not possible here; possible: ${allowed}.`;
  sendProblem(
    request,
    response,
    { type: 'about:blank', title: 'Method Not Allowed', status: 405, detail },
    { Allow: allowed },
  );
}
