// Who asks, for each request: by a token, or by the session that a token began. Wrong ones are answered later and later.
import { setTimeout as sleep } from 'node:timers/promises';
import { json, Router, type Request, type RequestHandler, type Response } from 'express';
import { ANYBODY, authorOf } from './author.ts';
import { Failures } from './failures.ts';
import type { Logins, Visitor } from './logins.ts';
import { Refusal } from './protect.ts';
import type { AuditLog } from './source.ts';

export interface Doorman {
  /** Everything behind it knows its visitor. */
  readonly authenticate: RequestHandler;
  /** Where the page logs in and out. */
  readonly session: Router;
}

export interface DoormanDeps {
  readonly logins: Logins;
  readonly audit: AuditLog;
  readonly secure: boolean;
  readonly now: () => number;
}

type FindVisitor = () => Visitor | undefined;

const WRONG = 'The admin API asks for a token: send "Authorization: Bearer <admin.token>".';

export function doorman({ logins, audit, secure, now }: DoormanDeps): Doorman {
  const failures = new Failures();
  /** Answers in its time that this token is nobody's. */
  const turnAway = async (request: Request): Promise<never> => {
    const address = addressOf(request);
    const wait = failures.add(address, now());
    audit.note({ who: 'nobody', from: address, what: 'login refused' });
    await sleep(wait);
    failures.answered(address);
    throw new Refusal(401, WRONG);
  };
  const begin = async (request: Request, token: string): Promise<string> => {
    refuseWhoTriesTooMuch(failures, request);
    return logins.begin(token, now()) ?? turnAway(request);
  };

  const authenticate: RequestHandler = async (request, response, next) => {
    const find = finder(request);
    response.locals['visitor'] = await visitorOf(find, request, response);
    response.locals['find'] = find;
    next();
  };
  /** Asked again as long as its answer lasts: keys are revoked, and sessions end. */
  const finder = (request: Request): FindVisitor => {
    const { authorization = '' } = request.headers;
    if (logins.isOpen) return () => ANYBODY;
    if (authorization !== '') return () => logins.byToken(/^Bearer +(\S.*)$/i.exec(authorization)?.[1] ?? '');
    const session = sessionIn(request);
    return () => logins.bySession(session, now());
  };
  const visitorOf = async (find: FindVisitor, request: Request, response: Response): Promise<Visitor> => {
    if (logins.isOpen) return ANYBODY;
    const { authorization = '' } = request.headers;
    if (authorization === '') {
      const visitor = find();
      if (visitor === undefined) {
        response.set('www-authenticate', 'Bearer realm="mmeliot"');
        throw new Refusal(401, WRONG);
      }
      refuseForeignWrites(request);
      return visitor;
    }
    refuseWhoTriesTooMuch(failures, request);
    const visitor = find();
    if (visitor !== undefined) return visitor;
    response.set('www-authenticate', 'Bearer realm="mmeliot"');
    return turnAway(request);
  };

  const session = Router();
  session.post('/api/session', json({ limit: '4kb' }), async (request, response) => {
    const { token } = (request.body ?? {}) as { readonly token?: unknown };
    if (logins.isOpen || typeof token !== 'string')
      throw new Refusal(400, 'A login is a JSON object such as {"token": "..."}, where tokens are asked for.');
    const id = await begin(request, token);
    const visitor = logins.byToken(token) as Visitor;
    audit.note({ who: visitor.name, from: addressOf(request), what: 'login' });
    response.set('set-cookie', cookie(request, id, secure)).json(visitor);
  });
  session.delete('/api/session', (request, response) => {
    logins.end(sessionIn(request));
    response.set('set-cookie', `${cookie(request, '', secure)}; Max-Age=0`).json({});
  });
  return { authenticate, session };
}

function refuseWhoTriesTooMuch(failures: Failures, request: Request): void {
  if (failures.tooMany(addressOf(request)))
    throw new Refusal(429, 'Too many wrong tokens came from this address: wait a few seconds.');
}

/** A session comes with every request of a browser, so a change by one has to say from which page it comes. */
function refuseForeignWrites({ method, headers }: Request): void {
  if (['GET', 'HEAD', 'OPTIONS'].includes(method) || headers.origin !== undefined) return;
  throw new Refusal(403, 'A change by a session comes from the admin page itself; a program sends a token.');
}

export const addressOf = (request: Pick<Request, 'ip'>): string => request.ip ?? 'unknown';

/** A browser keeps cookies by host: two managers on one machine must not end each other's sessions. */
const cookieName = ({ socket }: Request): string => `mmeliot-session-${socket.localPort ?? 0}`;

const cookie = (request: Request, id: string, secure: boolean): string =>
  `${cookieName(request)}=${id}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

function sessionIn(request: Request): string {
  const name = cookieName(request);
  const pairs = (request.headers.cookie ?? '').split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

export const visitorIn = (response: Response): Visitor => response.locals['visitor'] as Visitor;

/** Whether who was let in would be now. */
export const isStillKnown = (response: Response): boolean => (response.locals['find'] as FindVisitor)() !== undefined;

/** Who only looks may change nothing. */
export const operatorsChange: RequestHandler = (request, response, next) => {
  const changes = !['GET', 'HEAD', 'OPTIONS'].includes(request.method);
  if (changes && visitorIn(response).role !== 'operator')
    throw new Refusal(403, 'A viewer changes nothing: that takes the token of an operator.');
  next();
};

/** Notes who changed what from where, and with what success. */
export const audited =
  (audit: AuditLog): RequestHandler =>
  (request, response, next) => {
    if (!['GET', 'HEAD', 'OPTIONS'].includes(request.method)) {
      const { method, originalUrl } = request;
      response.on('finish', () => {
        const change = request.body as unknown;
        audit.note({
          ...{
            who: authorOf(request, visitorIn(response)),
            from: addressOf(request),
            what: `${method} ${originalUrl}`,
          },
          ...{ status: response.statusCode, ...(change !== undefined && { change }) },
        });
      });
    }
    next();
  };
