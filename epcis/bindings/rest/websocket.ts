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
import { resultForm, scheduleOf } from './subscriptions.ts';

const SCHEDULE = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'];
const CONTROLS = new Set([...SCHEDULE, 'stream', 'reportIfEmpty', 'initialRecordTime']);
const PING_EVERY = 30_000;

export function socketDoor(doors: RestDoors): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1024 });
  return {
    upgrade: (request, socket, head) => void upgrade(doors, server, request, socket, head),
    close: () => {
      for (const client of server.clients) client.close(1001, 'the service is going down');
      server.close();
    },
    terminate: () => {
      for (const client of server.clients) client.terminate();
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
  const { prefix } = doors.rest;
  const name = path.startsWith(prefix)
    ? /^\/queries\/([^/]+)\/events$/.exec(path.slice(prefix.length))?.[1]
    : undefined;
  try {
    const open = admitted(doors, request, 'subscribe');
    if (name === undefined) throw new EpcisException('NoSuchResourceException', `There is no WebSocket at ${path}.`);
    const exchange = new RestExchange(open, request, new ServerResponse(request), [nameOf(decodeURIComponent(name))]);
    const wanted = socketRequest(exchange);
    // before the handshake, so that a wrong query is a proper HTTP error
    await open.services.queries.get(wanted.queryName);
    server.handleUpgrade(request, socket, head, (client) => void serve(open, wanted, client));
  } catch (error) {
    refuse(doors, request, socket, error);
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
    reportIfEmpty: controls.get('reportIfEmpty') === 'true',
    ...(fields.length > 0 && { schedule: scheduleOf(Object.fromEntries(fields)) }),
    ...(controls.get('stream') === 'true' && { stream: true }),
    ...(initialRecordTime && { initialRecordTime }),
  };
}

async function serve(doors: RestDoors, wanted: SocketRequest, client: WebSocket): Promise<void> {
  const send = (document: string) =>
    new Promise<void>((resolve, reject) => {
      client.send(document, (error) => (error ? reject(error) : resolve()));
    });
  const ping = setInterval(() => client.ping(), PING_EVERY);
  const closed = new Promise<void>((resolve) => {
    client.once('close', () => {
      clearInterval(ping);
      resolve();
    });
  });
  client.on('error', () => client.terminate());
  try {
    const subscription = await doors.services.subscriptions.open(wanted, { send, end: () => client.close(1000) });
    await closed;
    await subscription.close();
  } catch (error) {
    const failure = asFailure(error, doors.log, { url: `/queries/${wanted.queryName}/events` });
    const form = wanted.result.form === 'json' ? 'json' : 'xml';
    client.send(writeProblem(problemOf(failure), form).text, () => client.close(1008, failure.exception.name));
  }
}

function refuse(doors: RestDoors, request: IncomingMessage, socket: Duplex, error: unknown): void {
  const problem = problemOf(asFailure(error, doors.log, request));
  const { type, text } = writeProblem(problem, errorForm(request.headers.accept));
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nConnection: close\r\nContent-Type: ${type}\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
