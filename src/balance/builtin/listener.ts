// The clients' side of the built-in gateway: what Node's HTTP server makes of their connections becomes exchanges.
import { createServer, ServerResponse } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { answer, answerRaw } from './answers.ts';
import type { Core } from './core.ts';
import { Exchange } from './exchange.ts';
import { readRequestHead, usableRequestId } from '../core/headers.ts';
import type { Upgrade } from './incoming.ts';

const HEADERS_TIMEOUT_MS = 30_000;
/** More than a VM takes by default, so that it is the VM which says that a query is too long. */
const LONGEST_HEAD = 64 * 1024;
const LAST_RESPONSE = Symbol('last response');

interface ClientSocket extends Duplex {
  [LAST_RESPONSE]?: ServerResponse;
}

type ParseError = Error & { code?: string };

export function createListener(core: Core): Server {
  const server = createServer({
    keepAliveTimeout: core.options.timeouts.keepAliveMs,
    headersTimeout: HEADERS_TIMEOUT_MS,
    maxHeaderSize: LONGEST_HEAD,
    // refused here, like all other requests that aren't well-formed: Node would go on to read the next one
    requireHostHeader: false,
    // uploads may be of any size; stalled ones are found by `cutOffIfStalled`
    requestTimeout: 0,
    // other protocols than WebSocket are not for here: such a request is served as if it hadn't asked
    shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
  });
  server.on('request', (request, response) => inTurn(core, request, response, false));
  server.on('checkContinue', (request, response) => inTurn(core, request, response, true));
  server.on('upgrade', (request, socket, first) => beginUpgrade(core, request, socket, first));
  server.on('clientError', (error: ParseError, socket) => refuse(core, error, socket));
  return server;
}

/** Requests of one connection one after the other, as the client means them, also where it does not wait. */
function inTurn(core: Core, request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
  const socket: ClientSocket = request.socket;
  const last = socket[LAST_RESPONSE];
  socket[LAST_RESPONSE] = response;
  const start = () => begin(core, request, response, expectsContinue);
  if (last === undefined || last.writableFinished) start();
  // (behind an early answer nothing is served any more: that closed this side)
  else last.once('close', () => (socket.writable ? start() : undefined));
}

function begin(
  core: Core,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
  upgrade?: Upgrade,
): void {
  const head = readRequestHead(request.rawHeaders, request.httpVersion);
  const path = originForm(request.url ?? '');
  if ('fields' in head && path !== undefined) {
    const requestId = usableRequestId(head.requestId) ?? core.nextRequestId();
    const clientField = core.front?.clientField;
    new Exchange(core, { request, response, head, path, requestId, expectsContinue, upgrade, clientField }).start();
    return;
  }
  core.tally.refused++;
  const { status, reason } = 'fields' in head ? { status: 400, reason: 'The request has no usable path.' } : head;
  // whoever sends such a request may mean something else by what follows
  answer(request, response, status, reason, ['connection', 'close']);
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
  begin(core, request, response, false, { protocol: 'websocket', socket, first });
}

/** What Node's parser refuses never becomes a request: conflicting lengths, odd chunks, bare line feeds. */
function refuse(core: Core, error: ParseError, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  // an answer is under way already: what there is of it is the last on this connection
  const last = (socket as ClientSocket)[LAST_RESPONSE];
  if (last !== undefined && last.headersSent && !last.writableFinished) {
    (socket as Socket).destroySoon();
    return;
  }
  core.tally.refused++;
  if (error.code === 'HPE_HEADER_OVERFLOW') answerRaw(socket, 431, 'The head of the request is too large.');
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') answerRaw(socket, 408, 'The request came too slowly.');
  else answerRaw(socket, 400, 'The request is not well-formed HTTP/1.1.');
}

/** The path of a request target, also of one in absolute form; undefined for anything else. */
function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]+([/?].*)?$/i.exec(target);
  if (rest === null) return undefined;
  const path = rest[1] ?? '/';
  return path.startsWith('/') ? path : `/${path}`;
}
