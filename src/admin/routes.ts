// The admin API: what the page, the command line and scripts ask and set.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { json, Router, type ErrorRequestHandler } from 'express';
import { policyNames } from '../decide/policies/index.ts';
import { writeParameters } from '../decide/parameters.ts';
import { MmeliotError } from '../errors.ts';
import type { BoundRecord } from '../loop/history.ts';
import { pastView } from '../loop/past.ts';
import { periodView } from '../loop/view.ts';
import type { Millis } from '../model.ts';
import { visitorIn } from './authenticate.ts';
import { authorOf } from './author.ts';
import type { EventStream } from './events.ts';
import { handRoutes } from './hand-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { parseDuration } from '../../epcis/domain/quantity.ts';
import { Refusal } from './protect.ts';
import { openapi } from './openapi.ts';
import { settingsView } from './settings-view.ts';
import type { AdminSource, AuditLog, ClientKeys } from './source.ts';

export interface ApiDeps {
  readonly source: AdminSource;
  readonly keys: ClientKeys;
  readonly audit: AuditLog;
}

/** A day of periods of 10 s. */
const MOST_PERIODS = 8640;

export function apiRoutes({ source, keys, audit }: ApiDeps, events: EventStream): Router {
  const api = Router();
  api.use((_request, response, next) => {
    response.set('cache-control', 'no-store');
    next();
  });
  api.get('/openapi.json', (_request, response) => void response.json(openapi(source.view().version)));
  api.get('/config', (_request, response) => void response.json(source.config()));
  api.get('/events', events.subscribe);
  api.use('/keys', keyRoutes(keys));
  api.get('/audit', async (request, response) => {
    response.json(await audit.latest(limitIn(request.query['limit'], 50)));
  });
  api.get('/session', (_request, response) => void response.json(visitorIn(response)));
  api.use(roleRoutes(source));
  if (source.work !== undefined) api.use('/roles/work', roleRoutes(source.work));
  api.use((request) => {
    throw new Refusal(404, `The admin API has no ${request.method} ${request.baseUrl}${request.path}.`);
  });
  return api;
}

/** What each role has of its own. */
export function roleRoutes(source: AdminSource): Router {
  const api = Router();
  api.get('/state', (_request, response) => void response.json(source.view()));
  api.get('/decisions', (request, response) => {
    response.json(source.decisions(limitIn(request.query['limit'], 50)));
  });
  // without what was seen of each VM, which of a large fleet is most of it
  api.get('/periods', (request, response) => {
    const { holds = 'true' } = request.query;
    if (holds !== 'true' && holds !== 'false') throw new Refusal(400, 'holds is true or false.');
    const isTold = ({ decision, outcome }: BoundRecord): boolean =>
      holds === 'true' || decision.action !== 'hold' || outcome.some(({ ok }) => !ok);
    response.json(source.decisions(limitIn(request.query['limit'], 50)).filter(isTold).map(periodView));
  });
  // as people write them: what is shown here can be sent back
  api.get('/parameters', (_request, response) => void response.json(writeParameters(source.view().parameters)));
  // also of a policy that is not in force, for who thinks of it
  api.get('/settings', (request, response) => {
    const { parameters, role } = source.view();
    const { policy = parameters.policy } = request.query;
    const name = policyNames.find((one) => one === policy);
    if (name === undefined) throw new Refusal(400, `policy is one of ${policyNames.join(', ')}.`);
    const policyParameters = name === parameters.policy ? parameters.policyParameters : {};
    response.json(settingsView({ ...parameters, policy: name, policyParameters }, role));
  });
  api.get('/history', async (request, response) => {
    const { from, until } = spanIn(request.query, source.view().at);
    // hundreds of points alike: a tenth when compressed
    const text = JSON.stringify({ from, until, points: source.past(from, until).map(pastView) });
    response.type('json').vary('accept-encoding');
    if (request.acceptsEncodings('gzip') !== 'gzip') return void response.send(text);
    response.set('content-encoding', 'gzip').send(await zipped(text));
  });
  // a GET, as nothing is changed by it: whoever may look may ask what if
  api.get('/preview', async (request, response) => {
    const { set = [] } = request.query;
    const assignments = [set].flat().filter((one) => typeof one === 'string');
    response.json(await source.preview(assignments, spanIn(request.query, source.view().at)));
  });
  api.patch('/parameters', json({ limit: '64kb' }), async (request, response) => {
    const changes: unknown = request.body;
    if (
      typeof changes !== 'object' ||
      changes === null ||
      Array.isArray(changes) ||
      Object.keys(changes).length === 0
    ) {
      throw new Refusal(400, 'A change is a JSON object with at least one parameter, such as {"high": 75}.');
    }
    const { parameters, warnings } = await source.setParameters(
      changes as Record<string, unknown>,
      authorOf(request, visitorIn(response)),
    );
    response.json({ parameters: writeParameters(parameters), warnings });
  });
  api.post('/parameters/undo', json({ limit: '64kb' }), async (request, response) => {
    const { at } = (request.body ?? {}) as { readonly at?: unknown };
    if (at !== undefined && typeof at !== 'number')
      throw new Refusal(400, 'at is the time of the change to take back, as /api/state has it.');
    const { parameters, warnings } = await source.undo(authorOf(request, visitorIn(response)), at);
    response.json({ parameters: writeParameters(parameters), warnings });
  });
  // back to the configuration; says what that changed
  api.delete('/parameters', async (request, response) => {
    const reset = source.changedParameters();
    const nulls = Object.fromEntries(reset.map((name) => [name, null]));
    const { parameters, warnings } =
      reset.length === 0
        ? { parameters: source.view().parameters, warnings: [] }
        : await source.setParameters(nulls, authorOf(request, visitorIn(response)));
    response.json({ parameters: writeParameters(parameters), warnings, reset });
  });
  api.use(handRoutes(source));
  return api;
}

