// The clients' side of the built-in gateway: what Node's HTTP server makes of their connections becomes exchanges.
import { timingSafeEqual } from 'node:crypto';
import { createServer, ServerResponse } from 'node:http';
import type { IncomingMessage, Server, ServerOptions } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { answer, answerRaw, later, readNoMore } from './answers.ts';
import type { Core, Front } from './core.ts';
import { Exchange } from './exchange.ts';
import { gatherChunks, type ChunksCame } from './gather-chunks.ts';
import { NO_TUNNELS } from '../core/headers.ts';
import { readRequestHead, usableRequestId } from '../core/headers.ts';
import type { Refusal } from '../core/headers.ts';
import { senderOf } from './incoming.ts';
import { LetIn } from './let-in.ts';
import { ReadingTurns } from './reading-turns.ts';
import type { Rates } from '../core/rates.ts';
import { TOO_MANY_ABANDONED } from '../core/abandoned.ts';
import { REFUSED_UPGRADE_MS, tooManyUpgrades } from '../core/upgrades.ts';
import { contextOf, type Pair } from '../../tls/certificate.ts';
import type { Upgrade } from './incoming.ts';

/** How often it is looked for heads that take too long. */
const HEADS_CHECKED_MS = 1_000;
const ORDER = Symbol('order of answers');

/** The requests of one connection. */
interface Order {
  last?: ServerResponse;
  waiting: number;
  /** Nothing that comes is served any more. */
  over: boolean;
}

interface ClientSocket extends Socket {
  [ORDER]?: Order;
  /** Node's own. */
  readonly parser?: { onIncoming: () => number } | null;
}

type ParseError = Error & { code?: string };

export function createListener(core: Core, pair: Pair | undefined): Server | TlsServer {
  const options: ServerOptions = {
    keepAliveTimeout: core.options.timeouts.keepAliveMs,
    headersTimeout: core.options.timeouts.headMs,
    connectionsCheckingInterval: HEADS_CHECKED_MS,
    maxHeaderSize: core.options.limits.headBytes,
    // refused here, like all other requests that aren't well-formed: Node would go on to read the next one
    requireHostHeader: false,
    // uploads may be of any size; those that come too slowly are found by `Exchange.look`
    requestTimeout: 0,
    // other protocols than WebSocket are not for here: such a request is served as if it hadn't asked
    shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
  };
  const handshakeTimeout = core.options.timeouts.headMs;
  const turns = new ReadingTurns((socket) => orderOf(socket).waiting === 0);
  const letIn = new LetIn(core, turns, turnOut);
  let server: Server | TlsServer;
  if (pair === undefined) letIn.watch((server = createServer(options)));
  else letIn.watchByTls((server = createTlsServer({ ...options, ...contextOf(pair), handshakeTimeout })));
  const serve = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    turns.came(request.socket);
    inTurn(core, request, response, expectsContinue);
  };
  server.on('request', (request, response) => serve(request, response, false));
  server.on('checkContinue', (request, response) => serve(request, response, true));
  server.on('upgrade', (request, socket, first) => {
    turns.leave(socket as Socket);
    beginUpgrade(core, request, socket, first);
  });
  server.on('connect', (_, socket) => refuseTunnel(core, socket));
  server.on('clientError', (error: ParseError, socket) => refuse(core, error, socket));
  return server;
}

/** It is answered and closed, whatever it asks. */
function turnOut(socket: ClientSocket, { status, reason }: Refusal): void {
  orderOf(socket).over = true;
  answerRaw(socket, status, reason);
}

const orderOf = (socket: ClientSocket): Order => (socket[ORDER] ??= { waiting: 0, over: false });

/**
 * Requests of one connection one after the other, as the client means them, also where it does not wait: meanwhile nothing more
 * is read than what has come with them.
 */
