// The standard's exceptions as problem details (RFC 7807), in JSON or XML.
import { LimitReachedException, type EpcisException, type ExceptionName } from '../../domain/exceptions.ts';
import { UnknownClientException } from '../http/admission.ts';
import type { Failure } from '../http/failure.ts';
import { xmlText } from '../http/xml-text.ts';

/** Status and title of each exception. */
export const PROBLEMS: Readonly<Record<ExceptionName, readonly [status: number, title: string]>> = {
  ValidationException: [400, 'The request is not valid'],
  QueryParameterException: [400, 'A query parameter is wrong'],
  QueryValidationException: [400, 'The query is not valid'],
  SubscriptionControlsException: [400, 'The subscription controls are wrong'],
  InvalidURIException: [400, 'The destination is not a usable URI'],
  SubscribeNotPermittedException: [400, 'This query cannot be subscribed to'],
  SecurityException: [403, 'Not permitted'],
  NoSuchNameException: [404, 'No such query'],
  NoSuchResourceException: [404, 'No such resource'],
  NoSuchSubscriptionException: [404, 'No such subscription'],
  NotAcceptableException: [406, 'The response cannot be given as asked for'],
  ResourceAlreadyExistsException: [409, 'The resource exists already'],
  DuplicateNameException: [409, 'The name is taken'],
  DuplicateSubscriptionException: [409, 'The subscription exists already'],
  CaptureLimitExceededException: [413, 'The capture request is too large'],
  QueryTooLargeException: [413, 'The query result is too large'],
  QueryTooComplexException: [413, 'The query is too complex'],
  URITooLongException: [414, 'The URI is too long'],
  UnsupportedMediaTypeException: [415, 'The media type is not supported'],
  ImplementationException: [500, 'The service failed'],
};

const UNKNOWN_CLIENT = [401, 'Who asks is not known'] as const;
const LIMIT_REACHED = [429, 'More than this client may'] as const;

function statusAndTitle(exception: EpcisException): readonly [status: number, title: string] {
  if (exception instanceof UnknownClientException) return UNKNOWN_CLIENT;
  return exception instanceof LimitReachedException ? LIMIT_REACHED : PROBLEMS[exception.name];
}

export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance?: string;
}

const UNAVAILABLE = [503, 'The service is not available at present'] as const;

export function problemOf({ exception, id, unavailable }: Failure): ProblemDetails {
  const [status, title] = unavailable === undefined ? statusAndTitle(exception) : UNAVAILABLE;
  // the OpenAPI document knows one name for what exists already
  const name = exception.name === 'DuplicateNameException' ? 'ResourceAlreadyExistsException' : exception.name;
  const problem = { type: `epcisException:${name}`, title, status, detail: exception.message };
  return id === undefined ? problem : { ...problem, instance: `urn:uuid:${id}` };
}

/** The members of a problem as XML elements, also inside a capture job. */
export function problemElements(problem: object): string {
  return Object.entries(problem)
    .map(([name, value]) => `<${name}>${xmlText(String(value))}</${name}>`)
    .join('');
}

export function writeProblem(problem: ProblemDetails, form: 'json' | 'xml'): { type: string; text: string } {
  if (form === 'json') return { type: 'application/problem+json', text: JSON.stringify(problem) };
  const root = `<epcis:EPCISException xmlns:epcis="urn:epcglobal:epcis:xsd:2">${problemElements(problem)}</epcis:EPCISException>`;
  return { type: 'application/problem+xml', text: `<?xml version="1.0" encoding="UTF-8"?>\n${root}` };
}
