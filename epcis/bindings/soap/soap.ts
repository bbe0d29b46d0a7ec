// The SOAP door: the query control interface at `…/query`, its WSDL at `…/query?wsdl`.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { textOf } from '../http/body.ts';
import type { Doors } from '../http/doors.ts';
import { asFailure } from '../http/failure.ts';
import { sendStream } from '../http/stream.ts';
import { childText } from './element.ts';
import { fault, inEnvelope, readEnvelope, type FaultContext } from './envelope.ts';
import { answer } from './operations.ts';
import { wsdl } from './wsdl.ts';

const XML = 'text/xml; charset=utf-8';

export async function soapQuery(doors: Doors, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'POST') await serve(doors, request, response);
  else if (isWsdlRequest(request)) sendText(response, 200, XML, wsdl(addressOf(request)));
  else {
    response.setHeader('Allow', 'POST');
    sendText(response, 405, 'text/plain', 'This is a SOAP 1.1 service; its description is at ?wsdl.\n');
  }
}

async function serve(doors: Doors, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let context: FaultContext = { generation: 1 };
  try {
    const message = readEnvelope(await textOf(request, doors.limits.requestBytes));
    const queryName = childText(message.operation, 'queryName');
    context = { generation: message.generation, ...(queryName && { queryName }) };
    const head = () => response.writeHead(200, { 'Content-Type': XML });
    await sendStream(response, head, inEnvelope(answer(message, doors)));
  } catch (error) {
    // the client has left: its hanging up is the error
    if (response.destroyed) return;
    const failure = asFailure(error, doors.log, request);
    // too late for a fault: cut the connection, or the answer would look complete
    if (response.headersSent) response.destroy();
    else sendText(response, 500, XML, fault(failure, context));
  }
}

function isWsdlRequest({ method, url = '' }: IncomingMessage): boolean {
  const [, query = ''] = url.split('?');
  return (method === 'GET' || method === 'HEAD') && query.toLowerCase() === 'wsdl';
}

/** Where the client reached us: a gateway in front of us passes on the Host, and whether it was asked by TLS. */
function addressOf(request: IncomingMessage): string {
  const [path = ''] = originalUrl(request).split('?');
  const scheme = request.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${request.headers.host ?? 'localhost'}${path}`;
}

/** Before express took the mount path off. */
function originalUrl(request: IncomingMessage & { originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '/';
}

function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text);
}