/** `span=7d` up to now, or `from` and `until` as times (ISO 8601, or ms since the epoch). */
function spanIn(
  { span = '1h', from, until }: Readonly<Record<string, unknown>>,
  now: Millis,
): { readonly from: Millis; readonly until: Millis } {
  const ms = typeof span === 'string' ? parseDuration(span) : undefined;
  if (ms === undefined || ms <= 0) throw new Refusal(400, 'span is a duration such as 30m, 1h or 7d.');
  const end = timeIn('until', until) ?? now;
  const start = timeIn('from', from) ?? end - ms;
  if (start >= end) throw new Refusal(400, 'from is before until.');
  return { from: start, until: end };
}

function timeIn(name: string, text: unknown): Millis | undefined {
  if (text === undefined) return undefined;
  const time = typeof text !== 'string' ? NaN : /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(time)) throw new Refusal(400, `${name} is a time such as 2026-01-02T10:00:00Z.`);
  return time;
}

const zipped = promisify(gzip);

function limitIn(text: unknown, otherwise: number): number {
  if (text === undefined) return otherwise;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_PERIODS) {
    throw new Refusal(400, `limit is a whole number from 1 to ${MOST_PERIODS}.`);
  }
  return limit;
}

/** Every error as `{"error": {"code", "message"}}`; what isn't the client's fault is logged, not shown. */
export function errorAnswers(log: { error(fields: object, message: string): void }): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const [status, code, message] = answerTo(error);
    if (status === 500) log.error({ err: error, path: request.path }, 'The admin server failed to answer a request');
    response.status(status).json({ error: { code, message } });
  };
}

function answerTo(error: unknown): [number, string, string] {
  if (error instanceof Refusal) return [error.status, 'BAD_REQUEST', error.message];
  if (error instanceof MmeliotError) return [error.code === 'BAD_REQUEST' ? 400 : 422, error.code, error.message];
  // body-parser and the router mark what the client did wrong
  const { status, type, limit = 0 } = error as { status?: number; type?: string; limit?: number };
  if (type === 'entity.parse.failed') return [400, 'BAD_REQUEST', 'The body is not valid JSON.'];
  if (type === 'entity.too.large') return [413, 'BAD_REQUEST', `The body is larger than ${limit / 1024} kB.`];
  if (status !== undefined && status >= 400 && status < 500) {
    return [status, 'BAD_REQUEST', 'The request cannot be understood.'];
  }
  return [500, 'INTERNAL', 'The admin server failed; its log says why.'];
}
