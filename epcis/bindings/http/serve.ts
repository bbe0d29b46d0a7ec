// One HTTP server for all doors, the readiness check, and a close that lets requests in flight finish.
import express from 'express';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { allowOrigin, refuseForeign, refuseForeignSocket } from './cors.ts';
import { answerEarly } from './early-answer.ts';
import { acceptTls, type Certificate } from './tls.ts';
import { takeTurns } from './take-turns.ts';
import { traceRequests } from './tracing.ts';
import { QuestionTurns } from '../../service/question-turns.ts';
import { UNAVAILABLE, UNAVAILABLE_FIELD } from '../../domain/unavailable.ts';
import type { Tracer } from '../../tracing/tracer.ts';
import { LOOP_TIME } from '../../turns/loop-time.ts';

/** What answers: every request but the readiness check, and upgrades to WebSocket. */
export interface Routers {
  readonly requests: express.Router;
  readonly sockets: Sockets;
}

export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Says goodbye to every client. */
  close(): void;
  /** Hangs up on those that do not say goodbye. */
  terminate(): void;
}

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  /** How long requests in flight may take to finish when the server closes. */
  readonly drainSeconds: number;
  /** Origins whose pages may use the service from a browser; `*` is any. */
  readonly corsOrigins: readonly string[];
  /** Resolves while requests can be answered, else rejects with the reason. */
  readonly ready: () => Promise<void>;
  /** Called for each request that is no document, and asks nothing of one. */
  readonly asked: () => void;
  /** For those who speak TLS to this port. */
  readonly certificate?: Certificate;
  /** Without it no request is traced. */
  readonly tracer?: Tracer;
}

export interface HttpServer {
  readonly port: number;
  /** New connections get it; for a server that was started with one. */
  useCertificate(certificate: Certificate): void;
  close(): Promise<void>;
}

const LONGEST_HEADERS = 64 * 1024;
// longer than a gateway keeps its idle connections, so that it never sends into one that is just closing
const KEEP_ALIVE = 75_000;
/** A whole request may take as long as it needs; a connection on which nothing moves may not. */
const SILENCE = 300_000;
const READY_IN_TIME = 1500;

export async function serve({ requests, sockets }: Routers, options: ServeOptions): Promise<HttpServer> {
  const state = { closing: false };
  const server = createServer(
    {
      maxHeaderSize: LONGEST_HEADERS,
      keepAliveTimeout: KEEP_ALIVE,
      requestTimeout: 0,
      // Java's HttpClient, for one, offers HTTP/2 with its first request: who asks for what we don't speak is answered as ever
      shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
    },
    application(requests, options, state),
  );
  server.setTimeout(SILENCE);
  answerEarly(server);
  server.on('upgrade', (request, socket, head) => {
    if (!refuseForeignSocket(options.corsOrigins, request, socket)) sockets.upgrade(request, socket, head);
  });
  // a connection that answered its last request must not wait for another one
  server.on('request', (_request, response: ServerResponse) => {
    response.once('close', () => state.closing && setImmediate(() => server.closeIdleConnections()));
  });
  const tls = options.certificate && acceptTls(server, options.certificate);
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    useCertificate: (certificate) => tls?.use(certificate),
    close: () => {
      tls?.close();
      return close(server, sockets, state, options.drainSeconds);
    },
  };
}

async function listen(server: Server, { host, port }: ServeOptions): Promise<void> {
  const reasons = { EADDRINUSE: 'is taken', EACCES: 'needs more rights', EADDRNOTAVAIL: 'is not on this machine' };
  // without a host it is every address of both families, or of IPv4 alone on a machine that has no IPv6
  server.listen(port, ...(host === '::' ? [] : [host]));
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = Object.hasOwn(reasons, code) ? reasons[code as keyof typeof reasons] : `failed (${code})`;
    throw new Error(`EPCIS cannot listen at ${host}:${port}: it ${reason}.`, { cause: error });
  }
}

function application(requests: express.Router, options: ServeOptions, state: { readonly closing: boolean }) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.use((request, response, next) => {
    const { corsOrigins } = options;
    if (!allowOrigin(corsOrigins, request, response) && !refuseForeign(corsOrigins, request, response)) next();
  });
  app.use((request, _response, next) => {
    if (!isAboutDocuments(request.path)) options.asked();
    next();
  });
  app.get('/ready', (_request, response) => ready(options, state.closing, response));
  if (options.tracer !== undefined) app.use(traceRequests(options.tracer));
  const takeTurn = takeTurns(new QuestionTurns(LOOP_TIME));
  app.use((request, response, next) => {
    if (isAboutDocuments(request.path)) next();
    else takeTurn(request, response, next);
  });
  app.use(requests);
  return app;
}

/** Whether documents are sent to a path or asked after at it, or whether this service is there. */
export const isAboutDocuments = (path: string): boolean => /\/(capture|ready)([/?]|$)/.test(path);

async function ready(options: ServeOptions, closing: boolean, response: ServerResponse): Promise<void> {
  try {
    if (closing) throw new Error('The service is closing.');
    await inTime(options.ready());
    response.writeHead(200, { 'Content-Type': 'text/plain' }).end('ready\n');
  } catch {
    // why is logged by who watches the repository
    const why = closing ? {} : { [UNAVAILABLE_FIELD]: UNAVAILABLE };
    response.writeHead(503, { 'Content-Type': 'text/plain', ...why }).end(closing ? 'closing\n' : 'no repository\n');
  }
}

/** A repository that does not answer does not say no either. */
async function inTime(answer: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('the repository does not answer')), READY_IN_TIME);
  try {
    await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function close(
  server: Server,
  sockets: Sockets,
  state: { closing: boolean },
  drainSeconds: number,
): Promise<void> {
  if (!server.listening) return;
  state.closing = true;
  sockets.close();
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const deadline = setTimeout(() => {
    server.closeAllConnections();
    sockets.terminate();
  }, drainSeconds * 1000);
  await closed;
  clearTimeout(deadline);
}
