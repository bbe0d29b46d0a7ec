// The SOAP door: the query control interface at `…/query`, its WSDL at `…/query?wsdl`.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EpcisException } from '../../domain/exceptions.ts';
import { textOf } from '../http/body.ts';
import { addressOf } from '../http/address.ts';
import type { Doors } from '../http/doors.ts';
import { admitted, UnknownClientException } from '../http/admission.ts';
import { asFailure } from '../http/failure.ts';
import { sendStream, sendText, tagOf, type Headers } from '../http/answer.ts';
import { childText } from './element.ts';
import { fault, inEnvelope, readEnvelope, type FaultContext } from './envelope.ts';
import { answer } from './operations.ts';
import { wsdl } from './wsdl.ts';

const XML = 'text/xml; charset=utf-8';

export async function soapQuery(doors: Doors, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'POST') await serve(doors, request, response);
  else if (isUnknown(doors, request)) {
    const head = { 'Content-Type': 'text/plain', 'WWW-Authenticate': 'Bearer' };
    send(doors, request, response, 401, head, `${new UnknownClientException().message}\n`);
  } else if (isWsdlRequest(request)) describe(doors, request, response);
  else {
    const head = { 'Content-Type': 'text/plain', Allow: 'POST' };
    send(doors, request, response, 405, head, 'This is a SOAP 1.1 service; its description is at ?wsdl.\n');
  }
}

const isUnknown = ({ clients }: Doors, request: IncomingMessage): boolean =>
  clients !== undefined && clients.of(request) === undefined;

function describe(doors: Doors, request: IncomingMessage, response: ServerResponse): void {
  const text = wsdl(addressOf(request, pathOf(request)));
  const head = { 'Content-Type': XML, ETag: tagOf(text), 'Cache-Control': 'no-cache' };
  send(doors, request, response, 200, head, text);
}

async function serve(doors: Doors, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let context: FaultContext = { generation: 1 };
  try {
    const open = admitted(doors, request, 'any');
    refuseParts(request.headers['content-type'] ?? '');
    const message = await readEnvelope(await textOf(request, doors.limits.requestBytes));
    const queryName = childText(message.operation, 'queryName');
    context = { generation: message.generation, ...(queryName && { queryName }) };
    const to = { request, response, compressFrom: doors.compressFrom };
    await sendStream(to, () => ({ 'Content-Type': XML }), inEnvelope(answer(message, open)));
  } catch (error) {
    // the client has left: its hanging up is the error
    if (response.destroyed) return;
    const failure = asFailure(error, doors.log, request);
    // too late for a fault: cut the connection, or the answer would look complete
    if (response.headersSent) response.destroy();
    else {
      const { unavailable } = failure;
      const head = { 'Content-Type': XML, ...unavailable };
      const status = failure.exception instanceof PartsException ? 415 : unavailable === undefined ? 500 : 503;
      send(doors, request, response, status, head, fault(failure, context));
    }
  }
}

/** Not the message's fault, so no fault's status either: the client's transport says by 415 what is wrong. */
class PartsException extends EpcisException {
  constructor() {
    const reason =
      'SOAP messages in parts (MTOM, XOP, attachments) are not supported: send the envelope alone, as text/xml.';
    super('UnsupportedMediaTypeException', reason);
  }
}

function refuseParts(contentType: string): void {
  if (/^\s*(?:multipart\/|application\/xop\+xml)/i.test(contentType)) throw new PartsException();
}

function isWsdlRequest({ method, url = '' }: IncomingMessage): boolean {
  const [, query = ''] = url.split('?');
  return (method === 'GET' || method === 'HEAD') && query.toLowerCase() === 'wsdl';
}

/** Before express took the mount path off. */
function pathOf(request: IncomingMessage & { originalUrl?: string }): string {
  const [path = ''] = (request.originalUrl ?? request.url ?? '/').split('?');
  return path;
}

function send(
  { compressFrom }: Doors,
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Headers,
  text: string,
): void {
  sendText({ request, response, compressFrom }, status, headers, text);
}
