// GET /queries/{name}/events with an Upgrade: a subscription that lives as long as its WebSocket.
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { EpcisException } from '../../domain/exceptions.ts';
import type { SocketRequest } from '../../service/subscriptions.ts';
import { admitted } from '../http/admission.ts';
import { asFailure } from '../http/failure.ts';
import { nameOf } from '../http/segment.ts';
import type { Sockets } from '../http/serve.ts';
import { RestExchange, type RestDoors } from './exchange.ts';
import { errorForm } from './negotiate.ts';
import { problemOf, writeProblem } from './problem.ts';
import { readQueryString } from './query-string.ts';
import { checkRequest } from './rest.ts';
import { resultForm, scheduleOf } from './subscriptions.ts';

const SCHEDULE = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'];
const CONTROLS = new Set([...SCHEDULE, 'stream', 'reportIfEmpty', 'initialRecordTime']);
const PING_EVERY = 30_000;

export function socketDoor(doors: RestDoors): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1024 });
  /** Those whose handshake is still to come. */
  const waiting = new Set<Duplex>();
  return {
    upgrade: (request, socket, head) => {
      waiting.add(socket);
      void upgrade(doors, server, request, socket, head).finally(() => waiting.delete(socket));
    },
    close: () => {
      for (const client of server.clients) client.close(1001, 'the service is going down');
      server.close();
    },
    terminate: () => {
      for (const client of server.clients) client.terminate();
      for (const socket of waiting) socket.destroy();
    },
  };
}

async function upgrade(
  doors: RestDoors,
  server: WebSocketServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) {
  // until the handshake is done a broken connection is nobody else's to notice
  socket.on('error', () => socket.destroy());
  const [path = ''] = (request.url ?? '').split('?');
  try {
    const open = admitted(doors, request, 'subscribe');
    const name = queryNameIn(path, doors.rest);
    if (name === undefined) throw new EpcisException('NoSuchResourceException', `There is no WebSocket at ${path}.`);
    const exchange = new RestExchange(open, request, new ServerResponse(request), [name]);
    checkRequest(exchange);
    // before the handshake, so that what is wrong is a proper HTTP error
    const connected = await subscribe(open, socketRequest(exchange), socket);
    server.handleUpgrade(request, socket, head, (client) => {
      keepAlive(client);
      bound(client, socket, doors);
      connected(client);
    });
  } catch (error) {
    refuse(doors, request, socket, error);
  }
}

/** Undefined where the path is of nothing, or is not encoded. */
function queryNameIn(path: string, { prefix }: RestDoors['rest']): string | undefined {
  if (!path.startsWith(prefix)) return undefined;
  const part = /^\/queries\/([^/]+)\/events$/.exec(path.slice(prefix.length))?.[1];
  try {
    return part === undefined ? undefined : nameOf(decodeURIComponent(part));
  } catch {
    return undefined;
  }
}

function socketRequest(exchange: RestExchange): SocketRequest {
  const { parameters, controls } = readQueryString(exchange.url, exchange.extensions, CONTROLS);
  const fields = SCHEDULE.flatMap((field) => (controls.has(field) ? [[field, controls.get(field)]] : []));
  const initialRecordTime = controls.get('initialRecordTime');
  return {
    queryName: exchange.value,
    parameters,
    result: resultForm(exchange),
    reportIfEmpty: isTrue(controls, 'reportIfEmpty'),
    ...(fields.length > 0 && { schedule: scheduleOf(Object.fromEntries(fields)) }),
    ...(isTrue(controls, 'stream') && { stream: true }),
    ...(initialRecordTime && { initialRecordTime }),
  };
}

function isTrue(controls: ReadonlyMap<string, string>, name: string): boolean {
  const value = controls.get(name) ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw new EpcisException('QueryParameterException', `${name} takes true or false, not '${value}'.`);
}

/** A subscription that lives as long as the connection, and whose results wait for its handshake: to be called with the WebSocket. */
async function subscribe(
  doors: RestDoors,
  wanted: SocketRequest,
  socket: Duplex,
): Promise<(client: WebSocket) => void> {
  const connection = Promise.withResolvers<WebSocket>();
  connection.promise.catch(() => {});
  const subscription = await doors.services.subscriptions.open(wanted, {
    send: async (document) => {
      const client = await connection.promise;
      await new Promise<void>((resolve, reject) => {
        client.send(document, (error) => (error ? reject(error) : resolve()));
      });
    },
    end: () => void connection.promise.then((client) => client.close(1000)).catch(() => {}),
  });
  const gone = () => {
    connection.reject(new Error('the client is gone'));
    const failed = (error: unknown) => asFailure(error, doors.log, { url: `/queries/${wanted.queryName}/events` });
    subscription.close().catch(failed);
  };
  if (socket.destroyed) gone();
  else socket.once('close', gone);
  return connection.resolve;
}

function keepAlive(client: WebSocket): void {
  const ping = setInterval(() => client.ping(), PING_EVERY);
  client.once('close', () => clearInterval(ping)).on('error', () => client.terminate());
}

/** What a client did not send in so long it may send at once. */
const SAVED_SECONDS = 16;
/** So long it has to take the reason for which it is closed. */
const TAKE_MS = 1_000;

/** A client has next to nothing to say here; what it says all the same is work for the one process that serves all. */
function bound(client: WebSocket, socket: Duplex, { limits, now }: RestDoors): void {
  const perMs = limits.socketBytesPerSecond / 1000;
  const savedMs = SAVED_SECONDS * 1000;
  /** When what it has sent will have been paid off: 16 KB at once, at 1 KB a second, in 16 s. */
  let paidAt = 0;
  const count = (chunk: Buffer) => {
    const at = now().getTime();
    paidAt = Math.max(paidAt, at - savedMs) + chunk.length / perMs;
    if (paidAt <= at) return;
    socket.off('data', count);
    client.close(1008, `A client may send ${limits.socketBytesPerSecond} bytes a second here.`);
    // it is told, and nothing more of it is read
    client.pause();
    const timer = setTimeout(() => client.terminate(), TAKE_MS);
    client.once('close', () => clearTimeout(timer));
  };
  socket.on('data', count);
}

function refuse(doors: RestDoors, request: IncomingMessage, socket: Duplex, error: unknown): void {
  const problem = problemOf(asFailure(error, doors.log, request));
  const { type, text } = writeProblem(problem, errorForm(request.headers.accept));
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nConnection: close\r\nContent-Type: ${type}\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
