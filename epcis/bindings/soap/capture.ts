// Fosstrak's capture: POST a document, read the status.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EpcisException, LimitReachedException } from '../../domain/exceptions.ts';
import { bodyOf, textOf } from '../http/body.ts';
import { isDryRun } from '../http/dry-run.ts';
import { admitted, needRole, UnknownClientException } from '../http/admission.ts';
import type { Doors } from '../http/doors.ts';
import { asFailure } from '../http/failure.ts';
import { formField } from '../http/multipart.ts';
import { inUtf8 } from '../xml/charset.ts';

const FORM = 'application/x-www-form-urlencoded';

export async function soapCapture(doors: Doors, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    if (request.method !== 'POST') {
      response.setHeader('Allow', 'POST');
      return answer(request, response, 405, 'This is the EPCIS capture interface; POST a document to it.');
    }
    const { valid = true, text } = await capture(admitted(doors, request, 'capture'), request);
    answer(request, response, valid ? 200 : 400, text);
  } catch (error) {
    // the client has left: its hanging up is the error
    if (response.destroyed) return;
    const { exception, unavailable } = asFailure(error, doors.log, request);
    if (exception instanceof UnknownClientException) response.setHeader('WWW-Authenticate', 'Bearer');
    for (const [name, value] of Object.entries(unavailable ?? {})) response.setHeader(name, value);
    answer(request, response, unavailable === undefined ? statusOf(exception) : 503, exception.message);
  }
}

interface Outcome {
  /** False: a dry run found faults. */
  readonly valid?: boolean;
  readonly text: string;
}

async function capture(doors: Doors, request: IncomingMessage): Promise<Outcome> {
  const take = isDryRun(request.url ?? '') ? checkDocument : captureDocument;
  const contentType = request.headers['content-type'] ?? '';
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const { captureBytes, requestBytes } = doors.limits;
  switch (mediaType) {
    case 'text/xml':
    case 'application/xml':
      return take(doors, bodyOf(request, captureBytes));
    case 'multipart/form-data':
      return take(doors, inUtf8(formField(bodyOf(request, captureBytes), contentType, 'event')));
    case FORM:
      return captureForm(doors, new URLSearchParams(await textOf(request, requestBytes)), take);
    default: {
      const reason = `Content-Type '${mediaType}' is not supported; send text/xml, application/xml or multipart/form-data.`;
      throw new EpcisException('UnsupportedMediaTypeException', reason);
    }
  }
}

/** What is wrong with it, a line each, and nothing is captured. */
async function checkDocument(doors: Doors, bytes: AsyncIterable<Uint8Array>): Promise<Outcome> {
  const { valid, findings } = await doors.documents.validate(bytes, { mediaType: 'application/xml', headers: {} });
  const lines = findings.map(
    ({ at = 'document', rule, severity, reason, hint }) =>
      `${at}: ${severity === 'warning' ? 'warning: ' : ''}${reason} [${rule}] ${hint}`,
  );
  return { valid, text: [...(valid ? ['The document is valid.'] : []), ...lines].join('\n') };
}

async function captureDocument(doors: Doors, bytes: AsyncIterable<Uint8Array>): Promise<Outcome> {
  const items = doors.documents.read(bytes, { mediaType: 'application/xml', headers: {} });
  const result = await doors.services.capture.capture(items, { errorBehaviour: 'rollback' });
  const { captured, duplicates, vocabularyElements, warnings } = result;
  const known = `${duplicates} known before`;
  const told = warnings.map(({ at, reason }) => `\n${at}: ${reason}`).join('');
  return { text: `Captured ${captured} events (${known}) and ${vocabularyElements} vocabulary elements.${told}` };
}

/** What Fosstrak's own clients send as a form: `dbReset=true`, or the document as the field `event`. */
async function captureForm(doors: Doors, form: URLSearchParams, take: typeof captureDocument): Promise<Outcome> {
  if (form.get('dbReset') === 'true' && take === captureDocument) {
    if (doors.client !== undefined) needRole(doors.client, 'administer');
    const { reset } = doors.services;
    if (reset === undefined) {
      throw new EpcisException('SecurityException', 'This service does not allow its repository to be reset.');
    }
    await reset();
    return { text: 'The repository is empty.' };
  }
  const event = form.get('event');
  if (event === null) throw new EpcisException('ValidationException', "The form has no field 'event'.");
  return take(doors, once(Buffer.from(event)));
}

/** The client reads the status only: its fault (400), unknown (401), forbidden (403), too much (429), or ours (500). */
function statusOf(exception: EpcisException): number {
  const { name } = exception;
  if (exception instanceof UnknownClientException) return 401;
  if (exception instanceof LimitReachedException) return 429;
  if (name === 'ImplementationException') return 500;
  return name === 'SecurityException' ? 403 : 400;
}

function answer(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  // what is left of a refused body is not worth reading
  if (!request.complete) response.setHeader('Connection', 'close');
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

async function* once<T>(item: T): AsyncGenerator<T> {
  yield item;
}
