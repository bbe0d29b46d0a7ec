// Which door answers which path.
import express from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { withDescriptions } from './describe/resources.ts';
import type { Routers } from './http/serve.ts';
import { servedAt } from './http/tracing.ts';
import type { RestDoors } from './rest/exchange.ts';
import { answerFailure, noSuchResource, restRouter } from './rest/rest.ts';
import { RESOURCES } from './rest/resources.ts';
import { socketDoor } from './rest/websocket.ts';
import { soapCapture } from './soap/capture.ts';
import { soapQuery } from './soap/soap.ts';

/** `contextPaths`: each has `/capture` and `/query` of EPCIS 1.x below it. */
export function createRouters(doors: RestDoors, contextPaths: readonly string[]): Routers {
  // as RFC 3986 has it: what guards a path in front of this service must not be passed by /Capture
  const requests = express.Router({ caseSensitive: true });
  const resources = withDescriptions(RESOURCES);
  const { prefix } = doors.rest;
  const paths = [
    ...contextPaths.flatMap((path) => [`${path}/capture`, `${path}/query`]),
    ...resources.map(({ path }) => `${prefix}${path}`),
  ];
  for (const path of contextPaths) {
    const door = (name: string, serve: typeof soapQuery): void =>
      void requests.all(`${path}/${name}`, (request, response) => {
        servedAt(`${path}/${name}`, request);
        return serve(doors, request, response);
      });
    door('capture', soapCapture);
    door('query', soapQuery);
  }
  requests.use(prefix || '/', restRouter(doors, resources));
  requests.use((request, response) => noSuchResource(doors, request, response, paths));
  // four arguments make it express's error handler: what it refuses itself, such as a path that cannot be decoded
  requests.use((error: unknown, request: IncomingMessage, response: ServerResponse, _next: unknown) => {
    if (isBadPath(error)) noSuchResource(doors, request, response, paths);
    else answerFailure(doors, request, response, error);
  });
  return { requests, sockets: socketDoor(doors) };
}

/** Of a VM that does stored work only: it answers nothing but whether it is ready. */
export function closedDoors(): Routers {
  const requests = express.Router();
  requests.use((_request, response) => {
    response.writeHead(404, { 'Content-Type': 'text/plain' }).end('This VM does stored work only.\n');
  });
  const nothing = (): void => undefined;
  return { requests, sockets: { upgrade: (_request, socket) => socket.destroy(), close: nothing, terminate: nothing } };
}

function isBadPath(error: unknown): boolean {
  return error instanceof URIError || (error instanceof Error && 'status' in error && error.status === 400);
}