function inTurn(core: Core, request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
  const socket: ClientSocket = request.socket;
  const order = orderOf(socket);
  if (order.over) return;
  // of what is read by TLS each record comes by itself, as each chunk does
  if (request.headers['transfer-encoding'] !== undefined || (socket as TLSSocket).encrypted)
    gatherChunks(request, chunksOf(core, request));
  const { last } = order;
  order.last = response;
  if (last === undefined || last.writableFinished) return begin(core, request, response, expectsContinue);
  const { pipelined } = core.options.limits;
  order.over = ++order.waiting > pipelined;
  const tooMany = order.over;
  // reading them cost as much as a second's connections would have
  if (tooMany) {
    readNoMore(socket);
    makeNothingMore(socket);
    core.connectionRates.restAfter(senderOf(core, request), core.options.limits.connectionsPerSecond, core.deps.now());
  }
  pauseReading(socket, order);
  last.once('close', () => {
    if (--order.waiting === 0) socket.resume();
    else pauseReading(socket, order);
    // (behind an early answer nothing is served any more: that closed this side)
    if (!socket.writable) return;
    if (tooMany) refuseRequest(core, request, response, tooManyWait(pipelined));
    else begin(core, request, response, expectsContinue);
  });
}

/** What came in the same piece goes through the parser all the same, thousands of requests: of none Node makes a message with an answer. */
function makeNothingMore(socket: ClientSocket): void {
  if (socket.parser !== undefined && socket.parser !== null) socket.parser.onIncoming = () => 0;
}

/** Node resumes in the next tick what it has parsed a request of, and a few ticks after an answer: so not at once. */
function pauseReading(socket: Socket, order: Order): void {
  const pause = () => (order.waiting > 0 ? socket.pause() : undefined);
  process.nextTick(() => process.nextTick(pause));
  setImmediate(pause);
}

const tooManyWait = (most: number): Refusal => ({
  status: 429,
  reason: `More than ${most} requests wait on this connection; read the answers first.`,
});

function begin(
  core: Core,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
  upgrade?: Upgrade,
): void {
  const head = readRequestHead(request.rawHeaders, request.httpVersion);
  const path = originForm(request.url ?? '');
  if (!VERSIONS.has(request.httpVersion)) return refuseRequest(core, request, response, NO_VERSION);
  if (!('fields' in head)) return refuseRequest(core, request, response, head);
  if (path === undefined) return refuseRequest(core, request, response, NO_PATH);
  if (!isOfOneHost(request)) return refuseRequest(core, request, response, TWO_HOSTS);
  const requestId = usableRequestId(head.requestId) ?? core.nextRequestId();
  const { front } = core;
  if (front !== undefined && !isFrom(front, request)) return refuseRequest(core, request, response, NOT_HERE);
  const sender = senderOf(core, request);
  if (core.abandonedRates.restAfter(sender, 0, core.deps.now()) > 0)
    return refuseRequest(core, request, response, TOO_MANY_ABANDONED);
  const rest = restOfUpload(core, sender);
  const answerRest = restOf(core, core.answerRates, sender);
  const from = { front, sender, rest, answerRest };
  const exchange = new Exchange(core, { request, response, head, path, requestId, expectsContinue, upgrade, ...from });
  // what it sent before, refused uploads above all, is paid off first
  const restMs = exchange.isUpload ? core.uploadRates.restAfter(sender, 0, core.deps.now()) : 0;
  later(restMs, response, () => exchange.start());
}

const NOT_HERE: Refusal = { status: 403, reason: 'This is no door for clients: ask at the gateway.' };

function isFrom({ proofField, proof }: Front, { headers }: IncomingMessage): boolean {
  const [given, right] = [Buffer.from(String(headers[proofField])), Buffer.from(proof)];
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Node's parser takes others of one digit and a point, too. */
const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);
const NO_VERSION: Refusal = { status: 505, reason: 'HTTP/1.1 and HTTP/1.0 are spoken here.' };
const NO_PATH: Refusal = { status: 400, reason: 'The request has no usable path.' };
const TWO_HOSTS: Refusal = {
  status: 400,
  reason: 'The request is for one host by its address and for another by Host.',
};

/** Whoever sends such a request may mean something else by what follows. */
function refuseRequest(
  core: Core,
  request: IncomingMessage,
  response: ServerResponse,
  { status, reason }: Refusal,
): void {
  core.tally.refused++;
  const fields = ['connection', 'close', ...(status === 429 ? ['retry-after', '1'] : [])];
  const answerable = { request, response, rest: restOfUpload(core, senderOf(core, request)) };
  answer(answerable, status, reason, fields, core.deps.corsOrigins);
}

const restOf =
  (core: Core, rates: Rates, sender: string) =>
  (bytes: number): number =>
    rates.restAfter(sender, bytes, core.deps.now());

/** What a piece of an upload costs, however small. */
const LEAST_PIECE = 4_096;

function restOfUpload(core: Core, sender: string): (bytes: number) => number {
  const rest = restOf(core, core.uploadRates, sender);
  return (bytes) => rest(Math.max(bytes, LEAST_PIECE));
}

/** Reading a hundred chunks costs as much as a connection. */
const CHUNKS_A_CONNECTION = 100;

/** Each chunk is a piece; and who sends them by ever new connections is read later, like who connects all the time. */
function chunksOf(core: Core, request: IncomingMessage): ChunksCame {
  const sender = senderOf(core, request);
  return (chunks, bytes) => {
    const now = core.deps.now();
    core.uploadRates.restAfter(sender, Math.max(0, (chunks - 1) * LEAST_PIECE - bytes), now);
    core.connectionRates.restAfter(sender, chunks / CHUNKS_A_CONNECTION, now);
  };
}

function beginUpgrade(core: Core, request: IncomingMessage, socket: Duplex, first: Buffer): void {
  socket.on('error', () => socket.destroy());
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  try {
    response.assignSocket(socket as Socket);
  } catch {
    // a client that asks for this before it has its last answer could not tell the two apart
    core.tally.refused++;
    socket.destroy();
    return;
  }
  response.on('finish', () => (socket as Socket).destroySoon());
  // nobody reads from it before there is a tunnel: this much, to see when the client goes
  socket.on('end', () => (response.socket === null ? undefined : socket.destroy())).read(0);
  const sender = senderOf(core, request);
  const now = core.deps.now();
  if (core.upgradeRates.restAfter(sender, 0, now) === 0) {
    core.upgradeRates.restAfter(sender, 1, now);
    begin(core, request, response, false, { protocol: 'websocket', socket, first });
  } else {
    const refusal = tooManyUpgrades(core.options.limits.upgradesPerSecond);
    const timer = setTimeout(() => refuseRequest(core, request, response, refusal), REFUSED_UPGRADE_MS);
    socket.once('close', () => clearTimeout(timer));
  }
}

/** Node's server has let go of it: that it breaks is nobody else's to notice, and ended the gateway. */
function refuseTunnel(core: Core, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  lastWord(core, socket, 501, NO_TUNNELS);
}

/** What Node's parser refuses never becomes a request: conflicting lengths, odd chunks, bare line feeds. */
function refuse(core: Core, error: ParseError, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') lastWord(core, socket, 431, 'The head of the request is too large.');
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') lastWord(core, socket, 408, 'The request came too slowly.');
  else lastWord(core, socket, 400, 'The request is not well-formed HTTP/1.1.');
}

function lastWord(core: Core, socket: Duplex, status: number, reason: string): void {
  const order = orderOf(socket as ClientSocket);
  const { last } = order;
  if (order.over) return;
  // what came before this is whole, and may have been carried out: its client is told
  if (last !== undefined && last.req.complete && !last.writableFinished) {
    order.over = true;
    readNoMore(socket);
    last.once('close', () => {
      if (!socket.writable) return;
      core.tally.refused++;
      answerRaw(socket, status, reason);
    });
    return;
  }
  // an answer is under way already: what there is of it is the last on this connection
  if (last !== undefined && last.headersSent && !last.writableFinished) {
    (socket as Socket).destroySoon();
    return;
  }
  core.tally.refused++;
  answerRaw(socket, status, reason);
}

/** The path of a request target, also of one in absolute form; undefined for anything else. A fragment would be part of it for some only. */
function originForm(target: string): string | undefined {
  if (target.includes('#')) return undefined;
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]+([/?].*)?$/i.exec(target);
  if (rest === null) return undefined;
  const path = rest[1] ?? '/';
  return path.startsWith('/') ? path : `/${path}`;
}

/** Of a target in absolute form: whose host it is for decides who is let in, so nobody may understand it otherwise. */
function isOfOneHost({ url = '', headers }: IncomingMessage): boolean {
  const [, authority] = /^https?:\/\/([^/?#]+)/i.exec(url) ?? [];
  return authority === undefined || authority.toLowerCase() === headers.host?.toLowerCase();
}
